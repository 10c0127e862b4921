# SPDX-License-Identifier: GPL-3.0-or-later
"""The CUDA operator beside PyTorch's exact attention on one GPU, in one process and on one stream.

    python3 operator_cuda.py LIBRARY [OUT.json] [--lengths 1024,4096,...] [--shapes 14/2,32/8] [--groups 3]

LIBRARY: libquadratic_operator.so of the build. Causal, batch 1, 64 dimensions, bfloat16 in and out, standard normal
tensors. Medians of CUDA events; calls shorter than a millisecond are repeated inside one pair of events, input sets
change in rotation. The error is ||out - reference|| / ||reference|| over 64 rows drawn once, float64 reference by
pairs, float32 output of the same call.
"""
import argparse
import ctypes
import json
import math
import statistics

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

ELEMENTS = {torch.float32: 0, torch.float16: 1, torch.bfloat16: 2}
DIM = 64


class Problem:
    """Seeded tensors and a kernel of `groups` groups: 4 dimensions in every group but the first."""

    def __init__(self, heads, kv_heads, rows, groups, seed, outlier=0.0, dtype=torch.bfloat16):
        g = torch.Generator(device="cuda").manual_seed(seed)
        make = lambda n: torch.randn(n, rows, DIM, generator=g, device="cuda")
        self.q, k, self.v = make(heads), make(kv_heads), make(kv_heads)
        host = torch.Generator().manual_seed(seed + 1)
        self.label = torch.zeros(heads, DIM, dtype=torch.int32)
        for kv in range(kv_heads):
            order = torch.randperm(DIM, generator=host)
            for h in range(kv * heads // kv_heads, (kv + 1) * heads // kv_heads):
                for n in range(1, groups):
                    self.label[h, order[4 * (n - 1):4 * n]] = n
            if outlier:
                k[kv, :, order[:4].to("cuda")] += outlier
        self.q, self.k, self.v = self.q.to(dtype), k.to(dtype), self.v.to(dtype)
        n = groups + 1
        factor = torch.tril(0.2 * torch.randn(heads, n, n, generator=host, dtype=torch.float64))
        factor[:, range(n), range(n)] = 0.5 + torch.rand(heads, n, generator=host, dtype=torch.float64)
        factor[:, 0, 0] += 1.0
        self.factor, self.groups, self.scale, self.epsilon = factor, groups, 1.0 / math.sqrt(DIM), 1e-6

    def reference(self, rows):
        """(heads, rows, dim) in float64 by pairs."""
        heads, kv_heads = self.q.shape[0], self.k.shape[0]
        out = torch.empty(heads, len(rows), DIM, dtype=torch.float64, device="cuda")
        visible = torch.arange(self.q.shape[1], device="cuda")[None, :] <= rows[:, None]
        for h in range(heads):
            kv = h * kv_heads // heads
            q, k, v = self.q[h, rows].double(), self.k[kv].double(), self.v[kv].double()
            sums = [torch.ones(len(rows), k.shape[0], dtype=torch.float64, device="cuda")]
            for n in range(self.groups):
                pick = (self.label[h] == n).to("cuda")
                sums.append(self.scale * (q[:, pick] @ k[:, pick].T))
            kappa = torch.full_like(sums[0], self.epsilon)
            for col in range(self.groups + 1):
                kappa += sum(self.factor[h, row, col].item() * sums[row] for row in range(col, self.groups + 1)) ** 2
            kappa = torch.where(visible, kappa, 0.0)
            out[h] = (kappa @ v) / kappa.sum(1, keepdim=True)
        return out


class Operator:
    def __init__(self, library, problem):
        self.lib, self.heads, self.kv_heads = library, problem.q.shape[0], problem.k.shape[0]
        packed = torch.cat([problem.factor[h][tuple(torch.tril_indices(problem.groups + 1, problem.groups + 1))]
                            for h in range(self.heads)]).contiguous()
        groups = torch.full((self.heads,), problem.groups, dtype=torch.int32)
        label = problem.label.contiguous()
        self.handle, self.error = ctypes.c_void_p(), ctypes.create_string_buffer(400)
        self.check(library.operatorMake(
            self.heads, self.kv_heads, DIM, ctypes.c_void_p(label.data_ptr()), ctypes.c_void_p(groups.data_ptr()),
            ctypes.c_void_p(packed.data_ptr()), ctypes.c_double(problem.epsilon), ctypes.c_double(problem.scale),
            ctypes.byref(self.handle), self.error, ctypes.c_size_t(400)))

    def check(self, failed):
        if failed:
            raise RuntimeError(self.error.value.decode())

    def __call__(self, p, dtype=torch.bfloat16):
        out = torch.empty(p.q.shape, dtype=dtype, device="cuda")
        bad = torch.empty(p.q.shape[:2], dtype=torch.uint8, device="cuda")
        at = lambda t: ctypes.c_void_p(t.data_ptr())
        self.check(self.lib.operatorRun(
            self.handle, at(p.q), at(p.k), at(p.v), ELEMENTS[p.q.dtype], at(out), ELEMENTS[dtype], self.heads,
            self.kv_heads, ctypes.c_longlong(p.q.shape[1]), DIM, DIM, at(bad),
            ctypes.c_void_p(torch.cuda.current_stream().cuda_stream), self.error, ctypes.c_size_t(400)))
        return out, bad

    def bytes(self):
        return self.lib.operatorBytes(self.handle)

    def __del__(self):
        self.lib.operatorFree(self.handle)


def milliseconds(calls, budget=0.3, least=5, most=30):
    for call in calls:
        call()
    begin, end = torch.cuda.Event(True), torch.cuda.Event(True)

    def timed(repeats, start):
        begin.record()
        for n in range(repeats):
            calls[(start + n) % len(calls)]()
        end.record()
        torch.cuda.synchronize()
        return begin.elapsed_time(end) / repeats

    first = max(timed(1, 0), 1e-3)
    repeats = max(1, min(20, int(1.0 / first)))
    rounds = int(max(least, min(most, budget * 1e3 / (first * repeats))))
    return statistics.median(timed(repeats, n * repeats) for n in range(rounds))


def exact(p, backend):
    with sdpa_kernel(backend):
        return F.scaled_dot_product_attention(p.q[None], p.k[None], p.v[None], is_causal=True, enable_gqa=True)


def relative(out, reference):
    return ((out.double() - reference).norm() / reference.norm()).item()


def measure(library, shape, rows, groups):
    heads, kv_heads = map(int, shape.split("/"))
    problems = [Problem(heads, kv_heads, rows, groups, seed) for seed in range(3 if rows <= 16384 else 1)]
    picked = torch.randperm(rows, generator=torch.Generator().manual_seed(7))[:64].cuda()
    line = {"shape": shape, "rows": rows, "groups": groups}
    operator = Operator(library, problems[0])
    out, bad = operator(problems[0], torch.float32)
    line["error"] = relative(out[:, picked], problems[0].reference(picked))
    line["bad"] = int(bad.sum())
    line["workspace_mb"] = operator.bytes() / 2**20
    sdpa = {"flash": SDPBackend.FLASH_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION}
    attend = lambda name: milliseconds([lambda p=p: exact(p, sdpa[name]) for p in problems])
    before = {name: attend(name) for name in sdpa}
    line["ms"] = milliseconds([lambda p=p: operator(p) for p in problems])
    after = {name: attend(name) for name in sdpa}
    for name in sdpa:
        line[name + "_ms"] = (before[name] + after[name]) / 2
    line["ratio"] = min(line["flash_ms"], line["cudnn_ms"]) / line["ms"]
    return line


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("out", nargs="?")
    parser.add_argument("--lengths", default="1024,4096,16384,32768,65536,131072")
    parser.add_argument("--shapes", default="14/2,32/8")
    parser.add_argument("--groups", type=int, default=3)
    options = parser.parse_args()
    library = ctypes.CDLL(options.library)
    library.operatorBytes.restype = ctypes.c_size_t
    library.operatorBytes.argtypes = library.operatorFree.argtypes = [ctypes.c_void_p]
    lines = []
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, G = {options.groups}")
    for shape in options.shapes.split(","):
        for rows in map(int, options.lengths.split(",")):
            lines.append(measure(library, shape, rows, options.groups))
            print(json.dumps(lines[-1]), flush=True)
    if options.out:
        with open(options.out, "w") as file:
            json.dump(lines, file, indent=1)


if __name__ == "__main__":
    main()
