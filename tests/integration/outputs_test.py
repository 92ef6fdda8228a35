# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""Where results go: pipes, devices, the standard output, closed folders and full disks."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from command import PROGRAM, CommandTest

QUICK = ["--repetitions", "2", "--steps", "2", "--max-time", "1"]


class Outputs(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="dlbench-outputs-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        made = cls("test_output_to_a_full_device").dlbench(
            "data", "generate", "--dataset", "mnist", "--out", cls.folder / "mnist", "--samples", "20", "--seed", "3")
        assert made.returncode == 0, made.stderr
        cls.mnist = ["run", "--workload", "mnist_cnn", "--data", cls.folder / "mnist",
                     "--batch-size", "4", "--output", cls.folder / "report.json"]

    def test_only_a_report_goes_to_the_standard_output(self):
        for option in ("--trace", "--benchy"):
            self.expect_error(2, *self.mnist, option, "-", says=[option, "standard output"])
        self.expect_error(2, "verify", "--workload", "mnist_cnn", "--dump", "/dev/stdout",
                          says=["--dump", "standard output"])

    def test_a_folder_for_raw_records_is_there_from_the_start(self):
        self.expect_error(1, *self.mnist, *QUICK, "--record-probes", self.folder / "missing",
                          says=["missing", "--record-probes"])

    def test_a_trace_goes_through_a_pipe(self):
        pipe = self.folder / "trace.pipe"
        os.mkfifo(pipe)
        read = self.folder / "trace.json"
        with open(read, "wb") as file, subprocess.Popen(["cat", pipe], stdout=file):
            done = self.dlbench(*self.mnist, *QUICK, "--trials", "synthetic", "--trace", pipe)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("traceEvents", json.loads(read.read_text()))
        self.assertTrue(pipe.is_fifo())

    def test_results_are_not_put_in_place_of_a_device(self):
        full = pathlib.Path("/dev/full")
        self.expect_error(1, "verify", "--workload", "mnist_cnn", "--dump", full,
                          says=["/dev/full", "No space left"])
        self.assertTrue(full.is_char_device())

    def test_files_that_may_not_grow(self):
        report = self.folder / "small.json"
        arguments = [*map(str, self.mnist[:-1]), report, "--repetitions", "2", "--steps", "400",
                     "--max-time", "1", "--trials", "io"]
        self.assertEqual(self.dlbench(*arguments).returncode, 0)
        half = report.stat().st_size // 2048  # most of it are the times of the steps, which the first report has not
        limited = ["bash", "-c", f'ulimit -f {half}; exec "$0" "$@"', PROGRAM]
        done = subprocess.run([*limited, *arguments], text=True, capture_output=True, timeout=100, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"File too large \(ulimit -f, .*\); choose another place with --output")
        self.assertRegex(done.stderr, r"File too large \(ulimit -f, .*\); TMPDIR names another folder for it")

    def test_a_closed_standard_output_is_refused_before_anything_is_measured(self):
        report = self.folder / "closed.json"
        closed = ["bash", "-c", 'exec "$0" "$@" >&-', PROGRAM]
        done = subprocess.run([*closed, *map(str, self.mnist[:-1]), report, *QUICK], text=True, stderr=subprocess.PIPE,
                              timeout=100, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("the standard output is closed", done.stderr)
        self.assertFalse(report.exists())

    def test_a_report_to_the_standard_output_by_its_name(self):
        done = self.dlbench(*self.mnist[:-1], "/dev/stdout", *QUICK, "--trials", "io")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["run"]["status"], "complete")
        self.assertIn("on the standard output", done.stderr)

    def test_output_that_cannot_be_written(self):
        arguments = self.mnist[:-1]
        missing = self.folder / "no" / "such" / "r.json"
        self.expect_error(1, *arguments, missing, says=["r.json"])
        self.expect_error(1, *arguments, missing, "--dry-run", says=["r.json"])
        self.expect_error(1, *arguments, "/dev/full/r.json", says=["/dev/full"])
        self.expect_error(1, *arguments, self.folder, says=[str(self.folder)])

    def test_output_in_a_read_only_folder(self):
        user = self.ordinary_user()
        closed = self.folder / "read-only"
        closed.mkdir()
        closed.chmod(0o555)
        self.expect_error(1, *self.mnist[:-1], closed / "r.json",
                          says=[str(closed / "r.json"), "Permission denied"], user=user)
        self.assertEqual(list(closed.iterdir()), [])

        self.expect_error(1, *self.mnist[:-1], "-", "--benchy", closed / "b.json",
                          says=["--benchy", "Permission denied"], user=user)

    def test_output_to_a_full_device(self):
        self.expect_error(1, *self.mnist[:-1], "/dev/full", *QUICK, "--trials", "io",
                          says=["/dev/full", "No space left"])

    def test_output_on_a_full_disk(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = shutil.which("mount") and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64k", "dlbench-test", disk],
            check=False, capture_output=True).returncode == 0
        if not mounted:
            self.skipTest("no small file system to fill: mounting one needs root")
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        earlier = disk / "report.json"
        earlier.write_text("an earlier report", encoding="utf-8")
        (disk / "filling").write_bytes(b"x" * (56 << 10))
        self.expect_error(1, *self.mnist[:-1], earlier, *QUICK, "--trials", "io",
                          says=[str(earlier), "No space left"])
        self.assertEqual(earlier.read_text(encoding="utf-8"), "an earlier report")
        self.assertEqual(len(list(disk.iterdir())), 2, "the unfinished file is gone")


if __name__ == "__main__":
    unittest.main(verbosity=2)
