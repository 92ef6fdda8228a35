# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""dlbench on a pretended GPU: all of the CUDA plug-in's host code, from the command line to the report. No figure of
these runs means anything."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

import command
from pretended_gpu import CUPTI, GPU, PROCESSES, REASONS, SHORT, XID, PretendedGpuTest


class PretendedGpu(PretendedGpuTest):
    def test_all_trials(self):
        trace = self.folder / "trace.json"
        report = self.run_short("--trials", "io,synthetic/device,synthetic/host,full,interference", "--trace", trace,
                                "--probes", "cupti,nvml,nvml_pcie,nvtx,perf_event,proc")
        self.assertEqual(report["workload"]["device"], "pretended GPU 0")
        self.assertEqual(report["workload"]["backend"], "cuda")
        self.assertIsNone(report["config"]["effective"]["threads"], "a GPU has none of the host's")
        for library in ("cuda", "cuda_driver", "cudnn", "nccl", "cublaslt"):
            self.assertIn(library, report["system"]["libraries"])
        self.assertEqual({trial["kind"] for trial in report["trials"]}, {"io", "synthetic", "full", "interference"})
        self.assertIsNotNone(report["attribution"])
        self.assertEqual(report["probes"]["nvml"]["library"], "NVML of driver 0.1")
        self.assertRegex(report["probes"]["cupti"]["library"], r"^CUPTI \d+\.\d+\.\d+$")
        self.assertRegex(report["system"]["libraries"]["cublaslt"], r"^\d+\.\d+\.\d+$")
        nvml = [trial["probes"]["nvml"] for trial in report["trials"] if trial["kind"] == "full"]
        self.assertEqual({each["power_limit_watt"] for each in nvml}, {700.0})
        for trial in report["trials"]:
            counted = trial["probes"].get("nvml_pcie")
            if trial["kind"] == "io":
                self.assertIsNone(counted, "no step of the network")
            elif trial["kind"] != "interference":
                self.assertGreater(counted["steps"], 0)
                self.assertGreater(counted["received_bytes_per_step"], 0)
                self.assertIn("slowdown_share", counted)
        # As the acceptance on a GPU asks of it.
        rows = subprocess.run([sys.executable, "-B", pathlib.Path(__file__).parents[1] / "gpu" / "probe_rows.py",
                               self.folder / "report.json"], capture_output=True, text=True, timeout=60, check=False)
        for probe in ("cupti", "nvml", "nvml_pcie"):
            self.assertRegex(rows.stdout, rf"(?m)^passed {probe}: measured in 4 trials", rows.stderr)
        self.assertRegex(rows.stdout, "(?m)^FAILED cupti_counters: .*: not asked for")
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

    def test_an_error_beside_the_loader_ends_the_run(self):
        for device in ("cuda", "cpu"):
            done = self.dlbench("run", *SHORT, "--data", self.digits(), "--device", device, "--trials", "interference",
                                "--probes", "none", "--output", self.folder / "report.json",
                                environment={"DLBENCH_TEST_FAULT": "nan@0:1"})
            self.assertEqual(done.returncode, 5, done.stderr)
            failure = self.report(self.folder / "report.json")["run"]["failure"]
            self.assertIn("interference/step_beside_loader", failure["phase"])

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

    def test_a_training_that_is_watched(self):
        path = self.folder / "train.json"
        trace = self.folder / "trace.json"
        done = self.dlbench("train", "--workload", "mnist_cnn", "--batch-size", "16", "--epochs", "2", "--autotune", "off",
                            "--data", self.digits(), "--device", "cuda", "--probes", "nvml", "--trace", trace, "--output", path,
                            environment={REASONS: str(0x40), PROCESSES: "self:80"})
        self.assertEqual(done.returncode, 0, done.stderr)
        report = self.report(path)
        events = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
        steps = [event["args"]["id"] for event in events if event["name"] == "step"]
        self.assertEqual(steps, 2 * list(range(1, 9)), "those that are replayed too")
        self.assertLess(len([event for event in events if event["name"] == "backward"]), 2 * 8)
        waits = [event["cat"] for event in events if event["name"] == "data_wait"]
        batches = [event for event in events if event["name"] in ("step", "validation step")]
        self.assertEqual(waits, ["phase"] * len(batches), "the host waits for each batch, replayed or not")
        self.assertEqual([skip["what"] for skip in report["run"]["skipped"]], ["phases and ops in the trace"])
        self.assertEqual(done.stderr.count("--cuda-graph off runs them node by node"), 1, done.stderr)
        for epoch in report["history"]:
            self.assertGreater(epoch["disturbance"]["sm_clock_mhz"], 0)
            self.assertEqual(epoch["disturbance"]["throttle_reasons"], ["hardware_thermal"])
            self.assertEqual(epoch["disturbance"]["foreign_gpu_share"], 0)

    def calls_of(self, *arguments, samples=128):
        """How often a run calls each function."""
        calls = self.folder / "calls.json"
        done = self.dlbench(*arguments, "--data", self.digits(samples), "--device", "cuda", "--autotune", "off", "--output",
                            self.folder / "report.json", environment={GPU: f"calls={calls}"})
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(calls.read_text(encoding="utf-8"))

    def test_a_steady_step_allocates_nothing_and_waits_for_no_stream(self):
        # Not run, which profiles its operators in as many steps as last a quarter of a second.
        few, many = (self.calls_of("scale", "--mode", "weak", "--workload", "mnist_cnn", "--batch-size", "4",
                                   "--trials", "full", "--workers", "1", "--repetitions", "3", "--max-noise", "100", "--time-budget", "8",
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
            report = self.run_short("--trials", "synthetic/device", "--probes", "none", "--device", option,
                                    environment=variables)
            self.assertEqual(report["workload"]["device"], wanted)
            number = int(wanted[-1]) + 1
            self.assertEqual((report["workload"]["device_address"], report["workload"]["device_uuid"]),
                             (f"0000:4{number}:00.0", f"GPU-{number}" if number == 1 else None))
        done = self.dlbench("run", *SHORT, "--data", self.digits(), "--device", "cuda", "--dry-run")
        self.assertIn("not estimated: run `dlbench info --measure-peaks --device cuda` first", done.stdout)

    def test_devices_that_cannot_be_used(self):
        base = ("run", *SHORT, "--trials", "synthetic", "--data", self.digits(), "--output",
                self.folder / "report.json", "--device")
        for variables, option, code, says in (
                ({GPU: "attach_error=46"}, "cuda", 2, ["in exclusive use by another process"]),
                ({GPU: "devices=2,taken=0"}, "cuda", 2, ["by another process: --device cuda:N asks for another one"]),
                ({GPU: "attach_error=999"}, "cuda", 2, ["cannot be used", "CUDA error 999"]),
                ({GPU: "prohibited=1"}, "cuda", 2, ["prohibited", "nvidia-smi -c DEFAULT"]),
                ({GPU: "capability=6.1"}, "cuda", 2, ["compute capability 6.1", "architectures"]),
                ({GPU: "devices=2"}, "cuda:2", 2, ["there is no device 2: 2 are visible"]),
                ({"CUDA_VISIBLE_DEVICES": ""}, "cuda", 2, ["CUDA_VISIBLE_DEVICES is empty"]),
                ({"CUDA_VISIBLE_DEVICES": "7"}, "cuda", 2, ["CUDA_VISIBLE_DEVICES='7' names no device"]),
                ({GPU: "memory_mib=300"}, "cuda", 1, ["300 MiB are available", "of device memory"]),
                ({GPU: "fails_at=50"}, "cuda", 5, ["an illegal memory access was encountered"])):
            self.expect_error(code, *base, option, environment=variables, says=says)
        done = self.expect_error(5, "verify", "--op", "linear", "--backend", "cuda", environment={GPU: "fails_at=60"},
                                 says=["linear case ", "an illegal memory access was encountered"])
        self.assertRegex(done.stdout, r"passed linear case 0 [^!]+\nverify: ended early, until then \d+ of \d+ cases passed")
        two = {GPU: "devices=2"}
        self.expect_error(2, "verify", "--op", "linear", "--backend", "cuda:2", environment=two,
                          says=["there is no device 2: 2 are visible"])
        self.expect_error(2, "verify", "--op", "conv", "--backend", "cuda", "--conv-algorithm", "winograd",
                          says=["no case was run: the cuda backend chooses among cuDNN's plans"])
        for precision, says in (("bf16", "--precision bf16: bf16 needs compute capability 8.0, pretended GPU 0 is sm_75"),
                                ("tf32", "--precision tf32: tf32 needs compute capability 8.0, pretended GPU 0 is sm_75")):
            self.expect_error(2, *base, "cuda", "--precision", precision, environment={GPU: "capability=7.5"},
                              says=[says])

    def test_auto_says_why_it_takes_the_processor(self):
        done = self.dlbench("run", *SHORT, "--trials", "synthetic", "--data", self.digits(), "--output",
                            self.folder / "report.json", environment={GPU: "prohibited=1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("using cpu: device 0 (pretended GPU 0) is in compute mode 'prohibited'", done.stderr)
        skipped = {item["what"]: item["reason"] for item in self.report(self.folder / "report.json")["run"]["skipped"]}
        self.assertIn("is in compute mode 'prohibited'", skipped["first choice of --device auto"])

    def test_auto_takes_a_device_that_nobody_else_has(self):
        path = self.folder / "report.json"
        short = ("--data", self.digits(), "--output", path)
        for arguments in (("run", *SHORT, "--trials", "synthetic/device", "--probes", "none", *short),
                          ("scale", *SHORT, "--trials", "synthetic/device", *short)):
            done = self.dlbench(*arguments, environment={GPU: "devices=3,taken=0"})
            self.assertEqual(done.returncode, 0, done.stderr)
            report = self.report(path)
            self.assertEqual(report["workload"]["device"], "pretended GPU 1")
            self.assertEqual(["first choice of --device auto"], [item["what"] for item in report["run"]["skipped"]
                                                   if "exclusive use" in item["reason"]])
            self.assertEqual(done.stderr.count("using cuda:1: device 0 (pretended GPU 0) is in exclusive use by "
                                               "another process"), 1, done.stderr)
        done = self.dlbench("info", environment={GPU: "devices=3,taken=0", "CUDA_LAUNCH_BLOCKING": "1"})
        self.assertRegex(done.stdout, r"  cuda +pretended GPU 1, [^\n]+\n +passed over: device 0 \(pretended GPU 0\) is in "
                                      r"exclusive use")
        self.assertRegex(done.stdout, r"  cupti +every kernel")
        self.assertEqual(done.stderr.count("CUDA_LAUNCH_BLOCKING=1: the host waits for each kernel"), 1, done.stderr)
        done = self.dlbench("run", *SHORT, "--trials", "synthetic", *short,
                            environment={GPU: "devices=2,attach_error=46"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"using cpu: device 0 .+ exclusive use .+; device 1 .+ exclusive use")

    def test_a_device_that_fails_leaves_a_report(self):
        path = self.folder / "report.json"
        self.expect_error(5, "run", *SHORT, "--data", self.digits(), "--device", "cuda", "--trials", "full",
                          "--cuda-graph", "off", "--output", path, environment={GPU: "fails_at=400"},
                          says=["an illegal memory access was encountered"])
        report = self.report(path)
        self.assertEqual((report["run"]["status"], report["run"]["exit_code"]), ("failed", 5))

    def test_plans_that_compute_something_else_are_not_trained_with(self):
        for command in (("run", *SHORT, "--trials", "synthetic"), ("train", "--workload", "mnist_cnn", "--epochs", "1")):
            self.expect_error(1, *command, "--data", self.digits(), "--device", "cuda", "--output",
                              self.folder / "report.json", environment={GPU: "wrong_engines=all"},
                              says=["none of the plans for conv ", " can be taken; eng", ": computes ", ", wanted "])

    def test_what_the_driver_tells_of_the_device_ends_the_run(self):
        path = self.folder / "report.json"
        run = ("run", *SHORT, "--data", self.digits(), "--device", "cuda", "--trials", "synthetic", "--output", path)
        self.expect_error(5, *run, environment={XID: "79@1"}, says=["trial synthetic/device", "Xid 79"])
        self.assertEqual(self.report(path)["run"]["exit_code"], 5)
        for fault, says in (("ecc@2", "lost data to an uncorrected memory error"), ("lost@3", "no longer answers")):
            self.expect_error(5, *run, environment={XID: fault}, says=["trial synthetic/", says])

    def test_what_the_driver_tells_behind_the_last_repetition_ends_the_run(self):
        for look in (3, 4, 5, 6, 7, 3, 4):  # the third, or a later one where repetitions were disturbed
            done = self.dlbench("run", *SHORT, "--data", self.digits(), "--device", "cuda", "--trials", "synthetic/device",
                                "--probes", "nvml", "--output", self.folder / "report.json", environment={XID: f"79@{look}"})
            if done.returncode == 0:
                continue  # this one was disturbed less, and ended before that look
            self.assertEqual(done.returncode, 5, done.stderr)
            self.assertIn("Xid 79", done.stderr)
            if "dlbench: profiling: " in done.stderr:
                return
        self.fail(done.stderr)

    def test_a_step_that_fails_names_what_the_driver_told(self):
        path = self.folder / "report.json"
        run = ("run", *SHORT, "--data", self.digits(), "--device", "cuda", "--trials", "synthetic", "--output", path)
        for arguments in (run, ("train", "--workload", "mnist_cnn", "--epochs", "1", "--batch-size", "8",
                                "--data", self.digits(), "--device", "cuda", "--output", path)):
            self.expect_error(5, *arguments, "--cuda-graph", "off", environment={GPU: "fails_at=100", XID: "31@1"},
                              says=["an illegal memory access was encountered", "Xid 31"])

    def test_verify_takes_the_gpu_that_it_is_told(self):
        verify = ("verify", "--workload", "mnist_cnn", "--backend", "cuda:1", "--batch-size", "4")
        done = self.dlbench(*verify, environment={GPU: "devices=2"})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("verify: mnist_cnn on pretended GPU 1 at 0000:42:00.0, batch 4", done.stdout)
        self.assertRegex(done.stdout, r"cuda +[\d.]+ s for 4 steps \(the last replayed\) with set-up")
        done = self.dlbench(*verify, environment={GPU: "devices=2,graphs=0"})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"cuda +[\d.]+ s for 4 steps with set-up")

    def test_what_the_driver_tells_ends_commands_without_probes_too(self):
        data = ("--data", self.digits(), "--device", "cuda")
        scale = ("scale", *SHORT, *data, "--trials", "synthetic", "--output", self.folder / "report.json")
        comm = ("comm", "--device", "cuda", "-b", "8", "-e", "8", "-n", "3", "--output", self.folder / "comm.json")
        for arguments, says in ((scale, "trial synthetic"), (comm, "collectives over 1 rank"),
                                (("verify", "--workload", "mnist_cnn", "--backend", "cuda"), "verify"),
                                (("verify", "--op", "linear", "--backend", "cuda"), "verify")):
            self.expect_error(5, *arguments, environment={XID: "79@1"}, says=[says, "Xid 79"])
        # A step that fails names it as well.
        self.expect_error(5, *scale, "--cuda-graph", "off", environment={GPU: "fails_at=100", XID: "31@1"},
                          says=["an illegal memory access was encountered", "Xid 31"])

    def recorded(self, *arguments, environment=None, seconds=0.1):
        """By trial what CUPTI recorded, in so many seconds at most, and the whole report. The stand-ins say what they
        refuse."""
        path = self.folder / "report.json"
        short = [f"{seconds}s" if option == "0.1s" else option for option in SHORT]
        done = self.dlbench("run", *short, "--data", self.digits(), "--device", "cuda", "--output", path, "--probes",
                            "cupti", *arguments, environment=environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("pretended cupti", done.stderr)
        report = self.report(path)
        return {"/".join(filter(None, (trial["kind"], trial["variant"]))): trial["probes"]["cupti"]
                for trial in report["trials"] if "cupti" in trial["probes"]}, report

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
        batch_bytes = 2 * (28 * 28 + 4)  # of two pictures, and a label of four bytes for each
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
        kernels = [event["args"] for event in device if event["cat"] == "kernel"]
        self.assertIn({"id": 1, "op": "conv1", "phase": "forward"}, kernels)
        self.assertTrue(all(set(kernel) == {"id", "op", "phase"} for kernel in kernels), kernels)
        self.assertTrue(all(event["args"]["bytes"] > 0 for event in device if event["cat"] == "copy"))
        self.assertIn("GPU synchronization", tracks.values())

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

    def test_a_recording_that_cannot_be_kept_takes_no_number_away(self):
        for probe in ("cupti", "nvml"):
            (self.folder / f"{probe}.json").mkdir()
        done = self.dlbench("run", *SHORT, "--data", self.digits(), "--device", "cuda", "--trials", "synthetic/device",
                            "--probes", "cupti,nvml", "--record-probes", self.folder, "--output",
                            self.folder / "report.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        for probe in ("cupti", "nvml"):
            self.assertRegex(done.stderr, f"warning: --record-probes keeps nothing in .*{probe}.json")
        recorded = self.report(self.folder / "report.json")["trials"][0]["probes"]
        self.expect_consistent(recorded["cupti"])
        self.assertGreater(recorded["nvml"]["samples"], 1)

    def test_records_that_are_lost_or_have_no_time(self):
        for fault in ("drop_every=50", "untimed_every=50"):
            trials, report = self.recorded("--trials", "synthetic/device", environment={CUPTI: fault}, seconds=2)
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
                                "--probes", "cupti", "--trials", "full", *options, environment=environment)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(done.stderr.count(says), 1, done.stderr)
            probe = self.report(path)["probes"]["cupti"]
            self.assertFalse(probe["available"])
            self.assertIn(says, probe["reason"])

    def test_an_interrupt_while_cupti_records(self):
        path = self.folder / "report.json"
        arguments = ["run", "--workload", "mnist_cnn", "--batch-size", "2", "--steps", "2", "--repetitions", "2",
                     "--max-time", "3s", "--max-noise", "100", "--autotune", "off", "--data", self.digits(), "--device",
                     "cuda", "--probes", "cupti", "--trials", "synthetic/device", "--output", path]

        def interrupt(delay_s):
            """So long after the report has its operators, the last before the probes; the phase that it ended in."""
            path.unlink(missing_ok=True)
            job = subprocess.Popen([command.PROGRAM, *map(str, arguments)], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True,
                                   env=dict(os.environ, **{GPU: "devices=1,late_us=4000"}))
            self.addCleanup(job.kill)
            while job.poll() is None and not (path.exists() and self.report(path)["operators"]):
                time.sleep(0.02)
            time.sleep(delay_s)
            job.send_signal(signal.SIGINT)
            _, errors = job.communicate(timeout=60)
            self.assertIn(job.returncode, (0, 130), errors)
            self.assertNotIn("pretended", errors)
            failure = self.report(path)["run"]["failure"]
            return failure and failure["phase"]

        # How long CUPTI's window takes is the machine's business.
        self.assertIn("profiling", map(interrupt, (0.5, 0.2, 1.0, 0.1, 2.0)))

    def test_a_machine_without_cupti(self):
        names = ("cupti", "cupti_counters", "cupti_sampling")
        done = self.dlbench("info")
        for name in names:
            self.assertRegex(done.stdout, rf"\n  {name} .*\(CUPTI \d+\.\d+\.\d+\)\n")
        without = {CUPTI: "missing=1"}
        says = "CUPTI does not load: "
        done = self.dlbench("info", environment=without)
        for name in names:
            self.assertRegex(done.stdout, rf"\n  {name} +not here: {says}")
        for probes in ((), ("--probes", ",".join(names) + ",nvml")):
            path = self.folder / "report.json"
            done = self.dlbench("run", *SHORT, "--data", self.digits(), "--device", "cuda", "--output", path,
                                "--trials", "full", *probes, environment=without)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            report = self.report(path)
            for name in names:
                self.assertEqual(done.stderr.count(f"warning: probe {name} does not measure: {says}"), 1, done.stderr)
                self.assertEqual(set(report["probes"][name]), {"available", "reason"})
                self.assertTrue(report["probes"][name]["reason"].startswith(says), report["probes"][name])
            self.assertTrue(report["probes"]["nvml"]["available"])
            self.assertGreater(report["trials"][0]["probes"]["nvml"]["samples"], 1)

    def test_captured_steps_in_nvtx_ranges(self):
        tool = pathlib.Path(command.PROGRAM).parent.parent / "bin" / "libnvtx_tool.so"
        if not tool.exists():
            self.skipTest("this build has no NVTX")
        for graph, phases in (("auto", {"forward", "loss", "backward", "optimizer"}), ("on", set())):
            log = self.folder / f"nvtx-{graph}.log"
            done = self.dlbench("run", *SHORT, "--data", self.digits(), "--device", "cuda", "--trials",
                                "synthetic/device", "--probes", "nvtx", "--capture-steps", "2-4", "--cuda-graph", graph,
                                "--output", self.folder / "report.json",
                                environment={"NVTX_INJECTION64_PATH": str(tool), "DLBENCH_NVTX_LOG": str(log)})
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("--capture-steps: steps 2 to 4 of full were marked for a profiler", done.stderr)
            lines = log.read_text(encoding="utf-8").splitlines()
            self.assertEqual([line for line in lines if line.startswith("profiler")], ["profiler start", "profiler stop"])
            begin, end = lines.index("profiler start"), lines.index("profiler stop")
            pushed = [line.split()[1:3] for line in lines[begin:end] if line.startswith("push")]
            self.assertEqual([number for name, number in pushed if name == "step"], ["2", "3", "4"])
            open_ranges = 1  # that of the step before
            for line in lines[begin:end]:
                open_ranges += line.startswith("push") - (line == "pop")
            self.assertEqual(open_ranges, 0, "each range ends in the capture")
            self.assertEqual({name for name, _ in pushed} & {"forward", "loss", "backward", "optimizer"}, phases)
            opened = [line.split()[1] for line in lines if line.startswith("push")]
            self.assertLessEqual({"synthetic/device", "full", "repetition", "captured"}, set(opened))

    def test_counters_that_an_administrator_keeps(self):
        path = self.folder / "report.json"
        trace = self.folder / "trace.json"
        done = self.dlbench("run", *SHORT, "--data", self.digits(), "--device", "cuda", "--output", path, "--trials",
                            "synthetic/device,full", "--probes", "cupti,cupti_counters,cupti_sampling", "--trace", trace)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        probes = self.report(path)["probes"]
        self.assertTrue(probes["cupti"]["available"])
        for name in ("cupti_counters", "cupti_sampling"):
            self.assertIn("only administrators", probes[name]["reason"])
            for trial in self.report(path)["trials"]:
                self.assertEqual(set(trial["probes"][name]), {"available", "reason"})
        # Of them the first trial alone had a repetition.
        events = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
        self.assertEqual([event["name"] for event in events if event.get("cat") == "trial"],
                         ["synthetic/device", "full", "synthetic/device"])


if __name__ == "__main__":
    unittest.main()
