# SPDX-License-Identifier: GPL-3.0-or-later
"""One prompt after the other through the model, each into its piece."""
from __future__ import annotations

import argparse

import torch

from .attention_tap import AttentionTap, CapturedLayer
from .model import LoadedModel
from .pieces import Pieces, PieceWriter
from .progress import Progress
from .prompts import Prompts


class PromptReceiver:
    """Writes the layers of one prompt as they come."""

    def __init__(self, writer: PieceWriter, options: argparse.Namespace, prompt: int, layers: int, progress: Progress):
        self._writer = writer
        self._options = options
        self._prompt = prompt
        self._layers = layers
        self._progress = progress

    def receive(self, captured: CapturedLayer) -> None:
        self._writer.write_layer(captured, self._options.dtype, self._options.with_hidden)

    def receive_w_o(self, layer: int, matrix: torch.Tensor) -> None:
        self._writer.write_w_o(layer, matrix, self._options.dtype)

    def passed(self, layer: int) -> None:
        self._progress.within(self._prompt, (layer + 1) / self._layers)


def run_prompts(tap: AttentionTap, loaded: LoadedModel, prompts: Prompts, pieces: Pieces, deepest: int,
                options: argparse.Namespace) -> None:
    """Runs the prompts that have no piece yet; `deepest` is the last layer that is captured."""
    todo = [prompt for prompt in range(len(prompts.ids)) if not pieces.is_done(prompt)]
    progress = Progress(len(prompts.ids), len(prompts.ids) - len(todo))
    if len(todo) < len(prompts.ids):
        progress.note(f"continuing: {len(prompts.ids) - len(todo)} of {len(prompts.ids)} prompts are done")
    try:
        for prompt in todo:
            ids = torch.from_numpy(prompts.ids[prompt]).long().to(loaded.model.device)
            with pieces.writing(prompt) as writer:
                receiver = PromptReceiver(writer, options, prompt, deepest + 1, progress)
                tap.run(loaded.model, ids, receiver, wants_w_o=prompt == 0)
            progress.finished(prompt)
    finally:
        progress.end()
