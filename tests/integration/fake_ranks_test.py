# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""Ranks of dlbench on fake GPUs and a fake NCCL, from the command line to the report. No figure of these runs
means anything."""

import os
import re
import time
import unittest

from fake_gpu import GPU, NCCL, PROCESSES, REASONS, SHORT, VISIBLE, XID, FakeGpuTest

# Who meets it first, the watch of the device or the next call, is chance.
SAYS_OF_AN_ERROR = "a collective of NCCL failed|ncclAllReduce: remote process exited"


class FakeRanks(FakeGpuTest):
    def test_without_communication_nothing_is_copied_either(self):
        done = self.launch(2, "run", *SHORT, "--probes", "cupti", "--data", self.digits(), "--device", "cuda", "--trials",
                           "synthetic,synthetic/nocomm", "--output", self.folder / "report.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        copies = {trial["variant"]: [row["name"] for row in trial["probes"]["cupti"]["copies"]]
                  for trial in self.report(self.folder / "report.json")["trials"]}
        self.assertIn("host_to_device", copies["host"])
        self.assertNotIn("host_to_device", copies["device"] + copies["nocomm"])

    def test_trains_as_the_processor_does(self):
        # Of the last 31 samples one of two ranks has 16, as ever, and the other 15: all must record, or none.
        # Of 15 samples the ranks have 8 and 7, for which cuDNN has other plans.
        for ranks, batch, samples, precision, rounding in (
                (1, 8, 64, "fp32", 1e-3), (3, 24, 56, "fp32", 1e-3), (2, 32, 63, "fp32", 1e-3),
                (2, 15, 67, "bf16", 2e-2)):
            losses = {}
            # On the processor without tuning: in bf16 the kernels that it finds, which may be others beside other
            # programs, round as differently as the devices do.
            for device, tuning in (("cpu", "off"), ("cuda", "on")):
                path = self.folder / f"{device}.json"
                done = self.launch(ranks, "train", "--workload", "mnist_cnn", "--global-batch-size", batch, "--epochs",
                                   "2", "--precision", precision, "--data", self.digits(samples), "--device", device,
                                   "--autotune", tuning, "--output", path)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertNotIn("fake NCCL", done.stderr)
                losses[device] = [epoch[loss] for epoch in self.report(path)["history"]
                                  for loss in ("train_loss", "valid_loss")]
            self.assertEqual(len(losses["cpu"]), 4)
            for cpu, cuda in zip(losses["cpu"], losses["cuda"]):
                self.assertAlmostEqual(cpu, cuda, delta=rounding * abs(cpu), msg=f"{ranks} ranks: {losses}")
        # What was tuned is kept, for this device, with these libraries.
        kept = (self.folder / "cache" / "tuning.txt").read_text().splitlines()[1:]
        self.assertTrue(kept)
        for line in kept:
            problem, machine, choice = line.split("\t")
            self.assertRegex(problem, r"^conv \w+ (f32|bf16) x\(")
            self.assertRegex(machine, r"^fake GPU \d sm_90 driver \S+ CUDA \S+ cuDNN \d+\.\d+\.\d+$")
            self.assertRegex(choice, r"^eng\d+\{")

    def test_steps_of_uneven_shares_are_recorded_where_all_ranks_do_so_at_once(self):
        # 4, 4 and 3 samples and at last 2, 2 and 2: two steps on each rank. 3, 3 and 2 and at last 3, 2 and 2: one step
        # on the first rank, two on the second.
        for batch, recorded in ((11, True), (8, False)):
            arguments = ("train", "--workload", "mnist_cnn", "--global-batch-size", batch, "--epochs", "3", "--autotune",
                         "off", "--data", self.digits(39), "--device", "cuda", "--cuda-graph", "on", "--output",
                         self.folder / "report.json")
            done = self.launch(3, *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual("run node by node" in done.stderr, not recorded)
            done = self.launch(3, *arguments, environment={NCCL: "record=0"})
            self.assertEqual(done.returncode, 5 if recorded else 0, done.stderr)
            self.assertEqual("--cuda-graph off runs it node by node" in done.stderr, recorded, done.stderr)

    def test_a_loss_that_is_not_finite_is_of_the_rank_that_had_it(self):
        # The other rank's next step has what this one's gradients spread, and is on its way already.
        for _ in range(3):
            done = self.launch(2, "train", "--workload", "mnist_cnn", "--batch-size", "8", "--epochs", "2", "--autotune",
                               "off", "--data", self.digits(), "--device", "cuda", "--output",
                               self.folder / "report.json",
                               environment={GPU: "devices=2,late_us=200", "DLBENCH_TEST_FAULT": "nan@1:5"})
            self.assertEqual(done.returncode, 5, done.stderr)
            failure = self.report(self.folder / "report.json")["run"]["failure"]
            self.assertEqual((failure["rank"], failure["phase"]), (1, "epoch 1, step 6 of 8"), failure)
        for step in (2, 10):  # the first of them untimed
            done = self.launch(2, "scale", "--mode", "weak", *SHORT, "--data", self.digits(), "--device", "cuda",
                               "--trials", "full",
                               "--output", self.folder / "report.json",
                               environment={GPU: "devices=2,late_us=200", "DLBENCH_TEST_FAULT": f"nan@1:{step}"})
            self.assertEqual(done.returncode, 5, done.stderr)
            self.assertEqual(self.report(self.folder / "report.json")["run"]["failure"]["rank"], 1)

    def test_deterministic_sums_are_not_those_of_the_switch(self):
        for options, variables, code, says in (
                ([], {}, 5, "NCCL_NVLS_ENABLE is not 0"), (["--deterministic"], {}, 0, ""),
                (["--deterministic"], {"NCCL_ALGO": "allreduce:NVLS"}, 2, "against --deterministic; unset it")):
            done = self.launch_short(2, *options, environment={GPU: "devices=2", NCCL: "nvls=0", **variables})
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(says, done.stderr)

    def train_apart(self, variables):
        path = self.folder / "report.json"
        done = self.launch_apart(variables, "train", "--workload", "mnist_cnn", "--batch-size", "8", "--epochs", "2",
                                 "--autotune", "off", "--data", self.digits(), "--device", "cuda", "--output", path)
        return done, self.report(path)["run"]

    def test_what_the_driver_tells_of_another_ranks_device_ends_the_training(self):
        done, run = self.train_apart({XID: "79@1"})
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("Xid 79", done.stderr)
        self.assertEqual(run["failure"]["rank"], 1, run["failure"])
        self.assertIn("Xid 79", run["failure"]["detail"])

    def expect_a_neighbour_of_rank_1(self, run, where):
        """Others may have used the processors, too."""
        told = [taint["detail"] for taint in run["taints"] if taint["code"] == "disturbed" and taint["where"].startswith(where)]
        self.assertTrue(any(re.search(r"rank 1: .*another process computed on the same GPU \(process 4711\), up to 37 %",
                                      detail) for detail in told), run["taints"])

    def test_each_ranks_device_may_hold_its_clocks_back(self):
        done, run = self.train_apart({REASONS: str(0x40), PROCESSES: "self:80,4711:37"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.expect_a_neighbour_of_rank_1(run, "training")
        self.assertEqual([(taint["where"], taint["detail"]) for taint in run["taints"] if taint["code"] == "throttled"],
                         [("training, rank 1", "clocks held back by: hardware_thermal")])

    def test_collectives_beside_another_process(self):
        path = self.folder / "report.json"
        done = self.launch_apart({PROCESSES: "self:80,4711:37"}, "comm", "--device", "cuda", "--collectives", "all_reduce",
                                 "--minbytes", "8", "--maxbytes", "8", "--output", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.expect_a_neighbour_of_rank_1(self.report(path)["run"], "collectives over 2 ranks")

    def expect_both_gpus(self, report):
        """Of ranks of which each sees its own alone, by the same index."""
        places = [("GPU-1", "0000:41:00.0"), ("GPU-2", "0000:42:00.0")]
        gpus = report["system"]["hosts"][0]["gpus"]
        self.assertEqual([gpu["index"] for gpu in gpus], [0, 1])
        self.assertEqual([(gpu["uuid"], gpu["address"]) for gpu in gpus], places)
        self.assertEqual([(rank["device_uuid"], rank["device_address"])
                          for rank in report["trials"][-1]["per_rank"]], places)

    def test_a_slow_device_is_found_by_how_long_the_steps_of_the_others_are_blocked(self):
        path = self.folder / "report.json"
        for _ in range(3):  # both devices compute on processors, which others may use, too
            done = self.launch_apart({GPU: "devices=2,late_us=3000"}, "run", *SHORT, "--steps", "8",
                                     "--repetitions", "5", "--max-time", "5s", "--probes", "none", "--data",
                                     self.digits(), "--device", "cuda", "--trials", "io,synthetic,full",
                                     "--output", path)
            self.assertEqual(done.returncode, 0, done.stderr)
            report = self.report(path)
            (full,) = (trial for trial in report["trials"] if trial["kind"] == "full")
            late = [rank["late_share"] for rank in full["per_rank"]]
            if report["attribution"]["verdict"] == "straggler":
                break
        self.assertEqual(report["attribution"]["verdict"], "straggler", f"{late} {report['attribution']}")
        self.assertGreater(late[1], 0.5, late)
        self.assertIn("rank 1 on ", report["attribution"]["explanation"])
        self.assertEqual(self.dlbench("report", "validate", path).returncode, 0)

    def test_a_throttled_device_of_any_rank_taints_the_trials(self):
        (self.digits() / "generated-by-dlbench.txt").unlink()  # else all reports are tainted
        path = self.folder / "report.json"
        for command, series in (("run", ""), ("scale", " (weak, 2 ranks)")):
            codes = self.folder / f"codes-{command}"
            modes = ("--mode", "weak") if command == "scale" else ("--probes", "nvml")
            done = self.launch_apart({REASONS: str(0x40), VISIBLE: "1", PROCESSES: "self:80,4711:37"}, command, *SHORT, *modes, "--strict", "--data",
                                     self.digits(), "--device", "cuda", "--trials", "full", "--output", path, codes=codes)
            report = self.report(path)
            self.expect_both_gpus(report)
            run = report["run"]
            self.assertEqual(run["exit_code"], 4, done.stderr)
            self.assertEqual(codes.read_text().split(), ["4", "4"], done.stderr)
            self.assertEqual([(taint["where"], taint["detail"]) for taint in run["taints"]
                              if taint["code"] == "throttled"],
                             [("trial full" + series, "clocks held back on rank 1: hardware_thermal")])
            self.expect_a_neighbour_of_rank_1(run, "trial full" + series)

    def test_ranks(self):
        done = self.launch_short(2)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        report = self.report(self.folder / "report.json")
        self.assertIn("nccl", report["system"]["libraries"])
        self.assertEqual([rank["device"] for rank in report["trials"][0]["per_rank"]],
                         ["fake GPU 0", "fake GPU 1"])
        self.assertNotIn("fake", done.stderr)

    def test_ranks_share_out_the_devices_that_they_see(self):
        half = {GPU: "devices=4", "CUDA_VISIBLE_DEVICES": "1,3"}
        done = self.launch(2, "info", "--ranks", environment=half)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(re.findall(r"\d \(0000:(..):00\.0\)", done.stdout), ["42", "44"], done.stdout)
        self.assertNotIn("cannot use", done.stdout)
        done = self.launch_short(2, environment=half)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([rank["device"] for rank in self.report(self.folder / "report.json")["trials"][0]["per_rank"]],
                         ["fake GPU 1", "fake GPU 3"])
        # The second rank sees but what the first would have taken by its number.
        done = self.launch_apart({"CUDA_VISIBLE_DEVICES": "0"}, "run", *SHORT, "--probes", "none", "--data", self.digits(),
                                 "--device", "cuda", "--trials", "full", "--output", self.folder / "report.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([rank["device"] for rank in self.report(self.folder / "report.json")["trials"][0]["per_rank"]],
                         ["fake GPU 1", "fake GPU 0"])

    def test_ranks_that_see_no_device_but_their_own_say_so(self):
        path = self.folder / "report.json"
        data = ("--data", self.digits(), "--device", "cuda", "--output", path)
        wanted = "2 of 2 ranks see no GPU but their own"
        for arguments in (("run", *SHORT, "--probes", "none", "--trials", "full", *data),
                          ("train", "--workload", "mnist_cnn", "--batch-size", "8", "--epochs", "1", "--autotune", "off",
                           *data),
                          ("scale", *SHORT, "--trials", "full", "--mode", "weak", *data),
                          ("comm", "--device", "cuda", "-b", "64", "-e", "64", "-n", "3", "--output", path)):
            done = self.launch_apart({"CUDA_VISIBLE_DEVICES": "1"}, *arguments, first={"CUDA_VISIBLE_DEVICES": "0"})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr.count(wanted), 1, done.stderr)
            self.assertIn("--gpu-bind=none", done.stderr)
            told = [skip["reason"] for skip in self.report(path)["run"]["skipped"] if "peer access" in skip["what"]]
            self.assertEqual(len(told), 1)
            self.assertIn(wanted, told[0])
        done = self.launch_short(2)
        self.assertNotIn("peer access", done.stderr)

    def test_host_cores_that_ranks_share_are_not_compute_threads(self):
        own = os.sched_getaffinity(0)  # of which two are enough for three ranks, however many there are
        self.addCleanup(os.sched_setaffinity, 0, own)
        os.sched_setaffinity(0, sorted(own)[:2])
        ranks = len(os.sched_getaffinity(0)) + 1
        done = self.launch_short(ranks)
        self.assertEqual(done.returncode, 0, done.stderr)
        details = [taint["detail"] for taint in self.report(self.folder / "report.json")["run"]["taints"]
                   if taint["code"] == "oversubscribed"]
        self.assertEqual(details, [f"the loader workers of 2 of {ranks} rank(s), 1 each, outnumber their processors"])

    def test_ranks_on_one_device(self):
        one = {GPU: "devices=1"}
        done = self.launch_short(2, environment=one)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("use one GPU", done.stderr)
        done = self.launch_short(2, "--share-gpu", environment=one)
        self.assertEqual(done.returncode, 0, done.stderr)
        taints = {taint["code"] for taint in self.report(self.folder / "report.json")["run"]["taints"]}
        self.assertIn("oversubscribed", taints)
        # 4711 is what each rank sees of the other, at the size of one rank too.
        done = self.launch(2, "scale", "--mode", "weak", "--share-gpu", *SHORT, "--data", self.digits(), "--device", "cuda",
                           "--trials", "synthetic/device", "--output", self.folder / "report.json",
                           environment={**one, PROCESSES: "self:50,4711:40"})
        self.assertEqual(done.returncode, 0, done.stderr)
        taints = self.report(self.folder / "report.json")["run"]["taints"]
        self.assertEqual([taint for taint in taints if "another process" in taint["detail"]], [])

    def test_ranks_that_would_choose_different_devices(self):
        for command in (("run", *SHORT, "--trials", "full"), ("scale", *SHORT, "--trials", "full"),
                        ("train", "--workload", "mnist_cnn", "--epochs", "1"), ("comm", "-b", "64", "-e", "64")):
            data = () if command[0] == "comm" else ("--data", self.digits())
            done = self.launch_apart({GPU: "devices=2,attach_error=46"}, *command, *data, "--output",
                                     self.folder / "report.json")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(done.stderr, r"--device auto: rank 0 \(.+\) computes on cuda; rank 1 \(.+\) computes on "
                                          r"cpu: .*; ranks that compute together want one kind")
            self.assertEqual(done.stderr.count("want one kind"), 1, done.stderr)

    def test_each_rank_opens_its_own_device_alone(self):
        done = self.launch_apart({GPU: "devices=2,taken=0"}, "scale", *SHORT, "--data", self.digits(),
                                 "--trials", "full", "--mode", "weak", "--output", self.folder / "report.json")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_files_of_a_run_are_rank_0s(self):
        folders = [self.folder / "rank-0", self.folder / "rank-1"]
        for folder in folders:
            folder.mkdir()
        (folders[0] / "recorded").mkdir()
        arguments = ("run", *SHORT, "--data", self.digits(), "--device", "cuda", "--trials", "synthetic/device",
                     "--probes", "nvml,cupti", "--trace", "trace.json", "--record-probes", "recorded", "--output",
                     "report.json")
        done = self.launch_apart({}, *arguments, folders=folders)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(each.name for each in folders[0].iterdir()), ["recorded", "report.json", "trace.json"])
        self.assertEqual(sorted(each.name for each in (folders[0] / "recorded").iterdir()), ["cupti.json", "nvml.json"])
        self.assertEqual(list(folders[1].iterdir()), [])

    def test_collectives_that_hang_or_fail(self):
        for fault, code, says in (("hang=12", 124, "hangs"), ("error=12", 5, SAYS_OF_AN_ERROR)):
            done = self.launch_short(2, "--timeout", "60", environment={NCCL: fault})
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertRegex(done.stderr, says)

    def hang_on_rank_1(self, collective, *arguments):
        """The failure in the report of two ranks, of which the second has a collective that never ends."""
        path = self.folder / "report.json"
        done = self.launch_apart({NCCL: f"hang={collective}"}, "run", *SHORT, "--probes", "none", "--data",
                                 self.digits(), "--device", "cuda", "--trials", "full", "--output", path, *arguments)
        self.assertEqual(done.returncode, 124, done.stderr)
        self.assertNotIn("ended by force", done.stderr)
        for _ in range(30):  # where rank 0 was too late, the sentinel writes it when the launcher has returned
            run = self.report(path)["run"]
            if run["exit_code"] is not None:
                break
            time.sleep(0.1)
        self.assertEqual((run["status"], run["exit_code"]), ("partial", 124))
        return run["failure"]

    def test_nobody_is_blamed_for_a_collective_that_hangs_on_the_device(self):
        failure = self.hang_on_rank_1(15)
        self.assertIn("all ranks of the node wait for their GPUs", failure["detail"])
        self.assertEqual((failure["phase"], failure["op"]), ("trial full, warm-up", "wait for its GPU"))

    def test_a_timeout_ends_the_wait_for_a_collective_that_hangs(self):
        for collective in (1, 8):  # the model goes to all ranks; their first step
            self.assertIn("--timeout reached", self.hang_on_rank_1(collective, "--timeout", "4")["detail"])

    def test_calls_of_nccl_that_do_not_return(self):
        # The first connects, under a time-out; the fortieth is in a later step, where silence itself is seen.
        for call, arguments, says in ((1, ("--timeout", "1"), "--timeout reached.* NCCL has not connected the ranks"),
                                      (40, ("--cuda-graph", "off"), "hangs")):
            done = self.launch_short(2, *arguments, environment={NCCL: f"stuck={call}"})
            self.assertEqual(done.returncode, 124, done.stderr)
            self.assertRegex(done.stderr, says)
            self.assertNotIn("ended by force", done.stderr)

    def test_an_id_that_nccl_cannot_make_ends_all_ranks(self):
        done = self.launch_short(3, environment={NCCL: "id=0"})
        self.assertEqual(done.returncode, 5, done.stderr)
        lines = [line for line in done.stderr.splitlines() if line.startswith("dlbench: ")]
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertIn("ncclGetUniqueId: invalid usage: Bootstrap : no socket interface found", lines[0])

    def test_gradients_where_nccl_has_no_memory_of_its_own(self):
        done = self.launch_short(2, environment={NCCL: "memalloc=0", "NCCL_COMM_BLOCKING": "1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("NCCL_COMM_BLOCKING=1: a call of NCCL that does not return"), 1)
        self.assertEqual(done.stderr.count("NCCL copies gradients that it could use in place"), 1)

    def test_all_gradients_are_where_nccl_may_map_them_or_none(self):
        done = self.launch_apart({NCCL: "memalloc=0"}, "comm", "--device", "cuda", "-b", "8", "-e", "1024", "-n", "3",
                                 "--output", self.folder / "comm.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("ncclMemAlloc: refused on another rank", done.stderr)

    def test_collectives_over_an_odd_number_of_ranks(self):
        path = self.folder / "comm.json"
        for dtype in ("f32", "bf16", "i64"):
            done = self.launch(3, "comm", "--device", "cuda", "-b", "8", "-e", "100000", "-f", "100", "-n", "3",
                               "-w", "1", "--dtype", dtype, "--output", path)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            report = self.report(path)
            self.assertEqual(
                {(each["transport"], each["device"], each["wrong"]) for each in report["collectives"]},
                {("nccl", "fake GPU 0", 0)})
            self.assertIn("over up to 3 ranks on fake GPU 0", done.stdout)
            self.assertIn("nccl", report["system"]["libraries"])

    def collectives(self, *arguments, environment=None, ranks=2):
        return self.launch(ranks, "comm", "--device", "cuda", "-b", "64", "-e", "640", "-f", "10", "--collectives",
                           "all_reduce,broadcast", "--output", self.folder / "comm.json", *arguments,
                           environment=environment)

    def test_collectives_are_replayed_and_enqueued(self):
        # More calls than one graph has, no round number of them, and none before them.
        for graph, calls, replayed in (("auto", 70, True), ("on", 1, True), ("off", 70, False)):
            done = self.collectives("--cuda-graph", graph, "-n", str(calls), "-w", "0")
            self.assertEqual(done.returncode, 0, done.stderr)
            measured = self.report(self.folder / "comm.json")["collectives"]
            self.assertEqual([(each["replayed"], each["time_s"]["n"], each["wrong"]) for each in measured],
                             4 * [(replayed, calls, 0)])
            self.assertGreater(min(each["time_s"]["min"] for each in measured), 0)
            self.assertEqual("in a replayed CUDA graph" in done.stdout, replayed)

    def test_collectives_without_room(self):
        done = self.collectives("-e", "64G", environment={GPU: "devices=2,memory_mib=4096"})
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("--maxbytes: the plan needs", done.stderr)

    def test_collectives_that_cannot_be_recorded(self):
        done = self.collectives("-n", "3", environment={GPU: "devices=2,graphs=0"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("the calls cannot be captured"), 1, done.stderr)
        self.assertEqual({(each["replayed"], each["wrong"])
                          for each in self.report(self.folder / "comm.json")["collectives"]}, {(False, 0)})
        done = self.collectives("-n", "3", "--cuda-graph", "on", environment={GPU: "devices=2,graphs=0"})
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("--cuda-graph off enqueues them", done.stderr)

    def test_collectives_whose_recording_costs_the_communicator(self):
        for choice in ("auto", "on"):
            done = self.collectives("-n", "3", "--cuda-graph", choice, environment={NCCL: "record=0"})
            self.assertEqual(done.returncode, 5, done.stderr)
            self.assertIn("--cuda-graph off enqueues them", done.stderr)
        done = self.collectives("-n", "3", "--cuda-graph", "off", environment={NCCL: "record=0"})
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_collectives_through_the_host_are_not_replayed(self):
        one = {GPU: "devices=1"}
        done = self.collectives("--share-gpu", "-n", "3", environment=one)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({(each["replayed"], each["transport"], each["wrong"])
                          for each in self.report(self.folder / "comm.json")["collectives"]},
                         {(False, "shared-window, host-staged", 0)})
        done = self.collectives("--share-gpu", "--cuda-graph", "on", environment=one)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("--cuda-graph on with --share-gpu: ranks 0 and 1", done.stderr)

    def test_timed_collectives_that_hang_or_fail(self):
        for graph in ("on", "off"):
            for fault, code, says in (("hang=30", 124, "hangs"), ("error=30", 5, SAYS_OF_AN_ERROR)):
                done = self.collectives("--cuda-graph", graph, "-n", "40", "--timeout", "20",
                                        environment={NCCL: fault})
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertRegex(done.stderr, says)

    def test_scale(self):
        path = self.folder / "scale.json"
        done = self.launch(2, "scale", "--mode", "weak", *SHORT, "--data", self.digits(), "--device", "cuda", "--output", path)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        (weak,) = [series for series in self.report(path)["scaling"] if series["mode"] == "weak"]
        self.assertEqual([point["ranks"] for point in weak["points"]], [1, 2])
        self.assertGreater(weak["points"][1]["all_reduce_s"], 0, "by the device's clock")

    def test_strong_sizes_without_room_are_left_out(self):
        done = self.launch(2, "scale", "--workload", "mnist_cnn", "--batch-size", "6000", "--trials", "synthetic",
                           "--data", self.digits(12000), "--device", "cuda", "--dry-run",
                           environment={GPU: "devices=2,memory_mib=6300"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, "strong, 1 rank left out: the plan needs .* the largest --global-batch-size found "
                                      "to fit is [0-9]+")
        self.assertRegex(done.stdout, r"strong +2 +6000 +12000")
        self.assertNotRegex(done.stdout, r"strong +1 ")
        # Enough for the step on each of both ranks, but not for NCCL beside it.
        done = self.launch(2, "scale", "--workload", "mnist_cnn", "--batch-size", "6000", "--trials", "synthetic",
                           "--mode", "weak", "--data", self.digits(12000), "--device", "cuda", "--dry-run",
                           environment={GPU: "devices=2,memory_mib=4200"})
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, "weak, 2 ranks: the plan needs 2[0-9]{3} MiB .* 35[0-9]{2} MiB are kept")

    def test_collectives_are_tied_to_the_all_reduce(self):
        kernels = set()
        for graph in ("off", "on"):
            done = self.launch_short(2, "--probes", "cupti", "--cuda-graph", graph)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertNotIn("fake", done.stderr)
            recorded = self.report(self.folder / "report.json")["trials"][0]["probes"]["cupti"]
            self.expect_consistent(recorded)
            self.assertGreater(recorded["collective_share"], 0)
            self.assertLessEqual(recorded["collective_beside_compute_share"], recorded["collective_share"])
            kernels.add(frozenset((row["name"], row["op"], row["phase"]) for row in recorded["kernels"]))
        self.assertEqual(len(kernels), 1)
        collectives = {row for row in next(iter(kernels)) if row[0].startswith("nccl")}
        self.assertEqual(collectives, {("ncclDevKernel_AllReduce_ncclFloat32", f"all_reduce_start/{bucket}",
                                        "all_reduce_wait") for bucket in (0, 1)})

    def test_a_collective_outside_of_all_ops_has_its_phase_in_replayed_steps_too(self):
        done = self.launch(2, "run", "--workload", "resunetpp", "--image-size", "16", *SHORT[2:], "--probes", "cupti",
                           "--device", "cuda", "--trials", "synthetic/device", "--cuda-graph", "on", "--output",
                           self.folder / "report.json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        recorded = self.report(self.folder / "report.json")["trials"][0]["probes"]["cupti"]
        buffers = [(row["op"], row["phase"]) for row in recorded["kernels"] if "Broadcast" in row["name"]]
        self.assertEqual(buffers, [(None, "all_reduce_wait")])
        self.assertNotIn("unknown_s", recorded["kernel_phases"])


if __name__ == "__main__":
    unittest.main()
