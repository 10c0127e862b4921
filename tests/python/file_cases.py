# SPDX-License-Identifier: GPL-3.0-or-later
"""What a dump holds beside its attention: prompts, tokens, splits, hidden states, storage."""
import h5py
import numpy as np
import torch
from transformers import AutoModelForCausalLM

import tiny_models
from captures import LENGTH, PROMPTS, CaptureCase, read_by_program, run
from dimscope_capture.encoding import encode
from dimscope_capture.model import default_layers
from plain_reader import UNIT_ROUNDOFF, relative_rms, values


class Prompts(CaptureCase):
    def test_are_consecutive_blocks_of_the_text(self):
        path = self.capture("llama", "blocks.h5", "--layers", "1", prompts=3)
        words = self.text.read_text(encoding="utf-8").split()
        with h5py.File(path) as file:
            tokens = [token.decode() for token in file["prompts/tokens"][()].ravel()]
            self.assertEqual(tokens, words[:3 * LENGTH])
            self.assertEqual(file["prompts/ids"][()].ravel().tolist(), [int(word[1:]) + 2 for word in words[:3 * LENGTH]])
            self.assertEqual(file["prompts/length"][()].tolist(), [LENGTH] * 3)
            self.assertTrue((file["prompts/mask"][()] == 1).all())
            self.assertNotIn("split", file["prompts"])
            self.assertIn("text.txt", file.attrs["prompt_source"])

    def test_are_marked(self):
        for arguments, expected in ((("--calibration", 1), ["calibration", "evaluation", "evaluation"]),
                                    (("--splits", "train:1,validation:1,evaluation:1"), ["train", "validation", "evaluation"])):
            path = self.capture("llama", "splits.h5", "--layers", "1", *arguments, prompts=3)
            with h5py.File(path) as file:
                self.assertEqual([label.decode() for label in file["prompts/split"][()]], expected)

    def test_begin_as_the_tokenizer_begins(self):
        model = self.model("llama", with_bos=True)
        for arguments, first in (((), "<s>"), (("--no-bos",), None)):
            output = self.folder / f"bos{first}.h5"
            code, errors = run(model, output, "--text", self.text, "--layers", 0, "--length", 10, "--prompts", 2, *arguments)
            self.assertEqual(code, 0, errors)
            words = self.text.read_text(encoding="utf-8").split()
            body = 9 if first else 10
            with h5py.File(output) as file:
                for prompt, row in enumerate(file["prompts/tokens"][()]):
                    expected = ([first] if first else []) + words[prompt * body:(prompt + 1) * body]
                    self.assertEqual([token.decode() for token in row], expected)

    def test_defaults_are_the_limit_and_what_the_text_gives(self):
        output = self.folder / "defaults.h5"
        code, errors = run(self.model("gpt2"), output, "--text", self.text)
        self.assertEqual(code, 0, errors)
        with h5py.File(output) as file:
            self.assertEqual(sorted(file["layers"]), ["00", "02", "03"])
            self.assertEqual(file["layers/00/q"].shape, (400 // 64, 6, 64, 8))
            self.assertEqual(file["layers/00/q"].attrs["encoding"], "bf16")

    def test_default_layers_are_spread_over_the_depth(self):
        for count, expected in ((24, [4, 12, 20]), (30, [5, 15, 25]), (1, [0])):
            config = tiny_models.llama()
            config.num_hidden_layers, config.layer_types = count, None
            self.assertEqual(default_layers(config), expected)
        config.layer_types = ["linear_attention", "linear_attention", "linear_attention", "full_attention"] * 2
        self.assertEqual(default_layers(config), [3, 7])


class Storage(CaptureCase):
    def test_is_that_of_format_1(self):
        path = self.capture("qwen3", "format.h5", "--layers", "1,3", "--dtype", "bf16")
        with h5py.File(path) as file:
            self.assertEqual((file.attrs["format"], file.attrs["format_version"]), ("attn-dump", 1))
            for name in ("model", "tokenizer", "created_by", "created_at", "prompt_source"):
                self.assertTrue(file.attrs[name])
            self.assertEqual(sorted(file["layers"]), ["01", "03"])
            q, k, w_o = (file[f"layers/03/{name}"] for name in ("q", "k", "w_o"))
            self.assertEqual((q.shape, k.shape, w_o.shape), ((PROMPTS, 6, LENGTH, 16), (PROMPTS, 3, LENGTH, 16), (48, 96)))
            self.assertEqual((q.dtype, q.attrs["encoding"], q.attrs["axes"]), (np.uint16, "bf16", "prompt head pos dim"))
            self.assertEqual((q.chunks, q.compression, q.compression_opts, q.shuffle), ((1, 1, LENGTH, 16), "gzip", 4, True))
            self.assertEqual(w_o.attrs["axes"], "hidden head*dim")

    def test_rounds_to_nearest_even(self):
        numbers = torch.tensor([1.0, 1 + 2**-8, 1 + 3 * 2**-8, -1 - 2**-9, 3e38])
        bits, saturated = encode(numbers, "bf16")
        self.assertEqual((bits.astype(np.uint32) << 16).view(np.float32).tolist()[:4], [1.0, 1.0, 1 + 2**-6, -1.0])
        self.assertEqual(saturated, 0)

    def test_counts_what_float16_saturates(self):
        folder = self.folder / "large"
        tiny_models.save(tiny_models.llama(), folder)
        model = AutoModelForCausalLM.from_pretrained(folder)
        model.model.layers[1].self_attn.v_proj.weight.data *= 3e4
        model.save_pretrained(folder)
        exact, halves = self.folder / "large-32.h5", self.folder / "large-16.h5"
        for output, dtype in ((exact, "float32"), (halves, "float16")):
            code, errors = run(folder, output, "--text", self.text, "--layers", 1, "--length", LENGTH, "--prompts", 2, "--dtype", dtype)
            self.assertEqual(code, 0, errors)
        with h5py.File(exact) as wide, h5py.File(halves) as narrow:
            beyond = np.abs(wide["layers/01/v"][()]) > 65504
            stored = narrow["layers/01/v"]
            self.assertGreater(beyond.sum(), 0)
            self.assertEqual(stored.attrs["saturated"], beyond.sum())
            self.assertTrue((np.abs(stored[()][beyond]) == 65504).all())
            self.assertIn(f"warning: layer 01 v: {beyond.sum()} values did not fit float16", errors)
            self.assertNotIn("saturated", narrow["layers/01/q"].attrs)

    def test_hidden_is_what_enters_the_block(self):
        full = self.capture("gemma2", "full.h5", "--layers", "0,2", "--with-hidden", "full", "--dtype", "float32")
        summary = self.capture("gemma2", "summary.h5", "--layers", "0,2", "--with-hidden", "summary", "--dtype", "float16")
        model = AutoModelForCausalLM.from_pretrained(self.model("gemma2"), attn_implementation="eager", dtype=torch.float32)
        with h5py.File(full) as file, h5py.File(summary) as short, torch.no_grad():
            ids = torch.from_numpy(file["prompts/ids"][()].astype(np.int64))
            states = model(input_ids=ids, output_hidden_states=True, use_cache=False).hidden_states
            for layer in (0, 2):
                expected = states[layer].double().numpy()
                stored = file[f"layers/{layer:02d}/h"]
                self.assertEqual(stored.attrs["axes"], "prompt pos hidden")
                # The same float32 arithmetic, but for the order of sums, through at most two layers.
                self.at_most(relative_rms(values(stored) - expected, expected), 100 * UNIT_ROUNDOFF["float32"], f"h of layer {layer}")
                group = short[f"layers/{layer:02d}"]
                self.assertNotIn("h", group)
                np.testing.assert_allclose(group["h_mean_abs"][()], np.abs(expected).mean(1), rtol=1e-5)
                np.testing.assert_allclose(group["h_max_abs"][()], np.abs(expected).max(1), rtol=1e-5)
        for path in (full, summary):
            done = read_by_program("layers", path)
            if done is not None:
                self.assertEqual(done[0], 0, done)
