# SPDX-License-Identifier: GPL-3.0-or-later
"""Tensors as format 1 stores them: float32, float16, or bf16 as the bit patterns of uint16."""
from __future__ import annotations

import numpy as np
import torch

STORED_TYPE = {"float32": np.dtype("<f4"), "float16": np.dtype("<f2"), "bf16": np.dtype("<u2")}
ENCODING = {"float32": "ieee", "float16": "ieee", "bf16": "bf16"}
FLOAT16_MAX = 65504.0


def encode(values: torch.Tensor, dtype: str) -> tuple[np.ndarray, int]:
    """`values`, any shape, in the stored type, rounded to nearest even, and how many finite ones did not fit float16.

    Those are saturated at +-65504: an infinity would take the whole head away from a reader.
    """
    values = values.detach().to("cpu", torch.float32).contiguous()
    if dtype == "bf16":
        return values.to(torch.bfloat16).view(torch.int16).numpy().view(STORED_TYPE[dtype]), 0
    if dtype == "float32":
        return values.numpy(), 0
    saturated = int(((values.abs() > FLOAT16_MAX) & values.isfinite()).sum())
    if saturated:
        values = torch.where(values.isfinite(), values.clamp(-FLOAT16_MAX, FLOAT16_MAX), values)
    return values.to(torch.float16).numpy(), saturated
