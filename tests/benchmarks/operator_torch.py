#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Full-sequence operators in PyTorch beside the program's, in one run.

python3 tests/benchmarks/operator_torch.py DIMSCOPE_BENCH [threads] [rounds] [N,N,..]

Shape of SmolLM2-135M: 9 query and 3 key/value heads, d = 64, float32, three groups, seeded N(0, 1). Exact attention is
scaled_dot_product_attention with the keys expanded and with enable_gqa; the quadratic kernel is a block GEMM over packed
symmetric features, its tiling the fastest of a few at N = 2048. Both programs take turns at every N, so that a busy
machine slows both; medians over the rounds in milliseconds, and ratios of the medians, of the elapsed and (in brackets)
of the processor time.
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
import torch.nn.functional as F

HEADS, KV_HEADS, DIM, GROUPS = 9, 3, 64, 3


class Quadratic:
    """kappa = floor + sum_c (l_c + q_c.k)^2, states across chunks and pairs inside. Features x_r x_{(r + s) mod d},
    s = 0 .. d/2, need no gather; slabs of chunks bound the memory."""

    def __init__(self, chunk, slab):
        self.chunk, self.slab = chunk, slab
        generator = torch.Generator().manual_seed(1)
        self.weight = torch.zeros(KV_HEADS, HEADS // KV_HEADS, GROUPS, DIM)
        self.weight[:, :, 0] = 0.5 / math.sqrt(DIM)
        tail = torch.randperm(DIM, generator=generator)[:4]
        self.weight[:, :, 1:, tail] = 0.3 / math.sqrt(DIM)
        self.offset = torch.full((KV_HEADS, HEADS // KV_HEADS, GROUPS), 0.4)
        self.mask = torch.ones(chunk, chunk, dtype=torch.bool).tril()
        multiplicity = torch.full((DIM // 2 + 1, DIM), 2.0)
        multiplicity[0] = multiplicity[DIM // 2] = 1.0
        r, s = torch.arange(DIM), torch.arange(DIM // 2 + 1)[:, None]
        pair = sum(self.weight[:, :, c, None, :] * self.weight[:, :, c][..., (r + s) % DIM] for c in range(GROUPS))
        constant = 0.1 + self.offset.square().sum(-1, keepdim=True)
        linear = 2 * (self.offset[..., None] * self.weight).sum(2)
        self.coefficient = torch.cat([constant, linear, (pair * multiplicity).flatten(2)], -1).unsqueeze(2)

    @staticmethod
    def features(x):
        windows = torch.cat([x, x[..., : DIM // 2]], -1).unfold(-1, DIM, 1)
        return torch.cat([torch.ones_like(x[..., :1]), x, (x.unsqueeze(-2) * windows).flatten(-2)], -1)

    def __call__(self, q, k, v):
        rows, group, c = q.shape[1], HEADS // KV_HEADS, self.chunk
        out = torch.empty(HEADS, rows, DIM)
        carry = torch.zeros(KV_HEADS, 1, self.coefficient.shape[-1], DIM + 1)
        for first in range(0, rows, self.slab):
            n = min(self.slab, rows - first)
            chunks = n // c
            qs = q[:, first : first + n].reshape(KV_HEADS, group, n, DIM)
            ks = k[:, first : first + n].reshape(KV_HEADS * chunks, c, DIM)
            u = F.pad(v[:, first : first + n], (0, 1), value=1.0).reshape(KV_HEADS * chunks, c, DIM + 1)
            sums = torch.bmm(self.features(ks).transpose(1, 2), u).view(KV_HEADS, chunks, -1, DIM + 1)
            total = torch.cumsum(sums, 1)
            before = (carry + total - sums).view(KV_HEADS * chunks, -1, DIM + 1)
            carry = carry + total[:, -1:]
            fq = (self.features(qs) * self.coefficient).view(KV_HEADS, group, chunks, c, -1)
            far = torch.bmm(fq.transpose(1, 2).reshape(KV_HEADS * chunks, group * c, -1), before)
            qc = (qs.unsqueeze(2) * self.weight[:, :, :, None]).view(KV_HEADS, group, GROUPS, chunks, c, DIM)
            qc = qc.permute(0, 3, 1, 2, 4, 5).reshape(KV_HEADS * chunks, group * GROUPS * c, DIM)
            t = torch.bmm(qc, ks.transpose(1, 2)).view(KV_HEADS, chunks, group, GROUPS, c, c)
            t = (t + self.offset[:, None, :, :, None, None]).square().sum(3) + 0.1
            near = torch.bmm(t.masked_fill(~self.mask, 0).view(KV_HEADS * chunks, group * c, c), u)
            y = (far + near).view(KV_HEADS, chunks, group, c, DIM + 1)
            y = y[..., :DIM] / y[..., DIM:]
            out[:, first : first + n] = y.transpose(1, 2).reshape(HEADS, n, DIM)
        return out


def milliseconds(call, repeats):
    """Medians of elapsed and of processor time."""
    times = []
    for _ in range(repeats):
        start, cpu = time.perf_counter(), time.process_time()
        call()
        times.append((1e3 * (time.perf_counter() - start), 1e3 * (time.process_time() - cpu)))
    return tuple(statistics.median(column) for column in zip(*times))


def program(bench, name, rows):
    """One benchmark of the program, median of its own repetitions."""
    out = subprocess.run([bench, f"--benchmark_filter=^{name}/{rows}/", "--benchmark_format=json"],
                         check=True, capture_output=True, text=True).stdout
    return next(b for b in json.loads(out)["benchmarks"] if b.get("aggregate_name") == "median")


def one_round(bench, rows, quadratic):
    q, k, v = torch.randn(HEADS, rows, DIM), torch.randn(KV_HEADS, rows, DIM), torch.randn(KV_HEADS, rows, DIM)
    ke, ve = (x.repeat_interleave(HEADS // KV_HEADS, 0)[None] for x in (k, v))
    exact = min(milliseconds(call, 3) for call in (
        lambda: F.scaled_dot_product_attention(q[None], ke, ve, is_causal=True),
        lambda: F.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True, enable_gqa=True)))
    ours = program(bench, "exactAttention", rows)
    theirs = milliseconds(lambda: quadratic(q, k, v), 2)
    oal = program(bench, "quadraticOperator", rows)
    return (*exact, ours["real_time"], ours["cpu_time"], *theirs, oal["real_time"], oal["cpu_time"],
            oal["bytes_per_position"])


def check(quadratic):
    """The block GEMM against its own definition, so that nobody races a wrong form."""
    q, k, v = torch.randn(HEADS, 512, DIM), torch.randn(KV_HEADS, 512, DIM), torch.randn(KV_HEADS, 512, DIM)
    ks, vs = (x.repeat_interleave(HEADS // KV_HEADS, 0).double() for x in (k, v))
    weight, offset = quadratic.weight.flatten(0, 1).double(), quadratic.offset.flatten(0, 1).double()
    terms = [(offset[:, c, None, None] + (q.double() * weight[:, c, None]) @ ks.transpose(1, 2)).square()
             for c in range(GROUPS)]
    kappa = (0.1 + sum(terms)).tril()
    expected = kappa @ vs / kappa.sum(-1, keepdim=True)
    error = ((quadratic(q, k, v).double() - expected).norm() / expected.norm()).item()
    assert error < 1e-4, error
    return error


def fastest_tiling():
    q, k, v = torch.randn(HEADS, 2048, DIM), torch.randn(KV_HEADS, 2048, DIM), torch.randn(KV_HEADS, 2048, DIM)
    forms = [Quadratic(chunk, slab) for chunk in (64, 128, 256) for slab in (256, 512, 1024)]
    return min(forms, key=lambda form: milliseconds(lambda: form(q, k, v), 3)[1])  # on a busy machine the steadier


@torch.inference_mode()
def main():
    torch.set_num_threads(int(sys.argv[2]) if len(sys.argv) > 2 else 2)
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    sizes = [int(n) for n in sys.argv[4].split(",")] if len(sys.argv) > 4 else [2048, 4096, 8192, 16384]
    quadratic = fastest_tiling()
    print(f"PyTorch {torch.__version__}, chunk {quadratic.chunk}, slab {quadratic.slab}, "
          f"error of its form {check(quadratic):.1e}")
    print("    N | exact: PyTorch  program  ratio (cpu) | quadratic: PyTorch  program  ratio (cpu) | exact / quadratic (cpu)"
          " | B/position")
    for rows in sizes:
        columns = zip(*(one_round(sys.argv[1], rows, quadratic) for _ in range(rounds)))
        exact, exact_cpu, ours, ours_cpu, theirs, theirs_cpu, oal, oal_cpu, size = map(statistics.median, columns)
        print(f"{rows:5d} | {exact:14.1f} {ours:8.1f} {exact / ours:6.2f} ({exact_cpu / ours_cpu:.2f})"
              f" | {theirs:18.1f} {oal:8.1f} {theirs / oal:6.2f} ({theirs_cpu / oal_cpu:.2f})"
              f" | {ours / oal:17.2f} ({ours_cpu / oal_cpu:.2f}) | {size:10.0f}", flush=True)


if __name__ == "__main__":
    main()
