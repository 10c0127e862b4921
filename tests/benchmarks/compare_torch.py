#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The kernels of the papers at chosen rows of one layer in PyTorch beside the program's, in one run.

python3 tests/benchmarks/compare_torch.py DIMSCOPE_BENCH [threads] [rounds]

Shape of SmolLM2-135M: 9 query and 3 key/value heads, d = 64, N = 4096, 32 rows, float32, seeded N(0, 1). Exact attention,
Performer (250 features, 5 draws), SpectraFormer, DiJiang, TaylorShift, the global quadratic and OAL with three groups,
outputs of all heads; draws are made beforehand. PyTorch multiplies the rows with all keys, heads batched or one by one,
whichever is faster. Both programs take turns, so that a busy machine slows both; medians over the rounds in milliseconds
and their ratio, of the elapsed and (in brackets) of the processor time.
"""
import json
import math
import os
import statistics
import subprocess
import sys
import time

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # spinning threads would slow PyTorch on a busy machine

import torch

HEADS, KV_HEADS, POSITIONS, DIM, ROWS = 9, 3, 4096, 64, 32
FEATURES, DRAWS, GROUPS = 250, 5, 3


class Layer:
    """Inputs, draws and parameters of all heads; keys and values expanded to the query heads."""

    def __init__(self):
        g = torch.Generator().manual_seed(1)
        normal = lambda *shape: torch.randn(*shape, generator=g)
        expand = lambda x: x.repeat_interleave(HEADS // KV_HEADS, 0).contiguous()
        self.q, self.k, self.v = normal(HEADS, POSITIONS, DIM), *(expand(normal(KV_HEADS, POSITIONS, DIM)) for _ in "kv")
        self.rows = torch.arange(1, ROWS + 1) * (POSITIONS // ROWS) - 1
        self.hidden = torch.arange(POSITIONS)[None, :] > self.rows[:, None]
        self.performer = torch.stack([torch.stack([self.orthogonal(g) for _ in range(HEADS)]) for _ in range(DRAWS)])
        self.fastfood = self.fast_food(g)
        n = torch.arange(DIM, dtype=torch.float64)
        cosines = torch.cos(math.pi * (2 * n + 1) * n[:, None] / (2 * DIM)) * math.sqrt(2 / DIM)
        cosines[0] *= math.sqrt(0.5)
        self.dijiang = (cosines * torch.randn(DIM, generator=g, dtype=torch.float64)).float()
        labels = torch.zeros(DIM, dtype=torch.long)
        labels[[5, 20]], labels[[33, 48]] = 1, 2
        self.groups = torch.stack([(labels == n).float() for n in range(GROUPS)])
        self.factor = torch.tril(normal(GROUPS + 1, GROUPS + 1))

    @staticmethod
    def orthogonal(g):
        blocks = []
        for _ in range(-(-FEATURES // DIM)):
            q, r = torch.linalg.qr(torch.randn(DIM, DIM, generator=g, dtype=torch.float64))
            blocks.append((q * torch.sign(torch.diagonal(r))).T)
        norms = torch.randn(FEATURES, DIM, generator=g, dtype=torch.float64).norm(dim=1, keepdim=True)
        return (torch.cat(blocks)[:FEATURES] * norms).float()

    @staticmethod
    def fast_food(g):
        hadamard = torch.ones(1, 1, dtype=torch.float64)
        while len(hadamard) < DIM:
            hadamard = torch.cat([torch.cat([hadamard, hadamard], 1), torch.cat([hadamard, -hadamard], 1)])
        signs = torch.randint(0, 2, (DIM,), generator=g).double() * 2 - 1
        gauss = torch.randn(DIM, generator=g, dtype=torch.float64)
        norms = torch.randn(DIM, DIM, generator=g, dtype=torch.float64).norm(dim=1) / gauss.norm()
        permuted = gauss[:, None] * (hadamard * signs)[torch.randperm(DIM, generator=g)]
        return (norms[:, None] * (hadamard @ permuted) / math.sqrt(DIM)).float()

    def kernels(self, heads):
        """Outputs of every kernel for a slice of heads: [heads, ROWS, DIM] each."""
        q, k, v = self.q[heads], self.k[heads], self.v[heads]
        rows = q[:, self.rows]
        logits = rows @ k.transpose(1, 2) / math.sqrt(DIM)

        def finish(kappa):
            kappa.masked_fill_(self.hidden, 0)
            return kappa @ v / kappa.sum(-1, keepdim=True)

        out = [torch.softmax(logits.masked_fill(self.hidden, -math.inf), -1) @ v]
        sq, sk = rows * DIM**-0.25, k * DIM**-0.25
        half_q, half_k = (x.square().sum(-1, keepdim=True) / 2 for x in (sq, sk))
        for draw in self.performer:
            w = draw[heads].transpose(1, 2)
            lq, lk = (sq @ w).sub_(half_q), (sk @ w).sub_(half_k)
            lq, lk = lq.sub_(lq.amax(-1, keepdim=True)).exp_(), lk.sub_(lk.amax((-1, -2), keepdim=True)).exp_()
            out.append(finish(lq @ lk.transpose(1, 2)))

        sharpness = self.sharpness((q * DIM**-0.25 + sk).square().sum(-1))
        features = lambda x, b: self.spectra_features(x * DIM**-0.25 @ self.fastfood.T, b)
        out.append(finish(features(sq, sharpness[:, self.rows]) @ features(sk, sharpness).transpose(1, 2)))

        softmax = lambda x: torch.softmax(x @ self.dijiang, -1)
        out.append(finish(softmax(sq) @ softmax(sk).transpose(1, 2)))

        unit = lambda x: torch.nn.functional.normalize(x, dim=-1)
        cosine = unit(rows) @ unit(k).transpose(1, 2)
        out.append(finish(1 + cosine + cosine * cosine / 2))
        out.append(finish(1.25 + 0.5 * logits + 0.5 * logits * logits))

        grouped = (rows[:, None] * self.groups[:, None]).flatten(1, 2) @ k.transpose(1, 2) / math.sqrt(DIM)
        grouped = grouped.unflatten(1, (GROUPS, ROWS))
        kappa = 1e-6
        for column in range(GROUPS + 1):
            entry = self.factor[0, 0] if column == 0 else 0.0
            for row in range(max(column, 1), GROUPS + 1):
                entry = entry + self.factor[row, column] * grouped[:, row - 1]
            kappa = kappa + entry * entry
        out.append(finish(kappa))
        return out

    @staticmethod
    def sharpness(phi):
        """B of optimal positive random features, one per position."""
        b = 2 * phi + DIM
        rho = (torch.sqrt(b * b + 8 * phi * DIM) - b) / (4 * phi)
        return torch.sqrt(1 - (1 - 1 / rho) / 2)

    @staticmethod
    def spectra_features(z, b):
        z = torch.cat([z, torch.ones_like(z[..., :1])], -1)
        return torch.exp(b[..., None] * (z - z.amax(-1, keepdim=True))) + 1e-4

    def batched(self):
        return self.kernels(slice(None))

    def one_by_one(self):
        return [self.kernels(slice(h, h + 1)) for h in range(HEADS)]


def milliseconds(call, repeats=3):
    """Medians of elapsed and of processor time."""
    times = []
    for _ in range(repeats):
        start, cpu = time.perf_counter(), time.process_time()
        call()
        times.append((1e3 * (time.perf_counter() - start), 1e3 * (time.process_time() - cpu)))
    return tuple(statistics.median(column) for column in zip(*times))


def program(bench):
    out = subprocess.run([bench, "--benchmark_filter=^paperKernelsOfALayer", "--benchmark_format=json"],
                         check=True, capture_output=True, text=True).stdout
    median = next(b for b in json.loads(out)["benchmarks"] if b.get("aggregate_name") == "median")
    return median["real_time"], median["cpu_time"]


@torch.inference_mode()
def main():
    torch.set_num_threads(int(sys.argv[2]) if len(sys.argv) > 2 else 2)
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    layer = Layer()
    assert all(torch.isfinite(x).all() for x in layer.batched())
    forms = {"heads batched": layer.batched, "head by head": layer.one_by_one}
    name = min(forms, key=lambda form: milliseconds(forms[form])[1])  # on a busy machine the steadier
    columns = zip(*((*milliseconds(forms[name]), *program(sys.argv[1])) for _ in range(rounds)))
    theirs, theirs_cpu, ours, ours_cpu = map(statistics.median, columns)
    print(f"PyTorch {torch.__version__}, {name}: {theirs:.1f} ms   program: {ours:.1f} ms"
          f"   ratio {theirs / ours:.2f} ({theirs_cpu / ours_cpu:.2f})")


if __name__ == "__main__":
    main()
