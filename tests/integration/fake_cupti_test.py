# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""What CUPTI and NVTX record of dlbench on a fake GPU: all of the probes' host code, from the command line to the
report and the timeline. No figure of these runs means anything."""

import json
import os
import pathlib
import signal
import subprocess
import time
import unittest

import command
from fake_gpu import CUPTI, GPU, SHORT, FakeGpuTest


class FakeCupti(FakeGpuTest):
    def recorded(self, *arguments, environment=None, seconds=0.1):
        """By trial what CUPTI recorded, in so many seconds at most, and the whole report. The fakes say what they
        refuse."""
        path = self.folder / "report.json"
        short = [f"{seconds}s" if option == "0.1s" else option for option in SHORT]
        done = self.dlbench("run", *short, "--data", self.digits(), "--device", "cuda", "--output", path, "--probes",
                            "cupti", *arguments, environment=environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("fake cupti", done.stderr)
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
        self.assertLessEqual({"fake_cudnn_wgrad", "fake_cublaslt_gemm"}, names)
        self.assertTrue(any("cuda::MaxPoolWindowPack<float, 4" in name for name in names), names)

    def test_kernels_have_the_names_of_the_operators(self):
        trials, report = self.recorded("--trials", "full", "--precision", "bf16")
        operators = {(row["name"], row["phase"]) for row in report["operators"]}
        kernels = {(row["op"], row["phase"]) for row in trials["full"]["kernels"]}
        self.assertIn(("parameters/bf16", "forward"), kernels, "casts of all of them in one kernel")
        self.assertLessEqual(kernels, operators)

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
            lost = self.folder / fault
            trials, report = self.recorded("--trials", "synthetic/device",
                                           environment={CUPTI: fault, "DLBENCH_FAKE_LOST": lost}, seconds=2)
            recorded = trials["synthetic/device"]
            launched = sum(row["calls"] for row in recorded["kernels"] + recorded["copies"])
            # Those of the steps before the window count as well.
            self.assertEqual(recorded["dropped_records"], lost.stat().st_size)
            self.assertGreaterEqual(recorded["dropped_records"], launched / 50 - 2)
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
            self.assertNotIn("fake", errors)
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

    def test_a_cupti_that_is_known_to_hang(self):
        done = self.dlbench("info", environment={CUPTI: "version=130000"})
        for name in ("cupti", "cupti_counters", "cupti_sampling"):
            self.assertRegex(done.stdout, rf"\n  {name} +not here: CUPTI 13\.0\.0 was loaded, this build needs CUPTI "
                                          r"13\.0\.1 or newer\n")

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

    def test_counters_that_the_device_does_not_offer(self):
        path = self.folder / "report.json"
        done = self.dlbench("run", *SHORT, "--data", self.digits(), "--device", "cuda", "--output", path, "--trials",
                            "synthetic/device", "--probes", "cupti_counters,cupti_sampling",
                            environment={CUPTI: "virtual_gpu=1"})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("fake cupti", done.stderr)
        for name, cannot in (("cupti_counters", "read"), ("cupti_sampling", "sampled")):
            self.assertIn(f"counters of this GPU (GH100) cannot be {cannot}: it is a virtual GPU",
                          self.report(path)["probes"][name]["reason"])

    def test_a_device_that_processes_share_by_mps(self):
        path = self.folder / "report.json"
        names = ("cupti", "cupti_counters", "cupti_sampling")
        for capability, refused in (("8.0", names), ("9.0", names[1:])):
            done = self.dlbench("run", *SHORT, "--data", self.digits(), "--device", "cuda", "--output", path, "--trials",
                                "synthetic/device", "--probes", ",".join(names),
                                environment={GPU: f"devices=1,mps=1,capability={capability}"})
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            for name in names:
                probe = self.report(path)["probes"][name]
                self.assertEqual("share this GPU by MPS" in probe.get("reason", ""), name in refused, probe)

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
