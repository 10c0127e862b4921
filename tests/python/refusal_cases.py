# SPDX-License-Identifier: GPL-3.0-or-later
"""What cannot be captured is refused in one line that says what to do, and leaves nothing behind."""
import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path

import torch

from captures import CaptureCase, run
from dimscope_capture.error import CaptureError
from dimscope_capture.program import main
from dimscope_capture.reading_check import check_reading, mask_form

SCRIPT = Path(__file__).resolve().parents[2] / "resources" / "python" / "dimscope_capture.py"


class Refusals(CaptureCase):
    def test_name_object_cause_and_advice(self):
        binary, empty, folder = self.folder / "latin.txt", self.folder / "empty.txt", self.folder / "no-model"
        binary.write_bytes("Stra\xdfe".encode("latin-1"))
        empty.write_text("\n")
        folder.mkdir()
        model, text = self.model("gpt2"), self.text
        there = self.folder / "there.h5"
        there.write_text("mine")
        cases = [
            ((model, "--text", self.folder / "missing.txt"), "missing.txt: cannot be read: No such file or directory; give"),
            ((model, "--text", binary), "latin.txt: is not UTF-8 (byte 4); convert"),
            ((model, "--text", empty), "empty.txt: no text in it; give"),
            ((model, "--text", text, "--layers", "1,4"), "--layers 4: the model has 4 layers, 0 to 3; choose"),
            ((model, "--text", text, "--length", 65), "--length 65: the model has 64 positions; give"),
            ((model, "--text", text, "--length", 64, "--prompts", 7), "the text gives 400 tokens, and 7 prompt(s) of 64 positions need 448; give"),
            ((model, "--text", text, "--length", 9, "--prompts", 2, "--calibration", 2), "--calibration 2: there are 2 prompts"),
            ((model, "--text", text, "--length", 9, "--prompts", 2, "--splits", "train:1"), "--splits names 1 prompts, there are 2"),
            ((folder, "--text", text), "no-model: the folder has no config.json; give"),
            ((self.folder / "x.gguf", "--text", text), "x.gguf: no such file; give"),
            ((text, "--text", text), "text.txt: is a file and not a .gguf; give"),
            (("./nowhere", "--text", text), "./nowhere: no such folder; give"),
            (("nobody/nothing", "--text", text), "nobody/nothing: could not be loaded as a causal language model:"),
            ((self.model("bloom"), "--text", text, "--length", 9), "BloomForCausalLM: none of its attention passes through"),
            ((self.model("llama4"), "--text", text, "--length", 20, "--layers", 0), "layer 0: its mask is neither causal,"),
        ]
        for arguments, expected in cases:
            with self.subTest(expected=expected):
                self.refused(self.folder / "out.h5", arguments, expected)
        self.refused(there, (model, "--text", text), "there.h5: is already there; choose")
        self.assertEqual(there.read_text(), "mine")
        self.refused(self.folder / "no" / "out.h5", (model, "--text", text), "there is no folder")

    def test_wrong_usage_is_exit_code_2(self):
        for arguments in (["model"], ["model", "o.h5"], ["model", "o.h5", "--text", "t", "--layers", "4-"],
                          ["model", "o.h5", "--text", "t", "--layers", "8-4"], ["model", "o.h5", "--text", "t", "--dtype", "int8"],
                          ["model", "o.h5", "--text", "t", "--prompts", "0"], ["model", "o.h5", "--text", "t", "--device", "abacus"], ["model", "o.h5", "--text", "t", "--splits", "test:3"],
                          ["model", "o.h5", "--text", "t", "--calibration", "1", "--splits", "train:3"]):
            with self.subTest(arguments=arguments), contextlib.redirect_stderr(io.StringIO()):
                with self.assertRaises(SystemExit) as ended:
                    main(arguments)
                self.assertEqual(ended.exception.code, 2)

    def test_the_script_and_the_folder_are_both_the_program(self):
        for program in (SCRIPT, SCRIPT.with_suffix("")):
            done = subprocess.run([sys.executable, program, "model", "o.h5", "--text", self.folder / "missing.txt"],
                                  capture_output=True, text=True, timeout=300, check=False, cwd=self.folder)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("missing.txt: cannot be read", done.stderr)
            self.assertNotIn("Traceback", done.stderr)

    def test_missing_packages_are_named(self):
        done = subprocess.run([sys.executable, "-I", "-S", SCRIPT, "model", "o.h5", "--text", "t"], capture_output=True, text=True,
                              timeout=300, check=False, env={**os.environ, "PYTHONPATH": ""})
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"^dimscope_capture: the Python package \w+ is not installed; pip install torch transformers h5py")

    def test_attention_that_the_attributes_do_not_describe(self):
        q, k, v = torch.randn(3, 2, 20, 8, generator=torch.Generator().manual_seed(1)).unbind(0)
        logits = q @ k.transpose(1, 2) / 8**0.5
        logits = logits.masked_fill(~torch.ones(20, 20, dtype=torch.bool).tril(), -torch.inf)
        attributes = {"scale": 8**-0.5, "softcap": 0.0, "window": 0, "causal": 1}
        check_reading(3, q, k, v, torch.softmax(logits, -1) @ v, attributes, None)
        slope = -0.1 * (torch.arange(20)[:, None] - torch.arange(20)[None, :]).abs()
        for output in (torch.softmax(logits + slope, -1) @ v, torch.full_like(v, torch.nan)):
            with self.assertRaisesRegex(CaptureError, "layer 3: attention recomputed"):
                check_reading(3, q, k, v, output, attributes, None)

    def test_masks(self):
        full = torch.ones(9, 9, dtype=torch.bool)
        window = full.tril() & full.triu(-3)
        self.assertEqual(mask_form(full.tril(), 0, 0), (True, 0))
        self.assertEqual(mask_form(full.tril(), 9, 0), (True, 9))
        self.assertEqual(mask_form(window, 4, 0), (True, 4))
        self.assertEqual(mask_form(full, 0, 0), (False, 0))
        holed = full.tril().clone()
        holed[5, 2] = False
        for mask in (holed, full.triu(-3) & full.tril(3), full.triu()):
            with self.assertRaisesRegex(CaptureError, "layer 7: its mask"):
                mask_form(mask, 0, 7)

    def refused(self, output, arguments, expected):
        before = sorted(output.parent.iterdir()) if output.parent.is_dir() else []
        code, errors = run(arguments[0], output, *arguments[1:])
        self.assertEqual(code, 1, errors)
        lines = [line for line in errors.splitlines() if not line.startswith("loading ")]
        self.assertEqual(len(lines), 1, errors)
        self.assertIn(expected, lines[0])
        self.assertEqual(sorted(output.parent.iterdir()) if output.parent.is_dir() else [], before)
