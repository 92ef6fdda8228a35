# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""Ranks that die, hang, stop or go wrong under mpiexec.hydra: all of them end, in time, and the partial
report names the culprit and keeps what was finished. Nothing is left behind."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from command import PROGRAM
from mpi_launcher import LAUNCHERS, can_start

(LAUNCHER,) = LAUNCHERS["mpich"][0]
RUN = ["run", "--trials", "synthetic,full", "--repetitions", "400", "--max-time", "200s"]
SCALE = ["scale", "--mode", "weak", "--repetitions", "400", "--time-budget", "200s"]
SMALL = ["--workload", "mnist_cnn", "--batch-size", "8", "--threads", "1", "--workers", "1"]
STEPPED_CLOCK = os.environ.get("DLBENCH_TEST_STEPPED_CLOCK", "")  # see stepped_clock.cpp
SLOW_DISK = os.environ.get("DLBENCH_TEST_SLOW_DISK", "")  # see slow_disk.cpp
HANGING_FINALIZE = os.environ.get("DLBENCH_TEST_HANGING_FINALIZE", "")  # see hanging_finalize.cpp
# The product promises 10 s from the fault to the end. Other programs on the machine may slow this down.
PROMISED_S = 10.0
SLACK_S = 20.0


def codes_of_mpiexec(*codes):
    """MPICH's launcher returns the bitwise or of its processes' codes, a signal being its number."""
    combined = {0}
    for code in codes:
        combined |= {each | code for each in combined}
    return tuple(combined - {0})


# 9: the launcher's kill. 5: a rank that saw the fault before the launcher did.
OF_A_KILLED_RANK = codes_of_mpiexec(5, 9)
# 6: MPICH's transport (UCX) aborts a rank that talks to a dead one just then. 9: the launcher's kill.
WITHOUT_A_NODE = codes_of_mpiexec(5, 6, 9)
# A job as in a container: process numbers of its own, /dev/shm shared. The shell stays for the sentinel's sake.
CONTAINER = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc",
             "sh", "-c", '"$@"; code=$?; sleep 2; exit $code', "sh"]
# Fake nodes talk over TCP as real ones do. Were they to read each other's memory, they would miss
# that of a dead rank before the kernel has closed its files, by which the sentinels tell who died first.
NODES_OF_ONE_RANK = {"DLBENCH_TEST_RANKS_PER_NODE": "1", "UCX_TLS": "tcp,self"}


def processes(name):
    """Numbers of all processes of this name that are no zombies."""
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            text = stat.read_text(encoding="utf-8")
        except OSError:
            continue
        pid, rest = text.split(" (", 1)
        comm, fields = rest.rsplit(") ", 1)
        if comm == name[:15] and not fields.startswith("Z"):
            found.append(int(pid))
    return found


def open_files(pid):
    """Paths of the files that a process has open; the ones that it closes meanwhile are left out."""
    found = []
    try:
        for file in pathlib.Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):
                found.append(os.readlink(file))
    except OSError:  # the process has ended, or is another user's
        return []
    return found


def board_of(pid):
    """The file of the board that this process has made and not yet taken the name from; None without."""
    boards = [file for file in open_files(pid) if file.startswith("/dev/shm/dlbench-board.")]
    return pathlib.Path(boards[0]) if boards else None


def environment_of(pid):
    try:
        entries = pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return {}
    return dict(entry.decode().split("=", 1) for entry in entries if b"=" in entry)


@unittest.skipUnless(can_start("mpich"), "no MPICH")
class Faults(unittest.TestCase):
    def setUp(self):
        self.folder = self.temporary_folder()
        self.elsewhere = self.temporary_folder()  # of the test, not of the program
        self.output = self.folder / "report.json"

    def temporary_folder(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="dlbench-faults-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        return folder

    def launch(self, ranks, arguments, *, steps="5", within=(), late_rank=(), **environment):
        """Starts ranks in the background; self.pids() finds them by the name of their report. The launcher is
        started by the command `within`, the program by `late_rank`."""
        self.job = subprocess.Popen(
            [*within, LAUNCHER, "-n", str(ranks), *late_rank, PROGRAM, *arguments, *SMALL, "--steps", steps,
             "--output", str(self.output)],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL,
            env={**os.environ, "DLBENCH_TEST_TAG": str(self.folder), **environment})
        self.addCleanup(self.end_job)

    def inject(self, fault, **how):
        """Launches two ranks, of which rank 1 has the fault after some repetitions; returns how many."""
        trigger = self.elsewhere / "fault"
        self.launch(2, RUN, DLBENCH_TEST_FAULT=f"{fault}@1:{trigger}", **how)
        done = self.wait_for_repetitions()
        trigger.touch()
        return done

    def end_job(self):
        if self.job.poll() is None:
            self.job.kill()
            self.job.wait()

    def ours(self, name):
        return [pid for pid in processes(name) if environment_of(pid).get("DLBENCH_TEST_TAG") == str(self.folder)]

    def pids(self):
        """Process numbers by rank."""
        ranks = {int(environment_of(pid).get("PMI_RANK", -1)): pid for pid in self.ours("dlbench")}
        return [ranks[rank] for rank in sorted(ranks) if rank >= 0]

    def wait_for_repetitions(self):
        """Until the report on the disk has two; returns how many."""
        end = time.monotonic() + 120
        while time.monotonic() < end:
            self.assertIsNone(self.job.poll(), "ended before the fault")
            if self.output.exists() and (done := self.repetitions(json.loads(self.output.read_text()))) >= 2:
                return done
            time.sleep(0.05)
        self.fail("no repetitions in two minutes")

    @staticmethod
    def repetitions(report):
        return sum(len(trial["repetitions"]) for trial in report["trials"])

    def expect_end(self, code):
        """The launch ends with `code`, or one of several, and leaves no process behind; its messages."""
        start = time.monotonic()
        _, errors = self.job.communicate(timeout=PROMISED_S + SLACK_S)
        while self.ours("dlbench-sentinel") and time.monotonic() - start < PROMISED_S + SLACK_S:
            time.sleep(0.02)
        print(f"{self.id()}: ended after {time.monotonic() - start:.2f} s")
        self.assertEqual(self.ours("dlbench") + self.ours("dlbench-sentinel"), [], "nothing outlives the run")
        self.assertIn(self.job.returncode, code if isinstance(code, tuple) else (code,), errors)
        return errors

    def valid_report(self, path):
        check = subprocess.run([PROGRAM, "report", "validate", str(path)], stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(check.returncode, 0, check.stdout)
        return json.loads(path.read_text(encoding="utf-8"))

    def expect_fault(self, *, code, rank, says, done=0, collective=True):
        """The launch ends with `code` (9: the launcher's own) and the report names `rank`."""
        errors = self.expect_end(code)
        report = self.valid_report(self.output)
        failure = report["run"]["failure"]
        self.assertIsNotNone(failure, errors)
        self.assertIn(says, failure["detail"])
        if rank is not None:
            self.assertEqual(failure["rank"], rank, failure)
        self.assertEqual(failure["host"], os.uname().nodename)
        self.assertIn("trial ", failure["phase"])
        if collective:
            self.assertGreater(failure["collective"], 0)
        self.assertGreaterEqual(self.repetitions(report), done, "finished repetitions stay")
        self.assertIn("partial", [taint["code"] for taint in report["run"]["taints"]])
        return report, errors

    def signal_rank(self, rank, number, arguments=None, ranks=3):
        self.launch(ranks, arguments or RUN)
        done = self.wait_for_repetitions()
        os.kill(self.pids()[rank], number)
        return done

    def test_a_killed_rank(self):
        done = self.signal_rank(1, signal.SIGKILL)
        report, _ = self.expect_fault(code=OF_A_KILLED_RANK, rank=1, says="SIGKILL", done=done)
        self.assertEqual((report["run"]["status"], report["run"]["exit_code"]), ("failed", 5))

    def test_killed_rank_0_in_scale(self):
        done = self.signal_rank(0, signal.SIGKILL, SCALE, ranks=4)
        self.expect_fault(code=OF_A_KILLED_RANK, rank=0, says="SIGKILL", done=done)

    @unittest.skipUnless(STEPPED_CLOCK, "no library that sets the time of day")
    def test_a_time_of_day_that_was_set_back_spoils_no_report(self):
        trigger = self.elsewhere / "step"
        setting_back = {"LD_PRELOAD": STEPPED_CLOCK, "DLBENCH_TEST_CLOCK_BACK": str(trigger)}
        self.launch(2, ["run", "--trials", "synthetic", "--repetitions", "10", "--max-time", "1s"], **setting_back)
        self.wait_for_repetitions()
        trigger.touch()
        self.expect_end(0)
        self.assertEqual(self.valid_report(self.output)["run"]["status"], "complete")
        trigger.unlink()
        self.output.unlink()
        self.launch(2, RUN, **setting_back)
        done = self.wait_for_repetitions()
        trigger.touch()
        os.kill(self.pids()[0], signal.SIGKILL)  # its sentinel writes the end
        self.expect_fault(code=OF_A_KILLED_RANK, rank=0, says="SIGKILL", done=done)

    def test_a_terminated_rank(self):
        done = self.signal_rank(2, signal.SIGTERM)
        report, errors = self.expect_fault(code=124, rank=2, says="SIGTERM", done=done)
        self.assertEqual((report["run"]["status"], report["run"]["exit_code"]), ("partial", 124))
        self.assertEqual(errors.count("SIGTERM"), 1, errors)

    @unittest.skipUnless(HANGING_FINALIZE, "no library that never finalises")
    def test_results_end_though_mpi_does_not(self):
        # Each rank's own code: that of the launcher counts processes that leave without a word to it.
        codes = self.elsewhere / "codes"
        program = ["sh", "-c", f'"$@"; echo $? >> {codes}', "sh", PROGRAM]
        comm = ["comm", "--collectives", "all_reduce", "-b", "8", "-e", "8", "-n", "2", "-w", "1"]
        for arguments, code, says in (([*comm, "--output", str(self.output)], 0, "all_reduce"), (["comm", "--bogus"], 2, "")):
            codes.write_text("", encoding="utf-8")
            begin = time.monotonic()
            done = subprocess.run(
                [LAUNCHER, "-n", "2", *program, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                timeout=120, check=False, env={**os.environ, "LD_PRELOAD": HANGING_FINALIZE})
            self.assertLess(time.monotonic() - begin, 10.0 + SLACK_S)
            self.assertIn("MPI_Finalize() of MPICH", done.stderr)
            self.assertIn(says, done.stdout)
            self.assertEqual({int(line) for line in codes.read_text(encoding="utf-8").split()}, {code}, done.stderr)
        report = json.loads(self.output.read_text(encoding="utf-8"))
        self.assertEqual((report["run"]["status"], report["run"]["exit_code"]), ("complete", 0))

    @unittest.skipUnless(SLOW_DISK, "no library that slows renaming")
    def test_a_terminated_rank_0_has_the_time_to_write_its_report(self):
        self.launch(3, RUN, LD_PRELOAD=SLOW_DISK)
        done = self.wait_for_repetitions()
        os.kill(self.pids()[0], signal.SIGTERM)
        report, errors = self.expect_fault(code=124, rank=0, says="SIGTERM", done=done)
        self.assertIsNotNone(report["job"], report["run"]["skipped"])
        self.assertEqual([line for line in errors.splitlines() if "[rank" in line], [], "rank 0 speaks")

    def test_a_fault_is_told_by_a_rank_that_cannot_leave_its_work(self):
        trigger = self.elsewhere / "fault"
        self.launch(2, RUN, DLBENCH_TEST_FAULT=f"hang@0:{trigger}")
        done = self.wait_for_repetitions()
        trigger.touch()
        time.sleep(0.5)
        os.kill(self.pids()[1], signal.SIGSTOP)
        _, errors = self.expect_fault(code=codes_of_mpiexec(124, 9), rank=1, says="SIGSTOP", done=done)
        self.assertEqual(errors.count("dlbench: rank 1 ("), 1, errors)

    def test_a_stopped_rank(self):
        done = self.signal_rank(1, signal.SIGSTOP)
        self.expect_fault(code=124, rank=1, says="SIGSTOP", done=done)

    def test_stopped_rank_0_in_scale(self):
        done = self.signal_rank(0, signal.SIGSTOP, SCALE, ranks=2)
        self.expect_fault(code=124, rank=0, says="SIGSTOP", done=done)

    def test_walltime(self):
        self.launch(3, RUN)
        done = self.wait_for_repetitions()
        for pid in self.pids():
            os.kill(pid, signal.SIGUSR1)
        self.expect_fault(code=124, rank=None, says="SIGUSR1", done=done)

    def test_a_rank_that_never_enters_a_collective(self):
        done = self.inject("hang")
        self.expect_fault(code=124, rank=1, says="hangs", done=done)

    def test_a_loss_that_is_not_finite_on_one_rank(self):
        self.expect_loss_of_rank_1(steps="5")

    def test_a_loss_that_is_not_finite_in_the_last_step_of_a_repetition(self):
        self.expect_loss_of_rank_1(steps="1")

    def expect_loss_of_rank_1(self, steps):
        done = self.inject("nan", steps=steps)
        report, _ = self.expect_fault(code=5, rank=1, says="the loss is", done=done)
        self.assertEqual(report["run"]["status"], "failed")

    def test_a_killed_rank_of_another_node(self):
        self.launch(2, RUN, **NODES_OF_ONE_RANK)
        done = self.wait_for_repetitions()
        os.kill(self.pids()[1], signal.SIGKILL)
        self.expect_fault(code=WITHOUT_A_NODE, rank=1, says="SIGKILL", done=done)

    def test_a_stopped_rank_that_is_alone_on_its_node(self):
        for rank in (0, 1):
            self.output.unlink(missing_ok=True)
            self.launch(2, RUN, **NODES_OF_ONE_RANK)
            done = self.wait_for_repetitions()
            os.kill(self.pids()[rank], signal.SIGSTOP)
            self.expect_fault(code=124, rank=rank, says="SIGSTOP", done=done)

    def test_a_variable_that_is_wrong_on_one_rank_ends_all(self):
        for wrong in (0, 1):
            only = f'[ $PMI_RANK = {wrong} ] && export DLBENCH_HANG_SECONDS=1; exec "$@"'
            self.launch(2, RUN, late_rank=["sh", "-c", only, "sh"])
            _, errors = self.job.communicate(timeout=PROMISED_S + SLACK_S)
            self.assertEqual(self.job.returncode, 2, errors)
            self.assertIn("DLBENCH_HANG_SECONDS is '1', wanted 10 or more", errors)
            self.assertNotIn("faults of ranks will not be named", errors)
            # Without a sentinel nobody waits for the rank that the launcher has just killed.
            end = time.monotonic() + PROMISED_S
            while (left := self.ours("dlbench") + self.ours("dlbench-sentinel")) and time.monotonic() < end:
                time.sleep(0.02)
            self.assertEqual(left, [], "nothing outlives the run")

    def test_a_rank_of_another_node_that_never_enters_a_collective(self):
        done = self.inject("hang", **NODES_OF_ONE_RANK)
        self.expect_fault(code=124, rank=1, says="hangs", done=done)
        self.assertEqual([each.name for each in self.folder.iterdir()], ["report.json"], "nothing else is left")

    def processes_of_node(self, node, ranks):
        """Sentinel and rank of a simulated node, of which each has one rank."""
        self.launch(ranks, RUN, **NODES_OF_ONE_RANK)
        done = self.wait_for_repetitions()
        time.sleep(2.0)  # the others know of it what it said last
        (sentinel,) = [pid for pid in self.ours("dlbench-sentinel")
                       if environment_of(pid).get("PMI_RANK") == str(node)]
        return sentinel, self.pids()[node], done

    def test_a_node_that_is_gone_as_a_whole(self):
        sentinel, rank, done = self.processes_of_node(2, ranks=3)
        os.kill(sentinel, signal.SIGKILL)
        os.kill(rank, signal.SIGKILL)
        self.expect_fault(code=WITHOUT_A_NODE, rank=2, says="its whole node is gone", done=done)

    def test_the_node_of_rank_0_is_gone_as_a_whole(self):
        sentinel, rank, done = self.processes_of_node(0, ranks=3)
        os.kill(sentinel, signal.SIGKILL)
        os.kill(rank, signal.SIGKILL)
        self.expect_fault(code=WITHOUT_A_NODE, rank=0, says="its whole node is gone", done=done)

    def test_a_node_that_stands_still(self):
        sentinel, rank, done = self.processes_of_node(1, ranks=3)
        os.kill(sentinel, signal.SIGSTOP)
        os.kill(rank, signal.SIGSTOP)
        start = time.monotonic()
        self.job.wait(timeout=PROMISED_S + SLACK_S)
        print(f"{self.id()}: the others ended after {time.monotonic() - start:.2f} s")
        os.kill(sentinel, signal.SIGCONT)
        self.expect_fault(code=WITHOUT_A_NODE, rank=1, says="no sign of life", done=done)

    def test_a_full_disk(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = shutil.which("mount") and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=1m", "dlbench-test", disk],
            check=False, capture_output=True).returncode == 0
        if not mounted:
            self.skipTest("no small file system to fill: mounting one needs root")
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        self.output = disk / "report.json"
        self.launch(2, RUN, TMPDIR=str(self.elsewhere))
        done = self.wait_for_repetitions()
        with self.assertRaises(OSError), open(disk / "filling", "wb", buffering=0) as filling:
            while True:
                filling.write(b"x" * 4096)
        errors = self.expect_end(1)
        self.assertIn("No space left", errors)
        self.assertGreaterEqual(self.repetitions(self.valid_report(self.output)), done, "the last one stays")
        (other,) = self.elsewhere.glob("dlbench-*.json")
        self.assertIn(str(other), errors)
        failure = self.valid_report(other)["run"]["failure"]
        self.assertEqual(failure["rank"], 0)
        self.assertIn("No space left", failure["detail"])

    def launch_with_late_rank(self, **how):
        """Rank 1 begins once a file is there; that file, and the process of rank 0, which has a board."""
        trigger = self.elsewhere / "begin"
        wait = f'[ "$PMI_RANK" = 0 ] || while [ ! -e {trigger} ]; do sleep 0.05; done; exec "$@"'
        self.launch(2, RUN, late_rank=["sh", "-c", wait, "sh"], **how)
        end = time.monotonic() + 60
        while time.monotonic() < end:
            # The sentinel has the name of its parent, and the board, until it takes its own.
            for pid in self.pids() if self.ours("dlbench-sentinel") else ():
                if board_of(pid) is not None:
                    return trigger, pid
            time.sleep(0.02)
        self.fail("no board")

    def test_a_rank_killed_before_the_ranks_met_leaves_no_board(self):
        _, rank_0 = self.launch_with_late_rank()
        board = board_of(rank_0)
        self.assertTrue(board.exists())
        os.kill(rank_0, signal.SIGKILL)
        self.expect_end(OF_A_KILLED_RANK)
        self.assertFalse(board.exists())

    @unittest.skipIf(subprocess.run([*CONTAINER[:5], "true"], stderr=subprocess.DEVNULL, check=False).returncode,
                     "no right to a name space of process numbers")
    def test_jobs_of_equal_process_numbers_keep_apart(self):
        trigger, _ = self.launch_with_late_rank(within=CONTAINER)
        other = subprocess.run(
            [*CONTAINER, LAUNCHER, "-n", "2", PROGRAM, "run", "--workload", "none-of-ours"],  # has a board, too
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
        self.assertIn("none-of-ours", other.stderr)
        trigger.touch()
        done = self.wait_for_repetitions()
        os.kill(self.pids()[1], signal.SIGKILL)
        self.expect_fault(code=OF_A_KILLED_RANK, rank=1, says="SIGKILL", done=done)

    def test_a_slow_rank_is_no_fault(self):
        arguments = ["scale", "--mode", "weak", "--ranks", "2", "--repetitions", "3", "--time-budget", "10s"]
        self.launch(2, arguments, DLBENCH_TEST_FAULT="slow@1:0")
        _, errors = self.job.communicate(timeout=240)
        self.assertEqual(self.job.returncode, 0, errors)
        report = json.loads(self.output.read_text(encoding="utf-8"))
        self.assertEqual((report["run"]["status"], report["run"]["failure"]), ("complete", None))
        (point,) = report["scaling"][0]["points"]
        self.assertEqual(point["slowest_rank"], 1)
        self.assertGreater(point["slowest_share"], 0.5)


if __name__ == "__main__":
    unittest.main(argv=["faults_test", *sys.argv[1:]])
