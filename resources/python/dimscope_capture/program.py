# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: options, the order of steps, exit codes (0 done, 1 refused, 2 wrong usage, 130 interrupted)."""
from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import sys
from pathlib import Path
from typing import Any

import torch
import transformers

from . import dump
from .attention_tap import AttentionTap
from .error import CaptureError, first_line
from .model import LoadedModel, length_limit, load_model
from .options import chosen_layers, parser
from .pieces import Pieces
from .prompt_run import run_prompts
from .prompts import Prompts, cut_prompts, read_texts, split_labels, token_texts

PROGRAM = "dimscope_capture"
INTERRUPTED = 130


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    transformers.logging.set_verbosity_error()
    try:
        capture(options)
    except CaptureError as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return 1
    except (OSError, MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "memory" not in str(error):
            raise
        print(f"{PROGRAM}: {options.output}: {first_line(error)}; mend this, and the same command continues", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"{PROGRAM}: stopped; finished prompts are in {options.output}.partial, and the same command continues",
              file=sys.stderr)
        return INTERRUPTED
    return 0


def capture(options: argparse.Namespace) -> None:
    """Everything from the options to the renamed file; throws CaptureError."""
    output = Path(options.output)
    check_output(output, options.overwrite)
    text = read_texts(options.text)
    print(f"loading {options.model}", file=sys.stderr, flush=True)
    tap = AttentionTap()
    tap.register()
    loaded = load_model(options.model, options.model_dtype, options.device, options.revision)
    layers = chosen_layers(options.layers, loaded.config)
    prompts = prompts_of(options, loaded, text)
    tap.attach(loaded.model, layers)
    settings = settings_of(options, loaded, layers, prompts)
    with contextlib.closing(Pieces(output, settings, options.overwrite)) as pieces:
        try:
            run_prompts(tap, loaded, prompts, pieces, layers[-1], options)
        finally:
            tap.close()
            pieces.remove_if_empty()
        tokens = token_texts(loaded.tokenizer, prompts.ids)
        warnings = dump.assemble(pieces, output, prompts, tokens, attributes_of(options, loaded))
    for warning in warnings:
        print(f"warning: {warning}", file=sys.stderr)
    count, length = prompts.ids.shape
    print(f"{output}: layers {', '.join(map(str, layers))}; {count} prompts of {length} tokens; "
          f"{output.stat().st_size / 1e6:.1f} MB", file=sys.stderr)


def check_output(output: Path, overwrite: bool) -> None:
    if output.exists() and not overwrite:
        raise CaptureError(f"{output}: is already there; choose another name, or give --overwrite")
    if not output.parent.is_dir():
        raise CaptureError(f"{output}: there is no folder {output.parent}; make it first")
    if output.is_dir():
        raise CaptureError(f"{output}: is a folder; name the file to write")


def prompts_of(options: argparse.Namespace, loaded: LoadedModel, text: str) -> Prompts:
    limit = length_limit(loaded.config)
    ids = cut_prompts(loaded.tokenizer, text, options.prompts, options.length, limit, options.bos)
    source = " + ".join(os.path.basename(path) for path in options.text) + ", consecutive tokens without overlap"
    return Prompts(ids, source, split_labels(options.calibration, options.splits, len(ids)))


def settings_of(options: argparse.Namespace, loaded: LoadedModel, layers: list[int], prompts: Prompts) -> dict[str, Any]:
    """What a resumed run must have in common with the one it continues."""
    return {
        "model": loaded.name,
        "revision": loaded.revision,
        "layers": layers,
        "prompts": len(prompts.ids),
        "length": prompts.ids.shape[1],
        "tokens": "sha256:" + hashlib.sha256(prompts.ids.tobytes()).hexdigest(),
        "dtype": options.dtype,
        "model-dtype": options.model_dtype,
        "with-hidden": options.with_hidden,
        "program": created_by(),
    }


def attributes_of(options: argparse.Namespace, loaded: LoadedModel) -> dict[str, Any]:
    attributes = {
        "model": loaded.name,
        "tokenizer": f"{type(loaded.tokenizer).__name__}, {len(loaded.tokenizer)} tokens",
        "created_by": created_by(),
        "model_dtype": options.model_dtype,
    }
    return attributes | ({"revision": loaded.revision} if loaded.revision else {})


def created_by() -> str:
    return f"{PROGRAM} (torch {torch.__version__}, transformers {transformers.__version__})"
