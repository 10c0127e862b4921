# SPDX-License-Identifier: GPL-3.0-or-later
"""What format 1 says about a layer's attention, and whether that is what the model did.

A reader of a dump knows scale, softcap, window, causality and sink of a layer and nothing else. An attention that is
more than that (chunks, position biases, differential heads) is refused here instead of being misread there.
"""
from __future__ import annotations

import math

import torch

from .error import CaptureError

CHECKED_ROWS = 16
MASK_BLOCK_ROWS = 256
# Of the RMS of o. Float32 leaves 1e-7 to 1e-6, and u |s| = 1e-4 where logits s reach 1000; a wrong reading leaves 0.01 to 1.
RESIDUAL_LIMIT = 2e-3


def mask_form(visible: torch.Tensor, declared_window: int, layer: int) -> tuple[bool, int]:
    """(causal, window) of a mask, visible (N, N) boolean: entry (i, j) is true when query i sees key j."""
    rows = visible.shape[0]
    causal = rows > 1 and not bool(visible[0, -1])
    window = int(visible[-1].sum()) if causal else 0
    if window == rows:  # wider than the prompt: the mask does not tell, the model does
        window = declared_window if declared_window >= rows else 0
    for first in range(0, rows, MASK_BLOCK_ROWS):
        block = visible[first:first + MASK_BLOCK_ROWS]
        if not torch.equal(block, expected_mask(first, len(block), rows, causal, window, visible.device)):
            raise CaptureError(
                f"layer {layer}: its mask is neither causal, nor a sliding window, nor open (rows {first} to "
                f"{first + len(block) - 1} differ), and format 1 has no other; leave this layer out with --layers, "
                "or choose a --length below the chunk of its mask")
    return causal, window


def expected_mask(first: int, count: int, rows: int, causal: bool, window: int, device: torch.device) -> torch.Tensor:
    """Rows first .. first+count-1 of the mask that the attributes describe: (count, rows) boolean."""
    distance = torch.arange(first, first + count, device=device)[:, None] - torch.arange(rows, device=device)[None, :]
    if not causal:
        return torch.ones_like(distance, dtype=torch.bool)
    return (distance >= 0) & (distance < (window or rows))


def check_reading(layer: int, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, output: torch.Tensor,
                  attributes: dict, sink: torch.Tensor | None) -> float:
    """Recomputes sampled rows in float64 as a reader would; returns the residual's share of the RMS of o.

    query [Hq, N, D], key [Hkv, N, D], value [Hkv, N, Dv], output [Hq, N, Dv].
    """
    rows = torch.linspace(0, query.shape[1] - 1, min(CHECKED_ROWS, query.shape[1]), device=query.device).long()
    expected = attention_rows(query, key, value, rows, attributes, sink)
    actual = output[:, rows].double()
    energy = math.sqrt(float(actual.square().mean()))
    residual = math.sqrt(float((expected - actual).square().mean())) / energy if energy > 0 else math.nan
    if not residual <= RESIDUAL_LIMIT:  # also where it is not a number
        raise CaptureError(
            f"layer {layer}: attention recomputed from q, k, v and the attributes differs from the model's by {residual:.2g} "
            "of its RMS: the model does something that format 1 cannot describe, or its numbers are not finite; leave "
            "this layer out with --layers, or run the model with --model-dtype float32")
    return residual


def attention_rows(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, rows: torch.Tensor, attributes: dict,
                   sink: torch.Tensor | None) -> torch.Tensor:
    """Exact attention at `rows` in float64: (Hq, len(rows), Dv)."""
    group = query.shape[0] // key.shape[0]
    keys, values = (tensor.double().repeat_interleave(group, dim=0) for tensor in (key, value))
    logits = attributes["scale"] * query[:, rows].double() @ keys.transpose(1, 2)
    if attributes["softcap"]:
        logits = attributes["softcap"] * torch.tanh(logits / attributes["softcap"])
    distance = rows[:, None] - torch.arange(key.shape[1], device=rows.device)[None, :]
    if attributes["causal"]:
        seen = (distance >= 0) & (distance < (attributes["window"] or key.shape[1]))
        logits = logits.masked_fill(~seen, -torch.inf)
    if sink is not None:
        logits = torch.cat([logits, sink.double().reshape(-1, 1, 1).expand(-1, len(rows), 1)], dim=-1)
    return torch.softmax(logits, dim=-1)[..., :key.shape[1]] @ values
