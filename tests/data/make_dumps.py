#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the small files of the io tests with h5py, a writer that is not ours: python make_dumps.py (h5py >= 3.12).

Every number follows value() below, which tests/io/dump_files.h repeats, and is exact in bf16 and float16.
"""
import pathlib

import h5py
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
P, HQ, HKV, N, D, DV, MODEL = 2, 4, 2, 6, 4, 3, 5


def value(tensor, p, h, n, d):
    return ((tensor * 5 + p * 31 + h * 17 + n * 7 + d * 3) % 61 - 30) / 8.0


def tensor(number, shape):
    grid = np.indices(shape)
    return value(number, *grid).astype(np.float64)


def bf16_bits(values):
    return (values.astype("<f4").view("<u4") >> 16).astype("<u2")


def bf16_type():
    """A two-byte HDF5 float: 1 sign bit, 8 exponent bits, 7 mantissa bits."""
    t = h5py.h5t.IEEE_F32LE.copy()
    t.set_fields(15, 7, 8, 0, 7)
    t.set_size(2)
    t.set_ebias(127)
    return t


def q(shape=(P, HQ, N, D)):
    return tensor(0, shape)


def k(shape=(P, HKV, N, D)):
    return tensor(1, shape)


def v(shape=(P, HKV, N, DV)):
    return tensor(2, shape)


def new(name, version=1, form="attn-dump"):
    f = h5py.File(HERE / f"{name}.h5", "w")
    f.attrs["format"] = np.bytes_(form)  # of fixed length: text of variable length takes 4 KB
    f.attrs["format_version"] = version
    return f


def layer(f, number="04", qs=None, ks=None, vs=None, dtype="<f4", **attributes):
    g = f.create_group(f"layers/{number}")
    for name, values in (("q", q() if qs is None else qs), ("k", k() if ks is None else ks), ("v", v() if vs is None else vs)):
        if values is not False:
            g.create_dataset(name, data=np.asarray(values).astype(dtype))
    for name, content in attributes.items():
        g.attrs[name] = content
    return g


def dump(name, **arguments):
    with new(name) as f:
        layer(f, **arguments)


def encodings():
    for name, dtype in (("float16", "<f2"), ("float32", "<f4"), ("float64", "<f8"), ("float16_big_endian", ">f2"),
                        ("float32_big_endian", ">f4"), ("float64_big_endian", ">f8")):
        dump(name, dtype=dtype)
    for name, order in (("bf16_bits", "<u2"), ("bf16_bits_big_endian", ">u2")):
        with new(name) as f:
            g = f.create_group("layers/04")
            for tensor_name, values in (("q", q()), ("k", k()), ("v", v())):
                g.create_dataset(tensor_name, data=bf16_bits(values).astype(order)).attrs["encoding"] = "bf16"
    with new("bf16_type") as f:
        g = f.create_group("layers/04")
        for tensor_name, values in (("q", q()), ("k", k()), ("v", v())):
            space = h5py.h5s.create_simple(values.shape)
            properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            properties.set_obj_track_times(False)
            dataset = h5py.h5d.create(g.id, tensor_name.encode(), bf16_type(), space, properties)
            dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, bf16_bits(values), mtype=bf16_type())
    with new("compressed") as f:
        g = f.create_group("layers/04")
        for tensor_name, values in (("q", q()), ("k", k()), ("v", v())):
            g.create_dataset(tensor_name, data=values.astype("<f2"), chunks=(1, 1, 4, values.shape[3]), shuffle=True, compression="gzip")


def attributes():
    """Each attribute is stated at several places; the nearest wins."""
    with new("attributes") as f:
        f.attrs.update({"scale": 0.5, "softcap": 20.0, "window": 5, "model": "made-up", "encoding": "ieee"})
        near = layer(f, "04", scale=0.25, sub="ignored")
        far = layer(f, "12", window=0, causal=0)
        f["layers"].attrs.update({"softcap": 30.0, "window": 3, "rope_theta": 10000.0})
        del near["q"]
        near.create_dataset("q", data=bf16_bits(q())).attrs["encoding"] = "bf16"
        near.create_dataset("sink", data=np.array([0.5, -1.0, 2.0, 0.0], "<f4"))
        far.create_dataset("w_o", data=tensor(3, (1, 1, MODEL, HQ * DV))[0, 0].astype("<f4"))
        far.create_dataset("o", data=tensor(4, (P, HQ, N, DV)).astype("<f2"))
        f.create_group("layers/notes").create_dataset("q", data=np.zeros(3))
        f.create_dataset("unknown", data="ignored")
        f["prompts/split"] = np.array(["train", "evaluation"], dtype=h5py.string_dtype())


def prompts():
    shapes = {"qs": q((3, HQ, N, D)), "ks": k((3, HKV, N, D)), "vs": v((3, HKV, N, DV))}
    with new("lengths") as f:
        layer(f, **shapes)
        f["prompts/length"] = np.array([4, 0, N + 3], "<i4")
    mask = np.ones((3, N), np.uint8)
    mask[0, 2] = mask[0, 5] = mask[1, 4:] = 0
    with new("mask_holes") as f:
        layer(f, **shapes)
        f["prompts/mask"] = mask
    with new("mask_boolean") as f:
        layer(f, **shapes)
        f["prompts/mask"] = mask.astype(bool)
    with new("length_mask_agree") as f:
        layer(f, **shapes)
        f["prompts/length"] = np.array([N, 4, 2], "<i4")
        f["prompts/mask"] = (np.arange(N)[None] < np.array([[N], [4], [2]])).astype(np.uint8)
    with new("length_mask_disagree") as f:
        layer(f, **shapes)
        f["prompts/length"] = np.array([N, 4, 2], "<i4")
        f["prompts/mask"] = (np.arange(N)[None] < np.array([[N], [5], [2]])).astype(np.uint8)
    with new("length_shape") as f:
        layer(f, **shapes)
        f["prompts/length"] = np.array([4, 4], "<i4")
    with new("non_finite") as f:
        values = q((3, HQ, N, D))
        values[0, 1, 2, 3], values[0, 1, 5, 0] = np.nan, np.inf
        layer(f, qs=values, ks=shapes["ks"], vs=shapes["vs"])
        f["prompts/length"] = np.array([5, N, N], "<i4")


def wrong_shapes():
    dump("no_q", qs=False)
    dump("no_k", ks=False)
    with new("no_layers") as f:
        f["tensors"] = np.zeros(3)
    dump("rank_3", qs=q()[0])
    dump("other_dimension", ks=k((P, HKV, N, D + 1)))
    dump("other_positions", ks=k((P, HKV, N + 1, D)))
    dump("other_prompts", ks=k((P + 1, HKV, N, D)))
    dump("other_value_heads", vs=v((P, HKV + 1, N, DV)))
    dump("heads_do_not_divide", ks=k((P, 3, N, D)), vs=v((P, 3, N, DV)))
    dump("more_kv_heads", ks=k((P, 8, N, D)), vs=v((P, 8, N, DV)))
    dump("empty_axis", qs=q((P, HQ, 0, D)), ks=k((P, HKV, 0, D)), vs=v((P, HKV, 0, DV)))
    dump("stated_heads", n_heads=8)


def wrong_types():
    dump("int32", dtype="<i4")
    with new("uint16_without_encoding") as f:
        g = layer(f, qs=False)
        g["q"] = bf16_bits(q())
    with new("unknown_encoding") as f:
        layer(f)["q"].attrs["encoding"] = "fp8_e4m3fn"
    with new("string") as f:
        g = layer(f, qs=False)
        g.create_dataset("q", data=np.full((P, HQ, N, D), b"1.5", "S3"))
    with new("compound") as f:
        g = layer(f, qs=False)
        g.create_dataset("q", data=np.zeros((P, HQ, N, D), np.dtype([("re", "<f4"), ("im", "<f4")])))


def wrong_attributes():
    for name, scale in (("scale_nan", np.nan), ("scale_zero", 0.0), ("scale_negative", -0.125), ("scale_text", "small")):
        dump(name, scale=scale)
    dump("gqa_strided", gqa="strided")
    dump("window_without_causal", window=4, causal=0)
    with new("other_axes") as f:
        layer(f)["q"].attrs["axes"] = "prompt pos head dim"
    with new("version_2", version=2) as f:
        layer(f)
    with new("other_format", form="attn-kernel-params") as f:
        layer(f)


def data_elsewhere():
    with new("external_link") as f:
        layer(f, qs=False)["q"] = h5py.ExternalLink("float32.h5", "/layers/04/q")
    with new("dangling_link") as f:
        layer(f, qs=False)["q"] = h5py.SoftLink("/nowhere/q")
    with new("virtual_dataset") as f:
        layout = h5py.VirtualLayout((P, HQ, N, D), "<f4")
        layout[...] = h5py.VirtualSource("float32.h5", "/layers/04/q", (P, HQ, N, D))
        layer(f, qs=False).create_virtual_dataset("q", layout)
    with new("never_written") as f:
        layer(f, qs=False).create_dataset("q", (P, HQ, N, D), "<f4", chunks=(1, 1, N, D))
    with new("one_bad_layer") as f:
        layer(f, "04", scale=np.nan)
        layer(f, "12")


def parameters():
    with new("parameters", form="attn-kernel-params") as f:
        g = f.create_group("layers/15")
        f["layers"].attrs["eps"] = 0.5
        g.attrs["provenance"] = '{"program": "by hand"}'
        performer = g.create_group("performer")
        performer["w"] = tensor(5, (2, HQ, 3, D)).astype("<f4")
        performer.attrs["eps"] = 0.125
        oal = g.create_group("oal")
        oal["label"] = np.array([[0, 1, 0, 2]] * HQ, "<i4")
        oal["groups"] = np.full(HQ, 2, "<i4")
        oal["note"] = "not a parameter"
        g["key_mean"] = np.arange(HKV * D, dtype="<f8").reshape(HKV, D)
        g.create_group("retnet")
        hedgehog = f.create_group("layers/00/hedgehog")
        hedgehog.create_dataset("w", data=bf16_bits(tensor(6, (1, HQ, D, D))[0])).attrs["encoding"] = "bf16"
        hedgehog.attrs["variant"] = "fla"
        f.create_group("layers/notes")["w"] = np.zeros(2)
        f["bootstrap/indices"] = np.array([[0, 1], [1, 1], [0, 0]], "<i4")
        f["positions"] = np.array([[0, 3, 5], [1, 2, 4]], "<i4")
        f["unknown"] = np.zeros(2)
    for name, arguments in (("parameters_version_2", {"version": 2, "form": "attn-kernel-params"}), ("parameters_other_format", {"form": "attn-dump"})):
        with new(name, **arguments) as f:
            f["layers/15/performer/w"] = np.zeros((1, 1, 1, 1))
    with new("parameters_link", form="attn-kernel-params") as f:
        f.create_group("layers/15/performer")["w"] = h5py.ExternalLink("parameters.h5", "/layers/15/performer/w")
    with new("parameters_indices", form="attn-kernel-params") as f:
        f["positions"] = np.array([[0, -3]], "<i4")
    with new("parameters_rank", form="attn-kernel-params") as f:
        f["bootstrap/indices"] = np.array([0, 3], "<i4")
    with new("parameters_nothing", form="attn-kernel-params") as f:
        f["unknown"] = np.zeros(2)


def storage():
    """Odd ways in which HDF5 can hold a tensor, or pretend to."""
    with new("chunks_over_heads") as f:
        g = f.create_group("layers/04")
        for name, values in (("q", q()), ("k", k()), ("v", v())):
            g.create_dataset(name, data=values.astype("<f2"), chunks=(2, 2, 4, 2), compression="gzip")
    with new("partly_written") as f:
        d = layer(f, qs=False).create_dataset("q", (P, HQ, N, D), "<f4", chunks=(1, 1, 4, D))
        d[0] = q()[0]
        d[1, :, :4] = q()[1, :, :4]
    with new("scale_factors") as f:
        g = layer(f)
        g["q"].attrs["scale_factor"] = 2.0
        g["k"].attrs["scale_factor"] = [1.0, -0.5]
    with new("scale_factor_count") as f:
        layer(f)["q"].attrs["scale_factor"] = [1.0, 2.0]
    with new("declared_huge") as f:
        d = layer(f, qs=False).create_dataset("q", (1, 14, 2**40, 64), "<f4", chunks=(1, 1, 4, 64))
        d[0, 0, :4] = 1
    with new("declared_overflow") as f:
        layer(f, qs=False).create_dataset("q", (2**30, 2**30, 2**30, 16), "<f4", chunks=(1, 1, 4, 16))
    with new("external_storage") as f:
        layer(f, qs=False).create_dataset("q", (P, HQ, N, D), "<f4", external=[("elsewhere.bin", 0, h5py.h5f.UNLIMITED)])
    with new("no_values") as f:
        layer(f, qs=False)["q"] = h5py.Empty("<f4")
    with new("control_characters") as f:
        f["a\nb\x07"] = 1


def hidden():
    """The residual stream itself in layer 4 (float16, a scale factor), its summaries in 5, one summary in 6, one that
    does not fit in 7."""
    with new("hidden_state") as f:
        d = layer(f).create_dataset("h", data=tensor(7, (P, 1, N, MODEL))[:, 0].astype("<f2"))
        d.attrs["scale_factor"] = 2.0
        d.attrs["axes"] = "prompt pos hidden"
        summaries = layer(f, number="05")
        summaries["h_mean_abs"] = tensor(8, (P, 1, 1, MODEL))[:, 0, 0].astype("<f4")
        summaries["h_max_abs"] = tensor(9, (P, 1, 1, MODEL))[:, 0, 0].astype("<f8")
        layer(f, number="06")["h_max_abs"] = tensor(9, (P, 1, 1, MODEL))[:, 0, 0].astype("<f4")
        layer(f, number="07")["h"] = np.zeros((P, N + 1, MODEL), "<f4")


def attended(queries, keys, values, kv_of, scale):
    """Causal attention, pair by pair; query head h reads KV head kv_of(h)."""
    out = np.zeros(queries.shape[:3] + values.shape[3:])
    for p, h, i in np.ndindex(*queries.shape[:3]):
        weights = np.exp(scale * keys[p, kv_of(h), :i + 1] @ queries[p, h, i])
        out[p, h, i] = weights @ values[p, kv_of(h), :i + 1] / weights.sum()
    return out


def outputs():
    """o as the attributes say, by strided KV heads where they say contiguous, and with a scale that they do not state."""
    random = np.random.default_rng(11)
    qs, ks, vs = (random.normal(size=(1, heads, 24, 8)).astype("<f4").astype("<f8") for heads in (HQ, HKV, HKV))
    stated = attended(qs, ks, vs, lambda h: h * HKV // HQ, 8**-0.5)
    for name, made in (("output_right", stated), ("output_strided", attended(qs, ks, vs, lambda h: h % HKV, 8**-0.5)),
                       ("output_scale_1", attended(qs, ks, vs, lambda h: h * HKV // HQ, 1.0))):
        with new(name) as f:
            layer(f, qs=qs, ks=ks, vs=vs)["o"] = made.astype("<f4")


for make in (encodings, attributes, prompts, wrong_shapes, wrong_types, wrong_attributes, data_elsewhere, storage, parameters, hidden, outputs):
    make()
