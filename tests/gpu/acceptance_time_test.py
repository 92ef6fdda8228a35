#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""acceptance.sh with fakes: limits of its calls, its deadline, and what all parts in one call leave to be run."""
import time
import unittest

from acceptance_case import HERE, Acceptance

NO_TIME = "echo 'bf16   batch  32  compile-graph  not run: no time left'; echo 'not measured: it'; exit 1"


class Limits(Acceptance):
    def test_limits(self):
        limits = self.fakes.log_limits()
        self.run_part("tests", gpu_test={"fails": ["Nccl.Sums"]})
        said = "\n".join(limits())
        self.assertRegex(said, r"-k 10 180 \S+/dlbench info")
        self.assertRegex(said, r"-k 10 400 \S+ gpu_test")
        self.assertRegex(said, r"-k 10 240 \S+ alone")
        self.assertRegex(said, r"--foreground -k 5 60 \S+/gpu_test --gtest_brief=1 --gtest_filter=Nccl.Sums")
        (self.fakes.bin / "gpu_test").unlink()
        self.assertEqual(self.run_part("tests"), 1)
        self.assertRegex(self.table, r"not run .*tests that need a GPU \(no \S+/gpu_test")
        self.assertRegex("\n".join(limits()), r"-k 10 200 \S+/dlbench verify --op all")
        limits = self.fakes.log_limits()
        self.run_part("speed")
        self.assertEqual(sum(" 180 " in line and "--max-time 5s" in line for line in limits()), 2)
        self.assertRegex("\n".join(limits()), r"-k 10 180 \S+/dlbench info --measure-peaks")

    def test_a_step_that_hangs_ends_at_the_deadline(self):
        rules = [{"when": "--precision fp32", "seconds": 120}]
        self.assertEqual(self.run_part("tests", "--deadline", "16", rules=rules), 1)
        self.assertRegex(self.table, r"FAILED .*did not end within 1\d s")
        self.assertRegex(self.table, r"not run .*\(the time is up\)")

    def took(self, *words, **behaviour):
        begin = time.monotonic()
        code = self.run_part(*words, **behaviour)
        return code, time.monotonic() - begin

    def test_each_call_has_a_limit(self):
        self.fakes.called_python(compare="exit 0")
        limits = self.fakes.log_limits()
        self.run_part("all", gpu_test={"fails": ["Nccl.Sums"]})
        said = "\n".join(limits())
        for call in (r"-k 2 10 nvidia-smi --query-gpu", r"-k 5 60 \S+/gpu_test --gtest_list_tests",
                     r"-k 2 20 \S+/dlbench --version", r"-k 2 10 python3 \S+/bars.py --of-call",
                     r"-k 2 10 python3 \S+/bars.py --rates", r"-k 2 10 python3 \S+/probe_rows.py", r"-k 2 60 \S+ pack", r"-k 2 20 python3 -c import sys",
                     r"-k 2 10 python3 -c import importlib", r"-k 2 10 \S+ find_sanitizer", r"-k 1 5 dmesg",
                     r"-k 5 60 \S+/dlbench run .*--dry-run"):
            self.assertRegex(said, call)

    def test_a_driver_that_does_not_answer_is_not_waited_for(self):
        self.fakes.script(self.fakes.path / "nvidia-smi", "#!/bin/sh\nsleep 100\n")
        code, seconds = self.took("tests", "--deadline", "40")
        self.assertEqual(code, 0, self.said)
        self.assertLess(seconds, 30)
        self.assertIn("NVIDIA H200, nvidia-smi does not answer", self.table)

    def test_tests_are_listed_within_the_deadline(self):
        code, seconds = self.took("tests", "--deadline", "14", gpu_test={"fails": ["Nccl.Sums"], "list_seconds": 100})
        self.assertEqual(code, 1)
        self.assertLess(seconds, 30)
        self.assertRegex(self.table, r"cannot list its tests|each by itself \(the time is up\)")

    def test_a_version_that_is_not_told_ends_it(self):
        text = self.fakes.dlbench.read_text()
        self.fakes.dlbench.write_text(text.replace("    print(version)", "    sys.exit('no libraries')"))
        self.assertEqual(self.run_part("tests"), 1)
        self.assertRegex(self.said, r"FAILED: \S+/dlbench --version: no libraries\n")


class All(Acceptance):
    def budgets(self):
        return {call[call.index("--time-budget") + 1] for call in self.fakes.calls() if "--record-probes" in call}

    def left(self):
        return [line for line in self.said.splitlines() if line.startswith("still to be run")]

    def test_without_pytorch_nothing_is_kept_for_it(self):
        self.fakes.called_python(has_torch=False)
        limits = self.fakes.log_limits()
        self.assertEqual(self.run_part("all"), 0, self.said)
        self.assertRegex(self.table, r"skipped +0 s  PyTorch beside it \(python3 has no PyTorch\)")
        self.assertEqual(self.budgets(), {"45s"}, "the whole of speed")
        self.assertEqual(self.left(), [])
        # 149 s of tests on an H200 leave it what it takes there.
        limits = self.fakes.log_limits()
        self.run_part("all", "--deadline", str(570 - 149))
        self.assertEqual(self.budgets(), {"45s"})
        self.assertFalse([line for line in limits() if "compare_pytorch" in line])

    def test_with_pytorch_it_gets_what_is_left_and_its_call_is_named(self):
        self.fakes.called_python(compare=NO_TIME)
        limits = self.fakes.log_limits()
        self.assertEqual(self.run_part("all"), 1, self.said)
        self.assertEqual(self.budgets(), {"45s"})
        given = [int(line.split()[2]) for line in limits() if "compare_pytorch" in line]
        self.assertGreater(given[0], 500, "these tests took no time")
        self.assertEqual(self.left(), [f"still to be run, for its time was up: {HERE}/acceptance.sh --part pytorch "
                                       f"--resume {self.fakes.folder}/tree {self.output}"])
        self.assertEqual(list(dict.fromkeys(word for line in self.table.splitlines() for word in line.split()
                                            if line.endswith(" begins") and word in ("tests", "speed", "pytorch"))),
                         ["tests", "speed", "pytorch"])

    def test_all_keeps_time_for_later_parts(self):
        # 9 s above what is kept: the tests get nothing, speed and PyTorch what is left.
        self.fakes.called_python(compare=NO_TIME)
        self.assertEqual(self.run_part("all", "--deadline", "139"), 1)
        self.assertRegex(self.table, r"not run .*tests that need a GPU")
        self.assertRegex(self.table, r"passed .*bandwidth")
        self.assertNotIn("no rates", self.table)
        self.assertRegex(self.table, r"FAILED .*PyTorch beside it")
        self.assertEqual(self.budgets(), {"20s"}, "shorter trials")
        self.assertEqual([line.split("--part ")[1].split()[0] for line in self.left()], ["tests", "pytorch"])

    def test_without_any_time_nothing_counts(self):
        self.fakes.called_python(compare="exit 0")
        self.assertEqual(self.run_part("all", "--deadline", "9"), 1)
        for what in ("tests that need a GPU", "bandwidth", "PyTorch beside it"):
            self.assertRegex(self.table, rf"not run .*{what}.*\(the time is up\)")
        self.assertEqual([line.split("--part ")[1].split()[0] for line in self.left()], ["tests", "speed", "pytorch"])

    def test_racecheck_leaves_speed_its_time(self):
        self.fakes.sanitizer("exit 0")
        self.fakes.called_python(has_torch=False)
        for deadline, wanted in (("570", "passed"), ("390", "skipped")):
            self.assertEqual(self.run_part("all", "--deadline", deadline), 0, self.said)
            self.assertRegex(self.table, rf"{wanted} .*racecheck, a step of mnist_cnn")

    def test_resumed_tests_are_those_of_all(self):
        self.fakes.called_python(has_torch=False)
        self.assertEqual(self.run_part("all"), 0, self.said)
        self.assertEqual(self.run_part("tests", "--resume"), 0, self.said)
        self.assertRegex(self.table, r"passed +0 s  verify mnist_cnn fp32 \(before\)")


if __name__ == "__main__":
    unittest.main()
