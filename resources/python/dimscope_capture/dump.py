# SPDX-License-Identifier: GPL-3.0-or-later
"""The finished dump, put together from the pieces of its prompts: format 1 of resources/docs/formats.md."""
from __future__ import annotations

import datetime
import os
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from .error import CaptureError
from .pieces import COMPRESSION, Pieces, to_disk
from .prompts import Prompts

FORMAT = {"format": "attn-dump", "format_version": 1}
ONCE = ("w_o", "sink")  # one for all prompts
COUNTS = {"saturated": "did not fit float16 and were saturated at 65504; capture with --dtype bf16 or float32",
          "not_finite": "are NaN or infinite in the model itself"}


def assemble(pieces: Pieces, output: Path, prompts: Prompts, tokens: np.ndarray, attributes: dict[str, Any]) -> list[str]:
    """Writes the dump beside and renames it; returns warnings. Stored chunks are copied as they are, one at a time."""
    beside = pieces.folder / "assembled.h5"
    count = len(prompts.ids)
    with h5py.File(beside, "w") as file:
        created = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
        file.attrs.update({**FORMAT, **attributes, "created_at": created, "prompt_source": prompts.source})
        write_prompts(file, prompts, tokens)
        for prompt in range(count):
            try:
                with h5py.File(pieces.path(prompt), "r") as piece:
                    add_piece(file, piece, prompt, count)
            except OSError as error:
                raise CaptureError(f"{pieces.path(prompt)}: cannot be read ({error}); delete it and run the same command "
                                   "again") from error
        warnings = warnings_of(file)
    to_disk(beside)
    os.replace(beside, output)
    pieces.remove()
    return warnings


def write_prompts(file: h5py.File, prompts: Prompts, tokens: np.ndarray) -> None:
    """ids int32 [P, N], tokens UTF-8 [P, N], length int32 [P], mask uint8 [P, N] (all 1: prompts are cut, not padded)."""
    count, length = prompts.ids.shape
    text = h5py.string_dtype("utf-8")
    group = file.create_group("prompts")
    group["length"] = np.full(count, length, np.int32)
    group.create_dataset("mask", data=np.ones((count, length), np.uint8), chunks=(1, length), compression="gzip")
    group.create_dataset("ids", data=prompts.ids, chunks=(1, length), shuffle=True, compression="gzip")
    group.create_dataset("tokens", data=tokens, dtype=text)
    if prompts.split:
        group.create_dataset("split", data=prompts.split, dtype=text)


def add_piece(file: h5py.File, piece: h5py.File, prompt: int, prompts: int) -> None:
    for layer, source in piece["layers"].items():
        group = file.require_group(f"layers/{layer}")
        if prompt == 0:
            group.attrs.update(source.attrs)
        elif dict(group.attrs) != dict(source.attrs):
            raise CaptureError(f"layer {layer}: the attention of prompt {prompt} has other attributes than that of prompt 0 "
                               f"({dict(source.attrs)}, {dict(group.attrs)}); capture this layer with one prompt per file")
        for name, tensor in source.items():
            if name in ONCE:
                if prompt == 0:
                    source.copy(name, group)
            else:
                copy_chunks(tensor, target(group, name, tensor, prompts), prompt)


def target(group: h5py.Group, name: str, tensor: h5py.Dataset, prompts: int) -> h5py.Dataset:
    if name not in group:
        dataset = group.create_dataset(name, (prompts, *tensor.shape[1:]), tensor.dtype, chunks=tensor.chunks, **COMPRESSION)
        dataset.attrs.update({key: value for key, value in tensor.attrs.items() if key not in COUNTS})
    dataset = group[name]
    for kind in COUNTS.keys() & tensor.attrs.keys():
        dataset.attrs[kind] = int(dataset.attrs.get(kind, 0)) + int(tensor.attrs[kind])
    return dataset


def copy_chunks(source: h5py.Dataset, destination: h5py.Dataset, prompt: int) -> None:
    """Compressed chunks [1, ...] of a piece to the same place of prompt `prompt`."""
    for index in range(source.id.get_num_chunks()):
        offset = source.id.get_chunk_info(index).chunk_offset
        filters, stored = source.id.read_direct_chunk(offset)
        destination.id.write_direct_chunk((prompt, *offset[1:]), stored, filters)


def warnings_of(file: h5py.File) -> list[str]:
    found = []
    for layer, group in file["layers"].items():
        for name, tensor in group.items():
            found += [f"layer {layer} {name}: {tensor.attrs[kind]} values {text}"
                      for kind, text in COUNTS.items() if kind in tensor.attrs]
        if "w_o" not in group:
            found.append(f"layer {layer}: no w_o: o is not projected as it is (a gate or a norm comes between), or the weights "
                         "are packed")
    return found
