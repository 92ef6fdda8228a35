#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""probe_rows.py on reports with probes that measure, are refused or are dead, and in acceptance.sh."""
import json
import math
import re
import subprocess
import sys
import unittest

import probe_rows
from acceptance_case import HERE, PROBES, Acceptance, changed

ADMINISTRATORS = "the driver lets only administrators read performance counters: as root, write 'options nvidia"
DEAD = {"available": False, "reason": "cuptiActivityEnable: unknown error (CUPTI error 999)"}


def report_of(probes, of_run=None):
    trials = []
    for name, values in probes.items():
        kind, _, variant = name.partition("/")
        trials.append({"kind": kind, "variant": variant or None, "probes": values})
    return {"trials": trials, "probes": of_run or {}}


def rows(probes, of_run=None):
    """(state, text) by probe."""
    return {text.partition(":")[0]: (state, text) for state, text in probe_rows.rows_of(report_of(probes, of_run))}


def without(probe):
    return {name: {k: v for k, v in of.items() if k != probe} for name, of in PROBES.items()}


class Rows(unittest.TestCase):
    def expect_failed(self, probe, text, probes, of_run=None):
        found = rows(probes, of_run)
        self.assertEqual({name for name, (state, _) in found.items() if state != "passed"}, {probe}, found)
        self.assertEqual(found[probe][0], "FAILED")
        self.assertIn(text, found[probe][1])

    def test_each_probe_that_measured_has_a_row(self):
        found = rows(PROBES)
        self.assertEqual({state for state, _ in found.values()}, {"passed"})
        self.assertEqual(list(found), ["cupti", "cupti_counters", "cupti_sampling", "nvml", "nvml_pcie"])
        self.assertIn("measured in 3 trials, 0 records dropped, at most 0 % of", found["cupti"][1])
        self.assertIn("512 to 512 W", found["nvml"][1])

    def test_a_probe_that_is_not_available_failed(self):
        for probe in ("cupti", "nvml", "nvml_pcie", "cupti_counters", "cupti_sampling"):
            with self.subTest(probe):
                self.expect_failed(probe, f"{probe}: full: cuptiActivityEnable: unknown",
                                   changed(probe, ("full",), **DEAD))
                # Refused when it was opened: trials know nothing of it.
                self.expect_failed(probe, "synthetic/device, synthetic/host, full: no such file", without(probe),
                                   {probe: {"available": False, "reason": "no such file"}})
                self.expect_failed(probe, "full: it measured nothing", without(probe), {probe: {"available": True}})

    def test_a_probe_that_saw_nothing_failed(self):
        for probe, values, text in (
                ("cupti_counters", {"steps": 0}, "no step was seen"),
                ("cupti_counters", {"sm_active_share": None, "dram_read_bytes_per_step": math.nan,
                                    "gpu_time_seconds": None}, "none of its values was read"),
                ("cupti_sampling", {"samples": 0}, "no sample was taken"),
                ("cupti_sampling", {"counters": {}}, "its samples hold no counter"),
                ("nvml_pcie", {"steps": None}, "no step was seen"),
                ("nvml_pcie", {"received_bytes_per_step": None, "sent_bytes_per_step": None},
                 "none of its values was read")):
            with self.subTest(probe, values=values):
                self.expect_failed(probe, f"{probe}: full: {text}", changed(probe, ("full",), **values))
        # What one GPU does not count.
        self.assertEqual(rows(changed("cupti_counters", dram_read_bytes_per_step=None))["cupti_counters"][0], "passed")

    def test_permission_excuses_counters_alone(self):
        for probe in ("cupti", "nvml", "nvml_pcie"):
            self.expect_failed(probe, ADMINISTRATORS, changed(probe, available=False, reason=ADMINISTRATORS))
        for probe in ("cupti_counters", "cupti_sampling"):
            found = rows(changed(probe, available=False, reason=ADMINISTRATORS))
            self.assertEqual(found[probe], ("skipped", f"{probe}: synthetic/device, synthetic/host, full: "
                                                       f"{ADMINISTRATORS}"))
            self.assertEqual([state for state, _ in found.values()].count("passed"), 4)
            # One trial that is refused for something else is a failure.
            mixed = changed(probe, available=False, reason=ADMINISTRATORS)
            mixed["full"] = {**mixed["full"], probe: DEAD}
            self.expect_failed(probe, "full: cuptiActivityEnable", mixed)

    def test_refusals_are_worded_as_dlbench_does(self):
        sources = (HERE.parents[1] / "probes" / "cupti").glob("*.cpp")
        words = " ".join(re.sub(r'"\s*"', "", source.read_text()) for source in sources)
        for refusal in probe_rows.REFUSALS:
            self.assertIn(refusal, words)
            found = rows({name: {**of, **{probe: {"available": False, "reason": f"{refusal}: so"}
                                          for probe in probe_rows.COUNTERS}} for name, of in PROBES.items()})
            self.assertEqual([found[probe][0] for probe in probe_rows.COUNTERS], ["skipped", "skipped"], refusal)

    def test_counters_that_dlbench_has_not_let_go_of_are_no_other_tools(self):
        self.expect_failed("cupti_sampling", "another tool in this process",
                           changed("cupti_sampling", available=False, reason=probe_rows.OWNED_HERE + ": run dlbench"))

    def test_kernels_without_an_op_are_a_failure_above_two_percent(self):
        self.expect_failed("cupti", "synthetic/host: 2.1 % of the kernels' time has no op",
                           changed("cupti", ("synthetic/host",), kernel_without_op_share=0.021))
        self.expect_failed("cupti", "no kernel was recorded", changed("cupti", kernel_without_op_share=None))
        self.assertEqual(rows(changed("cupti", kernel_without_op_share=0.02))["cupti"][0], "passed")

    def test_nodes_that_are_tied_to_no_op_are_a_failure(self):
        reason = "40 nodes of a graph were recorded and 42 captured"
        nodes = {"captured": 42, "recorded": 40, "tied_to_ops": False, "reason": reason}
        self.expect_failed("cupti", reason, changed("cupti", graph_nodes=nodes))
        self.assertEqual(rows(changed("cupti", graph_nodes=None))["cupti"][0], "passed", "nothing was replayed")

    def test_dropped_records_are_told(self):
        self.assertEqual(rows(changed("cupti", ("full",), dropped_records=7))["cupti"],
                         ("passed", "cupti: measured in 3 trials, 7 records dropped, at most 0 % of the kernels' time "
                                    "without an op"))

    def test_samples_and_power_of_nothing_are_a_failure(self):
        self.expect_failed("nvml", "full: no sample was taken", changed("nvml", ("full",), samples=0.0))
        self.expect_failed("nvml", "a power of 0 W", changed("nvml", power_mean_watt=0.0))
        self.expect_failed("nvml", "no power: the device does not tell",
                           changed("nvml", power_mean_watt=None, power_mean_watt_reason="the device does not tell"))
        self.expect_failed("cupti_sampling", "no sample was taken", changed("cupti_sampling", samples=0))

    def test_trials_that_count_batches_are_not_asked(self):
        probes = {**PROBES, "io": {"nvml": DEAD}, "interference/loader_beside_step": {}}
        self.assertEqual({state for state, _ in rows(probes).values()}, {"passed"})
        self.assertEqual(list(probe_rows.rows_of(report_of({"io": PROBES["io"]}))),
                         [("FAILED", "probes: the report has no trial whose steps are the network's")])


class InAcceptance(Acceptance):
    def test_rows_of_both_workloads_and_a_pass(self):
        self.assertEqual(self.run_part("speed"), 0, self.said)
        for workload in ("resunetpp", "mnist_cnn"):
            self.assertEqual(len(re.findall(rf"(?m)^passed +0 s  {workload}: (?:cupti|nvml)\w*: measured in 3 trials",
                                            self.table)), 5, self.table)

    def test_a_dead_probe_is_code_one(self):
        self.assertEqual(self.run_part("speed", probes=changed("nvml_pcie", ("full",), **DEAD)), 1, self.said)
        self.assertRegex(self.table, r"FAILED +0 s  mnist_cnn: nvml_pcie: full: cuptiActivityEnable")
        self.assertIn("# part speed ended with code 1", self.table)

    def test_counters_without_permission_are_skipped(self):
        refused = changed("cupti_counters", available=False, reason=ADMINISTRATORS)
        self.assertEqual(self.run_part("speed", probes=refused), 0, self.said)
        self.assertRegex(self.table, r"skipped +0 s  resunetpp: cupti_counters: .*only administrators")

    def test_a_report_that_cannot_be_read_is_a_failure(self):
        path = self.folder / "report.json"
        for text in ("cut sho", json.dumps({"trials": [3]}), json.dumps([])):
            path.write_text(text)
            done = subprocess.run([sys.executable, HERE / "probe_rows.py", path], capture_output=True, text=True,
                                  timeout=60)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stdout, "^FAILED probes: .*cannot be read")


if __name__ == "__main__":
    unittest.main()
