# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""dlbench on a fake GPU: all of the CUDA plug-in's host code, from the command line to the report. No figure of
these runs means anything."""

import json
import os
import pathlib
import subprocess
import sys
import time
import unittest

import command
from fake_gpu import CUPTI, GPU, PROCESSES, REASONS, SHORT, XID, FakeGpuTest


class FakeGpu(FakeGpuTest):
    def test_all_trials(self):
        trace = self.folder / "trace.json"
        report = self.run_short("--trials", "io,synthetic/device,synthetic/host,full,interference", "--trace", trace,
                                "--probes", "cupti,nvml,nvml_pcie,nvtx,perf_event,proc")
        self.assertEqual(report["workload"]["device"], "fake GPU 0")
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

    def test_the_thread_that_takes_batches_is_one_of_ours(self):
        # On one CPU it and the worker take turns: nobody else interrupts them.
        path = self.folder / "report.json"
        done = subprocess.run(
            ["taskset", "-c", str(min(os.sched_getaffinity(0))), command.PROGRAM, "run", "--workload", "mnist_cnn",
             "--batch-size", "32", "--data", self.digits(4096), "--device", "cuda", "--trials", "io", "--workers", "1",
             "--steps", "3000", "--repetitions", "2", "--max-time", "1", "--max-noise", "100", "--output", path],
            capture_output=True, text=True, timeout=120, check=False,
            env=dict(os.environ, DLBENCH_CACHE_DIR=str(self.folder / "cache"), **{GPU: "devices=1"}))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        report = self.report(path)
        for repetition in report["trials"][0]["repetitions"]:
            self.assertNotIn("involuntary", repetition["discarded"] or "")
        self.assertNotIn("involuntary", str(report["run"]["taints"]))

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

    def stepped(self):
        """Steps and repetitions of the last run's only trial; a disturbed repetition is measured again."""
        trial, = self.report(self.folder / "report.json")["trials"]
        steps = [repetition["steps"] for repetition in trial["repetitions"]]
        return trial["warmup"]["steps"] + sum(steps), len(steps)

    def test_a_steady_step_allocates_nothing_and_waits_for_no_stream(self):
        # Not run, which profiles its operators in as many steps as last a quarter of a second.
        runs = []
        for steps in (2, 90):
            calls = self.calls_of("scale", "--mode", "weak", "--workload", "mnist_cnn", "--batch-size", "4",
                                  "--trials", "full", "--workers", "1", "--repetitions", "3", "--max-noise", "100",
                                  "--time-budget", "30", "--steps", str(steps))
            runs.append((calls, *self.stepped()))
        (few, few_steps, few_repetitions), (many, many_steps, many_repetitions) = runs
        for calls, steps, repetitions in runs:
            # Before each repetition, and after the warm-up, a few that are not counted.
            self.assertGreaterEqual(calls["cudaGraphLaunch"], steps)
            self.assertLessEqual(calls["cudaGraphLaunch"], steps + 4 * (repetitions + 1))
        # Even with a warm-up of 200 steps, its limit, in the one, and of 11, the least, in the other.
        steps = many_steps - few_steps
        self.assertGreaterEqual(steps, 30)
        for name in ("cudaMalloc", "cudaFree", "cudaHostAlloc", "cudaFreeHost", "cudaMemset", "cudaDeviceSynchronize",
                     "cudaStreamBeginCapture", "cudaGraphInstantiate", "cudaEventCreateWithFlags", "cudaLaunchKernel"):
            self.assertEqual(many[name], few[name], name)
        more = max(0, many_repetitions - few_repetitions)
        self.assertLess(many["cudaStreamSynchronize"] - few["cudaStreamSynchronize"], steps / 10 + 10 * more)
        # Images and labels to the device, from there to where the recorded step reads them; the loss back.
        self.assertLessEqual(many["cudaMemcpyAsync"] - few["cudaMemcpyAsync"], 5 * (steps + 4 * more))

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
                ({GPU: "devices=2"}, "cuda", "fake GPU 0"),
                ({GPU: "devices=2"}, "cuda:1", "fake GPU 1"),
                ({GPU: "devices=2", "CUDA_VISIBLE_DEVICES": "1"}, "cuda", "fake GPU 1")):
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
        for precision, says in (("bf16", "--precision bf16: bf16 needs compute capability 8.0, fake GPU 0 is sm_75"),
                                ("tf32", "--precision tf32: tf32 needs compute capability 8.0, fake GPU 0 is sm_75")):
            self.expect_error(2, *base, "cuda", "--precision", precision, environment={GPU: "capability=7.5"},
                              says=[says])

    def test_memory_that_another_process_takes_after_the_prediction(self):
        run = ("run", *SHORT, "--trials", "synthetic/device", "--data", self.digits(), "--device", "cuda", "--output",
               self.folder / "report.json")
        for last in range(1, 40):  # until the prediction is over
            done = self.dlbench(*run, environment={GPU: f"filled_after={last}"})
            if done.returncode != 1:
                break
        self.expect_error(5, *run, environment={GPU: f"filled_after={last}"},
                          says=["GiB of device memory are needed in one piece, 0.00 of 8.00 GiB are free"])
        self.assertEqual(self.report(self.folder / "report.json")["run"]["exit_code"], 5)

    def test_a_step_that_is_not_tuned_keeps_no_memory_for_that(self):
        run = ("run", "--workload", "mnist_cnn", "--batch-size", "2", "--trials", "synthetic/device", "--data",
               self.digits(), "--device", "cuda", "--output", self.folder / "report.json", "--dry-run")
        small = {GPU: "memory_mib=1400"}
        self.expect_error(1, *run, environment=small, says=["MiB are kept for further workspace and libraries"])
        for untuned in (("--autotune", "off"), ("--deterministic",)):
            done = self.dlbench(*run, *untuned, environment=small)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_an_integrated_gpu_has_the_memory_of_the_host(self):
        run = ("run", *SHORT, "--trials", "synthetic", "--data", self.digits(), "--device", "cuda", "--output",
               self.folder / "report.json")
        done = self.dlbench(*run, environment={GPU: "integrated=1,memory_mib=300"})
        self.assertEqual(done.returncode, 0, "what it calls free leaves the page cache out: " + done.stderr)

    def test_auto_says_why_it_takes_the_processor(self):
        done = self.dlbench("run", *SHORT, "--trials", "synthetic", "--data", self.digits(), "--output",
                            self.folder / "report.json", environment={GPU: "prohibited=1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("using cpu: device 0 (fake GPU 0) is in compute mode 'prohibited'", done.stderr)
        skipped = {item["what"]: item["reason"] for item in self.report(self.folder / "report.json")["run"]["skipped"]}
        self.assertIn("is in compute mode 'prohibited'", skipped["first choice of --device auto"])
        # A machine with a GPU is not left to its processor without a word.
        topology = pathlib.Path(__file__).parents[1] / "probes" / "two_gpus.xml"
        for variables, said in (({}, 0), ({"HWLOC_XMLFILE": str(topology)}, 1)):
            done = self.dlbench("run", *SHORT, "--trials", "synthetic", "--data", self.digits(), "--quiet", "--output",
                                self.folder / "report.json", environment={GPU: "prohibited=1", **variables})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr.count("warning: using cpu: device 0 (fake GPU 0)"), said, done.stderr)

    def test_auto_takes_a_device_that_nobody_else_has(self):
        path = self.folder / "report.json"
        short = ("--data", self.digits(), "--output", path)
        for arguments in (("run", *SHORT, "--trials", "synthetic/device", "--probes", "none", *short),
                          ("scale", *SHORT, "--trials", "synthetic/device", *short)):
            done = self.dlbench(*arguments, environment={GPU: "devices=3,taken=0"})
            self.assertEqual(done.returncode, 0, done.stderr)
            report = self.report(path)
            self.assertEqual(report["workload"]["device"], "fake GPU 1")
            self.assertEqual(["first choice of --device auto"], [item["what"] for item in report["run"]["skipped"]
                                                   if "exclusive use" in item["reason"]])
            self.assertEqual(done.stderr.count("using cuda:1: device 0 (fake GPU 0) is in exclusive use by "
                                               "another process"), 1, done.stderr)
        done = self.dlbench("info", environment={GPU: "devices=3,taken=0", "CUDA_LAUNCH_BLOCKING": "1",
                                                 "CUBLAS_EMULATE_SINGLE_PRECISION": "1"})
        self.assertRegex(done.stdout, r"  cuda +fake GPU 1, [^\n]+\n +passed over: device 0 \(fake GPU 0\) is in "
                                      r"exclusive use")
        self.assertRegex(done.stdout, r"  cupti +every kernel")
        self.assertEqual(done.stderr.count("CUDA_LAUNCH_BLOCKING=1: the host waits for each kernel"), 1, done.stderr)
        self.assertEqual(done.stderr.count("CUBLAS_EMULATE_SINGLE_PRECISION=1: cuBLAS may"), 1, done.stderr)
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
        # Another process' illegal address, say: where it is ours, CUDA says so. Or a row of memory to be replaced.
        for xid in (31, 63):
            done = self.dlbench(*run, "--probes", "nvml", environment={XID: f"{xid}@1"})
            self.assertEqual(done.returncode, 0, done.stderr)
            events = [trial["probes"]["nvml"]["xid_events"] for trial in self.report(path)["trials"]]
            self.assertEqual(sum(events), 1, "counted all the same")

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
        self.assertIn("verify: mnist_cnn on fake GPU 1 at 0000:42:00.0, batch 4", done.stdout)
        self.assertRegex(done.stdout, r"cuda +[\d.]+ s for 4 steps \(the last replayed\) with set-up")
        done = self.dlbench(*verify, environment={GPU: "devices=2,graphs=0"})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"cuda +[\d.]+ s for 4 steps with set-up")

    def test_a_report_says_whether_steps_were_replayed(self):
        reports = []
        for graphs in (1, 0):
            path = self.folder / f"graphs-{graphs}.json"
            done = self.dlbench("run", *SHORT, "--data", self.digits(), "--device", "cuda", "--trials",
                                "io,synthetic/device", "--probes", "none", "--output", path,
                                environment={GPU: f"devices=1,graphs={graphs}"})
            self.assertEqual(done.returncode, 0, done.stderr)
            reports.append(self.report(path))
            self.assertEqual([trial["replayed"] for trial in reports[-1]["trials"]], [None, graphs == 1])
        skipped = [[skip["reason"] for skip in report["run"]["skipped"] if "replay" in skip["what"]]
                   for report in reports]
        self.assertEqual(skipped[0], [])
        self.assertRegex(skipped[1][0], "it cannot be captured: cudaGraphInstantiate")
        compared = self.dlbench("report", "compare", self.folder / "graphs-1.json", self.folder / "graphs-0.json")
        self.assertRegex(compared.stdout, r"steps replayed +yes +no")

    def test_what_the_driver_tells_ends_commands_without_probes_too(self):
        data = ("--data", self.digits(), "--device", "cuda")
        run = ("run", *SHORT, *data, "--trials", "synthetic/device", "--output", self.folder / "report.json")
        train = ("train", "--workload", "mnist_cnn", "--epochs", "1", "--batch-size", "8", *data, "--output",
                 self.folder / "train.json")
        for arguments in ((*run, "--probes", "none"), (*run, "--probes", "cupti"), (*train, "--probes", "none")):
            self.expect_error(5, *arguments, environment={XID: "79@1"}, says=["Xid 79"])
        scale = ("scale", *SHORT, *data, "--trials", "synthetic", "--output", self.folder / "report.json")
        comm = ("comm", "--device", "cuda", "-b", "8", "-e", "8", "-n", "3", "--output", self.folder / "comm.json")
        for arguments, says in ((scale, "trial synthetic"), (comm, "collectives over 1 rank"),
                                (("verify", "--workload", "mnist_cnn", "--backend", "cuda"), "verify"),
                                (("verify", "--op", "linear", "--backend", "cuda"), "verify")):
            self.expect_error(5, *arguments, environment={XID: "79@1"}, says=[says, "Xid 79"])
        # A step that fails names it as well.
        self.expect_error(5, *scale, "--cuda-graph", "off", environment={GPU: "fails_at=100", XID: "31@1"},
                          says=["an illegal memory access was encountered", "Xid 31"])


if __name__ == "__main__":
    unittest.main()
