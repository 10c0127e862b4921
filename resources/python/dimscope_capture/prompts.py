# SPDX-License-Identifier: GPL-3.0-or-later
"""Prompts: blocks of one text's tokens, of one length, without overlap."""
from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .error import CaptureError

DEFAULT_PROMPTS = 16
DEFAULT_LONGEST = 4096
CHARACTERS_PER_TOKEN = 8  # read at first: more than most texts need, and doubled while it does not do
CUT_TOKENS = 64  # at the end of a text that is cut, where tokens may differ from those of the whole


@dataclass
class Prompts:
    ids: np.ndarray  # int32 [P, N]
    source: str
    split: list[str] | None  # [P]


def read_texts(paths: list[str]) -> str:
    """The files one after the other; throws CaptureError."""
    parts = []
    for path in paths:
        try:
            parts.append(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise CaptureError(f"{path}: cannot be read: {error.strerror}; give a text file with --text") from error
        except UnicodeDecodeError as error:
            raise CaptureError(f"{path}: is not UTF-8 (byte {error.start}); convert it, for example with iconv -t UTF-8") from error
    text = "".join(parts)
    if not text.strip():
        raise CaptureError(f"{', '.join(paths)}: no text in it; give a text of at least one prompt's length")
    return text


def cut_prompts(tokenizer: Any, text: str, prompts: int | None, length: int | None, limit: int | None,
                first_token: bool | None) -> np.ndarray:
    """int32 [P, N]. Without `prompts`: as many as the text gives, at most 16. Without `length`: the model's limit, at most
    4096 and at most the text. With `first_token` every prompt begins with the beginning-of-sequence token; None: as the
    tokenizer itself does it. Throws CaptureError.
    """
    if length is not None and limit is not None and length > limit:
        raise CaptureError(f"--length {length}: the model has {limit} positions; give at most --length {limit}")
    first = beginning(tokenizer, first_token)
    wanted = length or min(limit or DEFAULT_LONGEST, DEFAULT_LONGEST)
    body = wanted - len(first)
    stream = tokens_of(tokenizer, text, body * (prompts or DEFAULT_PROMPTS))
    if length is None and len(stream) < body:
        body = len(stream)
    if body < 1 or body + len(first) < 2:
        raise CaptureError(f"the text gives {len(stream)} token(s), and a prompt needs two; give a longer text")
    count = prompts or min(DEFAULT_PROMPTS, len(stream) // body)
    if count < 1 or len(stream) < count * body:
        raise CaptureError(f"the text gives {len(stream)} tokens, and {max(count, 1)} prompt(s) of {body + len(first)} positions "
                           f"need {max(count, 1) * body}; give a longer text, fewer --prompts or a shorter --length")
    blocks = np.asarray(stream[:count * body], dtype=np.int32).reshape(count, body)
    return np.hstack([np.tile(np.asarray(first, dtype=np.int32), (count, 1)), blocks])


def beginning(tokenizer: Any, first_token: bool | None) -> list[int]:
    token = tokenizer.bos_token_id
    if first_token is None:
        added = tokenizer("a")["input_ids"]
        first_token = token is not None and len(added) > 0 and added[0] == token
    if first_token and token is None:
        raise CaptureError("--bos: the tokenizer has no beginning-of-sequence token; leave --bos out")
    return [token] if first_token else []


def tokens_of(tokenizer: Any, text: str, count: int) -> list[int]:
    """At least the first `count` tokens of the text, or all; a long text is read only as far as that takes."""
    characters = CHARACTERS_PER_TOKEN * count + 1024
    while True:
        ids = tokenizer(text[:characters], add_special_tokens=False)["input_ids"]
        if characters >= len(text) or len(ids) >= count + CUT_TOKENS:
            return ids
        characters *= 2


def split_labels(calibration: int | None, splits: list[tuple[str, int]] | None, prompts: int) -> list[str] | None:
    """One label per prompt: the first `calibration` ones calibration and the rest evaluation, or `splits` in their order."""
    if calibration is not None:
        if calibration >= prompts:
            raise CaptureError(f"--calibration {calibration}: there are {prompts} prompts, and none is left to evaluate; "
                               "give more --prompts or fewer for calibration")
        splits = [("calibration", calibration), ("evaluation", prompts - calibration)]
    if splits is None:
        return None
    labels = [name for name, count in splits for _ in range(count)]
    if len(labels) != prompts:
        raise CaptureError(f"--splits names {len(labels)} prompts, there are {prompts}; make its counts add up")
    return labels


def token_texts(tokenizer: Any, ids: np.ndarray) -> np.ndarray:
    """Texts [P, N] of ids [P, N]; a token that is only part of a character keeps its spelling in the vocabulary."""
    spelling = {}
    for token in np.unique(ids).tolist():
        text = tokenizer.decode([token], clean_up_tokenization_spaces=False)
        if "\N{REPLACEMENT CHARACTER}" in text or "\0" in text:
            text = str(tokenizer.convert_ids_to_tokens(token)).replace("\0", "\N{SYMBOL FOR NULL}")
        spelling[token] = text
    return np.array([[spelling[token] for token in row] for row in ids.tolist()], dtype=object)
