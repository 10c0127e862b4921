# SPDX-License-Identifier: GPL-3.0-or-later
"""Folder, text and captures that the cases share."""
import contextlib
import io
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import h5py

import tiny_models
from dimscope_capture.program import main
from plain_reader import Layer

LENGTH = 40
PROMPTS = 2


def run(*arguments):
    """(exit code, stderr) of the program in this process."""
    errors = io.StringIO()
    with contextlib.redirect_stderr(errors):
        code = main([str(argument) for argument in arguments])
    return code, errors.getvalue()


class CaptureCase(unittest.TestCase):
    """A folder for each class, with a text of 400 words and the models that its cases ask for."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="capture-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.text = cls.folder / "text.txt"
        cls.text.write_text(tiny_models.text(400), encoding="utf-8")

    def model(self, kind, **options):
        folder = self.folder / (kind + "".join(f"-{name}" for name in options))
        if not folder.exists():
            tiny_models.save(getattr(tiny_models, kind)(), folder, **options)
        return folder

    def capture(self, kind, name, *arguments, length=LENGTH, prompts=PROMPTS):
        """Captures and fails with what the program says; returns the file's path."""
        output = self.folder / name
        output.unlink(missing_ok=True)
        code, errors = run(self.model(kind), output, "--text", self.text, "--length", length, "--prompts", prompts, *arguments)
        self.assertEqual(code, 0, errors)
        self.assertFalse(Path(f"{output}.partial").exists())
        return output

    def layers(self, path):
        with h5py.File(path, "r") as file:
            return {int(number): Layer(file, int(number)) for number in file["layers"]}

    def at_most(self, value, bound, text):
        """Fails on NaN, too."""
        self.assertTrue(value <= bound, f"{text}: {value:.3g} is above {bound:.3g}")


def read_by_program(*arguments):
    """What the command-line program prints about a dump: (exit code, stdout, stderr); None where there is no program."""
    program = os.environ.get("DIMSCOPE_CLI")
    if not program or not Path(program).exists():
        return None
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr
