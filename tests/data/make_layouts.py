#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes tests/data/layouts: one small dump in the ways in which people store it, with h5py and numpy: python make_layouts.py

The dump has layers 4 and 12 with the same numbers (value() of make_dumps.py), 2 prompts, 4 query and 2 key/value heads, 12 positions, 8
dimensions. "asks" files leave two readings; "harm" files are broken or reach outside.
"""
import io
import json
import pathlib
import struct
import zipfile
import zlib

import h5py
import numpy as np
from make_dumps import bf16_bits, bf16_type, value

HERE = pathlib.Path(__file__).resolve().parent / "layouts"
P, HQ, HKV, N, D = 2, 4, 2, 12, 8
LAYERS = (4, 12)
TENSORS = {"q": 0, "k": 1, "v": 2, "o": 4}


def tensors(repeated=False):
    t = {n: value(i, *np.indices((P, HQ if n in "qo" else HKV, N, D))).astype("<f4") for n, i in TENSORS.items()}
    if repeated:
        t["k"], t["v"] = (np.repeat(t[n], HQ // HKV, 1) for n in "kv")
    return t


def new(name, **kw):
    return h5py.File(HERE / f"{name}.h5", "w", **kw)


def store(name, path, change=lambda n, a: a, names="q k v o", repeated=False, attributes=None, layers=LAYERS, **kw):
    """path(layer, name) of each tensor, its values through change(n, a), attributes on each."""
    with new(name) as f:
        for layer in layers:
            for n, spelled in zip("qkvo", names.split()):
                d = f.create_dataset(path(layer, spelled), data=change(n, tensors(repeated)[n]), **kw)
                for key, attribute in (attributes or {}).items():
                    d.attrs[key] = attribute


def plain(layer, n):
    return f"layers/{layer:02d}/{n}"


def positions_first(n, a):
    return a.transpose(0, 2, 1, 3)


def flat(n, a):
    return positions_first(n, a).reshape(P, N, -1)


SIZES = {"n_heads": HQ, "n_kv_heads": HKV, "head_dim": D}


def names():
    store("names_long", plain, names="query key value attn_output")
    store("names_upper", plain, names="Q KEYS Values O")
    store("names_hf", lambda layer, n: f"model.layers.{layer}.self_attn.{n}")
    store("names_flat", lambda layer, n: f"layer_{layer:02d}_{n}")
    store("group_layer", lambda layer, n: f"layer_{layer}/{n}")
    store("group_number", lambda layer, n: f"{layer}/{n}")
    with new("names_transformer_lens") as f:
        for layer in LAYERS:
            for n, a in tensors().items():
                at = f"blocks.{layer}.attn.hook_"
                f[at + {"q": "rot_q", "k": "rot_k", "v": "v", "o": "z"}[n]] = positions_first(n, a)
                if n in "qk":
                    f[at + n] = positions_first(n, a) + 100  # before RoPE: other numbers, not to be used
    with new("names_decoys") as f:
        for layer in LAYERS:
            for n, a in tensors().items():
                f[plain(layer, n)] = a
        f["K"], f["k"], f["q"], f["poses/q"] = np.eye(3), np.arange(9.0), np.zeros((9, 4)), np.zeros((9, 4))
        f["weights/q_proj.weight"], f["layer_-1"], f["layers/self"] = np.zeros((4, 4)), np.zeros(3), f["layers"]
        f["a/again"], f["loop"] = f["/"], h5py.SoftLink("/loop")


def groups():
    with new("prompts_apart") as f:
        for p in range(P):
            for layer in LAYERS:
                for n, a in tensors().items():
                    f[f"prompt_{p:03d}/layer_{layer}/{n}"] = a[p]
    with new("heads_apart") as f:
        for layer in LAYERS:
            for n, a in tensors().items():
                for h in range(a.shape[1]):
                    f[f"layer_{layer}/head_{h}/{n}"] = a[0, h]
    with new("layer_axis") as f:
        for n, a in tensors().items():
            f[n] = np.stack([a, a])
            f[n].attrs["layers"] = LAYERS
    with new("layer_axis_second") as f:
        for n, a in tensors().items():
            f[n] = np.stack([a, a], 1)
            f[n].attrs["layers"], f[n].attrs["axes"] = LAYERS, "prompt layer head pos dim"
    with new("one_head") as f:
        for n, a in tensors().items():
            f[n] = a[0, 0]
    with new("prompt_missing") as f:
        for p in range(P):
            for layer in LAYERS[: 2 - p]:
                for n, a in tensors().items():
                    f[f"prompt_{p}/layer_{layer}/{n}"] = a[p]


def axes():
    store("axes_positions_first", plain, positions_first)
    store("axes_stated", plain, positions_first, repeated=True, attributes={"axes": "prompt pos head dim"})
    store("axes_flat", plain, flat, attributes=SIZES)
    store("axes_reversed", plain, lambda n, a: a.T, attributes=SIZES)
    store("axes_one_prompt", plain, lambda n, a: a[0])
    with new("axes_labels") as f:
        for layer in LAYERS:
            for n, a in tensors(True).items():
                d = f.create_dataset(plain(layer, n), data=positions_first(n, a))
                for i, label in enumerate(("batch", "seq", "head", "d")):
                    d.dims[i].label = label
    with h5py.File(HERE / "matlab.h5", "w", userblock_size=512) as f:
        for layer in LAYERS:
            for n, a in tensors().items():
                f[f"layer_{layer}/{n}"] = a.T
    with open(HERE / "matlab.h5", "r+b") as f:
        f.write(b"MATLAB 7.3 MAT-file".ljust(128))


def fused():
    def one(name, spelled, make, **kw):
        with new(name) as f:
            for layer in LAYERS:
                f[plain(layer, spelled)] = make([positions_first(n, a) for n, a in tensors(kw.pop("repeated", True)).items() if n != "o"])
                f[f"layers/{layer:02d}"].attrs.update({"n_heads": HQ, "rope": "none", **kw})

    def width(parts):
        return np.concatenate([a.reshape(P, N, -1) for a in parts], -1)

    one("fused_c_attn", "c_attn", width)
    one("fused_kqv", "kqv", lambda t: width([t[1], t[0], t[2]]))
    one("fused_per_head", "query_key_value", lambda t: np.stack(t, 3).reshape(P, N, -1))
    one("fused_stacked", "qkv", lambda t: np.stack(t, 2))
    with new("fused_grouped") as f:
        for layer in LAYERS:
            f[plain(layer, "qkv")] = width([positions_first(n, tensors()[n]) for n in "qkv"])
            f[f"layers/{layer:02d}"].attrs.update({"n_heads": HQ, "n_kv_heads": HKV, "rope": "none"})
    with new("compound") as f:
        for layer in LAYERS:
            t = tensors(True)
            c = np.zeros(t["q"].shape, [(n, "<f4") for n in "qkv"])
            for n in "qkv":
                c[n] = t[n]
            f.create_dataset(plain(layer, "qkv"), data=c, chunks=(1, 1, N, D), compression="gzip")


def numbers():
    store("int8", plain, lambda n, a: (a * 8).astype("i1"), attributes={"scale_factor": 0.125})
    store("int16_big_endian", plain, lambda n, a: (a * 8).astype(">i2"), attributes={"scale_factor": 0.125})
    store("float128", plain, lambda n, a: a.astype("f16"))
    store("bf16_torch", plain, lambda n, a: bf16_bits(a).astype("<i2"), attributes={"torch_dtype": "torch.bfloat16"})
    store("filters", plain, chunks=(1, 1, 5, D), compression="lzf", shuffle=True, fletcher32=True)
    store("filters_gzip", plain, chunks=(1, 2, 5, 3), compression="gzip", shuffle=True, fletcher32=True)
    store("wide_chunks", plain, lambda n, a: a.astype("<f2"), chunks=(2, 2, N, D), compression="gzip")


def containers():
    flat_names = {f"layers.{layer}.{n}": a for layer in LAYERS for n, a in tensors().items()}
    header, blob = {"__metadata__": {"model": "toy"}}, b""
    for n, a in flat_names.items():
        header[n] = {"dtype": "F32", "shape": a.shape, "data_offsets": [len(blob), len(blob) + a.nbytes]}
        blob += a.tobytes()
    text = json.dumps(header).encode()
    (HERE / "dump.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + blob)
    np.savez(HERE / "dump.npz", **flat_names)
    np.savez_compressed(HERE / "dump_compressed.npz", **flat_names)
    limit, zipfile.ZIP64_LIMIT = zipfile.ZIP64_LIMIT, 0  # every size and place in 64 bits, as in a large file
    packed(HERE / "dump_zip64.npz", flat_names, force_zip64=True)
    zipfile.ZIP64_LIMIT = limit


def packed(path, arrays, method=zipfile.ZIP_DEFLATED, change=lambda b: b, force_zip64=False):
    """An .npz as numpy writes it; change: of the bytes of each member before they are packed."""
    with zipfile.ZipFile(path, "w", method) as z:
        for n, a in arrays.items():
            b = io.BytesIO()
            np.save(b, a)
            info = zipfile.ZipInfo(f"{n}.npy")
            info.compress_type = method
            with z.open(info, "w", force_zip64=force_zip64) as f:
                f.write(change(b.getvalue()))


def padded():
    """Nothing marks the padding: the last 3 rows of prompt 0 repeat, the first 2 of prompt 1 are zero."""

    def pad(n, a):
        a = a.copy()
        a[0, :, -3:] = a[0, :, -3:-2]
        a[1, :, :2] = 0
        return a

    store("padded_content", plain, pad)


def more_contents():
    """What a dump may have besides: x, ids and tokens; one chunk of k is damaged."""
    store("damaged_chunk", plain, chunks=(1, 1, N, D), compression="gzip")
    with h5py.File(HERE / "damaged_chunk.h5", "r+") as f:
        f["layers/04/k"].id.write_direct_chunk((1, 0, 0, 0), b"not deflate")
        f["layers/04/x"] = np.arange(P * N * 3, dtype="<f4").reshape(P, N, 3)
        f["prompts/ids"] = np.arange(P * N, dtype="<i4").reshape(P, N)
        f.create_dataset("prompts/tokens", data=np.array([[f"t{p}.{i} é" for i in range(N)] for p in range(P)], object), dtype=h5py.string_dtype())


def fewer_queries():
    """q and o of the last 7 of 12 positions, as when decoding with a cache of keys."""
    store("fewer_queries", plain, lambda n, a: a[:, :, 5:] if n in "qo" else a)
    store("fewer_queries_start", plain, lambda n, a: a[:, :, :7] if n in "qo" else a, attributes={"align": "start"})


def asks():
    store("asks_bits", plain, lambda n, a: bf16_bits(a))
    store("asks_integers", plain, lambda n, a: (a * 8).astype("i1"))
    store("asks_reversed", plain, lambda n, a: a.T)
    store("asks_square", plain, lambda n, a: a[:, :, :5], repeated=True)
    store("asks_heads_or_prompts", plain, lambda n, a: a[0], repeated=True)
    store("asks_flat", plain, flat)
    store("asks_two_sets", lambda layer, n: f"run_a/layer_{layer}/{n}", layers=(4,))
    with h5py.File(HERE / "asks_two_sets.h5", "r+") as f:
        f.copy("run_a", "run_b")
    store("asks_hostile_names", lambda layer, n: f"run <b>\n&\x1b[31m/layer_{layer}/{n}", layers=(4,))
    with h5py.File(HERE / "asks_hostile_names.h5", "r+") as f:
        f.copy("run <b>\n&\x1b[31m", "run_b")
    with new("asks_output") as f:  # o tells which order of axes is right
        q, k, v = (tensors(True)[n][:, :, :5].astype("f8") for n in "qkv")
        logits = np.where(np.tril(np.ones((5, 5))), q @ k.swapaxes(2, 3) / np.sqrt(D), -np.inf)
        weights = np.exp(logits - logits.max(-1, keepdims=True))
        o = weights / weights.sum(-1, keepdims=True) @ v
        for n, a in zip("qkvo", (q, k, v, o)):
            f[plain(4, n)] = a.astype("<f4")
    store("asks_encoding", plain, lambda n, a: bf16_bits(a), attributes={"encoding": "brainfloat"})
    store("asks_head_order", plain, attributes={"gqa": "tiled"})
    store("asks_two_names", plain)
    with h5py.File(HERE / "asks_two_names.h5", "r+") as f:
        for layer in LAYERS:
            f[f"layers/{layer:02d}/query"] = tensors()["q"] + 100
    with new("asks_fused") as f:
        for layer in LAYERS:
            f[plain(layer, "c_attn")] = np.concatenate([flat(n, tensors(True)[n]) for n in "qkv"], -1)
            f[f"layers/{layer:02d}"].attrs["rope"] = "none"
    store("asks_square_bits", plain, lambda n, a: bf16_bits(a[:, :, :5]), repeated=True)


def harm():
    def chunks(name, data, **kw):
        with new(name) as f:
            for n, a in tensors().items():
                d = f.create_dataset(plain(4, n), a.shape, "<f4", chunks=(1, 1, N, D), **kw)
                for i in np.ndindex(*a.shape[:2]):
                    d.id.write_direct_chunk(i + (0, 0), data(a[i]))

    chunks("harm_short", lambda a: zlib.compress(a.tobytes()[:100]), compression="gzip")
    chunks("harm_long", lambda a: zlib.compress(a.tobytes() + bytes(100000)), compression="gzip")
    chunks("harm_checksum", lambda a: b"\1\2", fletcher32=True)
    chunks("harm_lzf", lambda a: b"\xff\xff\xff", compression="lzf")
    with new("harm_giant") as f:
        for n, a in tensors().items():
            d = f.create_dataset(plain(4, n), a.shape, "<f4", chunks=(64, 64, 1024, 64), maxshape=(None,) * 4, compression="gzip")
            d.id.write_direct_chunk((0, 0, 0, 0), zlib.compress(a.tobytes()))
    with h5py.File(HERE / "harm_links.h5", "w") as f:
        for layer in LAYERS:
            f[f"layers/{layer:02d}"] = h5py.ExternalLink("names_long.h5", f"/layers/{layer:02d}")
    with new("harm_virtual", libver=("v110", "v110")) as f:
        for n, a in tensors().items():
            if n == "o":
                continue
            layout = h5py.VirtualLayout(a.shape, "<f4")
            layout[...] = h5py.VirtualSource("float_source.h5", plain(4, n), a.shape)
            f.create_virtual_dataset(plain(4, n), layout)
    store("float_source", plain, layers=(4,))
    (HERE / "harm_pointer.h5").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n")
    (HERE / "harm_page.h5").write_text("<!DOCTYPE html>\n<html></html>\n")
    with zipfile.ZipFile(HERE / "harm_torch.pt", "w") as z:
        z.writestr("archive/data.pkl", b"\x80\x02.")
    header = b'{"a":' + b"[" * 5000 + b"]" * 5000 + b"}"
    (HERE / "harm_deep.safetensors").write_bytes(struct.pack("<Q", len(header)) + header)
    header = json.dumps({f"layers.4.{n}": {"dtype": "F32", "shape": [2**32, 2**30, 4, 1], "data_offsets": [0, 0]} for n in "qk"}).encode()
    (HERE / "harm_shape.safetensors").write_bytes(struct.pack("<Q", len(header)) + header)
    (HERE / "harm_header.safetensors").write_bytes(struct.pack("<Q", 1 << 62) + b'{"a":{}}')
    with zipfile.ZipFile(HERE / "harm_pickle.npz", "w") as z:
        for n in "qk":
            b = io.BytesIO()
            np.save(b, np.array([{}], object), allow_pickle=True)
            z.writestr(f"layers.4.{n}.npy", b.getvalue())
    harm_zips()


def harm_zips():
    names = {f"layers.4.{n}": a for n, a in tensors().items() if n in "qk"}
    whole = HERE / "harm_zip.npz"
    packed(whole, names)
    data = bytearray(whole.read_bytes())
    with zipfile.ZipFile(whole) as z:
        first = z.infolist()[0]
    directory = data.rfind(b"PK\1\2", 0, data.rfind(b"PK\1\2"))
    start = first.header_offset + 30 + len(first.filename)
    for name, change in {
        "harm_zip_checksum": lambda d: d.__setitem__(directory + 16, d[directory + 16] ^ 1),
        "harm_zip_data": lambda d: d.__setitem__(slice(start + 300, start + 310), b"\xff" * 10),
        "harm_zip_cut": lambda d: d.__setitem__(slice(directory + 20, directory + 24), struct.pack("<I", first.compress_size - 40)),
        "harm_zip_longer": lambda d: d.__setitem__(slice(directory + 24, directory + 28), struct.pack("<I", first.file_size + 4)),
        "harm_zip_bomb": lambda d: d.__setitem__(slice(directory + 24, directory + 28), struct.pack("<I", 0xF0000000)),
        "harm_zip_encrypted": lambda d: d.__setitem__(directory + 8, 1),
        "harm_zip_method": lambda d: d.__setitem__(slice(directory + 10, directory + 12), struct.pack("<H", 14)),
    }.items():
        changed = bytearray(data)
        change(changed)
        (HERE / f"{name}.npz").write_bytes(changed)
    whole.unlink()
    zeros = {n: np.zeros((2, 4, 12, 8), "<f4") for n in names}
    packed(HERE / "harm_zip_inflates.npz", zeros, change=lambda b: b + bytes(1 << 22))
    packed(HERE / "harm_zip_stored.npz", names, zipfile.ZIP_STORED)
    stored = bytearray((HERE / "harm_zip_stored.npz").read_bytes())
    stored[400] ^= 1
    (HERE / "harm_zip_stored.npz").write_bytes(stored)


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    for make in (names, groups, axes, fused, numbers, containers, padded, more_contents, fewer_queries, asks, harm):
        make()
