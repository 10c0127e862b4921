# SPDX-License-Identifier: GPL-3.0-or-later
"""A causal language model and its tokenizer from a hub name, a folder or a .gguf file."""
from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from .attention_tap import NAME
from .error import CaptureError, first_line

MODEL_TYPES = {"float32": torch.float32, "bf16": torch.bfloat16, "float16": torch.float16}
DEFAULT_LAYERS = 3
LENGTH_NAMES = ("max_position_embeddings", "n_positions", "max_sequence_length", "seq_length")


@dataclass
class LoadedModel:
    model: torch.nn.Module
    tokenizer: Any
    name: str
    revision: str | None

    @property
    def config(self) -> Any:
        return self.model.config.get_text_config()


def load_model(name: str, dtype: str, device: str, revision: str | None) -> LoadedModel:
    """Every attention of the model goes to the function registered under NAME; throws CaptureError."""
    source, options = locate(name)
    if revision:
        options["revision"] = revision
    try:
        tokenizer = AutoTokenizer.from_pretrained(source, **options)
        model = AutoModelForCausalLM.from_pretrained(source, dtype=MODEL_TYPES[dtype], attn_implementation=NAME, **options)
        model = model.eval().to(device)
    except Exception as error:  # of many libraries, each with its own kinds
        raise CaptureError(f"{name}: could not be loaded as a causal language model: {first_line(error)}; give a hub name, "
                           "a folder with config.json, tokenizer and weights, or a .gguf file") from error
    for parameter, tensor in model.named_parameters():
        if tensor.is_meta:
            raise CaptureError(f"{name}: the weights of {parameter} were not loaded (not enough memory?); try --model-dtype bf16")
    label = Path(name).stem if "gguf_file" in options else Path(name).name if Path(name).is_dir() else name
    return LoadedModel(model, tokenizer, label, known_revision(name, options, model))


def locate(name: str) -> tuple[str, dict[str, Any]]:
    """What from_pretrained takes: (source, options)."""
    path = Path(name)
    if path.suffix == ".gguf":
        if not path.is_file():
            raise CaptureError(f"{name}: no such file; give the path of a .gguf file")
        return str(path.parent), {"gguf_file": path.name}
    if path.is_dir() and not (path / "config.json").is_file():
        raise CaptureError(f"{name}: the folder has no config.json; give a folder that save_pretrained wrote")
    if path.is_file():
        raise CaptureError(f"{name}: is a file and not a .gguf; give a hub name, a folder or a .gguf file")
    if not path.exists() and (path.is_absolute() or name.startswith((".", "~")) or name.count("/") > 1):
        raise CaptureError(f"{name}: no such folder; give a hub name, a folder or a .gguf file")
    return name, {}


def known_revision(name: str, options: dict[str, Any], model: torch.nn.Module) -> str | None:
    """Commit of the hub, or a hash of the .gguf file; a folder has none."""
    if "gguf_file" in options:
        with open(name, "rb") as file:
            return "sha256:" + hashlib.file_digest(file, "sha256").hexdigest()
    return getattr(model.config, "_commit_hash", None) or options.get("revision")


def length_limit(config: Any) -> int | None:
    """Most positions the model was made for."""
    limits = (getattr(config, name, None) for name in LENGTH_NAMES)
    return next((limit for limit in limits if isinstance(limit, int) and limit > 0), None)


def default_layers(config: Any) -> list[int]:
    """Three layers with softmax attention in the middles of the thirds of the depth: 4, 12, 20 of 24."""
    types = getattr(config, "layer_types", None) or ["attention"] * config.num_hidden_layers
    layers = [layer for layer, kind in enumerate(types) if "attention" in kind and "linear" not in kind]
    count = min(DEFAULT_LAYERS, len(layers))
    return sorted({layers[(2 * part + 1) * len(layers) // (2 * count)] for part in range(count)})
