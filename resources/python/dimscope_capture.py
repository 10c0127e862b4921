#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Front of the folder dimscope_capture beside it, which is all there is to copy: `python dimscope_capture` does the same."""
import runpy
from pathlib import Path

if __name__ == "__main__":
    runpy.run_path(str(Path(__file__).resolve().with_suffix("")), run_name="__main__")
