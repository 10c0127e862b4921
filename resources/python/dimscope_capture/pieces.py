# SPDX-License-Identifier: GPL-3.0-or-later
"""The unfinished dump: a folder OUT.partial with one file per finished prompt.

A piece is written beside and renamed, so that whatever ends the program, each prompt is either there or not. HDF5 has no
journal: one file that grows from prompt to prompt could be lost as a whole to a kill in the middle of a flush.
"""
from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Any, Iterator

import h5py
import torch

from .attention_tap import CapturedLayer
from .encoding import ENCODING, encode
from .error import CaptureError

CHUNK_POSITIONS = 1024
W_O_CHUNK_ROWS = 256
COMPRESSION = {"shuffle": True, "compression": "gzip", "compression_opts": 4}
SETTINGS = "capture.json"


class Pieces:
    """The folder beside the output, held by one program at a time."""

    def __init__(self, output: Path, settings: dict[str, Any], overwrite: bool):
        self.folder = output.with_name(output.name + ".partial")
        self.folder.mkdir(exist_ok=True)
        self._lock = self._hold()
        settings_file = self.folder / SETTINGS
        if settings_file.exists():
            other = self._first_difference(json.loads(settings_file.read_text(encoding="utf-8")), settings)
            if other and not overwrite:
                raise CaptureError(f"{self.folder}: holds an unfinished capture with {other}; run it again with its own settings, "
                                   "or give --overwrite to discard it")
            if other:
                self.remove(keep_folder=True)
        write_beside(settings_file, json.dumps(settings, indent=1))

    def path(self, prompt: int) -> Path:
        return self.folder / f"prompt-{prompt:05d}.h5"

    def is_done(self, prompt: int) -> bool:
        return self.path(prompt).exists()

    @contextlib.contextmanager
    def writing(self, prompt: int) -> Iterator["PieceWriter"]:
        """The piece of a prompt, in its place once the block has ended without an error."""
        unfinished = self.path(prompt).with_suffix(".writing")
        with h5py.File(unfinished, "w") as file:
            yield PieceWriter(file)
        to_disk(unfinished)
        os.replace(unfinished, self.path(prompt))

    def remove(self, keep_folder: bool = False) -> None:
        """Deletes what this program writes, and nothing else that may lie there."""
        for pattern in ("prompt-*.h5", "prompt-*.writing", "assembled.h5", SETTINGS):
            for file in self.folder.glob(pattern):
                file.unlink()
        if not keep_folder:
            (self.folder / "lock").unlink(missing_ok=True)
            with contextlib.suppress(OSError):
                self.folder.rmdir()

    def close(self) -> None:
        """Lets another capture have the folder."""
        if self._lock:
            self._lock.close()

    def remove_if_empty(self) -> None:
        """A run that was refused before its first prompt was done leaves nothing behind."""
        if not any(self.folder.glob("prompt-*.h5")):
            self.remove()

    def _hold(self) -> Any:
        try:
            import fcntl
        except ImportError:
            return None  # no such locks on this system
        lock = open(self.folder / "lock", "w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise CaptureError(f"{self.folder}: another capture is writing there; wait for it or choose another output") from error
        return lock

    @staticmethod
    def _first_difference(old: dict[str, Any], new: dict[str, Any]) -> str | None:
        return next((f"{name} {old.get(name)}, not {new[name]}" for name in new if old.get(name) != new[name]), None)


class PieceWriter:
    """One prompt: /layers/LL with tensors whose first axis has one entry."""

    def __init__(self, file: h5py.File):
        self._file = file

    def write_layer(self, captured: CapturedLayer, dtype: str, hidden: str | None) -> None:
        group = self._file.create_group(f"layers/{captured.layer:02d}")
        group.attrs.update(captured.attributes)
        for name in ("q", "k", "v", "o"):
            tensor = getattr(captured, name)
            heads, positions, dim = tensor.shape
            chunk = (1, 1, min(positions, CHUNK_POSITIONS), dim)
            self._write(group, name, tensor[None], dtype, chunk, "prompt head pos dim")
        if captured.sink is not None:
            group["sink"] = captured.sink.float().cpu().numpy()
        if hidden:
            self._write_hidden(group, captured, dtype, hidden)

    def write_w_o(self, layer: int, matrix: torch.Tensor, dtype: str) -> None:
        """matrix [Dmodel, Hq*Dv]"""
        rows, columns = matrix.shape
        chunk = (min(rows, W_O_CHUNK_ROWS), columns)
        self._write(self._file[f"layers/{layer:02d}"], "w_o", matrix, dtype, chunk, "hidden head*dim")

    def _write_hidden(self, group: h5py.Group, captured: CapturedLayer, dtype: str, hidden: str) -> None:
        stream = captured.hidden
        if stream is None:
            raise CaptureError(f"layer {captured.layer}: what enters its block could not be found; leave --with-hidden out")
        positions, width = stream.shape
        if hidden == "full":
            chunk = (1, min(positions, CHUNK_POSITIONS), width)
            self._write(group, "h", stream[None], dtype, chunk, "prompt pos hidden")
            return
        magnitudes = stream.double().abs()
        for name, summary in (("h_mean_abs", magnitudes.mean(0)), ("h_max_abs", magnitudes.amax(0))):
            self._write(group, name, summary[None], "float32", (1, width), "prompt hidden")

    def _write(self, group: h5py.Group, name: str, tensor: torch.Tensor, dtype: str, chunk: tuple[int, ...],
               axes: str) -> None:
        stored, saturated = encode(tensor, dtype)
        dataset = group.create_dataset(name, data=stored, chunks=chunk, **COMPRESSION)
        dataset.attrs["axes"] = axes
        dataset.attrs["encoding"] = ENCODING[dtype]
        if saturated:
            dataset.attrs["saturated"] = saturated
        not_finite = int((~tensor.isfinite()).sum())
        if not_finite:
            dataset.attrs["not_finite"] = not_finite


def write_beside(path: Path, text: str) -> None:
    beside = path.with_suffix(".writing")
    beside.write_text(text, encoding="utf-8")
    os.replace(beside, path)


def to_disk(path: Path) -> None:
    with open(path, "rb+") as file:
        os.fsync(file.fileno())
