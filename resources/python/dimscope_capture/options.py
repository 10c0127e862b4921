# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of the command line."""
from __future__ import annotations

import argparse
import re
from typing import Any

from .encoding import STORED_TYPE
from .error import CaptureError
from .model import MODEL_TYPES, default_layers
from .prompts import DEFAULT_LONGEST, DEFAULT_PROMPTS

SPLITS = ("calibration", "train", "validation", "evaluation")


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="dimscope_capture", description="Writes post-RoPE queries, keys and values of a "
                                   "Hugging Face causal language model, its attention outputs and projections to an HDF5 file "
                                   "that Dimscope opens.")
    made.add_argument("model", metavar="MODEL", help="hub name, folder, or .gguf file")
    made.add_argument("output", metavar="OUT.h5",
                      help="file to write; unfinished work is kept in OUT.h5.partial and continued")
    made.add_argument("--text", metavar="FILE", action="append", required=True,
                      help="UTF-8 text to cut prompts from; repeatable")
    made.add_argument("--layers", type=layer_list, help="4,12,20, 0-8 or all; default: three, spread over the depth")
    made.add_argument("--length", type=positive,
                      help=f"positions per prompt; default: the model's limit, at most {DEFAULT_LONGEST}")
    made.add_argument("--prompts", type=positive, help=f"default: as many as the text gives, at most {DEFAULT_PROMPTS}")
    made.add_argument("--dtype", choices=list(STORED_TYPE), default="bf16", help="stored type (default: %(default)s)")
    made.add_argument("--with-hidden", choices=["summary", "full"],
                      help="residual stream entering each block, or its mean and largest magnitudes")
    splits = made.add_mutually_exclusive_group()
    splits.add_argument("--calibration", type=positive, metavar="N",
                      help="mark the first N prompts calibration, the others evaluation")
    splits.add_argument("--splits", type=split_list, metavar="NAME:N,...",
                      help="mark prompts in this order: " + ", ".join(SPLITS))
    made.add_argument("--bos", action=argparse.BooleanOptionalAction,
                      help="begin every prompt with the beginning-of-sequence token; default: as the tokenizer does")
    made.add_argument("--model-dtype", choices=list(MODEL_TYPES), default="float32",
                      help="type the model runs in (default: %(default)s)")
    made.add_argument("--device", type=device, default="cpu", help="cpu, cuda or cuda:1 (default: %(default)s)")
    made.add_argument("--revision", help="branch, tag or commit of a hub model")
    made.add_argument("--overwrite", action="store_true", help="replace OUT.h5, and discard unfinished work of other settings")
    return made


def device(text: str) -> str:
    if not re.fullmatch(r"cpu|cuda(:\d+)?", text):
        raise argparse.ArgumentTypeError(f"{text}: cpu, cuda or cuda:1")
    return text


def positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text}: 1 or more")
    return value


def layer_list(text: str) -> list[int] | str:
    """"all", or sorted numbers of "4,12,20" and "0-8"."""
    if text == "all":
        return text
    layers: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()) or int(last or first) < int(first):
            raise argparse.ArgumentTypeError(f"{text}: layers are 4,12,20, 0-8 or all")
        layers.update(range(int(first), int(last or first) + 1))
    return sorted(layers)


def split_list(text: str) -> list[tuple[str, int]]:
    """"calibration:4,evaluation:12" -> [("calibration", 4), ("evaluation", 12)]"""
    splits = []
    for part in text.split(","):
        name, _, count = part.partition(":")
        if name not in SPLITS or not count.isdecimal() or int(count) < 1:
            raise argparse.ArgumentTypeError(f"{part}: NAME:N with NAME one of {', '.join(SPLITS)}")
        splits.append((name, int(count)))
    return splits


def chosen_layers(layers: list[int] | str | None, config: Any) -> list[int]:
    count = config.num_hidden_layers
    if layers is None:
        return default_layers(config)
    if layers == "all":
        return list(range(count))
    if layers[-1] >= count:
        raise CaptureError(f"--layers {layers[-1]}: the model has {count} layers, 0 to {count - 1}; choose among these")
    return layers
