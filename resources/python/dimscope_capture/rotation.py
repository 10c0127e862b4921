# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether and how a layer rotates its queries, measured on the model's own rotation instead of guessed from its name."""
from __future__ import annotations

import functools
import sys
from typing import Any, Callable

import torch

LAYOUT_TOLERANCE = 1e-2  # of the pairs' energy; a model in bf16 rounds a pair's norm by up to 2^-8


class RotationWatch:
    """Wraps the rotation functions (apply_rotary_pos_emb and its kin) of the modules that a model is made of.

    A layer whose attention runs without a call has no RoPE, whatever the configuration says (SmolLM3, Cohere2).
    """

    def __init__(self, model: torch.nn.Module):
        self._wrapped: list[tuple[dict, str, Callable]] = []
        self._seen: tuple[torch.Tensor, torch.Tensor] | None = None
        files = {type(module).__module__ for module in model.modules()}
        for file in sorted(files & sys.modules.keys()):
            self._wrap(vars(sys.modules[file]))

    @property
    def watching(self) -> bool:
        """False when the model's code has no rotation function under a known name."""
        return bool(self._wrapped)

    def take(self) -> tuple[torch.Tensor, torch.Tensor] | None:
        """Input and output of the last rotation since the last call, or None."""
        seen, self._seen = self._seen, None
        return seen

    def close(self) -> None:
        for namespace, name, function in self._wrapped:
            namespace[name] = function
        self._wrapped.clear()

    def _wrap(self, namespace: dict) -> None:
        for name, function in list(namespace.items()):
            if name.startswith("apply_") and ("rotary" in name or "rope" in name) and callable(function):
                self._wrapped.append((namespace, name, function))
                namespace[name] = self._watched(function)

    def _watched(self, function: Callable) -> Callable:
        @functools.wraps(function)
        def rotate(*args: Any, **kwargs: Any) -> Any:
            result = function(*args, **kwargs)
            before = next((a for a in (*args, *kwargs.values()) if isinstance(a, torch.Tensor)), None)
            after = result[0] if isinstance(result, tuple) else result
            if before is not None and isinstance(after, torch.Tensor) and before.shape == after.shape:
                self._seen = (before, after)
            return result

        return rotate


def rotation_attributes(watch: RotationWatch, query: torch.Tensor, config: Any, layer: int) -> dict[str, Any]:
    """rope, rope_layout, rotary_dim, rope_theta of a layer, as far as they are known; query [1, Hq, N, D] after RoPE."""
    seen = watch.take()
    parameters = rope_parameters(config, layer)
    if seen is None:
        return {"rope": "post" if parameters and not watch.watching else "none"}
    attributes: dict[str, Any] = {"rope": "post"}
    before, after = seen
    rotary_dim = rotated_dimensions(before, after)
    layout = pair_layout(before[..., :rotary_dim], after[..., :rotary_dim])
    if layout and leads(after, query):
        attributes.update(rope_layout=layout, rotary_dim=rotary_dim)
    if parameters.get("rope_theta"):
        attributes["rope_theta"] = float(parameters["rope_theta"])
    if parameters.get("rope_type", "default") != "default":
        attributes["rope_type"] = str(parameters["rope_type"])  # theta alone does not describe these angles
    return attributes


def rope_parameters(config: Any, layer: int) -> dict[str, Any]:
    """Parameters of one layer: a model may have one set for all, or one per type of layer."""
    parameters = getattr(config, "rope_parameters", None) or {}
    types = getattr(config, "layer_types", None)
    if types and isinstance(parameters.get(types[layer]), dict):
        parameters = parameters[types[layer]]
    if not parameters and getattr(config, "rope_theta", None):
        parameters = {"rope_theta": config.rope_theta, **(getattr(config, "rope_scaling", None) or {})}
    return parameters


def rotated_dimensions(before: torch.Tensor, after: torch.Tensor) -> int:
    """Number of leading dimensions that the rotation changes; both [..., D]."""
    changed = (before != after).flatten(0, -2).any(0).nonzero()
    return int(changed.max()) + 1 if len(changed) else 0


def pair_layout(before: torch.Tensor, after: torch.Tensor) -> str | None:
    """"half" (r with r + d/2) or "interleaved" (2r with 2r + 1): the pairs whose norms a rotation leaves alone."""
    dim = before.shape[-1]
    if dim < 4 or dim % 2:
        return None
    error = {}
    for layout in ("half", "interleaved"):
        old, new = (pair_energy(tensor.double(), layout) for tensor in (before, after))
        old = old * (new.sum() / old.sum())  # some scaled rotations stretch all pairs alike
        error[layout] = float((new - old).abs().sum() / new.sum())
    best, other = sorted(error, key=error.get)
    return best if error[best] < LAYOUT_TOLERANCE < error[other] else None


def pair_energy(tensor: torch.Tensor, layout: str) -> torch.Tensor:
    """[..., D] -> [..., D/2]: squared norm of every pair."""
    if layout == "half":
        first, second = tensor.chunk(2, dim=-1)
    else:
        first, second = tensor[..., ::2], tensor[..., 1::2]
    return first.square() + second.square()


def leads(rotated: torch.Tensor, query: torch.Tensor) -> bool:
    """Whether the rotated part is the whole head or its beginning; rotated [1, H, N, R] or [1, N, H, R]."""
    width = rotated.shape[-1]
    if width == query.shape[-1]:
        return True
    part = query[..., :width]
    return any(part.shape == view.shape and torch.equal(part, view) for view in (rotated, rotated.transpose(1, 2)))
