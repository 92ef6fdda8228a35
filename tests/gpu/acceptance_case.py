# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""How tests run acceptance.sh with fakes for dlbench, gpu_test and the driver."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from fakes import Fakes

HERE = pathlib.Path(__file__).resolve().parent
# As trials of a report have them; of io, whose repetitions count batches, nvml alone.
NVML = {"available": True, "monitor_cpu_share": 0.0005, "samples": 80.0, "power_mean_watt": 512.0}
OF_STEPS = {"cupti": {"available": True, "slowdown_share": 0.02, "dropped_records": 0, "kernel_without_op_share": 0.0,
                      "graph_nodes": {"captured": 42, "recorded": 42, "tied_to_ops": True}},
            "cupti_counters": {"available": True, "slowdown_share": 0.1, "steps": 50.0, "sm_active_share": 0.9,
                               "dram_read_bytes_per_step": 2e9, "gpu_time_seconds": 1.5},
            "cupti_sampling": {"available": True, "samples": 5000, "counters": {"sm_active_share": {"mean": 0.9}}},
            "nvml": NVML, "nvml_pcie": {"available": True, "slowdown_share": 0.0, "steps": 50.0,
                                        "received_bytes_per_step": 4e6, "sent_bytes_per_step": 2e4}}
PROBES = {"io": {"nvml": NVML}, **{name: OF_STEPS for name in ("synthetic/device", "synthetic/host", "full")}}


def changed(probe, trials=tuple(PROBES), **values):
    """PROBES with these values of a probe in those trials that have it."""
    return {name: {**of, probe: {**of[probe], **values}} if name in trials and probe in of else of
            for name, of in PROBES.items()}


PYTORCH = {"workload": "resunetpp",
           "bars": [{"bar": "compile-32", "wanted": 1.0, "peer": "compile-graph", "ratio": 1.1, "missing": []},
                    {"bar": "eager-32", "wanted": 1.4, "peer": "eager", "ratio": 1.5, "missing": []},
                    {"bar": "eager-8", "wanted": 2.0, "peer": "eager", "ratio": 2.2, "missing": []}]}


class Acceptance(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="dlbench-acceptance-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.fakes = Fakes(self.folder)
        self.output = self.folder / "output"

    def run_part(self, part, *more, environment=None, tree=None, script=HERE / "acceptance.sh", **behaviour):
        self.fakes.behave(**{"probes": PROBES, **behaviour})
        path = f"{self.fakes.path}:{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
        variables = {k: v for k, v in os.environ.items() if not k.startswith("DLBENCH_")}
        done = subprocess.run(
            [script, "--part", part, *more, tree or self.fakes.folder / "tree", self.output],
            capture_output=True, text=True, timeout=300,
            env={**variables, "PATH": path, "CUDA_HOME": str(self.folder), **(environment or {})})
        self.said = done.stdout + done.stderr
        table = self.output / "table.txt"
        self.table = table.read_text() if table.exists() else ""
        return done.returncode

    def give_pytorch(self, device="NVIDIA H200", version="0.1.0 (fake)", **changed):
        self.output.mkdir(exist_ok=True)
        content = {**json.loads(json.dumps(PYTORCH)), "dlbench": version}
        content["rows"] = [{"name": name, "device": device} for name in ("dlbench", "eager")]
        for bar in content["bars"]:
            bar.update(changed.get(bar["bar"].replace("-", "_"), {}))
        (self.output / "pytorch.json").write_text(json.dumps(content))

    def join(self, *words):
        """bars.py on folders; its table and code."""
        done = subprocess.run([sys.executable, "-B", HERE / "bars.py", *words], capture_output=True, text=True,
                              timeout=60)
        self.table = done.stdout
        return done.returncode

    def run_pytorch(self, **changed):
        """Its part, with a PyTorch that leaves what give_pytorch has."""
        self.give_pytorch(**changed)
        (self.output / "pytorch.json").rename(self.folder / "compared.json")
        self.fakes.called_python(compare=f"cp {self.folder}/compared.json {self.output}/pytorch.json; exit")
        return self.run_part("pytorch")

    def bar(self, letter):
        found = [line for line in self.table.splitlines() if line.startswith(f"bar {letter} ")]
        self.assertEqual(len(found), 1, self.table)
        return found[0]
