# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""dlbench comm on one rank and on several: table, report, checked values, refused options."""

import json
import os
import pathlib
import shutil
import tempfile
import unittest

from command import CommandTest
from mpi_launcher import LAUNCHERS, can_start, launch

QUICK = ["-b", "1K", "-e", "16K", "-f", "4", "-n", "3", "-w", "1"]
OPS = ["all_reduce", "reduce_scatter", "all_gather", "broadcast"]
SHARED = ["reduce_scatter", "all_gather"]  # between equal shares


class Comm(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="dlbench-comm-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)

    def test_one_rank(self):
        path = self.folder / "one.json"
        done = self.dlbench("comm", *QUICK, "--output", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = self.report(path)
        self.assertEqual(report["config"]["effective"]["ranks"], "1", "all that there are")
        records = report["collectives"]
        self.assertEqual([(each["op"], each["bytes"]) for each in records],
                         [(op, size) for op in OPS for size in (1024, 4096, 16384)])
        for each in records:
            self.assertEqual((each["ranks"], each["wrong"], each["time_s"]["n"]), (1, 0, 3))
            for what in ("algbw_gb_per_s", "busbw_gb_per_s", "fit"):
                self.assertIsNone(each[what], what)  # nothing travels

    def test_ranks_that_end_early_do_not_disturb_each_other(self):
        found = [family for family in LAUNCHERS if can_start(family)]
        if not found:
            self.skipTest("neither MPICH nor Open MPI")
        path = self.folder / "early.json"
        done = launch(found[0], 2, "comm", "-b", "1K", "-e", "64M", "-f", "1.1", "-n", "1000", "--timeout", "5",
                      "--output", path)
        self.assertEqual(done.returncode, 124, done.stdout + done.stderr)
        report = self.report(path)
        self.assertTrue(report["collectives"])
        self.assertEqual([taint for taint in report["run"]["taints"] if "other processes" in taint["detail"]], [])

    def test_several_ranks_under_each_mpi(self):
        found = [family for family in LAUNCHERS if can_start(family)]
        if not found:
            self.skipTest("neither MPICH nor Open MPI")
        for family in found:
            with self.subTest(family=family):
                path = self.folder / f"{family}.json"
                done = launch(family, 3, "comm", *QUICK, "--ranks", "2,3", "--dtype",
                                     "bf16", "--output", path)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                report = self.report(path)
                records = report["collectives"]
                self.assertEqual([host["ranks"] for host in report["system"]["hosts"]], [[0, 1, 2]])
                self.assertIn("mpi", report["system"]["libraries"])
                self.assertEqual(
                    [(each["ranks"], each["op"], each["bytes"]) for each in records],
                    [(ranks, op, size // (2 * ranks) * (2 * ranks) if op in SHARED else size)
                     for ranks in (2, 3) for op in OPS for size in (1024, 4096, 16384)])
                for each in records:
                    self.assertEqual((each["dtype"], each["wrong"]), ("bf16", 0))
                    self.assertGreater(each["time_s"]["min"], 0)
                    self.assertIsNotNone(each["fit"])
                    self.assertTrue(each["device"])
                rows = [line.split() for line in done.stdout.splitlines() if line.startswith(" ")]
                self.assertEqual(len(rows), 24)
                self.assertEqual(rows[0][:4], ["1024", "512", "bf16", "sum"])
                self.assertEqual(rows[0][-1], "0")
                if len(os.sched_getaffinity(0)) < 3:
                    crowded = [taint["where"] for taint in self.report(path)["run"]["taints"]
                               if taint["code"] == "oversubscribed"]
                    self.assertIn("collectives over 3 ranks", crowded)

    def test_values_that_are_not_checked_are_not_called_right(self):
        path = self.folder / "unchecked.json"
        done = self.dlbench("comm", *QUICK, "-c", "0", "--output", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({each["wrong"] for each in self.report(path)["collectives"]}, {None})
        self.assertIn("values not checked", done.stdout)

    def test_a_report_is_there_before_the_first_collective_ends(self):
        path = self.folder / "partial.json"
        done = launch("mpich", 2, "comm", "-b", "1K", "-e", "1K", "-n", "1000", "--link",
                             "latency_us=100000", "--timeout", "2", "--output", path)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        report = self.report(path)
        self.assertEqual((report["run"]["status"], report["run"]["exit_code"]), ("partial", 124))

    def test_simulated_link_costs_what_it_says(self):
        path = self.folder / "link.json"
        done = launch("mpich", 2, "comm", *QUICK, "--link", "latency_us=3000",
                             "--collectives", "all_reduce", "--output", path)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        report = self.report(path)
        self.assertIn("simulated", {taint["code"] for taint in report["run"]["taints"]})
        for each in report["collectives"]:
            self.assertIn("simulated", each["transport"])
            # Two messages one after the other.
            self.assertGreaterEqual(each["time_s"]["median"], 0.0055)

    def test_reports_are_compared(self):
        fast, slow = self.folder / "fast.json", self.folder / "slow.json"
        self.assertEqual(self.dlbench("comm", *QUICK, "--output", fast).returncode, 0)
        report = json.loads(fast.read_text(encoding="utf-8"))
        report["run"]["taints"] = []  # other tests may have run beside it
        fast.write_text(json.dumps(report), encoding="utf-8")
        for each in report["collectives"]:
            if each["op"] == "broadcast":
                for time in ("median", "p95", "mean", "min", "max"):
                    each["time_s"][time] *= 1000
        slow.write_text(json.dumps(report), encoding="utf-8")
        done = self.dlbench("report", "compare", fast, slow)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual([line.split()[0] for line in done.stdout.splitlines() if line.endswith("slower")],
                         3 * ["broadcast"])
        self.assertEqual(self.dlbench("report", "compare", slow, fast).returncode, 0)
        report["run"]["taints"] = [{"code": "disturbed", "where": "collectives over 1 rank", "detail": "planted"}]
        slow.write_text(json.dumps(report), encoding="utf-8")
        done = self.dlbench("report", "compare", fast, slow)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("unsure (the candidate was disturbed)"), 3)

    def test_refuses_options_that_make_no_sense(self):
        self.expect_error(2, "comm", "--collectives", "allreduce", says=["did you mean 'all_reduce'"])
        for refused in ("u8", "f8"):
            self.expect_error(2, "comm", "--dtype", refused, says=[f"'{refused}' cannot be reduced; wanted one of f32"])
        self.expect_error(2, "comm", "-b", "2K", "-e", "1K", says=["--maxbytes", "--minbytes"])
        self.expect_error(2, "comm", "-b", "0", says=["--minbytes", "'0'"])
        self.expect_error(2, "comm", "--ranks", "2", says=["--ranks", "2 ranks asked for, this launch has 1"])
        self.expect_error(2, "comm", "--link", "latency=3", says=["latency=3"])


if __name__ == "__main__":
    unittest.main()
