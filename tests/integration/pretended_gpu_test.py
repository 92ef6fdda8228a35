# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""dlbench on the pretended GPU of tests/engine/backend/cuda/pretended: all of the CUDA plug-in's host code, from
the command line to the report. No figure of these runs means anything."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import command

GPU = "DLBENCH_PRETENDED_GPU"
NCCL = "DLBENCH_PRETENDED_NCCL"
CUPTI = "DLBENCH_PRETENDED_CUPTI"
SHORT = ["--workload", "mnist_cnn", "--batch-size", "4", "--steps", "2", "--repetitions", "2", "--max-time", "1s",
         "--workers", "1", "--autotune", "off"]
LAUNCHER = "mpiexec.hydra"


class PretendedGpu(command.CommandTest):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="dlbench-gpu-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def digits(self, samples=128):
        folder = self.folder / f"digits-{samples}"
        if not folder.exists():
            done = self.dlbench("data", "generate", "--dataset", "mnist", "--out", folder, "--samples", samples)
            self.assertEqual(done.returncode, 0, done.stderr)
        return folder

    def run_short(self, *arguments, environment=None):
        path = self.folder / "report.json"
        done = self.dlbench("run", *SHORT, "--data", self.digits(), "--device", "cuda", "--output", path, *arguments,
                            environment=environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return self.report(path)

    def launch(self, ranks, *arguments, environment=None):
        if shutil.which(LAUNCHER) is None:
            self.skipTest(f"no {LAUNCHER}")
        variables = dict(os.environ, DLBENCH_CACHE_DIR=str(self.folder / "cache"), **{GPU: f"devices={ranks}"})
        variables.update(environment or {})
        return subprocess.run([LAUNCHER, "-n", str(ranks), command.PROGRAM, *map(str, arguments)],
                              capture_output=True, text=True, timeout=240, env=variables,
                              stdin=subprocess.DEVNULL, check=False)

    def launch_short(self, ranks, *arguments, environment=None):
        return self.launch(ranks, "run", *SHORT, "--probes", "none", "--data", self.digits(), "--device", "cuda", "--trials", "full",
                           "--output", self.folder / "report.json", *arguments, environment=environment)

    def test_all_trials(self):
        trace = self.folder / "trace.json"
        report = self.run_short("--trials", "io,synthetic/device,synthetic/host,full,interference", "--trace", trace)
        self.assertEqual(report["workload"]["device"], "pretended GPU 0")
        self.assertEqual(report["workload"]["backend"], "cuda")
        for library in ("cuda", "cuda_driver", "cudnn", "nccl", "cublaslt"):
            self.assertIn(library, report["system"]["libraries"])
        self.assertEqual({trial["kind"] for trial in report["trials"]}, {"io", "synthetic", "full", "interference"})
        self.assertIsNotNone(report["attribution"])
        nvml = [trial["probes"]["nvml"] for trial in report["trials"] if trial["kind"] == "full"]
        self.assertEqual({each["power_limit_watt"] for each in nvml}, {700.0})
        events = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
        self.assertLessEqual({"step", "load", "full"}, {event["name"] for event in events})
        kernels = {row["kernel"].split(":")[0] for row in report["operators"]}
        self.assertLessEqual({"cudnn", "cublaslt", "own"}, kernels)
        self.assertTrue(all(row["s_per_step"] >= 0 for row in report["operators"]))
        full = next(trial for trial in report["trials"] if trial["kind"] == "full")
        self.assertEqual({phase["source"] for phase in full["phases"]}, {"device events"})
        memory = report["workload"]["memory"]
        self.assertEqual(memory["planned_device_bytes"], sum(memory[f"{part}_bytes"] for part in (
            "parameters", "gradients", "optimizer", "activations", "workspace")))
        self.assertEqual(memory["planned_host_bytes"], memory["loader_buffers_bytes"] + memory["saved_state_bytes"])
        self.assertEqual(memory["planned_peak_bytes"], memory["planned_host_bytes"] + memory["planned_device_bytes"])
        self.assertAlmostEqual(sum(phase["share"] for phase in full["phases"]), 1.0, delta=0.02)
        copying = {trial["kind"] + "/" + (trial["variant"] or "") for trial in report["trials"]
                   if "host_to_device" in {phase["name"] for phase in trial["phases"]}}
        self.assertEqual(copying, {"synthetic/host", "full/", "interference/step_beside_loader"})

    def test_without_communication_nothing_is_copied_either(self):
        done = self.launch(2, "run", *SHORT, "--probes", "cupti", "--data", self.digits(), "--device", "cuda", "--trials",
                           "synthetic,synthetic/nocomm", "--output", self.folder / "report.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        copies = {trial["variant"]: [row["name"] for row in trial["probes"]["cupti"]["copies"]]
                  for trial in self.report(self.folder / "report.json")["trials"]}
        self.assertIn("host_to_device", copies["host"])
        self.assertNotIn("host_to_device", copies["device"] + copies["nocomm"])

    def test_an_error_beside_the_loader_ends_the_run(self):
        for device in ("cuda", "cpu"):
            done = self.dlbench("run", *SHORT, "--data", self.digits(), "--device", device, "--trials", "interference",
                                "--probes", "none", "--output", self.folder / "report.json",
                                environment={"DLBENCH_TEST_FAULT": "nan@0:15"})
            self.assertEqual(done.returncode, 5, done.stderr)
            self.assertIsNotNone(self.report(self.folder / "report.json")["run"]["failure"])

    def test_graphs_change_no_loss(self):
        losses = set()
        for options in (["--cuda-graph", "off"], ["--cuda-graph", "on"]):
            done = self.dlbench("train", "--workload", "mnist_cnn", "--batch-size", "16", "--epochs", "1", "--data",
                                self.digits(), "--device", "cuda", "--deterministic", "--output",
                                self.folder / "train.json", *options)
            self.assertEqual(done.returncode, 0, done.stderr)
            history = self.report(self.folder / "train.json")["history"]
            losses.add((history[-1]["train_loss"], history[-1]["valid_loss"]))
        self.assertEqual(len(losses), 1, losses)

    def test_trains_as_the_processor_does(self):
        # Of the last 31 samples one of two ranks has 16, as ever, and the other 15: all must record, or none.
        # Of 15 samples the ranks have 8 and 7, for which cuDNN has other plans.
        for ranks, batch, samples, precision, rounding in (
                (1, 8, 128, "fp32", 1e-3), (3, 24, 128, "fp32", 1e-3), (2, 32, 127, "fp32", 1e-3),
                (2, 15, 127, "bf16", 2e-2)):
            losses = {}
            for device in ("cpu", "cuda"):
                path = self.folder / f"{device}.json"
                done = self.launch(ranks, "train", "--workload", "mnist_cnn", "--global-batch-size", batch, "--epochs",
                                   "2", "--precision", precision, "--data", self.digits(samples), "--device", device,
                                   "--output", path)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertNotIn("pretended NCCL", done.stderr)
                losses[device] = [epoch[loss] for epoch in self.report(path)["history"]
                                  for loss in ("train_loss", "valid_loss")]
            self.assertEqual(len(losses["cpu"]), 4)
            for cpu, cuda in zip(losses["cpu"], losses["cuda"]):
                self.assertAlmostEqual(cpu, cuda, delta=rounding * abs(cpu), msg=f"{ranks} ranks: {losses}")

    def calls_of(self, *arguments, samples=128):
        """How often a run calls each function."""
        calls = self.folder / "calls.json"
        done = self.dlbench(*arguments, "--data", self.digits(samples), "--device", "cuda", "--autotune", "off", "--output",
                            self.folder / "report.json", environment={GPU: f"calls={calls}"})
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(calls.read_text(encoding="utf-8"))

    def test_a_steady_step_allocates_nothing_and_waits_for_no_stream(self):
        few, many = (self.calls_of("run", "--workload", "mnist_cnn", "--batch-size", "4", "--trials", "full",
                                   "--probes", "none", "--workers", "1", "--repetitions", "3", "--max-noise", "100",
                                   "--steps", str(steps)) for steps in (4, 24))
        steps = many["cudaGraphLaunch"] - few["cudaGraphLaunch"]
        self.assertGreaterEqual(steps, 3 * 20)
        for name in ("cudaMalloc", "cudaFree", "cudaHostAlloc", "cudaFreeHost", "cudaMemset", "cudaDeviceSynchronize",
                     "cudaStreamBeginCapture", "cudaGraphInstantiate", "cudaEventCreateWithFlags", "cudaLaunchKernel"):
            self.assertEqual(many[name], few[name], name)
        self.assertLess(many["cudaStreamSynchronize"] - few["cudaStreamSynchronize"], steps / 10)
        # Images and labels to the device, from there to where the recorded step reads them; the loss back.
        self.assertLessEqual(many["cudaMemcpyAsync"] - few["cudaMemcpyAsync"], 5 * steps)

    def test_training_replays_its_steps(self):
        train = ("train", "--workload", "mnist_cnn", "--batch-size", "16", "--epochs", "2")
        self.assertNotIn("cudaGraphLaunch", self.calls_of(*train, "--cuda-graph", "off"))
        for option in ("auto", "on"):
            self.assertGreater(self.calls_of(*train, "--cuda-graph", option)["cudaGraphLaunch"], 4)

    def test_steps_of_uneven_shares_are_recorded_where_all_ranks_do_so_at_once(self):
        # 4, 4 and 3 samples and at last 2, 2 and 2: two steps on each rank. 3, 3 and 2 and at last 3, 2 and 2: one step
        # on the first rank, two on the second.
        for batch, recorded in ((11, True), (8, False)):
            arguments = ("train", "--workload", "mnist_cnn", "--global-batch-size", batch, "--epochs", "3", "--autotune",
                         "off", "--data", self.digits(127), "--device", "cuda", "--cuda-graph", "on", "--output",
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
        done = self.launch(2, "scale", *SHORT, "--data", self.digits(), "--device", "cuda", "--trials", "full", "--output",
                           self.folder / "report.json",
                           environment={GPU: "devices=2,late_us=200", "DLBENCH_TEST_FAULT": "nan@1:10"})
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertEqual(self.report(self.folder / "report.json")["run"]["failure"]["rank"], 1)

    def test_training_does_not_wait_for_each_step(self):
        few, many = (self.calls_of("train", "--workload", "mnist_cnn", "--batch-size", "8", "--epochs", "1",
                                   samples=samples) for samples in (128, 384))
        steps = many["cudaGraphLaunch"] - few["cudaGraphLaunch"]
        self.assertGreaterEqual(steps, 256 / 8)
        self.assertLess(many["cudaStreamSynchronize"] - few["cudaStreamSynchronize"], steps / 10)

    def test_devices_are_chosen(self):
        for variables, option, wanted in (
                ({GPU: "devices=2"}, "cuda", "pretended GPU 0"),
                ({GPU: "devices=2"}, "cuda:1", "pretended GPU 1"),
                ({GPU: "devices=2", "CUDA_VISIBLE_DEVICES": "1"}, "cuda", "pretended GPU 1")):
            report = self.run_short("--trials", "synthetic", "--probes", "none", "--device", option,
                                    environment=variables)
            self.assertEqual(report["workload"]["device"], wanted)

    def test_devices_that_cannot_be_used(self):
        base = ("run", *SHORT, "--trials", "synthetic", "--data", self.digits(), "--output",
                self.folder / "report.json", "--device")
        for variables, option, code, says in (
                ({GPU: "attach_error=46"}, "cuda", 2, ["in exclusive use by another process"]),
                ({GPU: "attach_error=999"}, "cuda", 2, ["cannot be used", "CUDA error 999"]),
                ({GPU: "prohibited=1"}, "cuda", 2, ["prohibited", "nvidia-smi -c DEFAULT"]),
                ({GPU: "capability=6.1"}, "cuda", 2, ["compute capability 6.1", "architectures"]),
                ({GPU: "devices=2"}, "cuda:2", 2, ["there is no device 2: 2 are visible"]),
                ({"CUDA_VISIBLE_DEVICES": ""}, "cuda", 2, ["CUDA_VISIBLE_DEVICES is empty"]),
                ({"CUDA_VISIBLE_DEVICES": "7"}, "cuda", 2, ["CUDA_VISIBLE_DEVICES='7' names no device"]),
                ({GPU: "memory_mib=300"}, "cuda", 1, ["300 MiB are available", "of device memory"]),
                ({GPU: "fails_at=50"}, "cuda", 5, ["an illegal memory access was encountered"])):
            self.expect_error(code, *base, option, environment=variables, says=says)

    def test_auto_says_why_it_takes_the_processor(self):
        done = self.dlbench("run", *SHORT, "--trials", "synthetic", "--data", self.digits(), "--output",
                            self.folder / "report.json", environment={GPU: "prohibited=1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("using cpu: device 0 (pretended GPU 0) is in compute mode 'prohibited'", done.stderr)

    def test_a_device_that_fails_leaves_a_report(self):
        path = self.folder / "report.json"
        self.expect_error(5, "run", *SHORT, "--data", self.digits(), "--device", "cuda", "--trials", "full",
                          "--cuda-graph", "off", "--output", path, environment={GPU: "fails_at=400"},
                          says=["an illegal memory access was encountered"])
        report = self.report(path)
        self.assertEqual((report["run"]["status"], report["run"]["exit_code"]), ("failed", 5))

    def test_ranks(self):
        done = self.launch_short(2)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        report = self.report(self.folder / "report.json")
        self.assertIn("nccl", report["system"]["libraries"])
        self.assertEqual([rank["device"] for rank in report["trials"][0]["per_rank"]],
                         ["pretended GPU 0", "pretended GPU 1"])
        self.assertNotIn("pretended", done.stderr)

    def test_ranks_on_one_device(self):
        one = {GPU: "devices=1"}
        done = self.launch_short(2, environment=one)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("use one GPU", done.stderr)
        done = self.launch_short(2, "--share-gpu", environment=one)
        self.assertEqual(done.returncode, 0, done.stderr)
        taints = {taint["code"] for taint in self.report(self.folder / "report.json")["run"]["taints"]}
        self.assertIn("oversubscribed", taints)

    def test_collectives_that_hang_or_fail(self):
        for fault, code, says in (("hang=12", 124, "hangs"), ("error=12", 5, "a collective of NCCL failed")):
            done = self.launch_short(2, "--timeout", "60", environment={NCCL: fault})
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(says, done.stderr)

    def test_gradients_where_nccl_has_no_memory_of_its_own(self):
        done = self.launch_short(2, environment={NCCL: "memalloc=0"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("NCCL copies gradients that it could use in place"), 1)

    def test_all_gradients_are_where_nccl_may_map_them_or_none(self):
        if shutil.which(LAUNCHER) is None:
            self.skipTest(f"no {LAUNCHER}")
        program = [command.PROGRAM, "comm", "--device", "cuda", "-b", "8", "-e", "1024", "-n", "3", "--output",
                   str(self.folder / "comm.json")]
        one = [LAUNCHER, "-genv", GPU, "devices=2", "-n", "1", *program]
        other = ["-n", "1", "-env", NCCL, "memalloc=0", *program]
        done = subprocess.run([*one, ":", *other], capture_output=True, text=True, timeout=120,
                              stdin=subprocess.DEVNULL, check=False)
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
                {("nccl", "pretended GPU 0", 0)})
            self.assertIn("over up to 3 ranks on pretended GPU 0", done.stdout)
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
        self.assertEqual(done.stderr.count("the calls cannot be recorded"), 1, done.stderr)
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
            for fault, code, says in (("hang=30", 124, "hangs"), ("error=30", 5, "a collective of NCCL failed")):
                done = self.collectives("--cuda-graph", graph, "-n", "40", "--timeout", "20",
                                        environment={NCCL: fault})
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(says, done.stderr)

    def test_scale(self):
        path = self.folder / "scale.json"
        done = self.launch(2, "scale", *SHORT, "--data", self.digits(), "--device", "cuda", "--output", path)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual([[point["ranks"] for point in series["points"]]
                          for series in self.report(path)["scaling"] if series["mode"] == "weak"], [[1, 2]])

    def recorded(self, *arguments, environment=None):
        """By trial what CUPTI recorded, and the whole report. The stand-ins say what they refuse."""
        path = self.folder / "report.json"
        done = self.dlbench("run", *SHORT, "--data", self.digits(), "--device", "cuda", "--output", path, "--probes",
                            "cupti", *arguments, environment=environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("pretended cupti", done.stderr)
        report = self.report(path)
        return {"/".join(filter(None, (trial["kind"], trial["variant"]))): trial["probes"]["cupti"]
                for trial in report["trials"] if "cupti" in trial["probes"]}, report

    def expect_consistent(self, recorded):
        """What docs/probes.md promises of any recording."""
        self.assertTrue(recorded["available"])
        self.assertEqual(recorded["dropped_records"], 0)
        self.assertEqual(recorded["kernel_without_op_share"], 0)
        shares = recorded["idle"]
        self.assertAlmostEqual(recorded["busy_share"] + recorded["idle_share"], 1, places=6)
        self.assertAlmostEqual(sum(shares.values()), recorded["idle_share"], places=6)
        for share in (recorded["busy_share"], recorded["compute_share"], recorded["copy_share"], *shares.values()):
            self.assertGreaterEqual(share, 0)
            self.assertLessEqual(share, 1)
        self.assertLessEqual(recorded["compute_share"], recorded["busy_share"])
        self.assertAlmostEqual(sum(row["share"] for row in recorded["kernels"]), 1, places=6)
        self.assertAlmostEqual(sum(row["total_s"] for row in recorded["kernels"]),
                               sum(recorded["kernel_phases"].values()), places=6)
        for row in recorded["kernels"]:
            self.assertIsNotNone(row["op"], row)
            self.assertIn(row["phase"], ("forward", "loss", "backward", "all_reduce_wait", "optimizer"), row)
            # The window begins and ends between two steps of the host, and within one of the device.
            self.assertAlmostEqual(row["calls"], recorded["steps"], delta=1, msg=row)
        waits = {row["name"]: row["calls"] for row in recorded["synchronizations"]}
        self.assertEqual(waits, {"event": recorded["steps"]})

    def expect_copies(self, recorded, batch_bytes):
        """Those of a batch: from the host into one of two memories, from there to where the step reads."""
        steps = recorded["steps"]
        copies = {row["name"]: row for row in recorded["copies"]}
        for name in ("host_to_device", "device_to_device"):
            self.assertAlmostEqual(copies[name]["calls"], 2 * steps, delta=4)
            self.assertAlmostEqual(copies[name]["bytes"], batch_bytes * steps, delta=2 * batch_bytes)
            self.assertAlmostEqual(copies[name]["bytes_per_s"], copies[name]["bytes"] / copies[name]["total_s"],
                                   delta=1)

    def test_kernels_copies_and_idle_time_are_recorded(self):
        batch_bytes = 4 * (28 * 28 + 4)  # bytes of the pictures, labels of four
        kernels = {}
        for graph in ("off", "on"):
            trials, _ = self.recorded("--trials", "synthetic/device,full", "--cuda-graph", graph)
            self.assertEqual(set(trials), {"synthetic/device", "full"})
            for name, recorded in trials.items():
                self.expect_consistent(recorded)
                rows = sorted((row["name"], row["op"], row["phase"]) for row in recorded["kernels"])
                self.assertEqual(rows, kernels.setdefault(name, rows), graph)
                self.assertEqual("graph_nodes" in recorded, graph == "on")
                if graph == "on":
                    self.assertEqual(recorded["graph_nodes"],
                                     {"captured": len(rows), "recorded": len(rows), "tied_to_ops": True})
            self.expect_copies(trials["full"], batch_bytes)
            self.assertEqual({row["name"] for row in trials["synthetic/device"]["copies"]}, {"device_to_host"})
        self.assertEqual(kernels["full"], kernels["synthetic/device"])
        names = {name for name, _, _ in kernels["full"]}
        self.assertLessEqual({"pretended_cudnn_wgrad", "pretended_cublaslt_gemm"}, names)
        self.assertTrue(any("cuda::MaxPoolWindowPack<float, 4" in name for name in names), names)

    def test_the_devices_tracks_lie_on_the_hosts_clock(self):
        path = self.folder / "trace.json"
        self.recorded("--trials", "synthetic/device,full", "--trace", path)
        events = json.loads(path.read_text(encoding="utf-8"))["traceEvents"]
        tracks = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
        spans = [event for event in events if event["ph"] == "X"]
        trials = [event for event in spans if event["cat"] == "trial"]
        device = [event for event in spans if tracks[event["tid"]].startswith("GPU stream")]
        self.assertEqual(len(trials), 2)

        def within(inner, outer, slack_us=100):
            return (inner["ts"] >= outer["ts"] - slack_us
                    and inner["ts"] + inner["dur"] <= outer["ts"] + outer["dur"] + slack_us)

        for event in device:
            self.assertEqual(sum(within(event, trial) for trial in trials), 1, event)
        by_track = {}
        for event in device:
            by_track.setdefault(event["tid"], []).append(event)
        for track in by_track.values():
            track.sort(key=lambda event: event["ts"])
            for before, after in zip(track, track[1:]):
                self.assertLessEqual(before["ts"] + before["dur"], after["ts"] + 0.002)
        # Each step's batch is copied before the step's first kernel runs, one loss is read for each.
        losses = [event for event in device if event["name"] == "device_to_host"]
        steps = [event for event in spans if event["cat"] == "step"]
        self.assertGreaterEqual(len(losses), len(steps))

    def test_recordings_of_all_trials(self):
        trials, report = self.recorded("--trials", "io,synthetic/device,synthetic/host,full,interference")
        self.assertEqual(set(trials), {"synthetic/device", "synthetic/host", "full", "interference/step_beside_loader"})
        self.assertIsNotNone(report["attribution"])
        self.assertNotIn("dropped_profiler_records", {taint["code"] for taint in report["run"]["taints"]})
        for name, recorded in trials.items():
            self.assertEqual((recorded["dropped_records"], recorded["kernel_without_op_share"]), (0, 0), name)
            self.assertTrue(recorded["graph_nodes"]["tied_to_ops"], name)

    def test_kernels_of_a_graph_that_are_tied_to_another_launch(self):
        trials, _ = self.recorded("--trials", "synthetic/device,full", environment={CUPTI: "stale_correlations=1"})
        for recorded in trials.values():
            self.expect_consistent(recorded)

    def test_a_kept_recording_names_its_ops(self):
        for graph in ("off", "on"):
            _, report = self.recorded("--trials", "full", "--cuda-graph", graph, "--record-probes", self.folder)
            kept = json.loads((self.folder / "cupti.json").read_text(encoding="utf-8"))
            ops = {op: (name, phase) for op, name, phase in kept["ops"]}
            ties = dict(map(tuple, kept["graph_node_op" if graph == "on" else "correlation_op"]))
            self.assertGreater(len(ties), 0)
            self.assertLessEqual(set(ties.values()), set(ops))
            table = {(row["op"], row["phase"]) for row in report["trials"][0]["probes"]["cupti"]["kernels"]}
            self.assertLessEqual(table, set(ops.values()))

    def test_records_that_are_lost_or_have_no_time(self):
        for fault in ("drop_every=50", "untimed_every=50"):
            trials, report = self.recorded("--trials", "synthetic/device", environment={CUPTI: fault})
            recorded = trials["synthetic/device"]
            launched = sum(row["calls"] for row in recorded["kernels"] + recorded["copies"])
            # Those of the steps before the window count as well.
            self.assertAlmostEqual(recorded["dropped_records"], launched / 50, delta=launched / 150 + 2)
            self.assertIn("dropped_profiler_records", {taint["code"] for taint in report["run"]["taints"]})
            self.assertEqual(recorded["kernel_without_op_share"], 0)

    def test_why_nothing_is_recorded(self):
        for environment, options, says in (
                ({CUPTI: "owned=1"}, (), "another tool owns the profiler of this process"),
                ({CUPTI: "gain_ppm=5000"}, (), "was set by"),
                ({}, ("--capture-steps", "1-2"), "--capture-steps leaves the profiler of this process")):
            path = self.folder / "report.json"
            done = self.dlbench("run", *SHORT, "--data", self.digits(), "--device", "cuda", "--output", path,
                                "--trials", "full", *options, environment=environment)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(done.stderr.count(says), 1, done.stderr)
            probe = self.report(path)["probes"]["cupti"]
            self.assertFalse(probe["available"])
            self.assertIn(says, probe["reason"])

    def test_counters_that_an_administrator_keeps(self):
        path = self.folder / "report.json"
        done = self.dlbench("run", *SHORT, "--data", self.digits(), "--device", "cuda", "--output", path, "--trials",
                            "full")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        probes = self.report(path)["probes"]
        self.assertTrue(probes["cupti"]["available"])
        for name in ("cupti_counters", "cupti_sampling"):
            self.assertIn("only administrators", probes[name]["reason"])

    def test_collectives_are_tied_to_the_all_reduce(self):
        kernels = set()
        for graph in ("off", "on"):
            done = self.launch_short(2, "--probes", "cupti", "--cuda-graph", graph)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertNotIn("pretended", done.stderr)
            recorded = self.report(self.folder / "report.json")["trials"][0]["probes"]["cupti"]
            self.expect_consistent(recorded)
            kernels.add(frozenset((row["name"], row["op"], row["phase"]) for row in recorded["kernels"]))
        self.assertEqual(len(kernels), 1)
        collectives = {row for row in next(iter(kernels)) if row[0].startswith("nccl")}
        self.assertEqual(collectives, {("ncclDevKernel_AllReduce_ncclFloat32", f"all_reduce_start/{bucket}",
                                        "all_reduce_wait") for bucket in (0, 1)})


if __name__ == "__main__":
    unittest.main()
