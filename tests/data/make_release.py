# SPDX-License-Identifier: GPL-3.0-or-later
"""python3 make_release.py: writes oal_release.json, groups and factors in the layout of the public OAL release, by hand:
two layers of two heads, six dimensions; padding of the packed factor is not 0, as in the release."""
import json
import pathlib
import random

PADDED = 8  # groups


def head(groups, seed, mse):
    draw = random.Random(seed)
    count = len(groups)
    packed = [round(draw.gauss(0, 0.03), 9) for _ in range((PADDED + 1) * (PADDED + 2) // 2)]
    active = (count + 1) * (count + 2) // 2
    packed[:active] = [round(draw.gauss(0, 1), 9) for _ in range(active)]

    def entry(r, c):
        return packed[r * (r + 1) // 2 + c] if c <= r <= count else 0.0

    expanded = [[round(sum(entry(r, b) * entry(q, b) for b in range(PADDED + 1)), 7) for q in range(PADDED + 1)]
                for r in range(PADDED + 1)]
    return {"group_count": count, "groups": groups, "packed_lower_triangular": packed,
            "expanded_quadratic_matrix": expanded, "validation_output_mse": mse}


release = {"model_name": "made-up/model", "head_dim": 6, "epsilon": 1e-6, "layers": {
    "04": {"heads": {"0": head([[0, 1, 3, 5], [2], [4]], 1, 0.031), "1": head([[1, 2, 3, 4, 5], [0]], 2, 0.25)}},
    "12": {"heads": {"0": head([[5, 0, 1, 2], [4, 3]], 3, 0.5), "1": head([[0, 1, 2], [3], [4], [5]], 4, 0.0625)}}}}
path = pathlib.Path(__file__).parent / "oal_release.json"
path.write_text(json.dumps(release) + "\n")
