# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person can mend: one line that names the object, the cause and what to do."""


class CaptureError(Exception):
    """Ends the program with exit code 1 and this one line."""


def first_line(error: BaseException) -> str:
    """The first line of an error of another library, which may have many."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
