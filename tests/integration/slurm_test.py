# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""dlbench launch slurm --submit through a real Slurm with two nodes, to a report."""

import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
import time
import unittest

from command import PROGRAM, CommandTest
from slurm_cluster import SlurmCluster, reason_to_skip

DLBENCH = pathlib.Path(PROGRAM).resolve()
QUICK = ["--trials", "synthetic", "--repetitions", "2", "--steps", "3", "--max-time", "2",
         "--batch-size", "8", "--threads", "1", "--workers", "1"]


def has_plugin(library):
    return any(DLBENCH.parent.parent.glob(f"*/libdlbench_mpi_{library}.so"))


class Slurm(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.enterClassContext(SlurmCluster())
        os.environ["SLURM_CONF"] = cls.cluster.environment["SLURM_CONF"]
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="dlbench-slurm-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        maker = cls("test_a_job_of_one_rank")
        made = maker.dlbench("data", "generate", "--dataset", "mnist", "--out",
                             cls.folder / "mnist", "--samples", "64", "--seed", "3")
        assert made.returncode == 0, made.stderr
        cls.run_words = ["run", "--workload", "mnist_cnn", "--data", cls.folder / "mnist", *QUICK]

    def start(self, name, *arguments):
        """Launches a job; returns its number."""
        out = self.folder / name
        options, command = arguments[:arguments.index("--")], arguments[arguments.index("--"):]
        done = self.dlbench("launch", "slurm", "--submit", "--time", "10min", "--output-dir", out,
                            *options, *command)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"^\d+\n$")
        return done.stdout.strip()

    def finish(self, name, number):
        """Waits for a job; returns its fields and its log."""
        job = self.cluster.wait_for_job(number)
        return job, (self.folder / name / f"dlbench-{number}.log").read_text(encoding="utf-8")

    def submit(self, name, *arguments):
        """Both; returns the job's number, its fields and its log."""
        number = self.start(name, *arguments)
        return number, *self.finish(name, number)

    def submit_script(self, name, *lines, options=()):
        """The same for a script of one's own."""
        log = self.folder / f"{name}.log"
        script = self.folder / f"{name}.sh"
        script.write_text("#!/bin/bash\n" + "\n".join(lines) + "\n", encoding="utf-8")
        done = self.cluster.run("sbatch", "--parsable", f"--output={log}", "--time=10",
                                f"--chdir={self.folder}", *options, script)
        job = self.cluster.wait_for_job(done.stdout.strip())
        return job, log.read_text(encoding="utf-8")

    def report_of(self, name, number):
        return self.report(self.folder / name / f"dlbench-{number}.json")

    def test_a_job_of_one_rank(self):
        number, job, log = self.submit("one", "--", *self.run_words)
        self.assertEqual(job["JobState"], "COMPLETED", log)
        report = self.report_of("one", number)
        self.assertEqual(report["run"]["status"], "complete")
        scheduler = report["system"]["scheduler"]
        self.assertEqual((scheduler["name"], scheduler["job_id"]), ("slurm", number))
        self.assertEqual(report["job"]["state"], "COMPLETED")

    def test_the_log_starts_with_host_and_variables(self):
        number, _, log = self.submit("log", "--nodes", "2", "--", "info")
        lines = log.splitlines()
        self.assertRegex(lines[0], r"^host: \S+$")
        variables = [line for line in lines if re.match(r"SLURM_\w+=", line)]
        self.assertEqual(variables, sorted(variables))
        self.assertIn(f"SLURM_JOB_ID={number}", variables)
        self.assertIn("SLURM_JOB_NUM_NODES=2", variables)

    @unittest.skipIf(not has_plugin("mpich"), "this build has no plug-in for MPICH")
    def test_two_ranks_on_two_nodes_see_each_other(self):
        _, job, log = self.submit("ranks", "--nodes", "2", "--mpi", "mpich", "--", "info", "--ranks")
        self.assertEqual(job["JobState"], "COMPLETED", log)
        self.assertEqual(job["NumNodes"], "2")
        self.assertRegex(log, r"(?m)^0 +\S+ +\d")
        self.assertRegex(log, r"(?m)^1 +\S+ +\d")

    @unittest.skipIf(not has_plugin("mpich"), "this build has no plug-in for MPICH")
    def test_two_ranks_on_two_nodes_measure_together(self):
        number, job, log = self.submit("two", "--nodes", "2", "--mpi", "mpich", "--",
                                       *self.run_words)
        self.assertEqual(job["JobState"], "COMPLETED", log)
        report = self.report_of("two", number)
        self.assertEqual(report["system"]["scheduler"]["nodes"], 2)
        (trial,) = [each for each in report["trials"] if each["kind"] == "synthetic"]
        self.assertEqual(trial["ranks"], 2)
        self.assertEqual([rank["rank"] for rank in report["job"]["per_rank"]], [0, 1])
        self.assertEqual(trial["global_batch_size"], 2 * trial["batch_size_per_rank"])

    @unittest.skipIf(not has_plugin("mpich"), "this build has no plug-in for MPICH")
    def test_the_signal_before_the_walltime_leaves_a_partial_report(self):
        number = self.start("walltime", "--nodes", "2", "--mpi", "mpich", "--",
                            *self.run_words, "--repetitions", "400", "--max-time", "200s")
        path = self.folder / "walltime" / f"dlbench-{number}.json"
        end = time.monotonic() + 60
        while not (path.exists() and json.loads(path.read_text(encoding="utf-8"))["trials"]):
            self.assertLess(time.monotonic(), end, "no repetition within a minute")
            time.sleep(0.1)
        self.cluster.run("scancel", "--signal=USR1", number)  # on the way that --signal takes
        job, log = self.finish("walltime", number)
        self.assertNotEqual(job["JobState"], "COMPLETED", log)  # srun says 137 when a rank aborts
        report = self.report_of("walltime", number)
        self.assertEqual((report["run"]["status"], report["run"]["exit_code"]), ("partial", 124), log)
        self.assertIn("SIGUSR1", log)
        self.assertTrue(report["trials"][0]["repetitions"])

    @unittest.skipIf(not has_plugin("mpich"), "this build has no plug-in for MPICH")
    def test_scale_measures_both_sizes_of_two_nodes(self):
        number, job, log = self.submit(
            "scale", "--nodes", "2", "--mpi", "mpich", "--", "scale", "--workload", "mnist_cnn", "--data",
            self.folder / "mnist", "--mode", "weak", *QUICK, "--trials", "synthetic,synthetic/nocomm",
            "--time-budget", "10s", "--project", "4")
        self.assertEqual(job["JobState"], "COMPLETED", log)
        (weak,) = self.report_of("scale", number)["scaling"]
        self.assertEqual([point["ranks"] for point in weak["points"]], [1, 2])
        self.assertEqual([point["global_batch_size"] for point in weak["points"]], [8, 16])
        self.assertIn("Weak scaling", log)

    def test_srun_without_mpi_is_a_broken_launch(self):
        words = " ".join(map(str, self.run_words))
        job, log = self.submit_script("broken", f"srun --mpi=none {DLBENCH} {words}",
                                      options=["--nodes=2", "--ntasks=4"])
        self.assertEqual(job["ExitCode"], "2:0", log)
        self.assertIn("SLURM_STEP_NUM_TASKS announces 4 ranks", log)
        self.assertIn("srun --mpi=pmi2", log)

    def test_a_script_without_srun_is_one_process_and_says_so(self):
        words = " ".join(map(str, self.run_words))
        job, log = self.submit_script("alone", f"{DLBENCH} {words} --output alone.json",
                                      options=["--nodes=2", "--ntasks=4"])
        self.assertEqual(job["JobState"], "COMPLETED", log)
        self.assertIn("SLURM_NTASKS is 4, but this is one process", log)
        self.assertEqual(self.report(self.folder / "alone.json")["trials"][0]["ranks"], 1)

    @unittest.skipIf(not has_plugin("openmpi"), "this build has no plug-in for Open MPI")
    def test_ranks_of_open_mpi_find_each_other_by_pmix(self):
        if "pmix" not in self.cluster.run("srun", "--mpi=list").stdout:
            self.skipTest("this Slurm has no pmix")
        # On one node: the pmix servers of two nodes on one machine get in each other's way.
        _, job, log = self.submit("pmix", "--ranks-per-node", "2", "--mpi", "openmpi", "--", "info",
                                  "--ranks")
        self.assertEqual(job["JobState"], "COMPLETED", log)
        self.assertRegex(log, r"(?m)^1 +\S+ +\d")

    @unittest.skipIf(not has_plugin("mpich"), "this build has no plug-in for MPICH")
    def test_mpiexec_inside_of_a_job_starts_its_own_ranks(self):
        job, log = self.submit_script("hydra", f"mpiexec.hydra -n 3 {DLBENCH} info --ranks",
                                      options=["--nodes=2", "--ntasks=4"])
        self.assertEqual(job["JobState"], "COMPLETED", log)
        self.assertRegex(log, r"(?m)^2 +\S+ +\d")

    def test_a_partition_that_is_not_there(self):
        done = self.expect_error(1, "launch", "slurm", "--submit", "--time", "10min", "--partition",
                                 "gold", "--output-dir", self.folder, "--", *self.run_words,
                                 says=["sbatch refused the job"])
        self.assertIn("partition", done.stderr)


if __name__ == "__main__":
    if reason := reason_to_skip():
        print(f"skipped: {reason}")
        sys.exit(77)
    unittest.main()
