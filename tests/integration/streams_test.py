# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""What comes and goes through pipes: slow ones, and such as do not block."""

import fcntl
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

from command import PROGRAM, CommandTest

PLAN = [PROGRAM, "run", "--workload", "mnist_cnn", "--dry-run"]


class Streams(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="dlbench-streams-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.environment = dict(os.environ, DLBENCH_CACHE_DIR=str(cls.folder / "cache"))

    def started(self, command, **streams):
        return subprocess.Popen(command, text=True, env=self.environment, **streams)

    def read_late(self, command):
        """What arrives in a pipe of one page that does not block its writer and whose reader is late."""
        reading, writing = os.pipe()
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
        os.set_blocking(writing, False)
        with self.started(command, stdin=subprocess.DEVNULL, stdout=writing, stderr=subprocess.PIPE) as running:
            os.close(writing)
            time.sleep(1)
            with open(reading, encoding="utf-8") as pipe:
                text = pipe.read()
            return text, running.wait(), running.stderr.read()

    def test_a_pipe_that_does_not_block_gets_all_of_it(self):
        whole = self.dlbench("--help-all").stdout
        self.assertGreater(len(whole), 4096)
        self.assertNotIn("[]", whole, "an empty default")
        self.assertEqual(self.read_late([PROGRAM, "--help-all"]), (whole, 0, ""))

    def test_a_config_that_comes_late_and_in_pieces(self):
        for blocking in (True, False):
            reading, writing = os.pipe()
            os.set_blocking(reading, blocking)
            with self.started([*PLAN, "--config", "-"], stdin=reading, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as running:
                os.close(reading)
                for piece in (b'{"batch-', b'size": 48}'):
                    time.sleep(0.5)
                    os.write(writing, piece)
                os.close(writing)
                plan, errors = running.communicate(timeout=20)
            self.assertEqual(running.returncode, 0, errors)
            self.assertRegex(plan, "batch-size +48 +file")

    def test_a_config_that_does_not_end_is_waited_for_until_the_time_out(self):
        reading, writing = os.pipe()
        self.addCleanup(os.close, writing)
        os.write(writing, b"{")
        began = time.monotonic()
        with self.started([*PLAN, "--config", "-", "--timeout", "500ms"], stdin=reading, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as running:
            os.close(reading)
            plan, errors = running.communicate(timeout=20)
        self.assertEqual((running.returncode, plan), (124, ""), errors)
        self.assertGreaterEqual(time.monotonic() - began, 0.5)
        self.assertEqual(errors.count("\n"), 1, errors)
        self.assertIn("'-' has not ended within 0.5 s", errors)
        self.assertIn("--timeout", errors)

    def test_a_report_in_a_pipe_that_does_not_block(self):
        report = self.folder / "report.json"
        done = self.dlbench("comm", "-b", "8", "-e", "8", "-n", "1", "--output", report)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = report.read_bytes()
        reading, writing = os.pipe()
        os.set_blocking(reading, False)
        with self.started([PROGRAM, "report", "validate", "-"], stdin=reading, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as running:
            os.close(reading)
            time.sleep(0.5)
            with open(writing, "wb") as pipe:
                pipe.write(text)
            said, errors = running.communicate(timeout=20)
        self.assertEqual(running.returncode, 0, said + errors)
        self.assertEqual(json.loads(text)["schema"], "dlbench.report")


if __name__ == "__main__":
    unittest.main()
