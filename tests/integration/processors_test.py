# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""Processors with narrower vectors than this one, as oneDNN sees them: every workload trains, its numbers
are right, and no convolution falls back to the library's reference loops."""

import pathlib
import shutil
import tempfile
import unittest

from command import CommandTest

WORKLOADS = {
    "mnist_cnn": ["--batch-size", "128"],
    "resunetpp": ["--image-size", "64", "--batch-size", "2"],
}
PROCESSORS = ["SSE41", "AVX", "AVX2", "AVX512_CORE"]  # no cap on those that have less


class Processors(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="dlbench-processors-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)

    def on(self, processor, *arguments):
        done = self.dlbench(*arguments, environment={"ONEDNN_MAX_CPU_ISA": processor})
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr)

    def test_every_workload_trains_with_right_numbers(self):
        for processor in PROCESSORS:
            for workload, size in WORKLOADS.items():
                with self.subTest(processor=processor, workload=workload):
                    self.on(processor, "verify", "--workload", workload, "--backend", "cpu", *size)

    def test_convolutions_have_fast_kernels(self):
        for processor in PROCESSORS:
            with self.subTest(processor=processor):
                report = self.folder / f"{processor}.json"
                self.on(processor, "run", "--workload", "mnist_cnn", "--device", "cpu",
                        "--trials", "synthetic", "--steps", "2", "--max-time", "1s", "--output", report)
                convolutions = [one for one in self.report(report)["operators"]
                                if one["op"].startswith("conv")]
                self.assertGreater(len(convolutions), 4)
                for one in convolutions:
                    self.assertNotIn(":ref", one["kernel"], one["name"])


if __name__ == "__main__":
    unittest.main()
