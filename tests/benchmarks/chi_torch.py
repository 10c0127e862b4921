#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""chi of all heads of one layer in PyTorch beside the program's whole profile, in one run.

python3 tests/benchmarks/chi_torch.py DIMSCOPE_BENCH [threads]

Shape of SmolLM2-135M: 9 query and 3 key/value heads, d = 64, N = 4096, float32 input, float64 sums as in the program.
Prints medians in milliseconds and their ratio; both run alternately, so that a busy machine slows both.
"""
import json
import math
import statistics
import subprocess
import sys
import time

import torch

HEADS, KV_HEADS, POSITIONS, HEAD_DIM = 9, 3, 4096, 64


def chi(q, k):
    prefix = torch.cumsum(k.abs().double(), 1)
    grouped = q.abs().double().unflatten(0, (KV_HEADS, HEADS // KV_HEADS))
    sums = (grouped * prefix.unsqueeze(1)).sum(2).flatten(0, 1)
    return sums / (POSITIONS * (POSITIONS + 1) / 2 * math.sqrt(HEAD_DIM))


def torch_ms(repeats=15):
    q, k = torch.randn(HEADS, POSITIONS, HEAD_DIM), torch.randn(KV_HEADS, POSITIONS, HEAD_DIM)
    chi(q, k)
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        chi(q, k)
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times)


def program_ms(bench):
    out = subprocess.run([bench, "--benchmark_filter=profileOfALayer", "--benchmark_format=json"],
                         check=True, capture_output=True, text=True).stdout
    return next(b["real_time"] for b in json.loads(out)["benchmarks"] if b.get("aggregate_name") == "median")


def main():
    torch.set_num_threads(int(sys.argv[2]) if len(sys.argv) > 2 else 2)
    rounds = [(torch_ms(), program_ms(sys.argv[1])) for _ in range(5)]
    theirs, ours = (statistics.median(column) for column in zip(*rounds))
    print(f"PyTorch {torch.__version__} chi: {theirs:.2f} ms   program, whole profile: {ours:.2f} ms   ratio {ours / theirs:.2f}")


if __name__ == "__main__":
    main()
