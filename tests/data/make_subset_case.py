#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""make_subset_case.py CASE: cuts the random-subset control out of a golden case of the float64 reference.

CASE holds dump.h5, params.h5 and expected.json. Writes subset_case.h5 (the dump), subset_case_params.h5 (kernels,
labels, positions, and the draws as /subsets/{LL}/draws) and subset_case.json (what the reference found) beside this
file. Needs numpy and h5py.
"""
import json
import pathlib
import shutil
import sys

import h5py
import numpy as np

case, here = pathlib.Path(sys.argv[1]), pathlib.Path(__file__).parent
expected = json.loads((case / "expected.json").read_text())
kernels = list(expected["subsets"])
shutil.copyfile(case / "dump.h5", here / "subset_case.h5")
(here / "subset_case.h5").chmod(0o644)
with h5py.File(case / "params.h5") as source, h5py.File(here / "subset_case_params.h5", "w") as target:
    for name, value in source.attrs.items():
        target.attrs[name] = value
    source.copy("positions", target)
    for layer in source["layers"]:
        group = target.create_group(f"layers/{layer}")
        for kernel in kernels + ["oal"]:
            source.copy(f"layers/{layer}/{kernel}", group)
    for layer in expected["subset_draws"]:
        width = max(len(head) for draw in layer["draws"] for head in draw)
        draws = [[head + [-1] * (width - len(head)) for head in draw] for draw in layer["draws"]]
        target[f"subsets/{layer['layer']:02}/draws"] = np.array(draws, np.int32)
kept = {"subset_S": expected["subset_S"], "subsets": expected["subsets"],
        "intervene": {kernel: {q: expected["intervene"][kernel][q] for q in ("e_s", "e_full", "ratio")} for kernel in kernels}}
(here / "subset_case.json").write_text(json.dumps(kept, indent=1) + "\n")
