#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""compare_pytorch.py with fakes for dlbench and PyTorch; pytorch_step.py where a PyTorch is."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import compare_pytorch
import pytorch_step
from fakes import Fakes

HERE = pathlib.Path(__file__).resolve().parent
TORCH_PYTHON = "/usr/bin/python3"  # where Debian puts PyTorch


class Compare(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="dlbench-compare-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.fakes = Fakes(self.folder)

    def compare(self, *more, **behaviour):
        self.fakes.behave(**behaviour)
        output = self.folder / "pytorch.json"
        done = subprocess.run(
            [sys.executable, HERE / "compare_pytorch.py", "--dlbench", self.fakes.dlbench, "--python",
             self.fakes.python, "--output", output, *more], capture_output=True, text=True, timeout=120)
        self.table = json.loads(output.read_text()) if output.exists() else None
        return done

    def row(self, precision, batch, name):
        found = [r for r in self.table["rows"] if (r["precision"], r["batch"], r["name"]) == (precision, batch, name)]
        self.assertEqual(len(found), 1, self.table["rows"])
        return found[0]

    def bar(self, name):
        return next(bar for bar in self.table["bars"] if bar["bar"] == name)

    def order(self):
        order = []
        for call in self.fakes.calls():
            if call[0] == "peer":
                order.append(call[1])
            elif call[0] == "run":
                order.append(f"{call[call.index('--precision') + 1]} {call[call.index('--batch-size') + 1]} dlbench")
        return order

    def test_what_matters_most_comes_first(self):
        self.assertEqual(self.compare().returncode, 0)
        order = self.order()
        self.assertEqual(order[:4], [f"bf16 {batch} {name}" for batch in (32, 8) for name in ("dlbench", "eager")])
        self.assertEqual(order[4], "bf16 32 compile-graph")
        self.assertEqual(order[5:11], [f"{p} 32 {name}" for p in ("fp32", "tf32", "fp16")
                                       for name in ("dlbench", "eager")])
        self.assertEqual(order[11:14], [f"{p} 32 compile-reduce" for p in ("fp32", "tf32", "fp16")])
        self.assertEqual(order[14:16], [f"bf16 32 {name}" for name in ("compile-reduce", "compile")])
        tuned = {call for call in order if call.endswith((" compile", " compile-graph"))}
        self.assertTrue(all(call.startswith("bf16 ") for call in tuned), tuned)
        self.assertEqual(order[-9:-5], order[:2] + [order[4], order[15]], "once more")
        self.assertEqual(len(order), 27)
        self.assertEqual(len(set(order)), 23, "nothing but those four is measured twice")
        self.assertEqual(order[-5:], ["bf16 32 eager-graph", "bf16 8 eager-graph"] +
                         [f"{p} 32 eager-graph" for p in ("fp32", "tf32", "fp16")])
        self.assertEqual(self.row("bf16", 32, "eager")["processes"], 2)

    def test_dlbench_runs_without_probes(self):
        self.compare("--contestants", "dlbench")
        call = next(call for call in self.fakes.calls() if call[0] == "run")
        self.assertEqual(call[call.index("--probes") + 1], "none")

    def test_bars_are_of_the_fastest(self):
        peers = {"bf16 32 compile": {"windows": [80]}, "bf16 32 compile-graph": {"windows": [120, 125, 130]},
                 "bf16 32 eager": {"windows": [60]}, "bf16 8 eager": {"windows": [90]}}
        self.assertEqual(self.compare(peers=peers).returncode, 0)
        bar = self.bar("compile-32")
        self.assertEqual((bar["peer"], bar["met"], bar["missing"]), ("compile-graph", False, []))
        self.assertAlmostEqual(bar["ratio"], 100 / 125)
        self.assertTrue(self.bar("eager-32")["met"])
        self.assertFalse(self.bar("eager-8")["met"])
        self.assertAlmostEqual(self.row("bf16", 32, "compile-graph")["spread"], 10 / 125)

    def test_a_crash_of_dlbench_does_not_erase_its_rate(self):
        rules = [{"when": "--precision bf16", "code": -11, "says": "a probe died"}]
        done = self.compare("--contestants", "dlbench", "eager", rules=rules)
        self.assertEqual(done.returncode, 0, done.stdout)
        row = self.row("bf16", 32, "dlbench")
        self.assertEqual(row["samples_per_second"], 100.0)
        self.assertIn("a probe died", row["why"])
        self.assertIn("code", row["why"])

    def test_without_any_report_of_dlbench(self):
        rules = [{"when": "run", "code": 5, "no_report": True, "says": "dlbench: out of memory"}]
        done = self.compare("--contestants", "dlbench", "eager", rules=rules)
        self.assertEqual(done.returncode, 1)
        self.assertIn("out of memory", self.row("bf16", 32, "dlbench")["why"])
        self.assertIsNone(self.bar("eager-32")["met"])

    def test_what_has_to_be_measured_and_was_not_is_named_last(self):
        def last_line(*words, **behaviour):
            done = self.compare(*words, **behaviour)
            self.assertEqual(done.returncode, 1, done.stdout)
            return done.stdout.splitlines()[-1]
        failed = {"windows": [], "code": 1, "says": "RuntimeError: no"}
        self.assertEqual(last_line(rules=[{"when": "--precision tf32", "code": 5, "no_report": True}]),
                         "not measured: tf32 batch 32 dlbench")
        self.assertEqual(last_line(peers={"default": failed}),
                         "not measured: bf16 batch 32 eager, bf16 batch 8 eager, bf16 batch 32 compile-graph, "
                         "fp32 batch 32 eager, tf32 batch 32 eager, fp16 batch 32 eager, fp32 batch 32 compile-reduce, "
                         "tf32 batch 32 compile-reduce, fp16 batch 32 compile-reduce")
        self.assertEqual(last_line(peers={"fp16 32 compile-reduce": failed}),
                         "not measured: fp16 batch 32 compile-reduce")
        self.assertEqual(last_line("--contestants", "dlbench", "compile", "--rounds", "2",
                                   peers={"bf16 32 compile": failed}), "not measured: bf16 batch 32 compile")
        # Of what comes after it nothing has to be.
        peers = {f"bf16 32 {name}": failed for name in ("compile", "compile-reduce", "eager-graph")}
        self.assertEqual(self.compare(peers=peers).returncode, 0)

    def test_what_is_complete_is_not_run_again(self):
        failed = {"windows": [], "code": 1, "says": "RuntimeError: no"}
        self.assertEqual(self.compare(peers={"fp16 32 compile-reduce": failed, "fp32 32 eager": failed}).returncode, 1)
        before = [row for row in self.table["rows"] if row["precision"] == "bf16"]
        self.fakes.forget_calls()
        done = self.compare("--resume")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.order(), [f"{p} 32 {name}" for p in ("fp32", "fp16") for name in ("dlbench", "eager")] +
                         [f"{p} 32 compile-reduce" for p in ("fp32", "fp16")] +
                         [f"{p} 32 eager-graph" for p in ("fp32", "fp16")])
        self.assertEqual([row for row in self.table["rows"] if row["precision"] == "bf16"], before)
        self.assertIsNotNone(self.bar("eager-8")["met"])
        self.fakes.forget_calls()
        done = self.compare("--resume", version="9.9.9 (another)")
        self.assertIn("pytorch.json is not resumed: it is of ", done.stdout)
        self.assertEqual(len(self.order()), 27)
        self.fakes.forget_calls()
        done = self.compare("--resume", "--on", "NVIDIA H200", version="9.9.9 (another)")
        self.assertEqual(self.order(), [], done.stdout)
        done = self.compare("--resume", "--on", "NVIDIA H100", version="9.9.9 (another)")
        self.assertIn("pytorch.json is not resumed: it is of NVIDIA H200; this is NVIDIA H100\n", done.stdout)
        self.assertEqual(len(self.order()), 27)
        (self.folder / "pytorch.json").write_text("{cut off")
        done = self.compare("--resume", "--contestants", "dlbench", "eager")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("pytorch.json is not resumed: it is no table", done.stdout)

    def test_a_precision_that_the_gpu_does_not_have_is_not_missed(self):
        rules = [{"when": f"--precision {name}", "code": 2, "no_report": True,
                  "says": f"dlbench: {name} needs compute capability 8.0, Tesla T4 is sm_75"} for name in ("bf16", "tf32")]
        done = self.compare(rules=rules)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("needs compute capability 8.0", self.row("tf32", 32, "dlbench")["why"])

    def test_a_failed_peer_says_why_and_its_last_words_are_kept(self):
        words = "first\n" + "x" * 6000 + "\nRuntimeError: no kernel for this"
        done = self.compare(peers={"bf16 32 compile": {"windows": [], "says": words, "code": 1}})
        self.assertEqual(self.row("bf16", 32, "compile")["why"], "code 1: RuntimeError: no kernel for this")
        self.assertIn("RuntimeError: no kernel", done.stderr)
        self.assertNotIn("first", done.stderr)
        self.assertGreater(len(done.stderr), 4000)
        bar = self.bar("compile-32")
        self.assertGreaterEqual(bar["ratio"], 1)
        self.assertIsNone(bar["met"], "the one that failed could have been faster")
        self.assertEqual(len(bar["missing"]), 1)

    def test_what_was_read_before_a_time_out_counts(self):
        peers = {"bf16 32 compile": {"windows": [50, 60], "says": "still tuning", "seconds": 30}}
        done = self.compare("--limit", "6", "--contestants", "dlbench", "compile", peers=peers)
        row = self.row("bf16", 32, "compile")
        self.assertEqual(row["samples_per_second"], 55.0)
        self.assertIn("2 windows, then: did not end within", row["why"])
        self.assertIn("still tuning", done.stderr)

    def test_when_the_time_is_up_nothing_is_started(self):
        done = self.compare("--max-time", "1")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.order(), [])
        self.assertEqual(self.bar("eager-32")["ratio"], None)
        self.assertIn("no time left", self.bar("eager-32")["missing"][0])

    def test_the_time_counts_from_the_start(self):
        peers = {"import_seconds": 4}
        self.compare("--max-time", "8", peers=peers)
        self.assertEqual(self.order(), [], "looking for PyTorch took what there was")

    def test_a_process_has_seven_minutes_or_what_is_left(self):
        def limits_of(*words):
            limits = []
            with mock.patch.object(compare_pytorch, "finished", lambda command, limit: limits.append(limit) or
                                   compare_pytorch.Finished(why="" if "-c" in command else "no")), \
                    mock.patch.object(sys, "argv", ["compare_pytorch.py", *words]), \
                    mock.patch.object(compare_pytorch.signal, "signal"), mock.patch("builtins.print"):
                compare_pytorch.main()
            return limits[2:]  # behind those that look for PyTorch and ask which dlbench it is
        self.assertEqual(set(limits_of()), {420})
        left = limits_of("--max-time", "100")
        self.assertTrue(all(90 < limit <= 100 for limit in left), left)

    def test_lines_around_the_result_lose_no_rate(self):
        noisy = {"windows": [50, 60], "first": {"device": "NVIDIA H200", "torch": "2.9"}, "facts": {"graph_breaks": 1},
                 "says_last": "[rank0] destroyed\n{not json}\n3"}
        self.compare("--contestants", "dlbench", "eager", peers={"bf16 32 eager": noisy})
        row = self.row("bf16", 32, "eager")
        self.assertEqual((row["samples_per_second"], row["why"]), (55.0, ""))
        self.assertEqual((row["graph_breaks"], row["torch"]), (1, "2.9"))

    def test_rows_name_the_device(self):
        late = {"windows": [50], "first": {"device": "NVIDIA H100"}, "seconds": 30}
        done = self.compare("--limit", "6", "--contestants", "dlbench", "eager", peers={"bf16 32 eager": late})
        self.assertEqual(self.row("bf16", 32, "dlbench")["device"], "NVIDIA H200")
        self.assertEqual(self.row("bf16", 32, "eager")["device"], "NVIDIA H100", "also of one that was ended")
        self.assertIn("samples/s, NVIDIA H100, NVIDIA H200\n", done.stdout)
        self.compare("--contestants", "dlbench", gpus=["NVIDIA H200", "NVIDIA L4"], workload={"device": "NVIDIA L4"})
        self.assertEqual(self.row("bf16", 32, "dlbench")["device"], "NVIDIA L4", "of both the one that computed")
        self.compare("--contestants", "dlbench", gpus=["NVIDIA H200", "NVIDIA L4"], workload=None)
        self.assertNotIn("device", self.row("bf16", 32, "dlbench"), "which of the two is not known")

    def test_without_pytorch_or_gpu_it_skips(self):
        done = self.compare(peers={"import_code": 1})
        self.assertEqual(done.returncode, 77, done.stderr)
        self.assertIn("has no PyTorch", done.stdout)
        done = self.compare(peers={"import_code": 3})
        self.assertEqual((done.returncode, done.stdout), (77, "skipped: this PyTorch sees no GPU\n"))

    def test_what_the_compiler_left_out_is_told(self):
        facts = {"graph_breaks": 2, "cudagraph_skips": 1}
        done = self.compare(peers={"bf16 32 compile": {"windows": [10], "facts": facts}})
        self.assertEqual(self.row("bf16", 32, "compile")["graph_breaks"], 2)
        self.assertIn("2 graph breaks, 1 cudagraph skips", done.stdout)


class Optimizer(unittest.TestCase):
    """NAdam as each contestant asks for it."""

    class Torch:
        __version__ = "2.9"

        class optim:
            @staticmethod
            def NAdam(parameters, lr=0, eps=0, foreach=None, capturable=False):
                return {"foreach": foreach, "capturable": capturable}

    def test_scalars_are_on_the_device_in_captured_steps_alone(self):
        made = {peer: pytorch_step.make_optimizer(self.Torch, [], peer) for peer in pytorch_step.PEERS}
        self.assertEqual({peer for peer, how in made.items() if how["capturable"]},
                         {"eager-graph", "compile-graph", "compile-templates"})
        self.assertTrue(all(how["foreach"] for how in made.values()))

    def test_triton_takes_the_assembler_of_pytorch(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ), \
             mock.patch("importlib.util.find_spec") as find_spec:
            os.environ.pop("TRITON_PTXAS_PATH", None)
            find_spec.return_value = mock.Mock(origin=f"{folder}/__init__.py")
            pytorch_step.take_one_assembler()
            self.assertNotIn("TRITON_PTXAS_PATH", os.environ)
            ptxas = pathlib.Path(folder, "bin", "ptxas")
            ptxas.parent.mkdir()
            ptxas.touch(0o755)
            pytorch_step.take_one_assembler()
            self.assertEqual(os.environ["TRITON_PTXAS_PATH"], str(ptxas))
            os.environ["TRITON_PTXAS_PATH"] = "the user's"
            pytorch_step.take_one_assembler()
            self.assertEqual(os.environ["TRITON_PTXAS_PATH"], "the user's")
            find_spec.return_value = None
            pytorch_step.take_one_assembler()

    def test_a_pytorch_that_cannot_capture_it_says_so(self):
        class Old(self.Torch):
            class optim:
                @staticmethod
                def NAdam(parameters, lr=0, eps=0):
                    return "made"
        self.assertEqual(pytorch_step.make_optimizer(Old, [], "compile"), "made")
        with self.assertRaisesRegex(RuntimeError, "cannot be captured"):
            pytorch_step.make_optimizer(Old, [], "eager-graph")


def has_torch():
    code = "import sys, torch; sys.exit(0)"
    try:
        return subprocess.run([TORCH_PYTHON, "-c", code], capture_output=True, timeout=120).returncode == 0
    except OSError:
        return False


@unittest.skipUnless(has_torch(), f"{TORCH_PYTHON} has no PyTorch")
class Step(unittest.TestCase):
    """The real step, on the processor and in small."""

    def step(self, *arguments):
        return subprocess.run(
            [TORCH_PYTHON, HERE / "pytorch_step.py", "--batch", "2", "--size", "32", "--device", "cpu",
             "--windows", "2", "--seconds", "0.2", *arguments], capture_output=True, text=True, timeout=250)

    def test_a_pytorch_without_such_a_compiler_compiles_nothing_ahead(self):
        done = subprocess.run([TORCH_PYTHON, "-c", "import pytorch_step as p; print(p.compile_ahead_where_it_is_known())"],
                              cwd=HERE, capture_output=True, text=True, timeout=120)
        if "inductor" not in done.stderr:
            self.skipTest("this PyTorch has the compiler")
        self.assertEqual(done.stdout, "None\n", done.stderr)
        self.assertIn("nothing is compiled ahead with this PyTorch: ", done.stderr)

    def test_eager_steps_are_timed(self):
        for precision in ("fp32", "bf16"):
            done = self.step("--peer", "eager", "--precision", precision)
            self.assertEqual(done.returncode, 0, done.stderr)
            lines = done.stdout.splitlines()
            self.assertEqual(json.loads(lines[0])["device"], "cpu")
            self.assertGreater(json.loads(lines[1])["warm_up_s"], 0)
            self.assertEqual([line.split()[0] for line in lines[2:4]], ["window", "window"])
            self.assertGreater(json.loads(lines[-1])["samples_per_second"], 0)

    def test_an_old_pytorch_says_what_it_lacks(self):
        old = subprocess.run([TORCH_PYTHON, "-c", "import torch, sys; sys.exit(hasattr(torch, 'compile'))"])
        if old.returncode != 0:
            self.skipTest("this PyTorch compiles")
        done = self.step("--peer", "compile", "--precision", "fp32")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("has no torch.compile", done.stderr)


if __name__ == "__main__":
    unittest.main()
