# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""dlbench run and scale on several ranks: reports, agreement between ranks, broken launches."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from command import PROGRAM
from mpi_launcher import launch, launcher

QUICK = ["--workload", "mnist_cnn", "--batch-size", "8", "--steps", "2", "--repetitions", "2", "--max-time", "1s"]

class Launched(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="dlbench-ranks-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def report(self, done, path):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        check = subprocess.run([PROGRAM, "report", "validate", str(path)], stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
        self.assertEqual(check.returncode, 0, check.stdout)
        return json.loads(path.read_text(encoding="utf-8"))


class Ranks(Launched):
    def data(self):
        folder = self.folder / "mnist"
        if not folder.exists():
            subprocess.run([PROGRAM, "data", "generate", "--dataset", "mnist", "--out", str(folder), "--samples", "50",
                            "--seed", "3"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return folder

    def run_on(self, family, ranks):
        path = self.folder / "run.json"
        done = launch(family, ranks, "run", *QUICK, "--output", str(path))
        report = self.report(done, path)
        # Without nocomm a verdict of several ranks could not tell computing from communication.
        self.assertEqual([(trial["kind"], trial["variant"]) for trial in report["trials"]],
                         [("io", None), ("synthetic", None), ("synthetic", "nocomm"), ("full", None)]
                         if ranks > 1 else [("io", None), ("synthetic", None), ("full", None)])
        self.assertEqual(report["workload"]["batch_size_per_rank"], 8)
        self.assertEqual(report["workload"]["global_batch_size"], 8 * ranks)
        (host,) = report["system"]["hosts"]
        self.assertEqual(host["ranks"], list(range(ranks)))
        alone = subprocess.run([PROGRAM, "info"], stdout=subprocess.PIPE, text=True, check=True).stdout
        usable = int(re.search("this process may use ([0-9]+)", alone).group(1))
        self.assertGreaterEqual(host["cpu"]["usable_cores"], min(ranks, usable), "all ranks' processors")
        self.assertLessEqual(host["cpu"]["usable_cores"], usable)
        self.assertEqual(done.stdout.count("verdict"), 1, "results are rank 0's to print")
        for trial in report["trials"]:
            self.assertEqual(trial["ranks"], ranks)
            self.assertEqual(len(trial["per_rank"]), ranks)
            steps = 40 if trial["kind"] == "io" else 2  # 20 x prefetch at least, see docs/measuring.md
            for repetition in trial["repetitions"]:
                self.assertEqual(repetition["samples"], steps * 8 * ranks)
            communicates = trial["kind"] == "full" or (trial["kind"] == "synthetic" and trial["variant"] != "nocomm")
            for rank in trial["per_rank"]:  # of a step without collectives nobody is the last at one
                self.assertEqual(rank["late_share"] is not None, communicates and ranks > 1)
        return report

    def test_run_under_mpich(self):
        report = self.run_on("mpich", 2)
        # What two ranks reach is a share of what both can do; nothing where they share cores.
        peaks = [peak["flop_per_s"] for peak in report["system"]["peaks"] if peak["precision"] == "fp32"]
        crowded = any(taint["code"] == "oversubscribed" for taint in report["run"]["taints"])
        for trial in report["trials"]:
            if trial["kind"] == "io" or crowded or not peaks:
                self.assertIsNone(trial["mfu"])
                self.assertTrue(trial["mfu_reason"])
            else:
                self.assertAlmostEqual(trial["mfu"] * 2 * peaks[0] / trial["achieved_flop_per_s"], 1)
                self.assertAlmostEqual(trial["mfu_measured"], trial["mfu"])

    def test_work_is_that_of_all_ranks(self):
        # By hand: 71,857,048 FLOP of a sample, one of a rank's loss, 17,998,230 of Adadelta where a rank updates.
        path = self.folder / "work.json"
        quick = ["--workload", "mnist_cnn", "--steps", "2", "--repetitions", "2", "--max-time", "1s", "--trials",
                 "synthetic", "--output", str(path)]
        for ranks, flop, arguments in (
                (2, 80_856_164, ["--batch-size", "1", "--strategy", "data-parallel"]),
                (2, 89_855_279, ["--batch-size", "1"]),
                (3, 85_355_721.25, ["--global-batch-size", "4"])):
            report = self.report(launch("mpich", ranks, "run", *quick, *arguments), path)
            self.assertEqual(report["workload"]["training_flop_per_sample"], flop)
            (trial,) = report["trials"]
            rate = trial["throughput"]["samples_per_second"]["mean"]
            self.assertAlmostEqual(trial["achieved_flop_per_s"] / rate / flop, 1)
            self.assertEqual([rank["device"] for rank in trial["per_rank"]], ranks * [report["workload"]["device"]])

    def test_run_under_open_mpi(self):
        self.run_on("openmpi", 2)

    def test_one_rank_under_a_launcher_is_a_run_without_one(self):
        path = self.folder / "one.json"
        # What is found by timing is not the same beside other programs.
        run = ["run", *QUICK, "--autotune", "off", "--output", str(path)]
        under = self.report(launch("mpich", 1, *run), path)
        alone = subprocess.run([PROGRAM, *run], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        without = self.report(alone, path)
        plan = lambda report: [{k: each[k] for k in ("hash", "nodes")} for each in report["workload"]["plans"]]
        self.assertEqual(plan(under), plan(without))

    def test_a_task_of_one_rank_may_run_several_commands(self):
        twice = f"{PROGRAM} info --ranks && {PROGRAM} info --ranks"
        done = subprocess.run([*launcher("mpich"), "-n", "1", "sh", "-c", twice], capture_output=True, text=True,
                              timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_scale_has_both_modes_and_a_projection(self):
        path = self.folder / "scale.json"
        done = launch("mpich", 3, "scale", *QUICK, "--global-batch-size", "25", "--time-budget", "10s",
                           "--project", "6,12", "--output", str(path))
        self.assertEqual(done.returncode, 2, "batch size and global batch size exclude each other")
        arguments = [each for each in QUICK if each not in ("--batch-size", "8")]
        done = launch("mpich", 3, "scale", *arguments, "--global-batch-size", "25", "--mode", "strong",
                           "--time-budget", "10s", "--project", "3,6,12,30", "--leave-largest-out", "--compression", "bf16", "--output", str(path))
        report = self.report(done, path)
        (strong,) = report["scaling"]
        self.assertEqual([point["ranks"] for point in strong["points"]], [1, 2, 3])
        self.assertEqual([point["local_batch_sizes"] for point in strong["points"]], [[25], [13, 12], [9, 8, 8]])
        left_out = [each for each in report["run"]["skipped"] if "projection" in each["what"]]
        self.assertIn("less than one sample for each rank", left_out[-1]["reason"])  # 25 on 30 ranks
        self.assertIn("left out          projection of the strong series to 30 ranks", done.stdout)
        self.assertRegex(left_out[0]["reason"], r"so many were measured: [\d.]+ samples/s")
        for each in left_out[1:-1]:  # two steps say little
            self.assertIn("too noisy", each["reason"])
        self.assertEqual(len(strong["projection"]) + len(left_out), 4)
        for point in strong["points"][1:]:
            self.assertTrue(1e-4 < point["compression_relative_error"] < 4e-3)
        self.assertIn("compressed gradients at 3 ranks", done.stdout)
        self.assertGreater(strong["fit"]["n"], 5)
        left = strong["leave_largest_out"]
        self.assertEqual((left["ranks"], left["from_ranks"]), (3, [1, 2]))
        self.assertIn("3 ranks predicted from fewer", done.stdout)

    def test_swept_buckets_stand_beside_the_model(self):
        path = self.folder / "buckets.json"
        done = launch("mpich", 2, "scale", *QUICK, "--mode", "weak", "--trials", "synthetic,synthetic/nocomm",
                           "--sweep-buckets", "25,0.01", "--link", "latency_us=100,gbit_per_s=8",
                           "--link-node-ranks", "1", "--time-budget", "2s", "--max-noise", "0.01", "--output", str(path))
        report = self.report(done, path)
        (weak,) = report["scaling"]
        self.assertEqual([cap["bucket_cap_mib"] for cap in weak["buckets"]["caps"]], [0.01, 25])
        for cap in weak["buckets"]["caps"]:
            self.assertGreater(cap["measured_step_time_s"]["mean"], 0)
            self.assertGreater(cap["modelled_step_time_s"], 0)
        self.assertIn(weak["buckets"]["best_measured_mib"], [0.01, 25, None])  # None: noise hides which
        self.assertRegex(done.stdout, "best cap: .*(MiB measured|measured none beyond noise)")
        self.assertIn(("noise_target_missed", "sweep of bucket caps"),
                      [(taint["code"], taint["where"]) for taint in report["run"]["taints"]])

    def test_scale_makes_each_trial_at_the_sizes_that_can_do_it(self):
        path = self.folder / "trials.json"
        arguments = ["scale", *QUICK, "--mode", "weak", "--trials", "synthetic,interference", "--time-budget", "2s",
                     "--output", str(path)]
        sides = ["step_beside_loader", "loader_beside_step"]
        for ranks, interference, skipped in (("1,2", [(1, side) for side in sides], []),
                                             ("2", [], [f"trial interference/{side}" for side in sides])):
            with self.subTest(ranks=ranks):
                report = self.report(launch("mpich", 2, *arguments, "--ranks", ranks), path)
                self.assertEqual([(trial["ranks"], trial["variant"]) for trial in report["trials"]
                                  if trial["kind"] == "interference"], interference)
                self.assertEqual([skip["what"] for skip in report["run"]["skipped"]
                                  if "it runs on one rank" in skip["reason"]], skipped)

    def test_scale_says_which_share_of_their_peak_the_ranks_reach(self):
        path = self.folder / "peaks.json"
        report = self.report(launch("mpich", 2, "scale", *QUICK, "--mode", "weak", "--trials", "synthetic",
                                         "--time-budget", "2s", "--output", str(path)), path)
        peaks = [peak["flop_per_s"] for peak in report["system"]["peaks"] if peak["precision"] == "fp32"]
        crowded = any(taint["code"] == "oversubscribed" for taint in report["run"]["taints"])
        self.assertEqual([trial["ranks"] for trial in report["trials"]], [1, 2])
        for trial in report["trials"]:
            if not peaks:
                self.assertIn("--measure-peaks", trial["mfu_reason"])
            elif crowded and trial["ranks"] > 1:
                self.assertIn("ranks share cores", trial["mfu_reason"])
            else:
                self.assertAlmostEqual(trial["mfu"] * trial["ranks"] * peaks[0] / trial["achieved_flop_per_s"], 1)
                self.assertAlmostEqual(trial["mfu_measured"], trial["mfu"])

    def test_what_the_time_budget_shortens_is_a_short_run(self):
        path = self.folder / "short.json"
        arguments = ["--workload", "mnist_cnn", "--batch-size", "8", "--mode", "weak", "--ranks", "2", "--trials",
                     "synthetic", "--repetitions", "2", "--output", str(path)]
        done = launch("mpich", 2, "scale", *arguments, "--time-budget", "3s", "--sweep-buckets", "1,25")
        shortened = [taint["where"] for taint in self.report(done, path)["run"]["taints"]
                     if taint["code"] == "short_run" and "--time-budget" in taint["detail"]]
        self.assertEqual(shortened, ["trial synthetic (weak, 2 ranks)", "sweep of bucket caps"])

    def test_a_single_root_is_measured_beside_ddp(self):
        path = self.folder / "strategy.json"
        done = launch("mpich", 2, "scale", *QUICK, "--sweep", "ddp-vs-data-parallel", "--ranks", "2",
                           "--time-budget", "2s", "--output", str(path))
        report = self.report(done, path)
        self.assertEqual([series["options"]["strategy"] for series in report["scaling"]], ["ddp", "data-parallel"])
        self.assertEqual([skip["what"] for skip in report["run"]["skipped"] if "projection" in skip["what"]],
                         [f"projection of the weak strategy={strategy} series" for strategy in ("ddp", "data-parallel")])
        ddp, single_root = (series["points"][-1] for series in report["scaling"])
        self.assertGreater(ddp["all_reduce_s"], 0)
        self.assertEqual(single_root["missing"]["all_reduce_s"], "the step has none: a single root collects the gradients")
        for trial in report["trials"]:
            for repetition in trial["repetitions"]:
                self.assertEqual(repetition["samples"], 2 * 8 * 2)

    def test_training_on_two_ranks_is_training_on_one(self):
        histories = []
        for ranks in (1, 2):
            path = self.folder / f"train-{ranks}.json"
            done = launch("mpich", ranks, "train", "--workload", "mnist_cnn", "--global-batch-size", "20",
                               "--data", str(self.data()), "--epochs", "2", "--output", str(path))
            self.assertEqual(done.stdout.count("epoch   2/2"), 1, "results are rank 0's to print")
            histories.append(self.report(done, path)["history"])
        for one, two in zip(*histories):
            self.assertAlmostEqual(one["train_loss"], two["train_loss"], delta=2e-3 * one["train_loss"])
            self.assertAlmostEqual(one["valid_loss"], two["valid_loss"], delta=2e-3 * one["valid_loss"])

    def test_initial_weights_are_read_by_one_rank(self):
        weights = self.folder / "weights.safetensors"
        path = self.folder / "trained.json"
        train = [PROGRAM, "train", "--workload", "mnist_cnn", "--global-batch-size", "20", "--data", str(self.data()),
                 "--epochs", "1", "--probes", "none", "--output", str(path)]
        from_weights = [*train, "--init", weights.name]
        elsewhere = self.folder / "another-node"  # where the file is not
        elsewhere.mkdir()
        begin = launcher("mpich")
        on_two = [*begin, "-n", "1", "-wdir", str(self.folder), *from_weights,
                  ":", "-n", "1", "-wdir", str(elsewhere), *from_weights]
        losses = []
        for command in ([*train, "--checkpoint", str(weights)], from_weights, on_two):
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120,
                                  cwd=self.folder)
            losses.append(self.report(done, path)["history"][0]["train_loss"])
        self.assertGreater(abs(losses[1] - losses[0]), 0.1 * losses[0], "so that weights can be told apart")
        self.assertAlmostEqual(losses[2], losses[1], delta=2e-3 * losses[1])
        weights.unlink()
        done = subprocess.run(on_two, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stderr.count(weights.name), 1, done.stderr)

    def test_what_one_rank_alone_has_to_warn_of_is_told(self):
        path = self.folder / "warned.json"
        blocked = self.folder / "no-folder"
        blocked.touch()
        run = [PROGRAM, "run", *QUICK, "--output", str(path)]
        done = subprocess.run(
            [*launcher("mpich"), "-n", "1", *run, ":", "-n", "1", "env", f"DLBENCH_CACHE_DIR={blocked}", *run],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
        self.report(done, path)
        warnings = [line for line in done.stderr.splitlines() if line.startswith("warning: ")]
        self.assertEqual(len(warnings), 1, done.stderr)
        self.assertRegex(warnings[0], f"^warning: rank 1: tuning and measured peaks are not kept: .*'{blocked}'")

    def test_a_last_batch_without_a_sample_for_each_rank_names_a_batch_that_has_one(self):
        train = ["train", "--workload", "mnist_cnn", "--data", str(self.data()), "--epochs", "1", "--probes", "none",
                 "--output", str(self.folder / "train.json")]
        for batch in ("49", "48"):  # of 50 samples
            done = launch("mpich", 3, *train, "--global-batch-size", batch)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("with --global-batch-size 47 it has enough", done.stderr)
            self.assertFalse((self.folder / "train.json").exists(), "what is refused replaces no report")
            self.assertEqual(launch("mpich", 3, *train, "--global-batch-size", batch, "--dry-run").returncode, 2)
        self.assertEqual(launch("mpich", 3, *train, "--global-batch-size", "47").returncode, 0)

    def test_an_option_error_is_one_line(self):
        done = launch("mpich", 3, "run", "--workload", "mnist_cn")
        self.assertEqual(done.returncode, 2)
        lines = [line for line in done.stderr.splitlines() if "mnist_cnn" in line]
        self.assertEqual(len(lines), 1, done.stderr)

    def test_an_option_error_of_one_rank_is_said_and_ends_the_launch(self):
        right = ["run", *QUICK, "--dry-run"]
        missing = f"--config={self.folder / 'missing.json'}"
        for wrong in ([*right, "--batch-size=0"], [*right, "--bogus"], [*right, missing], ["nosuch"]):
            for first, second, says in ((right, wrong, "dlbench: [rank 1] "), (wrong, right, "dlbench: ")):
                done = subprocess.run([*launcher("mpich"), "-n", "1", PROGRAM, *first, ":", "-n", "1", PROGRAM, *second],
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                                      timeout=60)
                self.assertEqual(done.returncode, 2, done.stderr)
                lines = [line for line in done.stderr.splitlines() if line.startswith("dlbench: ")]
                self.assertEqual(len(lines), 1, done.stderr)
                self.assertTrue(lines[0].startswith(says), done.stderr)
                self.assertNotIn("MPI_Abort", done.stderr)

    def test_ranks_on_hardware_threads_of_one_core_have_no_share_of_a_peak(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("one CPU")
        path = self.folder / "siblings.json"
        on_one_cpu = ["sh", "-c", 'exec taskset -c $PMI_RANK "$@"', "sh", PROGRAM]
        for siblings in (True, False):
            made_up = "Package:1 L3:1 Core:1 PU:2" if siblings else "Package:1 L3:1 Core:2 PU:1"
            done = subprocess.run([*launcher("mpich"), "-n", "2", "-env", "HWLOC_SYNTHETIC", made_up, "-env",
                                   "HWLOC_THISSYSTEM", "1", *on_one_cpu, "run", *QUICK, "--trials", "synthetic",
                                   "--autotune", "off", "--probes", "none", "--output", str(path)],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
            trial = self.report(done, path)["trials"][0]
            self.assertEqual("ranks share cores" in trial.get("mfu_reason", ""), siblings, trial["mfu"])

    def test_the_standard_input_is_of_one_rank(self):
        done = launch("mpich", 2, "run", *QUICK, "--dry-run", "--config", "-")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("give a file that all can read", done.stderr)

    def test_what_scale_cannot_do_is_said_at_once_and_replaces_no_report(self):
        path = self.folder / "good.json"
        path.write_text("a report", encoding="utf-8")
        for says, arguments in (
                ("3 ranks asked for", ["--ranks", "3"]),
                ("less than one sample", ["--global-batch-size", "1"]),
                ("has the copy", ["--trials", "io,synthetic/host"]),
                ("none of the trials can run on 2 ranks", ["--trials", "interference"]),
                ("is of strong scaling", ["--global-batch-size", "5", "--mode", "weak"]),
                ("at least 3 numbers of ranks", ["--leave-largest-out"]),
                ("varies --compression itself", ["--sweep", "ddp-options", "--compression", "bf16"]),
                ("no-overlap", ["--no-overlap=5"])):
            with self.subTest(says=says):
                done = launch("mpich", 2, "scale", *arguments, "--output", str(path))
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(says, done.stderr)
                self.assertEqual(path.read_text(encoding="utf-8"), "a report")

    def test_ranks_that_were_started_differently_are_refused(self):
        begin = [*launcher("mpich"), "-n", "1", PROGRAM, "run", *QUICK, "--output", str(self.folder / "a.json")]
        for other, says in (
                (["run", *QUICK, "--compression", "bf16"], "--compression bf16, but rank 0 has none"),
                (["run", *QUICK, "--seed", "2"], "--seed 2, but rank 0 has 1"),
                (["run", *QUICK, "--trace", "trace.json"], "--trace given, but rank 0 has none"),
                (["train", "--workload", "mnist_cnn"], "command train, but rank 0 has run")):
            done = subprocess.run([*begin, ":", "-n", "1", PROGRAM, *other, "--output", str(self.folder / "b.json")],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stderr.count(says), 1, done.stderr)
            self.assertIn("[rank 1]", done.stderr)

    def test_ranks_with_other_samples_are_refused(self):
        folders = {}
        for name, dataset, samples in (("digits", "mnist", 64), ("fewer", "mnist", 60), ("polyps", "kvasir-seg", 40)):
            folders[name] = self.folder / name
            subprocess.run([PROGRAM, "data", "generate", "--dataset", dataset, "--out", str(folders[name]), "--samples",
                            str(samples)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        folders["renamed"] = self.folder / "renamed"
        shutil.copytree(folders["polyps"], folders["renamed"])
        for file in list(folders["renamed"].glob("train/*/*")):
            file.rename(file.with_name("x" + file.name))
        digits = ["--workload", "mnist_cnn", "--batch-size", "8"]
        fewer = "split train has 60 samples here, but on rank 0 64"
        for command, first, second, says in (
                (["run", *digits], "digits", "fewer", fewer), (["train", *digits], "digits", "fewer", fewer),
                (["run", "--workload", "resunetpp", "--image-size", "32", "--batch-size", "1"], "polyps", "renamed",
                 "as on rank 0, but of other names")):
            parts = [["-n", "1", PROGRAM, *command, "--data", str(folders[name]), "--output", str(self.folder / "a.json")]
                     for name in (first, second)]
            done = subprocess.run([*launcher("mpich"), *parts[0], ":", *parts[1]], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stderr.count(says), 1, done.stderr)
            self.assertIn("[rank 1]", done.stderr)

    def refused_beside(self, own, environment=()):
        """Rank 0 runs PROGRAM, rank 1 runs `own` with `environment`; the one line with which they are refused."""
        arguments = ["run", *QUICK, "--output", str(self.folder / "a.json")]
        done = subprocess.run([*launcher("mpich"), "-n", "1", PROGRAM, *arguments, ":", "-n", "1", *environment, str(own),
                               *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(done.returncode, 2, done.stderr)
        lines = [line for line in done.stderr.splitlines() if line.startswith("dlbench: [rank 1]")]
        self.assertEqual(len(lines), 1, done.stderr)
        return lines[0]

    def test_another_build_on_a_rank_is_refused(self):
        version = subprocess.run([PROGRAM, "--version"], stdout=subprocess.PIPE, check=True).stdout.strip()
        # Eight bytes, of which four count: the compiler may have put the text into the code, in words that overlap.
        commit = version.split(b"(")[1].rstrip(b")")[:8]
        other = bytes(reversed(commit))
        self.assertNotEqual(other, commit)
        bin_folder = self.folder / "bin"
        bin_folder.mkdir()
        for file in [pathlib.Path(PROGRAM), *pathlib.Path(PROGRAM).parent.glob("libdlbench*.so")]:
            copy = bin_folder / file.name
            copy.write_bytes(file.read_bytes().replace(commit, other))
            copy.chmod(0o755)
        line = self.refused_beside(bin_folder / pathlib.Path(PROGRAM).name)
        self.assertRegex(line, f"build [^ ]+ {other[:4].decode()}[^ ]*, but rank 0 has [^ ]+ {commit.decode()}")

    def test_another_processor_on_a_rank_is_refused(self):
        if " avx512bw" not in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"):
            self.skipTest("nothing can be left out of a processor with AVX2 alone")
        line = self.refused_beside(PROGRAM, ["-env", "ONEDNN_MAX_CPU_ISA", "AVX2"])
        self.assertRegex(line, "cannot be followed here: the processors or libraries of the ranks differ|"
                               "plan of the step differs from rank 0's")

    def test_other_commands_run_once(self):
        done = launch("mpich", 3, "list")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout.count("resunetpp "), 1, done.stdout)

    def test_ranks_that_do_not_meet_end_at_the_time_out(self):
        own = ["-n", "1", PROGRAM, "run", *QUICK, "--timeout", "3"]
        other = ["-n", "1", "sleep", "60"]
        for first, second in ((own, other), (other, own)):
            command = [*launcher("mpich"), *first, ":", *second]
            begin = time.monotonic()
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertLess(time.monotonic() - begin, 30)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("have not met within --timeout (3 s)", done.stderr)

    def test_a_launch_that_did_not_come_together_is_refused(self):
        done = subprocess.run([PROGRAM, "run", *QUICK], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env={**os.environ, "OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": "0"})
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("OMPI_COMM_WORLD_SIZE", done.stderr)


class LateRank(Launched):
    """On a machine that does nothing else: beside others ranks wait for processors as long as for each other."""

    def test_it_is_found_among_all_nodes(self):
        # 20 ms more per step on the last rank. On a node of its own a rank is the last of its node every time.
        path = self.folder / "late.json"
        arguments = ["run", "--workload", "mnist_cnn", "--batch-size", "1", "--threads", "1", "--steps", "40",
                     "--repetitions", "5", "--max-time", "5s", "--trials", "io,synthetic,full", "--output", str(path)]
        for family, ranks, ranks_per_node in (("mpich", 2, 1), ("openmpi", 2, 1), ("mpich", 3, 2)):
            with self.subTest(family=family, ranks=ranks, ranks_per_node=ranks_per_node):
                for _ in range(4):  # others there may be all the same, and then no rank is named
                    done = launch(family, ranks, *arguments, environment={
                        "DLBENCH_TEST_RANKS_PER_NODE": str(ranks_per_node),
                        "DLBENCH_TEST_FAULT": f"slow@{ranks - 1}:0"})
                    report = self.report(done, path)
                    (full,) = [trial for trial in report["trials"] if trial["kind"] == "full"]
                    late = [rank["late_share"] for rank in full["per_rank"]]
                    self.assertAlmostEqual(sum(late), 1, msg=f"{late}: one rank is the last of all")
                    attribution = report["attribution"]
                    if attribution["verdict"] == "straggler":
                        self.assertEqual(late.index(max(late)), ranks - 1, late)
                        self.assertIn(f"rank {ranks - 1} on ", attribution["explanation"])
                        break
                else:
                    self.fail(f"{late}, {attribution}")


if __name__ == "__main__":
    unittest.main(argv=["ranks_test", *sys.argv[1:]])
