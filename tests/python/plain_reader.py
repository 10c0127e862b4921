# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a dump and its attention as formats.md says, in float64 with NumPy: shares no line with the writer."""
import math

import h5py
import numpy as np

UNIT_ROUNDOFF = {"float32": 2.0**-24, "float16": 2.0**-11, "bf16": 2.0**-8}


def values(dataset):
    """Stored numbers as float64; bf16 bits are the upper half of a float32."""
    stored = dataset[()]
    if dataset.attrs.get("encoding") == "bf16":
        stored = (stored.astype(np.uint32) << 16).view(np.float32)
    return stored.astype(np.float64)


class Layer:
    """Tensors and attributes of a layer; attributes can be replaced to read it wrongly."""

    def __init__(self, file, number):
        group = file[f"layers/{number:02d}"]
        self.attributes = dict(group.attrs)
        self.q, self.k, self.v, self.o = (values(group[name]) for name in "qkvo")
        self.w_o = values(group["w_o"]) if "w_o" in group else None
        self.sink = group["sink"][()].astype(np.float64) if "sink" in group else None

    def attention(self, head_map=None, **replaced):
        """Exact attention [P, Hq, N, Dv] from q, k, v and the attributes."""
        a = {**self.attributes, **replaced}
        heads, positions = self.q.shape[1:3]
        kv_heads = [head_map(h) if head_map else h // (heads // self.k.shape[1]) for h in range(heads)]
        logits = a["scale"] * np.einsum("phid,phjd->phij", self.q, self.k[:, kv_heads])
        if a["softcap"] > 0:
            logits = a["softcap"] * np.tanh(logits / a["softcap"])
        i, j = np.arange(positions)[:, None], np.arange(positions)[None, :]
        if a["causal"]:
            logits = np.where((j <= i) & ((a["window"] == 0) | (i - j < a["window"])), logits, -np.inf)
        largest = logits.max(-1, keepdims=True)
        if self.sink is not None:
            largest = np.maximum(largest, self.sink[:, None, None])
        weights = np.exp(logits - largest)
        total = weights.sum(-1, keepdims=True)
        if self.sink is not None:
            total = total + np.exp(self.sink[:, None, None] - largest)
        return np.einsum("phij,phjd->phid", weights / total, self.v[:, kv_heads])

    def residual(self, **reading):
        return relative_rms(self.attention(**reading) - self.o, self.o)

    def projected(self):
        """o of all heads side by side times W_o: [P, N, Dmodel]"""
        prompts, _, positions, _ = self.o.shape
        return self.o.transpose(0, 2, 1, 3).reshape(prompts, positions, -1) @ self.w_o.T


def relative_rms(error, reference):
    return math.sqrt(np.mean(error**2) / np.mean(reference**2))


def tensors(path):
    """Every dataset of a file: name -> (type, shape, attributes, bytes)."""
    found = {}

    def take(name, item):
        if isinstance(item, h5py.Dataset):
            stored = item[()]
            content = stored.tolist() if stored.dtype == object else stored.tobytes()
            found[name] = (str(item.dtype), item.shape, sorted((k, str(v)) for k, v in item.attrs.items()), content)

    with h5py.File(path, "r") as file:
        file.visititems(take)
    return found
