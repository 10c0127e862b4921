# SPDX-License-Identifier: GPL-3.0-or-later
"""`python dimscope_capture MODEL --text F out.h5`, wherever this folder lies."""
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
if not sys.stderr.isatty():
    os.environ.setdefault("TQDM_DISABLE", "1")  # bars of other libraries fill a log with thousands of characters
try:
    from dimscope_capture.program import main
except ModuleNotFoundError as missing:
    sys.exit(f"dimscope_capture: the Python package {missing.name} is not installed; "
             "pip install torch transformers h5py (for .gguf files also: gguf accelerate)")

if __name__ == "__main__":
    sys.exit(main())
