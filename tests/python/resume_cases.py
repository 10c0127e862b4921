# SPDX-License-Identifier: GPL-3.0-or-later
"""A capture that was ended in the middle goes on where it stopped, and gives what an uninterrupted one gives."""
import multiprocessing
import os
import signal
import sys
import time
from pathlib import Path
from unittest import mock

from captures import CaptureCase, run
from plain_reader import tensors

MANY = 30
PATIENCE_S = 120


def captured(*arguments):
    """A process of its own, with the signals of one that a person started."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(run(*arguments)[0])


class Resume(CaptureCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # Children of a process that has loaded all packages and computed nothing: no thread of it can hold a lock.
        cls.processes = multiprocessing.get_context("forkserver")
        cls.processes.set_forkserver_preload(["captures"])
        path = mock.patch.dict(os.environ, {"PYTHONPATH": os.pathsep.join(sys.path)})  # the server knows no other before 3.13
        path.start()
        cls.addClassCleanup(path.stop)

    def test_after_a_kill_gives_the_same_datasets(self):
        for stop, expected in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)):
            with self.subTest(signal=stop.name):
                output = self.folder / f"{stop.name}.h5"
                self.assertEqual(self.stopped(output, stop), expected)
                self.assertFalse(output.exists())
                done = self.pieces(output)
                self.assertGreater(len(done), 0)
                self.assertLess(len(done), MANY)
                code, errors = self.run_to(output)
                self.assertEqual(code, 0, errors)
                self.assertIn(f"of {MANY} prompts are done", errors)
                self.assertNotIn("prompt 1/", errors)
                self.assertFalse(Path(f"{output}.partial").exists())
                self.assertEqual(tensors(output), self.uninterrupted())

    def test_after_a_kill_while_the_pieces_are_joined(self):
        output = self.folder / "joined.h5"
        self.stopped(output, signal.SIGKILL)
        (Path(f"{output}.partial") / "assembled.h5").write_bytes(b"half a file")
        (Path(f"{output}.partial") / "prompt-00029.writing").write_bytes(b"half a piece")
        code, errors = self.run_to(output)
        self.assertEqual(code, 0, errors)
        self.assertEqual(tensors(output), self.uninterrupted())

    def test_with_other_settings_is_refused_and_overwrite_begins_anew(self):
        output = self.folder / "settings.h5"
        self.stopped(output, signal.SIGKILL)
        code, errors = self.run_to(output, "--dtype", "float16")
        self.assertEqual(code, 1)
        self.assertIn("dtype bf16, not float16", errors)
        self.assertGreater(len(self.pieces(output)), 0)
        code, errors = self.run_to(output, "--dtype", "float16", "--overwrite")
        self.assertEqual(code, 0, errors)
        self.assertIn("prompt 1/", errors)

    def test_overwrite_continues_what_it_began(self):
        output = self.folder / "again.h5"
        output.write_text("an older dump")
        self.stopped(output, signal.SIGKILL, "--overwrite")
        self.assertEqual(output.read_text(), "an older dump")
        code, errors = self.run_to(output, "--overwrite")
        self.assertEqual(code, 0, errors)
        self.assertIn(f"of {MANY} prompts are done", errors)
        self.assertEqual(tensors(output), self.uninterrupted())

    def test_a_broken_piece_is_named(self):
        output = self.folder / "broken.h5"
        self.stopped(output, signal.SIGKILL)
        self.pieces(output)[0].write_bytes(b"not HDF5")
        code, errors = self.run_to(output)
        self.assertEqual(code, 1)
        self.assertIn("prompt-00000.h5: cannot be read", errors)
        self.assertFalse(output.exists())
        self.pieces(output)[0].unlink()
        self.assertEqual(self.run_to(output)[0], 0)
        self.assertEqual(tensors(output), self.uninterrupted())

    def test_one_capture_at_a_time(self):
        output = self.folder / "twice.h5"
        child = self.started(output)
        self.wait_for_a_piece(output, child)
        code, errors = self.run_to(output)
        child.kill()
        child.join()
        self.assertEqual(code, 1)
        self.assertIn("another capture is writing there", errors)

    def run_to(self, output, *arguments):
        return run(*self.arguments(output), *arguments)

    def arguments(self, output):
        return self.model("gemma2"), output, "--text", self.text, "--layers", "1,2", "--length", 12, "--prompts", MANY

    def uninterrupted(self):
        output = self.folder / "uninterrupted.h5"
        if not output.exists():
            self.assertEqual(self.run_to(output)[0], 0)
        return tensors(output)

    def started(self, output, *arguments):
        child = self.processes.Process(target=captured, args=(*self.arguments(output), *arguments))
        child.start()
        return child

    def stopped(self, output, stop, *arguments):
        """Exit code, or minus the signal, of a capture that got `stop` after its first prompts."""
        child = self.started(output, *arguments)
        self.wait_for_a_piece(output, child)
        os.kill(child.pid, stop)
        child.join(PATIENCE_S)
        return child.exitcode

    def wait_for_a_piece(self, output, child):
        deadline = time.monotonic() + PATIENCE_S
        while not self.pieces(output):
            self.assertLess(time.monotonic(), deadline, "no prompt was finished")
            self.assertIsNone(child.exitcode, "the capture ended by itself")
            time.sleep(0.001)

    def pieces(self, output):
        return sorted(Path(f"{output}.partial").glob("prompt-*.h5"))
