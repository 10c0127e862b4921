#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels at query rows and contributions of layers on the GPU beside PyTorch, in one process.

python3 tests/benchmarks/rows_cuda.py LIBCUDA_ROWS.so

Shape of Qwen2.5-0.5B: 14 query and 2 key/value heads, d = 64, N = 4096. Rows: exact attention, Performer (250 features, 5
draws), SpectraFormer, DiJiang, TaylorShift, the global quadratic and OAL with three groups at 32 rows of all heads of a
layer, then every kernel there is; contributions: all heads of 24 layers (the program makes all of a profile, PyTorch chi
alone from bfloat16). GPU time is the sum over kernels and copies that the profiler of PyTorch sees in the process, wall
clock what a call takes; medians in milliseconds. Tensors are on the device beforehand, as they are after the first look
at a layer.
"""
import ctypes
import math
import os
import statistics
import sys
import time

import torch

sys.path.insert(0, os.path.dirname(__file__))
import compare_torch  # noqa: E402

HEADS, KV_HEADS, DIM, ROWS, DRAWS, LAYERS, POSITIONS = 14, 2, 64, 32, 5, 24, 4096


class Sizes(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int) for name in ("heads", "kvHeads", "dim", "rows", "draws", "layers")]
    _fields_ += [("positions", ctypes.c_longlong)]


class Program:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.bench = ctypes.c_void_p()
        sizes = Sizes(HEADS, KV_HEADS, DIM, ROWS, DRAWS, LAYERS, POSITIONS)
        self.call("benchMake", ctypes.byref(sizes), ctypes.byref(self.bench))

    def call(self, name, *arguments):
        text = ctypes.create_string_buffer(500)
        if getattr(self.library, name)(*arguments, text, ctypes.c_size_t(500)):
            raise SystemExit(f"{name}: {text.value.decode()}")

    def rows(self):
        self.call("benchRows", self.bench, ctypes.c_int(0))

    def every(self):
        self.call("benchRows", self.bench, ctypes.c_int(1))

    def profile(self):
        self.call("benchProfile", self.bench)

    def error(self):
        worst = ctypes.c_double()
        self.call("benchError", self.bench, ctypes.byref(worst))
        return worst.value


def torch_rows():
    compare_torch.HEADS, compare_torch.KV_HEADS = HEADS, KV_HEADS
    layer = compare_torch.Layer()
    for name, value in vars(layer).items():
        if isinstance(value, torch.Tensor):
            setattr(layer, name, value.cuda())
    return lambda: layer.kernels(slice(None))


def torch_chi():
    q = torch.randn(LAYERS, HEADS, POSITIONS, DIM, device="cuda", dtype=torch.bfloat16)
    k = torch.randn(LAYERS, KV_HEADS, POSITIONS, DIM, device="cuda", dtype=torch.bfloat16)

    def chi():
        prefix = torch.cumsum(k.abs().double(), 2)
        grouped = q.abs().double().unflatten(1, (KV_HEADS, HEADS // KV_HEADS))
        return (grouped * prefix.unsqueeze(2)).sum(3) / (POSITIONS * (POSITIONS + 1) / 2 * math.sqrt(DIM))

    return chi


def gpu_ms(call, repeats=5, show=False):
    from torch.profiler import ProfilerActivity, profile
    call()
    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        for _ in range(repeats):
            call()
        torch.cuda.synchronize()
    if show:
        print(seen.key_averages().table(sort_by="cuda_time_total", row_limit=16, max_name_column_width=70))
    device = lambda event: getattr(event, "self_device_time_total", None) or getattr(event, "self_cuda_time_total", 0)
    copies = sum(device(event) for event in seen.key_averages() if event.key.startswith("Mem"))
    return (sum(device(event) for event in seen.key_averages()) - copies) / 1e3 / repeats, copies / 1e3 / repeats


def wall_ms(call, repeats=15):
    times = []
    for _ in range(repeats + 2):
        torch.cuda.synchronize()
        start = time.perf_counter()
        call()
        torch.cuda.synchronize()
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times[2:])


def main():
    program = Program(sys.argv[1])
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}")
    print(f"largest error of a kernel against double: {program.error():.1e} of the norm of the output")
    show = len(sys.argv) > 2
    for title, theirs, ours in (("kernels of a layer", torch_rows(), program.rows),
                                (f"chi of {LAYERS} layers", torch_chi(), program.profile)):
        before = gpu_ms(theirs), wall_ms(theirs)
        own = gpu_ms(ours, show=show), wall_ms(ours)
        after = gpu_ms(theirs), wall_ms(theirs)
        kernels = (before[0][0] + after[0][0]) / 2
        wall = (before[1] + after[1]) / 2
        print(f"{title}: PyTorch {kernels:.3f} ms on the GPU, {wall:.2f} ms in all; program {own[0][0]:.3f} ms "
              f"(copies {own[0][1]:.3f}), {own[1]:.2f} ms in all; ratio {kernels / own[0][0]:.1f}, {wall / own[1]:.1f}")
    kernels, copies = gpu_ms(program.every, show=show)
    print(f"every kernel of a layer: {kernels:.3f} ms on the GPU (copies {copies:.3f}), {wall_ms(program.every):.2f} ms in all")


if __name__ == "__main__":
    main()
