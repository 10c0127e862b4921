# SPDX-License-Identifier: GPL-3.0-or-later
"""Progress on stderr: a bar on a terminal, a line per prompt elsewhere."""
from __future__ import annotations

import sys
import time
from typing import TextIO

BAR_WIDTH = 30


class Progress:
    """Share of all prompts that is done; `done` of them were done before this run, and say nothing about its speed."""

    def __init__(self, prompts: int, done: int, stream: TextIO | None = None):
        self._prompts = prompts
        self._before = done
        self._stream = stream or sys.stderr
        self._bar = self._stream.isatty()
        self._start = time.monotonic()

    def within(self, prompt: int, fraction: float) -> None:
        """`fraction` of prompt `prompt` (from 0) is done."""
        if self._bar:
            self._draw(prompt + fraction, f"prompt {prompt + 1}/{self._prompts}")

    def finished(self, prompt: int) -> None:
        if self._bar:
            self.within(prompt, 1.0)
        else:
            print(f"prompt {prompt + 1}/{self._prompts}, {self._left(prompt + 1)}", file=self._stream, flush=True)

    def note(self, text: str) -> None:
        """A line of its own, above the bar."""
        print(("\r\x1b[K" if self._bar else "") + text, file=self._stream, flush=True)

    def end(self) -> None:
        if self._bar:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def _left(self, position: float) -> str:
        here = position - self._before
        if here <= 0:
            return ""
        seconds = (time.monotonic() - self._start) / here * (self._prompts - position)
        return f"{int(seconds // 60)}:{int(seconds % 60):02d} left"

    def _draw(self, position: float, label: str) -> None:
        share = position / self._prompts
        filled = int(share * BAR_WIDTH)
        bar = "#" * filled + "." * (BAR_WIDTH - filled)
        self._stream.write(f"\r\x1b[K{label} [{bar}] {share:4.0%} {self._left(position)}")
        self._stream.flush()
