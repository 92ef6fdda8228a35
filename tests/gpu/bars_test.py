#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""The bars that acceptance.sh judges, by bars.py, with fakes for dlbench and the driver."""
import json
import shutil
import unittest

import bars
from acceptance_case import Acceptance, changed


class Bars(Acceptance):
    def test_all_bars_met(self):
        self.give_pytorch()
        self.assertEqual(self.run_part("speed"), 0, self.said)
        wanted = {"a": "met 1.100", "b": "met 1.500", "c": "met 2.200", "d": "met 0.875", "e": "met 1.000",
                  "f": "met 2.000", "g": "met 0.05"}
        for letter, text in wanted.items():
            self.assertIn(text, self.bar(letter))
        self.assertIn("compile-graph", self.bar("a"))
        self.assertIn("batch_norm", self.bar("d"))
        self.assertIn("+-0.014, 1280 samples, 16 usable cores", self.bar("e"))
        self.assertIn(self.bar("a"), self.said, "the last table has them too")

    def test_each_missed_bar_is_code_three(self):
        self.give_pytorch()
        below = changed("cupti", slowdown_share=0.05)
        dropped = changed("cupti", slowdown_share=0.0, dropped_records=2)
        busy = changed("nvml", monitor_cpu_share=0.002)
        for letter, text, behaviour in (
                ("d", "MISSED 0.700", {"bandwidth": {"shares": {"add": 0.95, "dropout": 0.7}}}),
                ("d", "worst of 2: dropout bf16 (own:dropout dropout bf16 -> bf16); 1 below",
                 {"bandwidth": {"shares": {"add": 0.95, "dropout": 0.7}}}),
                ("e", "MISSED 0.960", {"rates": {"full": 96.0}}),
                ("f", "MISSED 5.000", {"probes": below}),
                ("f", "MISSED 0.000", {"probes": dropped}),
                ("g", "MISSED 0.200", {"probes": busy})):
            self.assertEqual(self.run_part("speed", **behaviour), 3, self.said)
            self.assertIn(text, self.bar(letter))
            self.assertIn("# part speed ended with code 3", self.table)
        self.give_pytorch(eager_8={"ratio": 1.9})
        self.assertEqual(self.run_part("speed"), 3)
        self.assertIn("MISSED 1.900", self.bar("c"))
        self.assertIn("met", self.bar("g"), "of the last part alone")

    def test_bars_are_of_an_h200(self):
        self.give_pytorch(device="NVIDIA H100 80GB HBM3", eager_8={"ratio": 1.9})
        self.fakes.gpu("NVIDIA H100 80GB HBM3")
        behaviour = {"rates": {"full": 96.0}, "gpus": ["NVIDIA H100 80GB HBM3"],
                     "bandwidth": {"device": "NVIDIA H100 80GB HBM3", "shares": {"dropout": 0.7}},
                     "probes": changed("nvml", monitor_cpu_share=0.002)}
        self.assertEqual(self.run_part("speed", **behaviour), 0, self.said)
        for letter, text in {"a": "info 1.100", "b": "info 1.500", "c": "info 1.900", "d": "info 0.700",
                             "e": "info 0.960", "f": "info 2.000", "g": "info 0.200"}.items():
            self.assertRegex(self.bar(letter), rf"^bar {letter}  {text} .*\(on NVIDIA H100 80GB HBM3, the bars are of "
                                               "an H200; ")

    def test_loading_is_judged_on_sixteen_cores(self):
        self.assertEqual(self.run_part("speed", rates={"full": 50.0}, cores=15), 0, self.said)
        self.assertRegex(self.bar("e"), r"not run .*\(15 usable cores, wanted 16\)")
        self.assertIn("met", self.bar("g"), "which asks for no cores")

    def test_a_failed_step_outranks_a_missed_bar(self):
        rules = [{"when": "data generate", "code": 1, "says": "no space"}]
        self.assertEqual(self.run_part("speed", rules=rules, rates={"full": 50.0}), 1)
        self.assertIn("FAILED", self.table)
        self.assertIn("not run", self.bar("e"))
        self.assertIn("wanted bf16, batch 32, a warm cache", self.bar("e"))

    def test_bars_that_were_not_run_say_why(self):
        self.assertEqual(self.run_part("tests"), 0, self.said)
        for letter in "abcdefg":
            self.assertRegex(self.bar(letter), r"^bar . +not run .*\(no \w+\.json: its part did not run")
        self.give_pytorch(compile_32={"ratio": None, "missing": ["compile: did not end within 270 s"]})
        self.run_part("speed", samples=64, probes={}, bandwidth={"shares": {}})
        self.assertIn("did not end within 270 s", self.bar("a"))
        self.give_pytorch(compile_32={"missing": ["compile: did not end within 270 s"]})
        self.run_part("speed", samples=64, probes={}, bandwidth={"shares": {}})
        self.assertRegex(self.bar("a"), r"info 1\.100 .*without compile: did not end", "which could be faster")
        self.assertIn("no kernel was measured", self.bar("d"))
        self.assertIn("64 samples are too few", self.bar("e"))
        self.assertIn("cupti: it measured nothing", self.bar("f"))

    def test_bandwidth_of_a_run_that_failed_or_was_cut_short_is_no_bar(self):
        for behaviour, text in (({"complete": False, "code": 1}, "did not reach its end; 0.875 is the worst of 2"),
                                ({"failed": ["pool bf16: no"], "code": 1}, "not measured: pool bf16: no; 0.875"),
                                ({"skipped": ["pool f16: none"]}, "not measured: pool f16: none; 0.875"),
                                ({"complete": None}, "did not reach its end")):
            self.run_part("speed", bandwidth=behaviour)
            self.assertIn("not run", self.bar("d"))
            self.assertIn(text, self.bar("d"))

    def test_bandwidth_of_an_earlier_call_is_none_of_one_that_crashed(self):
        self.run_part("speed")
        self.run_part("speed", bandwidth={"crashes": True})
        self.assertRegex(self.bar("d"), r"not run .*no bandwidth.json")

    def test_pytorch_of_an_earlier_call_is_none_of_one_that_measured_nothing(self):
        self.give_pytorch()
        self.run_part("pytorch")
        self.assertRegex(self.bar("a"), r"not run .*no pytorch.json")


class Gpus(unittest.TestCase):
    def test_what_is_an_h200(self):
        for name, wanted in {"NVIDIA H200": True, "NVIDIA H200 NVL": True, "NVIDIA GH200 480GB": False,
                             "NVIDIA H100 80GB HBM3": False, "NVIDIA H200 MIG 1g.18gb": False, "cpu": False}.items():
            self.assertEqual(bars.is_h200(name), wanted, name)

    def test_where_results_have_the_name(self):
        hosts = [{"gpus": [{"name": "NVIDIA L4"}]}, {"gpus": []}, {}]
        for content, wanted in (({"system": {"hosts": hosts}}, "NVIDIA L4"),
                                ({"rows": [{"device": "NVIDIA L4"}, {"name": "eager"}]}, "NVIDIA L4"),
                                ({"device": "NVIDIA L4", "rows": [{"name": "add"}]}, "NVIDIA L4"),
                                ({"system": {"hosts": []}}, ""), ({}, ""),
                                ({"rows": [{"device": "NVIDIA L4"}, {"device": "Tesla T4"}]}, "NVIDIA L4, Tesla T4"),
                                ({"rows": [{"device": "NVIDIA L4"}, {"device": "NVIDIA H200"}]},
                                 "NVIDIA H200, NVIDIA L4"),
                                ({"rows": [{"device": "NVIDIA H200"}, {"device": "NVIDIA H200"}]}, "")):
            self.assertEqual(bars.gpus_without_bars(content), wanted, content)


    def test_of_several_gpus_it_is_the_one_that_computed(self):
        gpus = [{"name": "NVIDIA L4", "uuid": "GPU-1"}, {"name": "NVIDIA H200", "uuid": "GPU-2"}]
        report = {"system": {"hosts": [{"gpus": gpus}]}}
        for workload, wanted in (({"device": "NVIDIA L4"}, {"NVIDIA L4"}), ({"device_uuid": "GPU-2"}, {"NVIDIA H200"}),
                                 ({"device_uuid": None}, set()), (None, set())):
            self.assertEqual(bars.gpus_of_report({**report, "workload": workload}), wanted)


class Joined(Acceptance):
    def test_a_bar_is_of_the_last_folder_that_can_judge_it(self):
        first, second, third = (self.folder / name for name in ("first", "second", "third"))
        self.output = first
        self.run_part("speed", rates={"full": 99.0})
        self.give_pytorch(eager_8={"ratio": 2.5})
        self.output = second
        self.run_part("speed", rates={"full": 98.0}, probes={}, bandwidth={"shares": {"add": 0.9}})
        self.give_pytorch(eager_32={"ratio": 1.2}, eager_8={"ratio": None, "missing": ["dlbench: not run"]},
                          compile_32={"ratio": 1.3, "missing": ["compile: did not end"]})
        self.output = third
        self.run_part("speed", samples=64, probes={}, bandwidth={"complete": False})
        (third / "pytorch.json").write_text("cut sho")
        self.assertEqual(self.join("--of-call", first, second, third), 3)
        for letter, text in {"a": "met 1.100", "b": "MISSED 1.200", "c": "met 2.500", "d": "met 0.900",
                             "e": "met 0.980", "f": "met 2.000", "g": "met 0.05"}.items():
            self.assertIn(text, self.bar(letter))
        self.join(third)
        self.assertIn("64 samples are too few", self.bar("e"))
        self.assertRegex(self.bar("a"), "not run .*pytorch.json cannot be read")

    def test_a_bar_is_of_an_h200_in_whatever_folder(self):
        def give(folder, **content):
            (self.folder / folder).mkdir(exist_ok=True)
            rows = [{"name": "add", "dtype": "bf16", "kind": "own:add", "share_of_copy": content.pop("share")}]
            content = {"dlbench": "0.1.0 (fake)", "complete": True, "rows": rows, **content}
            (self.folder / folder / "bandwidth.json").write_text(json.dumps(content))

        def bar_d():
            code = self.join("--of-call", self.folder / "first", self.folder / "second")
            return code, self.bar("d")
        give("first", share=0.8, device="NVIDIA H200")
        give("second", share=0.9, device="NVIDIA H100")
        self.assertRegex(str(bar_d()), r"\(3, .*MISSED 0.800")
        give("first", share=0.8, device="NVIDIA A100")
        self.assertRegex(str(bar_d()), r"\(0, .*info 0.900 .*\(on NVIDIA H100, ")
        give("second", share=0.9, device="NVIDIA H100", complete=False)
        self.assertRegex(str(bar_d()), r"\(0, .*info 0.800 .*\(on NVIDIA A100, ")
        give("second", share=0.9)
        self.assertRegex(str(bar_d()), r"\(0, .*info 0.800 .*\(on NVIDIA A100, ", "the second names no GPU")
        give("first", share=0.9)
        self.assertRegex(str(bar_d()), r"\(0, .*not run .*\(bandwidth.json does not name the GPU that computed")

    def test_parts_in_folders_of_their_own_are_joined(self):
        self.assertEqual(self.run_part("tests"), 0)
        tests, self.output = self.output, self.folder / "speed"
        self.assertEqual(self.run_part("speed"), 0)
        speed, self.output = self.output, self.folder / "pytorch"
        self.assertEqual(self.run_pytorch(compile_32={"ratio": 0.8}), 3, self.said)
        self.assertEqual(self.join(tests, speed, self.output), 3, self.table)
        self.assertIn("verify resunetpp bf16", self.table)
        self.assertIn("bandwidth of memory-bound kernels", self.table)
        bars = [line for line in self.table.splitlines() if line.startswith("bar ")]
        self.assertEqual(len(bars), 7)
        self.assertIn("MISSED 0.800", bars[0])
        self.assertFalse([line for line in bars if "not run" in line])

    def three_parts(self):
        self.assertEqual(self.run_part("tests"), 0, self.said)
        self.assertEqual(self.run_part("speed"), 0, self.said)
        self.assertEqual(self.run_pytorch(), 0, self.said)
        self.assertEqual(self.join(self.output), 0, self.table)

    def test_a_whole_acceptance_is_of_all_three_parts(self):
        self.assertEqual(self.run_part("tests"), 0, self.said)
        self.assertEqual(self.join(self.output), 1)
        self.assertIn("FAILED: part speed was not run\nFAILED: part pytorch was not run\n", self.table)
        self.three_parts()
        self.assertEqual(self.join(self.output, self.folder / "nothing"), 1)
        self.assertIn(f"FAILED: {self.folder}/nothing: there is no such folder\n", self.table)
        (self.folder / "nothing").mkdir()
        self.assertEqual(self.join(self.output, self.folder / "nothing"), 1)
        self.assertIn(f"FAILED: {self.folder}/nothing has no table of a part\n", self.table)

    def test_a_part_that_failed_fails_until_it_is_called_again(self):
        self.three_parts()
        rules = [{"when": "--precision tf32", "code": 1}]
        self.assertEqual(self.run_part("tests", rules=rules), 1)
        self.assertEqual(self.join(self.output), 1)
        self.assertIn(f"FAILED: part tests in {self.output} ended with code 1\n", self.table)
        table = self.output / "table.txt"
        table.write_text(table.read_text().replace("# part tests ended with code 1\n", ""))
        self.assertEqual(self.join(self.output), 1)
        self.assertIn(f"FAILED: part tests in {self.output} did not reach its end\n", self.table)
        self.assertEqual(self.run_part("tests", "--resume"), 0, self.said)
        self.assertEqual(self.join(self.output), 0, self.table)
        table.write_text(table.read_text() + "not run     0 s  verify mnist_cnn fp32 (the time is up)\n")
        self.assertEqual(self.join(self.output), 1)
        self.assertIn("has what failed or was not run: verify mnist_cnn fp32 (the time is up)", self.table)

    def test_parts_of_a_call_of_all_are_judged_each_by_itself(self):
        self.fakes.called_python(compare="echo 'bf16 batch 32 eager not run: no time left'; exit 1")
        self.assertEqual(self.run_part("all"), 1)
        self.assertEqual(self.join(self.output), 1)
        self.assertEqual(self.table.count("\nFAILED: "), 1, self.table)
        self.assertIn(f"FAILED: part pytorch in {self.output} has what failed or was not run: PyTorch", self.table)
        self.assertEqual(self.run_pytorch(), 0, self.said)
        self.assertEqual(self.join(self.output), 0, self.table)

    def test_folders_of_another_dlbench_or_gpu_are_told(self):
        self.three_parts()
        later = self.folder / "later"
        for gpu, version, wanted in (("NVIDIA H200", "0.1.0 (fixed)", "is of dlbench 0.1.0 (fake), the last part of "
                                                                      "0.1.0 (fixed)"),
                                     ("NVIDIA H100", "0.1.0 (fake)", "is of NVIDIA H200, the last part of "
                                                                     "NVIDIA H100")):
            self.fakes.gpu(gpu)
            first, self.output = self.output, later
            self.assertEqual(self.run_part("tests", version=version), 0, self.said)
            self.output = first
            self.assertEqual(self.join(first, later), 1)
            for part in ("speed", "pytorch"):
                self.assertIn(f"FAILED: part {part} in {first} {wanted}\n", self.table)
            self.assertNotIn("part tests in", self.table)
            for letter in "abcdefg":
                self.assertIn("not run", self.bar(letter))
            shutil.rmtree(later)


class Origin(Acceptance):
    """Of another dlbench or GPU nothing is judged."""

    def test_figures_of_another_dlbench_are_not_run(self):
        self.give_pytorch()
        below = {"rates": {"full": 50.0}, "bandwidth": {"shares": {"add": 0.5}}}
        self.assertEqual(self.run_part("speed", **below), 3, self.said)
        self.assertEqual(self.run_part("tests", version="0.1.0 (fixed)"), 0, self.said)
        for letter, name in zip("abcdefg", ["pytorch"] * 3 + ["bandwidth"] + ["resunetpp"] * 3):
            self.assertRegex(self.bar(letter), rf"^bar . +not run .*\({name}.json is of dlbench 0.1.0 \(fake\)\)$")

    def test_figures_of_another_gpu_are_not_run(self):
        self.give_pytorch()
        self.assertEqual(self.run_part("speed", rates={"full": 50.0}), 3, self.said)
        self.fakes.gpu("NVIDIA L4")
        self.assertEqual(self.run_part("tests"), 0, self.said)
        for letter, name in zip("abcdefg", ["pytorch"] * 3 + ["bandwidth"] + ["resunetpp"] * 3):
            self.assertRegex(self.bar(letter), rf"not run .*\({name}.json is of another GPU: NVIDIA H200\)$")
        self.fakes.gpu("NVIDIA H200")
        self.give_pytorch(device="NVIDIA H200 MIG 1g.18gb")
        self.assertEqual(self.run_part("tests"), 3, self.said)
        self.assertIn("info 1.100", self.bar("a"), "a slice of the one that the driver names")

    def test_what_does_not_say_whose_it_is_is_not_run(self):
        self.give_pytorch(version="")
        self.run_part("speed", bandwidth={"version": None})
        self.assertIn("not run", self.bar("a"))
        for letter, name in (("a", "pytorch"), ("d", "bandwidth")):
            self.assertIn(f"{name}.json does not say of which dlbench it is", self.bar(letter))
        self.run_part("speed", gpus=[""])
        self.assertRegex(self.bar("e"), "not run .*resunetpp.json does not name the GPU that computed")

    def test_the_one_of_several_gpus_that_computed_counts(self):
        self.fakes.script(self.fakes.path / "nvidia-smi", "#!/bin/sh\necho NVIDIA L4, 580\necho NVIDIA H200, 580\n")
        both = ["NVIDIA L4", "NVIDIA H200"]
        self.run_part("speed", gpus=both, rates={"full": 50.0})
        self.assertRegex(self.bar("e"), r"info 0\.500 .*\(on NVIDIA L4, the bars are of an H200")
        self.run_part("speed", gpus=both, workload={"device": "NVIDIA H200"}, rates={"full": 50.0})
        self.assertIn("MISSED 0.500", self.bar("e"))
        self.run_part("speed", gpus=both, workload=None)
        self.assertIn("does not name the GPU that computed", self.bar("e"))


class Evidence(Acceptance):
    """Data that cannot bear a judgement."""

    def test_a_run_that_is_not_complete_is_no_bar(self):
        failure = {"status": "failed", "failure": {"detail": "an Xid error"}}
        for run, text in ((failure, "its run is failed: an Xid error"), ({"status": "partial"}, "its run is partial"),
                          ({}, "its run is of no known status")):
            self.run_part("speed", run=run)
            for letter in "efg":
                self.assertRegex(self.bar(letter), rf"not run .*\({text}")

    def test_an_interval_that_is_too_wide_shows_nothing(self):
        self.assertEqual(self.run_part("speed", ci95=[60, 140]), 0, self.said)
        self.assertRegex(self.bar("e"), r"not run .*\(1\.000 \+-0\.566: the interval is too wide to show 0.03\)")
        self.assertEqual(self.run_part("speed", ci95=[60, 140], rates={"full": 50.0}), 3, self.said)
        self.assertRegex(self.bar("e"), r"MISSED 0\.500 .*\(\+-0\.447, ", "even so")
        self.run_part("speed", ci95=None)
        self.assertRegex(self.bar("e"), "not run .*the rate of full has no interval")
        self.assertIn("met", self.bar("f"), "which asks for no rate")

    def test_dropped_records_that_are_not_known_are_not_none(self):
        self.run_part("speed", probes=changed("cupti", ("full",), dropped_records=None))
        self.assertRegex(self.bar("f"), r"not run .*whether records were dropped is not known of full\)")

    def test_a_bar_without_a_file_says_what_became_of_its_step(self):
        (self.fakes.bin / "gpu_bandwidth").unlink()
        self.assertEqual(self.run_part("speed"), 1)
        self.assertRegex(self.bar("d"), r"not run .*\(no bandwidth.json: not run: bandwidth .* \(no \S+/gpu_bandwidth")
        self.fakes.called_python(has_torch=False)
        self.assertEqual(self.run_part("pytorch"), 0, self.said)
        self.assertRegex(self.bar("a"), r"\(no pytorch.json: skipped: PyTorch beside it \(python3 has no PyTorch\)")


if __name__ == "__main__":
    unittest.main()
