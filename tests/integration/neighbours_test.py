# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""What other processes take of the processors while dlbench measures, and that the report says so."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from command import CommandTest


@contextlib.contextmanager
def busy_processors():
    """A process for each processor that never sleeps."""
    neighbours = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count())]
    try:
        yield
    finally:
        for neighbour in neighbours:
            neighbour.kill()
            neighbour.wait()


class Neighbours(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="dlbench-neighbours-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)

    def disturbed(self, *arguments):
        """Where and how a command was disturbed."""
        path = self.folder / "report.json"
        with busy_processors():
            done = self.dlbench(*arguments, "--output", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = self.report(path)
        taints = [each for each in report["run"]["taints"] if each["code"] == "disturbed"]
        self.assertTrue(taints, report["run"]["taints"])
        self.assertIn("other processes used", taints[0]["detail"])
        return report, [each["where"] for each in taints]

    def test_comm(self):
        _, where = self.disturbed("comm", "-b", "1K", "-e", "16K", "-f", "4", "-n", "200000")
        self.assertEqual(where, ["collectives over 1 rank"])

    def test_comm_that_ends_early(self):
        path = self.folder / "early.json"
        with busy_processors():
            done = self.dlbench("comm", "-b", "1K", "-e", "64M", "-f", "1.1", "-n", "1000000", "--timeout", "3",
                                "--output", path)
        self.assertEqual(done.returncode, 124, done.stderr)
        report = self.report(path)
        self.assertTrue(report["collectives"])
        self.assertEqual([each["where"] for each in report["run"]["taints"] if each["code"] == "disturbed"],
                         ["collectives over 1 rank"])

    def test_train(self):
        data = self.folder / "data"
        self.assertEqual(self.dlbench("data", "generate", "--dataset", "mnist", "--samples", "4000", "--out",
                                      data).returncode, 0)
        report, where = self.disturbed("train", "--workload", "mnist_cnn", "--epochs", "2", "--data", data)
        self.assertEqual(where, ["training"], "once, not for each epoch")
        for epoch in report["history"]:
            self.assertGreater(epoch["disturbance"]["foreign_cpu_s"], 0.05 * epoch["seconds"])


if __name__ == "__main__":
    unittest.main()
