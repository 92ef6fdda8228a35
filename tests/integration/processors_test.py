# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""Processors with narrower vectors than this one, as oneDNN sees them: every workload trains, its numbers
are right, and no convolution falls back to the library's reference loops. And how many of them a quota leaves, and
loader workers can use."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import command
from command import CommandTest

WORKLOADS = {
    "mnist_cnn": ["--batch-size", "128"],
    "resunetpp": ["--image-size", "64", "--batch-size", "2"],
}
PROCESSORS = ["SSE41", "AVX", "AVX2", "AVX512_CORE"]  # no cap on those that have less
ONE_CPU = 100000  # us of each 100 ms
HALF_A_CPU = 50000


class Processors(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="dlbench-processors-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        made = cls("on").dlbench("data", "generate", "--dataset", "mnist", "--out", cls.folder / "mnist", "--samples",
                                 "512")
        assert made.returncode == 0, made.stderr

    def on(self, processor, *arguments):
        done = self.dlbench(*arguments, environment={"ONEDNN_MAX_CPU_ISA": processor})
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr)

    def test_every_workload_trains_with_right_numbers(self):
        for processor in PROCESSORS:
            for workload, size in WORKLOADS.items():
                with self.subTest(processor=processor, workload=workload):
                    self.on(processor, "verify", "--workload", workload, "--backend", "cpu", *size)

    def test_convolutions_have_fast_kernels(self):
        for processor in PROCESSORS:
            with self.subTest(processor=processor):
                report = self.folder / f"{processor}.json"
                self.on(processor, "run", "--workload", "mnist_cnn", "--device", "cpu",
                        "--data", self.folder / "mnist", "--trials", "synthetic", "--probes", "none", "--steps", "2",
                        "--repetitions", "2", "--max-noise", "100", "--output", report)
                convolutions = [one for one in self.report(report)["operators"]
                                if one["op"].startswith("conv")]
                self.assertGreater(len(convolutions), 4)
                for one in convolutions:
                    self.assertNotIn(":ref", one["kernel"], one["name"])

    def test_workers_that_would_have_nothing_to_do(self):
        quick = ["run", "--workload", "mnist_cnn", "--data", self.folder / "mnist", "--device", "cpu", "--trials", "io",
                 "--dry-run"]
        said = self.dlbench(*quick, "--workers", "8").stderr
        self.assertIn("--workers 8: no more than 2 can work at a time, for --prefetch 2 asks for 2 parts of up to 64 "
                      "samples; --prefetch 8 has work for all", said)
        self.assertNotIn("can work at a time", self.dlbench(*quick, "--workers", "8", "--prefetch", "8").stderr)
        by_default = self.dlbench(*quick, "--prefetch", "1")
        self.assertNotIn("can work at a time", by_default.stderr)
        self.assertIn("1 loader workers", by_default.stdout)

    def limit(self, group, quota_us):
        """Writes the quota of a control group, v2 or v1, of each 100 ms."""
        if (group / "cpu.max").exists():
            (group / "cpu.max").write_text(f"{quota_us} 100000", encoding="ascii")
        else:
            (group / "cpu.cfs_period_us").write_text("100000", encoding="ascii")
            (group / "cpu.cfs_quota_us").write_text(str(quota_us), encoding="ascii")

    def prefer(self, group):
        """Gives a control group the greatest weight: it gets what its quota allows beside whatever others run."""
        weight, most = ("cpu.weight", "10000") if (group / "cpu.max").exists() else ("cpu.shares", "262144")
        (group / weight).write_text(most, encoding="ascii")

    def group_of_one_cpu(self):
        """The folder of a new control group (v1 or v2) with a quota of one CPU; skips where none can be made."""
        for parent in ("/sys/fs/cgroup/cpu", "/sys/fs/cgroup"):
            group = pathlib.Path(parent) / f"dlbench-test-{os.getpid()}"
            try:
                group.mkdir()
            except OSError:
                continue
            self.addCleanup(group.rmdir)
            try:
                self.limit(group, ONE_CPU)
                self.prefer(group)
            except OSError:
                continue
            return group
        self.skipTest("no control group can be made here")

    def run_below(self, group, *arguments):
        """A run in a control group: the report, and the details of its taints by code."""
        output = self.folder / "quota.json"
        line = f"echo $$ > {group}/cgroup.procs && exec \"$0\" \"$@\""
        done = subprocess.run(["sh", "-c", line, command.PROGRAM, "run", "--workload", "mnist_cnn", "--device",
                               "cpu", "--data", str(self.folder / "mnist"), "--trials", "synthetic", "--probes",
                               "none", "--steps", "10", "--repetitions", "2", "--max-noise", "100", "--output",
                               str(output),
                               *arguments], capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = self.report(output)
        return report, {taint["code"]: taint["detail"] for taint in report["run"]["taints"]}

    def test_a_quota_counts_and_is_told(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("one CPU needs no quota")
        group = self.group_of_one_cpu()
        report, codes = self.run_below(group)
        cpu = report["system"]["hosts"][0]["cpu"]
        self.assertEqual((cpu["cpu_quota"], cpu["usable_cores"]), (1, 1))
        self.assertEqual(report["config"]["effective"]["threads"], 1)
        self.assertNotIn("oversubscribed", codes)
        self.assertIsNotNone(report["trials"][0]["repetitions"][0]["disturbance"]["throttled_s"])

        report, codes = self.run_below(group, "--threads", "2")
        self.assertIn("oversubscribed", codes)

        # Half a CPU: two threads use that up even beside others that are busy.
        self.limit(group, HALF_A_CPU)
        report, codes = self.run_below(group, "--threads", "2", "--max-time", "3s")
        self.assertIn("CPU quota", codes.get("throttled", ""))
        self.assertEqual((report["job"]["cores"], report["job"]["cpu_capacity"]), (1, 0.5), "not rounded")

    def test_others_are_judged_by_all_processors_below_a_quota_too(self):
        cpus = len(os.sched_getaffinity(0))
        if cpus < 2:
            self.skipTest("one CPU needs no quota")
        group = self.group_of_one_cpu()
        neighbours = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(cpus)]
        try:
            _, codes = self.run_below(group, "--max-time", "3s")
        finally:
            for neighbour in neighbours:
                neighbour.kill()
                neighbour.wait()
        self.assertRegex(codes.get("disturbed", ""), f"^other processes used .* on {cpus} CPUs, limit")


if __name__ == "__main__":
    unittest.main()
