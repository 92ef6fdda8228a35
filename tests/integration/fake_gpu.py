# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""How tests run dlbench on the fake GPUs of tests/engine/backend/cuda/fake."""

import os
import pathlib
import shutil
import subprocess
import tempfile

import command
import mpi_launcher

GPU = "DLBENCH_FAKE_GPU"
NCCL = "DLBENCH_FAKE_NCCL"
CUPTI = "DLBENCH_FAKE_CUPTI"
XID = "DLBENCH_FAKE_XID"
REASONS = "DLBENCH_FAKE_REASONS"
PROCESSES = "DLBENCH_FAKE_PROCESSES"
VISIBLE = "DLBENCH_FAKE_VISIBLE"
SHORT = ["--workload", "mnist_cnn", "--batch-size", "2", "--steps", "2", "--repetitions", "2", "--max-time", "0.1s",
         "--max-noise", "100", "--workers", "1", "--autotune", "off"]


class FakeGpuTest(command.CommandTest):
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
        return mpi_launcher.launch("mpich", ranks, *arguments, environment={
            "DLBENCH_CACHE_DIR": str(self.folder / "cache"), GPU: f"devices={ranks}", **(environment or {})})

    def launch_apart(self, variables, *arguments, first=None, folders=None, codes=None):
        """Two ranks, of which the second has these variables too, the first those of `first`; each in its folder.
        Each adds its exit code to the file `codes`, if there is one."""
        program = [command.PROGRAM, *map(str, arguments)]
        if codes is not None:
            program = ["sh", "-c", f'"$@"; code=$?; echo $code >> {codes}; exit $code', "sh", *program]
        firsts, own = ([part for name, value in each.items() for part in ("-env", name, value)]
                       for each in (first or {}, variables))
        places = [["-wdir", str(folder)] for folder in folders or ()] or [[], []]
        one = [*mpi_launcher.launcher("mpich"), "-genv", GPU, "devices=2", "-n", "1", *places[0], *firsts, *program]
        return subprocess.run([*one, ":", "-n", "1", *places[1], *own, *program], capture_output=True, text=True, timeout=120,
                              env=dict(os.environ, DLBENCH_CACHE_DIR=str(self.folder / "cache")),
                              stdin=subprocess.DEVNULL, check=False)

    def launch_short(self, ranks, *arguments, environment=None):
        return self.launch(ranks, "run", *SHORT, "--probes", "none", "--data", self.digits(), "--device", "cuda", "--trials", "full",
                           "--output", self.folder / "report.json", *arguments, environment=environment)

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
        waits = [(row["name"], row["op"], row["phase"], row["calls"]) for row in recorded["synchronizations"]]
        self.assertEqual(waits, [("event", None, "other", recorded["steps"])])
        for row in recorded["copies"]:
            # Of no op: the batch before the network, and the loss, which is read behind it.
            self.assertEqual((row["op"], row["phase"]),
                             (None, "other" if row["name"] == "device_to_host" else "host_to_device"), row)
