#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of resources/python/dimscope_capture: python3 capture_test.py [unittest's arguments].

Exit code 77, which ctest reads as skipped, where packages are missing. With DIMSCOPE_CLI set to the command-line program,
it reads the dumps too.
"""
import importlib.util
import os
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
NEEDED = ("numpy", "h5py", "torch", "transformers", "tokenizers")
SKIPPED = 77


def main():
    missing = [package for package in NEEDED if importlib.util.find_spec(package) is None]
    if missing:
        print(f"skipped: {sys.executable} has no {', '.join(missing)}")
        return SKIPPED
    os.environ.setdefault("TQDM_DISABLE", "1")
    os.environ["HF_HUB_OFFLINE"] = "1"  # nothing here comes from a network
    sys.path[:0] = [str(HERE), str(HERE.parents[1] / "resources" / "python")]
    cases = ("attention_cases", "file_cases", "resume_cases", "refusal_cases", "smollm2_cases")
    program = unittest.main(module=None, argv=[sys.argv[0], *(sys.argv[1:] or cases)], verbosity=2, exit=False)
    return 0 if program.result.wasSuccessful() and program.result.testsRun else 1


if __name__ == "__main__":
    sys.exit(main())
