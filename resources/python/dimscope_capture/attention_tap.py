# SPDX-License-Identifier: GPL-3.0-or-later
"""Attention on its way through transformers' attention interface: computed as the model would, handed on layer by layer."""
from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.masking_utils import sdpa_mask

from .error import CaptureError
from .reading_check import check_reading, mask_form
from .rotation import RotationWatch, rotation_attributes

NAME = "dimscope_capture"
SCORES_AT_ONCE = 1 << 24  # logits of one block of query rows, over all heads: 128 MB in float64


@dataclass
class CapturedLayer:
    """One layer of one prompt, as the model computed it."""
    layer: int
    q: torch.Tensor  # [Hq, N, D], after RoPE and after a norm of q
    k: torch.Tensor  # [Hkv, N, D]
    v: torch.Tensor  # [Hkv, N, Dv]
    o: torch.Tensor  # [Hq, N, Dv], before the output projection
    sink: torch.Tensor | None  # [Hq]
    hidden: torch.Tensor | None  # [N, Dmodel], residual stream entering the block
    attributes: dict[str, Any]  # of the layer group


class Receiver(Protocol):
    """Where the captured tensors of one prompt go, while the model is still running."""

    def receive(self, captured: CapturedLayer) -> None: ...

    def receive_w_o(self, layer: int, matrix: torch.Tensor) -> None:
        """matrix [Dmodel, Hq*Dv]"""

    def passed(self, layer: int) -> None:
        """The attention of a layer, captured or not, is done."""


class AttentionTap:
    """Receives every attention of a model that was loaded with attn_implementation=NAME."""

    def __init__(self) -> None:
        self._layers: set[int] = set()
        self._receiver: Receiver | None = None
        self._described: dict[int, dict[str, Any]] = {}
        self._captured: set[int] = set()
        self._seen: set[int] = set()
        self._entering: torch.Tensor | None = None
        self._wants_w_o = False

    def register(self) -> None:
        """The attention and its mask go under one name: without the second, sliding layers would get no mask."""
        AttentionInterface.register(NAME, self)
        AttentionMaskInterface.register(NAME, full_mask)

    def attach(self, model: torch.nn.Module, layers: list[int]) -> None:
        """Watches the rotations of a loaded model and what enters its blocks."""
        self._layers = set(layers)
        self._config = model.config.get_text_config()
        self._watch = RotationWatch(model)
        stacks = [module for module in model.modules()
                  if isinstance(module, torch.nn.ModuleList) and len(module) == self._config.num_hidden_layers]
        for block in (block for stack in stacks for block in stack):
            block.register_forward_pre_hook(self._enter, with_kwargs=True)

    def run(self, model: torch.nn.Module, ids: torch.Tensor, receiver: Receiver, wants_w_o: bool) -> None:
        """One prompt, ids [N]; ends after the last layer that is wanted. Throws CaptureError."""
        self._receiver = receiver
        self._captured.clear()
        self._seen.clear()
        self._wants_w_o = wants_w_o
        try:
            with torch.inference_mode():
                model(input_ids=ids[None], use_cache=False)
        except _Enough:
            pass
        missing = sorted(self._layers - self._captured)
        if missing and not self._seen:
            raise CaptureError(f"{type(model).__name__}: none of its attention passes through transformers' attention "
                               "interface, and what does not cannot be captured; use a newer transformers or another model")
        if missing:
            raise CaptureError(f"layer {missing[0]}: no softmax attention passed through transformers' attention interface; "
                               f"choose among the layers that do with --layers {','.join(map(str, sorted(self._seen)))}")

    def close(self) -> None:
        self._watch.close()

    def __call__(self, module: torch.nn.Module, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor,
                 attention_mask: torch.Tensor | None, scaling: float | None = None, dropout: float = 0.0,
                 **kwargs: Any) -> tuple[torch.Tensor, None]:
        """The attention function: query [1, Hq, N, D], key [1, Hkv, N, D], value [1, Hkv, N, Dv] -> [1, N, Hq, Dv]."""
        layer = getattr(module, "layer_idx", None)
        if layer is None:
            raise CaptureError(f"{type(module).__name__} does not know the number of its layer (layer_idx): "
                               "this model cannot be captured with this version of transformers")
        mask = visible_pairs(module, query, attention_mask, kwargs.get("is_causal"))
        # Logits of tens in float32 would leave 8 unit roundoffs in o; the model goes on in its own type either way.
        number = torch.float64 if layer in self._layers else torch.float32
        tensors = query.to(number), key.to(number), value.to(number)
        output = attend(module, *tensors, mask, scaling=scaling, **kwargs)
        result = output.to(query.dtype)
        self._seen.add(layer)
        if layer in self._layers:
            self._capture(layer, tensors, output, mask, scaling, kwargs)
            self._follow(module, layer, result)
        self._watch.take()  # what this layer rotated is no news for the next
        self._receiver.passed(layer)
        return result, None

    def _capture(self, layer: int, tensors: tuple[torch.Tensor, ...], output: torch.Tensor,
                 mask: torch.Tensor, scaling: float | None, kwargs: dict[str, Any]) -> None:
        if layer in self._captured:
            raise CaptureError(f"layer {layer} attends twice in one pass, and format 1 has room for one; "
                               "leave it out with --layers")
        query, key, value = tensors
        o = output[0].transpose(0, 1)
        sink = kwargs.get("s_aux")
        if layer not in self._described:
            attributes = describe(layer, query, key, mask, scaling, kwargs)
            attributes.update(rotation_attributes(self._watch, query, self._config, layer))
            check_reading(layer, query[0], key[0], value[0], o, attributes, sink)
            self._described[layer] = attributes
        self._captured.add(layer)
        attributes = self._described[layer]
        self._receiver.receive(CapturedLayer(layer, query[0], key[0], value[0], o, sink, self._entering, attributes))

    def _follow(self, module: torch.nn.Module, layer: int, result: torch.Tensor) -> None:
        if self._wants_w_o:
            self._find_projection(module, layer, result.flatten(2))
        if layer == max(self._layers):
            self._stop_after(module)

    def _find_projection(self, module: torch.nn.Module, layer: int, output: torch.Tensor) -> None:
        """The projection is what takes o as it is: found by its input, not by its name; output [1, N, Hq*Dv]."""
        handles = []

        def look(projection: torch.nn.Module, args: tuple) -> None:
            taken = args[0].reshape(output.shape) if args and args[0].numel() == output.numel() else None
            if taken is not None and torch.equal(taken, output.to(taken.dtype)):
                self._receiver.receive_w_o(layer, projection_matrix(projection))
                for handle in handles:
                    handle.remove()

        for part in module.modules():
            weight = getattr(part, "weight", None)
            if isinstance(weight, torch.Tensor) and weight.dim() == 2 and output.shape[-1] in weight.shape:
                handles.append(part.register_forward_pre_hook(look))
        handles.append(module.register_forward_hook(lambda *_: [handle.remove() for handle in handles] and None))

    def _stop_after(self, module: torch.nn.Module) -> None:
        def stop(*_: Any) -> None:
            handle.remove()
            raise _Enough

        handle = module.register_forward_hook(stop)

    def _enter(self, block: torch.nn.Module, args: tuple, kwargs: dict[str, Any]) -> None:
        hidden = args[0] if args else kwargs.get("hidden_states")
        self._entering = hidden[0] if isinstance(hidden, torch.Tensor) and hidden.dim() == 3 else None


class _Enough(Exception):
    """The last wanted layer is done: the rest of the model need not run."""


def full_mask(*args: Any, **kwargs: Any) -> torch.Tensor:
    """The model's mask written out, (1, 1, N, N) boolean, where PyTorch's attention would do without."""
    return sdpa_mask(*args, **{**kwargs, "allow_is_causal_skip": False, "allow_is_bidirectional_skip": False})


def visible_pairs(module: torch.nn.Module, query: torch.Tensor, mask: torch.Tensor | None,
                  is_causal: bool | None) -> torch.Tensor:
    """Mask as additive or boolean (1, 1 or Hq, N, N); a model that passes none means its module's is_causal."""
    rows = query.shape[2]
    if mask is not None:
        return mask[..., :rows, :rows]
    causal = is_causal if is_causal is not None else getattr(module, "is_causal", True)
    visible = torch.ones(1, 1, rows, rows, dtype=torch.bool, device=query.device)
    return visible.tril() if causal else visible


def attend(module: torch.nn.Module, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor,
           **kwargs: Any) -> torch.Tensor:
    """The eager attention of the model's own code on blocks of query rows, so that no N x N logits stand in memory.

    Soft caps, sinks and whatever else that code does are in it. Returns [1, N, Hq, Dv].
    """
    eager = inspect.unwrap(type(module).forward).__globals__.get("eager_attention_forward")
    if eager is None:
        raise CaptureError(f"{type(module).__name__} has no eager_attention_forward in its code: this model cannot be captured")
    heads, rows = query.shape[1:3]
    if key.shape[2] != rows:
        raise CaptureError(f"{type(module).__name__} attends to {key.shape[2]} keys from {rows} queries: "
                           "this is not the attention of a causal language model, and cannot be captured")
    output = query.new_empty(1, rows, heads, value.shape[-1])
    step = max(1, SCORES_AT_ONCE // (heads * rows))
    for first in range(0, rows, step):
        part = slice(first, first + step)
        bias = mask[:, :, part]
        if bias.dtype == torch.bool:
            bias = torch.where(bias, 0.0, torch.finfo(torch.float32).min)
        output[:, part] = eager(module, query[:, :, part], key, value, bias, dropout=0.0, **kwargs)[0]
    return output


def describe(layer: int, query: torch.Tensor, key: torch.Tensor, mask: torch.Tensor, scaling: float | None,
             kwargs: dict[str, Any]) -> dict[str, Any]:
    """Attributes of a layer group but for its rotation."""
    visible = mask[0, 0] if mask.dtype == torch.bool else mask[0, 0] == 0
    causal, window = mask_form(visible, int(kwargs.get("sliding_window") or 0), layer)
    return {
        "layer": layer,
        "n_heads": query.shape[1],
        "n_kv_heads": key.shape[1],
        "head_dim": query.shape[-1],
        "scale": float(scaling) if scaling is not None else query.shape[-1] ** -0.5,
        "softcap": float(kwargs.get("softcap") or 0.0),
        "window": window,
        "causal": int(causal),
        "gqa": "contiguous",
    }


def projection_matrix(projection: torch.nn.Module) -> torch.Tensor:
    """[Dmodel, Hq*Dv] of a Linear, or of a Conv1D, which stores the transpose."""
    return projection.weight.T if type(projection).__name__ == "Conv1D" else projection.weight
