#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""acceptance.sh with fakes for dlbench, gpu_test and the driver: steps and codes."""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import unittest
from unittest import mock

from acceptance_case import HERE, PROBES, Acceptance

FILES = {"table.txt", "details.txt", "info.txt", "device_properties.json", "resunetpp.json", "bandwidth.json",
         "pytorch.json", "archive.tar.gz"}


class Parts(Acceptance):
    def test_at_most_eight_files(self):
        self.give_pytorch()
        self.run_part("tests")
        self.run_part("speed")
        seen = {file.name for file in self.output.iterdir()}
        self.assertLessEqual(seen, FILES)
        self.assertEqual(FILES - seen, {"device_properties.json"})  # gpu_test's own

    def test_what_is_too_large_is_left_out_and_said(self):
        rules = [{"when": "--record-probes", "records": 9_000_000}]
        self.assertEqual(self.run_part("speed", rules=rules), 0, self.said)
        self.assertIn("archive.tar.gz: without probes, for its size", self.table)
        self.assertLess((self.output / "archive.tar.gz").stat().st_size, 8_000_000)

    def test_rates_and_taints_are_rows_also_after_a_crash(self):
        rules = [{"when": "--record-probes", "code": -6, "says": "a probe died"}]
        taints = [{"code": "throttled", "where": "trial full", "detail": "hot"}]
        self.assertEqual(self.run_part("speed", rules=rules, taints=taints), 1)
        self.assertIn("resunetpp: full: 100.0 +-1.0 samples/s", self.table)
        self.assertIn("resunetpp: taint throttled, trial full: hot", self.table)
        self.assertIn("resunetpp, bf16, --cuda-graph on: synthetic/device: 100.0", self.table)

    def test_tuning_comes_before_the_budget_and_bars_have_no_timeline(self):
        self.run_part("speed")
        runs = [call for call in self.fakes.calls() if call[0] == "run" and "resunetpp" in call]
        self.assertNotIn("--time-budget", runs[0])
        self.assertIn("--probes", runs[0])
        self.assertEqual(runs[0][runs[0].index("--batch-size") + 1], "32", "tuned for the size that is measured")
        self.assertIn("--time-budget", runs[1])
        self.assertNotIn("--trace", runs[1])
        self.assertEqual(runs[1][runs[1].index("--cache") + 1], "warm")

    def test_a_cache_folder_of_the_user_is_kept_and_used_again(self):
        cache = {"DLBENCH_CACHE_DIR": str(self.folder / "cache")}
        for _ in range(2):
            self.run_part("speed", environment=cache)
        made = [call for call in self.fakes.calls() if call[:2] == ["data", "generate"]]
        self.assertEqual(len(made), 1)
        self.assertTrue(list((self.folder / "cache").glob("acceptance-*/complete")))


    def precisions(self):
        """Of the runs that measure."""
        return {call[call.index("--precision") + 1] for call in self.fakes.calls()
                if call[0] == "run" and "--dry-run" not in call}

    def test_without_bf16_trials_are_in_what_the_gpu_has(self):
        says = "dlbench: --precision {0}: {0} needs compute capability 8.0, Tesla T4 is sm_75"
        refused = [{"when": f"--precision {name}", "code": 2, "no_report": True, "says": says.format(name)}
                   for name in ("bf16", "fp16")]
        for rules, precision in ((refused[:1], "fp16"), (refused, "fp32")):
            self.assertEqual(self.run_part("speed", rules=rules), 0, self.said)
            self.assertEqual(self.precisions(), {precision})
            self.assertRegex(self.table, rf"info +0 s  trials are in {precision} \(dlbench: .* needs compute")
            self.assertRegex(self.table, rf"passed .* trials of mnist_cnn, {precision}, with all probes")
            self.assertRegex(self.table, rf"passed .* resunetpp, {precision}, --cuda-graph off")
            self.assertIn(f"wanted bf16, batch 32, a warm cache, not {precision}", self.bar("e"))
            self.fakes.forget_calls()
        self.run_part("speed")
        self.assertEqual(self.precisions(), {"bf16"})
        self.assertNotIn("trials are in", self.table.rpartition("# part speed, ")[2])

    def test_trials_without_a_report_have_failed(self):
        says = "dlbench: --precision bf16: bf16 needs compute capability 8.0, Tesla T4 is sm_75"
        for when, name in (("--record-probes", "resunetpp"), ("--cuda-graph off", "mnist_cnn, bf16, --cuda-graph off")):
            for how in ({"code": 2, "says": says}, {}):
                self.assertEqual(self.run_part("speed", rules=[{"when": when, "no_report": True, **how}]), 1, self.said)
                self.assertRegex(self.table, f"FAILED +0 s  {name}: no report of trials was written")

    def test_bandwidth_without_its_program_was_not_run(self):
        (self.fakes.bin / "gpu_bandwidth").unlink()
        self.assertEqual(self.run_part("speed"), 1, self.said)
        self.assertRegex(self.table, r"not run +0 s  bandwidth of memory-bound kernels \(no \S+/gpu_bandwidth; see")

    def test_files_of_an_earlier_call_are_none_of_this_one(self):
        self.run_part("speed")
        self.assertTrue((self.output / "archive.tar.gz").exists())
        self.fakes.script(self.fakes.path / "tar", "#!/bin/sh\nexit 2\n")
        self.run_part("speed")
        self.assertFalse((self.output / "archive.tar.gz").exists())
        self.assertIn("archive.tar.gz: not written (code 2", self.table)
        (self.output / "archive.tar.gz").touch()
        self.fakes.script(self.fakes.path / "tar", "#!/bin/sh\nhead -c 9000000 /dev/zero >$4\n")
        self.run_part("speed")
        self.assertFalse((self.output / "archive.tar.gz").exists())
        self.assertIn("archive.tar.gz: nothing of it, for its size", self.table)
        properties = self.output / "device_properties.json"
        properties.write_text("{}")
        self.run_part("tests")
        self.assertFalse(properties.exists())
        properties.write_text("{}")
        self.run_part("tests", "--resume")
        self.assertTrue(properties.exists(), "of the step that passed before")


class Tests(Acceptance):
    def verified(self):
        return [" ".join(call) for call in self.fakes.calls() if call[0] == "verify"]

    def test_verifies_each_precision_and_measured_convolutions(self):
        self.assertEqual(self.run_part("tests"), 0, self.said)
        calls = self.verified()
        self.assertEqual(sum("--conv-algorithm auto" in call for call in calls), 2)
        self.assertEqual(len(calls), 10)
        self.assertIn("compute-sanitizer is not installed", self.table)

    def ran_alone(self):
        return [call[1] for call in self.fakes.calls() if call[0] == "gpu_test" and call[1]]

    def test_failing_tests_run_again_by_themselves(self):
        failing = {"gpu_test": {"fails": ["Step.Equals/resunetpp", "Nccl.Sums"], "fails_alone": ["Nccl.Sums"]}}
        self.assertEqual(self.run_part("tests", **failing), 1)
        details = (self.output / "details.txt").read_text()
        self.assertIn("passes by itself: Step.Equals/resunetpp", details)
        self.assertIn("fails by itself (code 1): Nccl.Sums", details)
        self.assertIn("2 tests were run again", details)
        blocking = {bool(name): waits for what, name, waits in
                    (call for call in self.fakes.calls() if call[0] == "gpu_test")}
        self.assertEqual(blocking, {False: None, True: "1"}, "launches wait where one test is by itself")

    def test_skipped_tests_run_again_behind_those_that_failed(self):
        tests = {"fails": ["Step.Equals/resunetpp"], "skips": ["Nccl.Sums", "Step.Equals/mnist"],
                 "skips_alone": ["Nccl.Sums"]}
        self.assertEqual(self.run_part("tests", gpu_test=tests), 1)
        self.assertEqual(self.ran_alone(), ["Step.Equals/resunetpp", "Nccl.Sums", "Step.Equals/mnist"])
        details = (self.output / "details.txt").read_text()
        self.assertIn("skipped by itself: Nccl.Sums", details)
        self.assertIn("passes by itself: Step.Equals/mnist", details)

    def test_the_first_two_that_still_fail_run_below_the_sanitizer(self):
        self.fakes.sanitizer(f'echo "$@" >>{self.folder}/sanitizer.txt; exit 1')
        names = ["Nccl.Sums", "Step.Equals/mnist", "Step.Equals/resunetpp"]
        limits = self.fakes.log_limits()
        self.assertEqual(self.run_part("tests", gpu_test={"fails": names, "fails_alone": names[1:]}), 1)
        calls = (self.folder / "sanitizer.txt").read_text().splitlines()
        self.assertEqual([call.split("=")[-1] for call in calls if "gtest_filter" in call], names[1:])
        self.assertRegex(self.table, r"FAILED .*compute-sanitizer memcheck, Step.Equals/mnist ")
        self.assertTrue(all(line.startswith("-k 10 60 ") for line in limits()
                            if "--tool memcheck" in line and "gtest_filter" in line), limits())
        self.fakes.log_limits()
        (self.folder / "sanitizer.txt").unlink()
        self.run_part("tests", gpu_test={"fails": names, "fails_alone": names})
        calls = (self.folder / "sanitizer.txt").read_text().splitlines()
        self.assertEqual([call.split("=")[-1] for call in calls if "gtest_filter" in call], names[:2])

    def test_memcheck_hears_no_api_errors_and_racecheck_own_kernels(self):
        self.fakes.sanitizer(f'echo "$@" >>{self.folder}/sanitizer.txt')
        self.assertEqual(self.run_part("tests"), 0, self.said)
        calls = (self.folder / "sanitizer.txt").read_text().splitlines()
        self.assertEqual(["memcheck --report-api-errors no" in call for call in calls], [True, True, False])
        self.assertIn("--tool racecheck --kernel-name kns=dlbench --error-exitcode 1", calls[-1])
        self.assertTrue(calls[-1].endswith("dlbench verify --workload mnist_cnn --steps 1 --backend cuda"), calls)

    def test_racecheck_is_for_where_there_is_time(self):
        self.fakes.sanitizer(f'echo "$@" >>{self.folder}/sanitizer.txt')
        self.assertEqual(self.run_part("tests", "--deadline", "50"), 0, self.said)
        self.assertNotIn("racecheck", (self.folder / "sanitizer.txt").read_text())
        self.assertRegex(self.table, r"skipped .*racecheck, a step of mnist_cnn \(no time for it\)")

    def test_resumed_tests_are_those_that_did_not_pass(self):
        rules = [{"when": "--precision tf32", "code": 2, "says": "dlbench: tf32 needs compute capability 8.0"},
                 {"when": "mnist_cnn --backend cuda --precision fp16", "code": 1}]
        self.assertEqual(self.run_part("tests", rules=rules, gpu_test={"fails": ["Nccl.Sums"], "fails_alone": []}), 1)
        first = len(self.fakes.calls())
        self.assertEqual(self.run_part("tests", "--resume", gpu_test={"fails": ["Nccl.Sums"], "fails_alone": []}), 1)
        calls = self.fakes.calls()[first:]
        self.assertEqual([" ".join(call).partition("cuda ")[2] for call in calls if call[0] == "verify"],
                         ["--precision fp16", "--precision tf32", "--precision tf32"])
        self.assertEqual([call[1] for call in calls if call[0] == "gpu_test"], ["", "Nccl.Sums"])
        self.assertRegex(self.table, r"passed +0 s  verify mnist_cnn fp32 \(before\)")
        first = len(self.fakes.calls())
        self.assertEqual(self.run_part("tests", "--resume"), 0, self.said)
        calls = self.fakes.calls()[first:]
        self.assertEqual([call[0] for call in calls if call[0] in ("gpu_test", "verify")], ["gpu_test"], "the third")

    def test_another_dlbench_has_to_pass_anew(self):
        self.assertEqual(self.run_part("tests"), 0, self.said)
        self.fakes.dlbench.write_text(
            self.fakes.dlbench.read_text().replace("0.1.0 (fake)", "0.1.0 (fixed)"))
        self.assertEqual(self.run_part("tests", "--resume"), 0, self.said)
        self.assertEqual(len(self.verified()), 20)

    def test_another_gpu_has_to_pass_anew(self):
        self.assertEqual(self.run_part("tests"), 0, self.said)
        self.fakes.gpu("NVIDIA H100")
        self.assertEqual(self.run_part("tests", "--resume"), 0, self.said)
        self.assertEqual(len(self.verified()), 20)

    def test_faults_that_the_driver_told_are_kept(self):
        self.fakes.script(self.fakes.path / "dmesg", "#!/bin/sh\necho 'usb 1-1: new device'\n"
                              "echo 'NVRM: Xid (PCI:0000:01:00): 31, pid=7, MMU Fault'\n")
        self.assertEqual(self.run_part("tests"), 0, self.said)
        details = (self.output / "details.txt").read_text()
        self.assertIn("MMU Fault", details)
        self.assertNotIn("usb 1-1", details)
        self.assertIn("dmesg has 1 Xid errors", self.table)
        self.fakes.script(self.fakes.path / "dmesg", "#!/bin/sh\necho 'not permitted' >&2; exit 1\n")
        self.assertEqual(self.run_part("tests"), 0, self.said)
        self.assertNotIn("not permitted", self.said)

    def test_tests_that_cannot_be_listed_do_not_end_the_script(self):
        self.assertEqual(self.run_part("tests", gpu_test={"fails": ["Nccl.Sums"], "list_code": 3}), 1)
        self.assertIn("cannot list its tests", self.table)
        self.assertEqual(len(self.verified()), 10)

    def test_what_the_device_has_not_is_skipped(self):
        rules = [{"when": "--precision tf32", "code": 2, "says": "dlbench: tf32 needs compute capability 8.0"}]
        self.assertEqual(self.run_part("tests", rules=rules), 0, self.said)
        self.assertRegex(self.table, r"skipped .*verify resunetpp tf32 \(dlbench: tf32 needs")
        words = (HERE.parents[1] / "engine/backend/cuda/libraries/cuda_backend.cpp").read_text()
        self.assertEqual(words.count("needs compute capability 8.0, {} is {}"), 2, "of bf16 and tf32")

    def test_other_refusals_are_failures(self):
        for says in ("dlbench: conv1: the cuda backend does not support groups",
                     "warning: tf32 needs compute capability 8.0\ndlbench: unknown option --backed"):
            rules = [{"when": "--precision tf32", "code": 2, "says": says}]
            self.assertEqual(self.run_part("tests", rules=rules), 1)
            self.assertRegex(self.table, r"FAILED .*verify resunetpp tf32 \(code 2")

    def test_a_device_that_the_sanitizer_does_not_know_is_skipped(self):
        self.fakes.sanitizer("echo '========= Error: Device not supported. Please refer to'; exit 1")
        self.assertEqual(self.run_part("tests"), 0, self.said)
        self.assertEqual(self.table.count("compute-sanitizer: device not supported"), 3)
        self.fakes.sanitizer("echo '========= Invalid __global__ read'; exit 1")
        self.assertEqual(self.run_part("tests"), 1)
        self.fakes.sanitizer('while [ "${1#*/dlbench}" = "$1" ]; do shift; done; exec "$@"')
        self.assertEqual(self.run_part("tests"), 0, self.said)
        self.assertTrue(any("--image-size 32 --batch-size 2" in call for call in self.verified()))

    def test_a_program_that_does_not_see_the_gpu_of_dlbench_fails(self):
        tests = {"skips": ["Step.Equals/mnist", "Step.Equals/resunetpp", "Nccl.Sums"]}
        self.assertEqual(self.run_part("tests", gpu_test=tests), 1)
        self.assertRegex(self.table, r"skipped .*\(every test of gpu_test was skipped\)")
        self.assertRegex(self.table, r"FAILED .*: skipped, but dlbench sees a GPU")
        self.assertEqual(self.run_part("speed", bandwidth={"code": 77}), 1)
        for says, code in (("skipped: this PyTorch sees no GPU", 1),
                           ("skipped: python3 has no PyTorch: ModuleNotFoundError: No module named 'torch'", 0)):
            self.fakes.called_python(compare=f'echo "{says}"; exit 77')
            shutil.rmtree(self.output)
            self.assertEqual(self.run_part("pytorch"), code, self.said)

    def test_tests_that_need_another_gpu_may_be_skipped_and_no_others(self):
        tests = {"skips": ["Step.Equals/mnist"]}
        self.assertEqual(self.run_part("tests", gpu_test=tests), 0, self.said)
        self.assertIn("1 skipped", (self.output / "details.txt").read_text())
        self.assertEqual(self.run_part("tests", gpu_test={**tests, "reason": "out of memory"}), 1)
        self.assertIn("skipped without need: Step.Equals/mnist: out of memory",
                      (self.output / "details.txt").read_text())
        self.assertEqual(self.ran_alone(), ["Step.Equals/mnist"])

    def test_of_a_call_that_is_killed_the_step_is_left(self):
        rules = [{"when": "--precision fp32", "says": "so far", "seconds": 120}]
        said = self.output / "running.txt"

        def kill():
            while not said.exists() or "so far" not in said.read_text():
                time.sleep(0.1)
            for words in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
                with contextlib.suppress(OSError):
                    if str(self.folder).encode() in words.read_bytes():
                        os.kill(int(words.parent.name), signal.SIGKILL)
        threading.Thread(target=kill, daemon=True).start()
        self.assertEqual(self.run_part("tests", rules=rules), -signal.SIGKILL)
        self.assertIn("so far", said.read_text())
        self.assertIn("== verify mnist_cnn fp32: ", (self.output / "details.txt").read_text().splitlines()[-1])
        self.assertEqual(self.run_part("speed"), 0, self.said)
        self.assertFalse(said.exists())


class Machines(Acceptance):
    def test_an_info_that_hangs_is_named_so(self):
        rules = [{"when": "info", "seconds": 60}]
        self.assertEqual(self.run_part("tests", "--deadline", "2", rules=rules), 1)
        self.assertIn("info: did not end within 2 s", self.said)
        rules = [{"when": "info", "code": 5, "says": "dlbench: no such symbol"}]
        self.assertEqual(self.run_part("tests", rules=rules), 1)
        self.assertIn("info: dlbench: no such symbol (code 5)", self.said)

    def test_what_torch_compile_tuned_is_kept_with_the_rest(self):
        self.fakes.called_python(compare='echo "at $TORCHINDUCTOR_CACHE_DIR"; exit')
        cache = {"DLBENCH_CACHE_DIR": str(self.folder / "cache")}
        for environment, folder in ((cache, f"{self.folder}/cache/torchinductor"),
                                    ({**cache, "TORCHINDUCTOR_CACHE_DIR": "/of/the/user"}, "/of/the/user")):
            self.run_part("pytorch", environment=environment)
            self.assertIn(f"at {folder}\n", (self.output / "details.txt").read_text())

    def test_without_a_driver_nothing_is_done(self):
        if pathlib.Path("/proc/driver/nvidia/version").exists():
            self.skipTest("a driver is here")
        (self.fakes.path / "nvidia-smi").unlink()
        info = "backends\n  cuda    not here: no NVIDIA driver on this machine\n"
        self.assertEqual(self.run_part("tests", info=info), 77)
        self.assertIn("skipped: no NVIDIA driver", self.said)
        self.assertEqual(self.run_part("tests", tree=self.folder / "nothing"), 77)

    def test_a_driver_whose_libraries_do_not_load_is_a_failure(self):
        info = "backends\n  cuda    not here: libcudnn.so.9 cannot be loaded\n"
        self.assertEqual(self.run_part("tests", info=info), 1)
        self.assertIn("libcudnn", self.said)

    def test_a_build_that_fails_names_the_installed_tree(self):
        self.fakes.script(self.fakes.path / "cmake", "#!/bin/sh\necho 'CMake Error: no oneDNN'; exit 1\n")
        self.assertEqual(self.run_part("tests", tree=self.folder / "nothing"), 1)
        self.assertIn("no oneDNN", self.said)
        self.assertIn("An installed tree needs no build", self.said)
        self.fakes.script(self.fakes.path / "cmake", "#!/bin/sh\nsleep 60\n")
        self.assertEqual(self.run_part("tests", "--deadline", "1", tree=self.folder / "nothing"), 1)
        self.assertIn("not built within 1 s", self.said)

    def test_without_python_nothing_begins(self):
        for does in ("exit 127", "exit 1"):
            self.fakes.script(self.fakes.path / "python3", f"#!/bin/sh\n{does}\n")
            self.assertEqual(self.run_part("tests"), 1)
            self.assertEqual(self.said, "FAILED: no python3 in PATH that runs and is 3.8 or newer: the table and the "
                                        "bars need it\n")
            self.assertEqual(self.fakes.calls(), [])
        done = subprocess.run([HERE / "acceptance.sh", "--help"], capture_output=True, text=True, timeout=60)
        self.assertIn("python3, 3.8 or newer", "".join(done.stdout.splitlines(keepends=True)[:5]))
        self.assertIn("GCC's runtime and python3.", done.stdout)

    def test_without_an_answer_of_the_driver_the_gpu_is_that_of_dlbench(self):
        self.fakes.script(self.fakes.path / "nvidia-smi", "#!/bin/sh\necho 'Failed to initialize NVML'; exit 9\n")
        info = "backends\n  cuda         NVIDIA H200, 139.8 GiB, sm_90\n"
        self.assertEqual(self.run_part("speed", info=info), 0, self.said)
        self.assertIn("\nNVIDIA H200, 139.8 GiB, sm_90, nvidia-smi does not answer\n", self.table)
        self.assertIn("met 1.000", self.bar("e"))
        self.assertEqual(self.run_part("tests", info=info), 0, self.said)
        self.assertEqual(self.run_part("tests", "--resume", info=info), 0, self.said)
        self.assertNotIn("(before)", self.table, "which GPU it was is not known")

    def place(self, folder):
        """The scripts in a checkout or where they are installed, by the list of the build."""
        listed = (HERE / "CMakeLists.txt").read_text()
        scripts = re.search(r"PROGRAMS (acceptance.sh [^)]*?) DESTINATION (\S+) COMPONENT gpu-tests", listed)
        peers = re.search(r"FILES \$\{PROJECT_SOURCE_DIR\}/(tests/peers/\S+)\s+DESTINATION (\S+) COMPONENT", listed)
        for names, to in ((scripts[1].split(), scripts[2]), ([HERE.parents[1] / peers[1]], peers[2])):
            place = folder / to.replace("${CMAKE_INSTALL_DATADIR}/dlbench/", "")
            place.mkdir(parents=True)
            for name in names:
                shutil.copy(HERE / name, place)
        return folder / "tests" / "gpu" / "acceptance.sh"

    def run_default(self, script, *more, **behaviour):
        self.fakes.behave(**{"probes": PROBES, **behaviour})
        done = subprocess.run([script, *more], capture_output=True, text=True, timeout=120, cwd=self.folder,
                              env={**os.environ, "PATH": f"{self.fakes.path}:{os.environ['PATH']}"})
        self.said = done.stdout + done.stderr
        return done.returncode

    def test_an_installed_script_takes_its_own_tree_and_leaves_nothing_beside_it(self):
        script = self.place(self.folder / "tree" / "share" / "dlbench")
        before = sorted(script.parents[1].rglob("*"))
        self.fakes.called_python(compare=":")
        with mock.patch.dict(os.environ):
            os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
            for part in ("speed", "pytorch"):
                self.run_default(script, "--part", part, "--deadline", "60")
                self.assertNotIn("No such file", self.said)
                self.assertNotIn("ImportError", self.said)
        self.assertTrue((self.folder / "gpu-acceptance" / "resunetpp.json").exists(), self.said)
        self.assertEqual(sorted(script.parents[1].rglob("*")), before)
        known = {file.name for file in HERE.iterdir() if file.suffix in (".sh", ".py")}
        others = {name for name in known if name.endswith("_test.py")} | {"acceptance_case.py", "fakes.py"}
        self.assertEqual({file.name for file in script.parent.iterdir()}, known - others)
        (self.folder / "tree" / "bin" / "dlbench").unlink()
        self.assertEqual(self.run_default(script), 1)
        self.assertIn("nothing to build one from beside this script", self.said)

    def test_the_default_tree_is_the_build_folder_that_is_complete(self):
        script = self.place(self.folder / "checkout")
        (self.folder / "checkout" / "CMakePresets.json").write_text("{}")
        self.fakes.script(self.fakes.path / "cmake", "#!/bin/sh\necho \"CMake Error: in $*\"; exit 1\n")
        release = self.folder / "checkout" / "build" / "release" / "bin"
        shutil.copytree(self.fakes.bin, release)
        self.assertEqual(self.run_default(script, "--part", "tests"), 1)
        self.assertIn("checkout/build/cuda/bin, and none can be built here", self.said, "without a plug-in")
        (release / "libdlbench_cuda.so").touch()
        self.assertEqual(self.run_default(script, "--part", "tests"), 0, self.said)
        shutil.copytree(release, self.folder / "checkout" / "build" / "cuda" / "bin")
        (release / "dlbench").write_text("#!/bin/sh\nexit 1\n")
        self.assertEqual(self.run_default(script, "--part", "tests"), 0, "build/cuda comes first")

    def test_wrong_options(self):
        for words in (["--part", "most"], ["--deadline", "soon"], ["--prat"], ["--part", "speed", "--resume"], ["--resume"]):
            done = subprocess.run([HERE / "acceptance.sh", *words], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 1)
            self.assertIn("acceptance.sh: ", done.stderr)

    def test_a_third_folder_is_refused(self):
        self.assertEqual(self.run_part("tests", self.folder / "one too many"), 1)
        self.assertEqual(self.said, f"acceptance.sh: unexpected argument '{self.output}', after TREE and "
                                    "OUTPUT_FOLDER (see --help)\n")
        self.assertFalse(self.output.exists())

    def test_a_link_to_it_finds_what_lies_beside_the_script(self):
        link = self.folder / "elsewhere" / "accept"
        link.parent.mkdir()
        link.symlink_to(HERE / "acceptance.sh")
        self.assertEqual(self.run_part("tests", script=link), 0, self.said)
        self.assertRegex(self.table, r"passed .*tests that need a GPU")


if __name__ == "__main__":
    unittest.main()
