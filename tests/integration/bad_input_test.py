# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""Bad input and bad conditions: one clear line, the right exit code, nothing lost."""

import json
import os
import pathlib
import re
import resource
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unittest
import unittest.mock

from command import PROGRAM, CommandTest

QUICK = ["--repetitions", "2", "--steps", "2", "--max-time", "1"]


class BadInput(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="dlbench-bad-input-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        maker = cls("test_unknown_names")
        for dataset in ("mnist", "kvasir-seg"):
            made = maker.dlbench("data", "generate", "--dataset", dataset, "--out",
                                 cls.folder / dataset, "--samples", "20", "--seed", "3")
            assert made.returncode == 0, made.stderr
        cls.mnist = ["run", "--workload", "mnist_cnn", "--data", cls.folder / "mnist",
                     "--batch-size", "4", "--output", cls.folder / "report.json"]
        cls.images = ["run", "--workload", "resunetpp", "--image-size", "32", "--batch-size", "2",
                      "--trials", "io", *QUICK]
        cls.kvasir = [*cls.images, "--output", cls.folder / "report.json"]

    def copy_of_kvasir(self, name):
        target = self.folder / name
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(self.folder / "kvasir-seg", target)
        return target

    def test_unknown_names(self):
        self.expect_error(2, "run", "--workload", "resunetp", says=["did you mean 'resunetpp'"])
        self.expect_error(2, "run", "--wrkload", "x", says=["did you mean '--workload'"])
        self.expect_error(2, "rum", says=["did you mean 'run'"])
        self.expect_error(2, *self.mnist, "--trials", "io,synthetik",
                          says=["synthetik", "did you mean 'synthetic'"])
        self.expect_error(2, *self.mnist, "--device", "gpu", says=["did you mean 'cuda'"])
        self.expect_error(2, "info", "--device", "gpu", says=["--device gpu", "--measure-peaks"])
        self.expect_error(2, *self.mnist, "--trials", "io,", says=["unknown trial ''"])
        self.expect_error(2, *self.mnist, "--capture-trial", "foo", says=["unknown trial 'foo'"])
        self.expect_error(2, *self.mnist, "--precision", "fp23", says=["did you mean 'fp32'"])
        self.expect_error(2, "run", "--workload", os.fsdecode(b"a\xff"), says=["unknown workload"])

    def test_a_variable_that_is_not_used_is_named(self):
        for arguments, said in ((["--dry-run"], True), (["--dry-run", "--threads", "1"], False)):
            done = self.dlbench(*self.mnist, *arguments, environment={"OMP_NUM_THREADS": "7"})
            self.assertEqual("OMP_NUM_THREADS=7 is not used" in done.stderr, said, done.stderr)

    def test_openmp_that_binds_its_first_thread_leaves_the_processors(self):
        may_use = re.compile("this process may use [0-9]+")
        free = may_use.search(self.dlbench("info").stdout).group()
        for name, value in (("OMP_PROC_BIND", "spread"), ("OMP_PLACES", "cores")):
            bound = {name: value}
            done = self.dlbench("info", environment=bound)
            self.assertEqual(may_use.search(done.stdout).group(), free)
            done = self.dlbench(*self.mnist, "--dry-run", environment=bound)
            self.assertIn(f"{name}={value} is not used", done.stderr)

    def test_bad_values(self):
        self.expect_error(2, *self.mnist, "--batch-size", "many", says=["--batch-size", "many"])
        self.expect_error(2, *self.mnist, "--batch-size", "0", says=["--batch-size", "range 1"])
        self.expect_error(2, *self.mnist, "--min-time", "-1", says=["--min-time", "above zero"])
        self.expect_error(2, *self.mnist, "--storage", "latency=3", says=["latency"])
        self.expect_error(2, *self.mnist, "--global-batch-size", "4",
                          says=["--batch-size and --global-batch-size exclude each other"])
        self.expect_error(2, "run", says=["--workload is required"])
        self.expect_error(2, "info", "--ranks", "--measure-peaks", says=["choose one"])
        self.expect_error(2, *self.mnist, "--workers", "2000", says=["--workers", "range 1 to 1024"])
        self.expect_error(2, "verify", "--op", "linear", "--dump", "step.safetensors",
                          says=["--dump has no meaning with --op"])
        self.expect_error(2, *self.mnist, "--device", "cpu", "--threads", "2",
                          environment={"OMP_THREAD_LIMIT": "1"}, says=["OMP_THREAD_LIMIT allows 1"])
        self.expect_error(2, *self.mnist, "--device", "cpu", "--threads", "2", environment={"OMP_STACKSIZE": "160k"},
                          says=["KiB, and 256 KiB are needed", "OMP_STACKSIZE"])
        self.expect_error(2, "run", "resunetpp", says=["takes no arguments", "--workload"])
        self.expect_error(2, *self.mnist, "--data", "", says=["--data", "empty"])
        self.expect_error(1, *self.mnist, "--data", "no\nwhere", says=["no\\nwhere"])

    def test_a_trial_that_one_rank_cannot_do(self):
        for arguments in ([], ["--dry-run"]):
            self.expect_error(2, *self.mnist, "--trials", "synthetic/nocomm", *arguments,
                              says=["none of the trials can run on 1 rank: synthetic/nocomm"])
        self.assertFalse((self.folder / "report.json").exists())
        done = self.dlbench(*self.mnist, "--trials", "synthetic,synthetic/nocomm", "--dry-run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("trial synthetic/nocomm skipped: there is one rank", done.stderr)

    def test_cuda_where_there_is_none(self):
        """--device cuda is refused with the very line with which --device auto takes the processor."""
        with unittest.mock.patch.dict(os.environ, {"CUDA_VISIBLE_DEVICES": ""}):
            refused = self.expect_error(2, *self.mnist, "--dry-run", "--device", "cuda", says=[])
            numbered = self.expect_error(2, *self.mnist, "--dry-run", "--device", "cuda:1", says=[])
            auto = self.dlbench(*self.mnist, "--dry-run", "--device", "auto")
        self.assertEqual(auto.returncode, 0, auto.stderr)
        why = [line.removeprefix("dlbench: ") for line in refused.stderr.splitlines() if line.startswith("dlbench: ")]
        said = [line for line in auto.stderr.splitlines() if line.startswith("using ")]
        self.assertEqual(len(said), 1, auto.stderr)
        self.assertEqual(said[0].split(": ", 1)[1], why[0])
        self.assertEqual(numbered.stderr, refused.stderr)

    def test_two_results_in_one_file(self):
        self.expect_error(2, *self.mnist, "--benchy", self.folder / "." / "report.json",
                          says=["--output and --benchy", "same file"])
        self.expect_error(2, "train", *self.mnist[1:], "--checkpoint", self.folder / "mnist" / ".." / "report.json",
                          says=["--output and --checkpoint"])
        self.expect_error(2, *self.mnist, "--record-probes", self.folder, "--trace", self.folder / "nvml.json",
                          says=["--trace and --record-probes", "same file"])
        self.assertFalse((self.folder / "report.json").exists())

    def test_results_on_a_full_standard_output(self):
        for command in (["list"], [*self.mnist, *QUICK, "--trials", "io"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([PROGRAM, *command], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertEqual(done.stderr.count("cannot write the standard output"), 1, done.stderr)
        self.assertEqual(self.report(self.folder / "report.json")["run"]["exit_code"], 1)
        with subprocess.Popen([PROGRAM, "info"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
            running.stdout.close()
            self.assertEqual((running.wait(), running.stderr.read()), (0, ""))

    def test_a_cache_folder_that_cannot_be_used(self):
        blocked = self.folder / "blocked"
        blocked.write_text("", encoding="utf-8")
        done = self.dlbench(*self.mnist, *QUICK, "--trials", "synthetic", cache=blocked / "cache")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("DLBENCH_CACHE_DIR"), 1, done.stderr)
        user = self.ordinary_user()
        closed = self.folder / "closed-cache"
        closed.mkdir(mode=0o555)
        done = self.dlbench(*self.mnist[:-1], "-", *QUICK, "--trials", "synthetic", cache=closed, user=user)
        self.assertEqual(done.returncode, 0, done.stderr)
        # Nothing is kept of what another test disturbed.
        kept = "compared again in the next run" not in done.stderr
        self.assertIn(done.stderr.count("tuning is not kept"), [1] if kept else [0, 1], done.stderr)

    def test_sizes_the_network_cannot_take(self):
        self.expect_error(2, *self.kvasir, "--image-size", "100", says=["100", "multiple of 8"])
        self.expect_error(2, *self.mnist, "--image-size", "32", says=["32", "28"])
        self.expect_error(2, *self.mnist, "--batch-size", "1000", says=["1000", "20 samples"])

    def test_unsupported_precision(self):
        self.expect_error(2, *self.mnist, "--precision", "fp16", says=["fp16"])
        self.expect_error(2, *self.mnist, "--precision", "tf32", says=["tf32", "NVIDIA"])

    def test_capture_of_steps(self):
        capture = [*self.mnist, "--device", "cpu", "--capture-steps"]
        self.expect_error(2, *capture, "20-49", says=["--capture-steps", "--device cuda"])
        self.expect_error(2, *capture, "49-20", says=["FIRST-LAST"])
        self.expect_error(2, *capture, "2-4", "--capture-trial", "fll", says=["full"])
        self.expect_error(2, *capture, "2-4", "--capture-trial", "io", says=["no step of the network"])
        self.expect_error(2, *self.mnist, "--capture-trial", "full", says=["--capture-steps 20-49"])

    def test_data_folders(self):
        self.expect_error(1, *self.kvasir, "--data", self.folder / "nowhere", says=["nowhere"])
        empty = self.folder / "empty"
        empty.mkdir(exist_ok=True)
        self.expect_error(1, *self.kvasir, "--data", empty, says=["empty"])

    def test_unreadable_data(self):
        user = self.ordinary_user()
        data = self.copy_of_kvasir("closed")
        image = sorted((data / "train" / "images").iterdir())[0]
        for closed in (image, data / "train" / "images", data):
            closed.chmod(0)
            self.addCleanup(closed.chmod, 0o700)
            self.expect_error(1, *self.kvasir, "--output", "-", "--steps", "8", "--data", data,
                              says=[closed.name, "Permission denied"], user=user)

    def test_a_named_pipe_among_the_data(self):
        data = self.folder / "pipe"
        shutil.copytree(self.folder / "mnist", data)
        (data / "train-images-idx3-ubyte").unlink()
        os.mkfifo(data / "train-images-idx3-ubyte")
        self.expect_error(1, "run", "--workload", "mnist_cnn", "--data", data,
                          says=["train-images-idx3-ubyte", "not a regular file"])

    def test_a_named_pipe_in_place_of_a_report(self):
        pipe = self.folder / "report-pipe"
        os.mkfifo(pipe)
        for command in ("show", "validate", "plot"):
            self.expect_error(2 if command == "plot" else 1, "report", command, pipe,
                              says=["give a file" if command == "plot" else "is a pipe or a device"])
        self.expect_error(2, "report", "plot", "-", says=["give a file"])

    def test_no_validation_data(self):
        data = self.folder / "no-validation"
        shutil.copytree(self.folder / "mnist", data)
        (data / "t10k-labels-idx1-ubyte").unlink()
        self.expect_error(1, "train", "--workload", "mnist_cnn", "--data", data, "--batch-size", "4", "--dry-run",
                          says=["t10k-labels-idx1-ubyte"])

    def test_broken_validation_data(self):
        train = ["train", "--workload", "resunetpp", "--image-size", "16", "--batch-size", "2",
                 "--epochs", "1", "--output", self.folder / "report.json"]
        data = self.copy_of_kvasir("validation")
        sorted((data / "valid" / "masks").iterdir())[0].unlink()
        self.expect_error(1, *train, "--data", data, says=["without a mask", "valid"])
        shutil.rmtree(data / "valid")
        done = self.dlbench(*train, "--data", data)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no validation", done.stderr)
        self.assertIn("  train_dice ", done.stdout)
        report = self.report(self.folder / "report.json")
        self.assertIn("generated_data", [taint["code"] for taint in report["run"]["taints"]])
        skipped = report["run"]["skipped"]
        self.assertEqual([entry["what"] for entry in skipped], ["validation"])
        self.assertIn("no folder 'valid'", skipped[0]["reason"])

    def test_image_without_mask_and_mask_without_image(self):
        for part, missing in (("masks", "mask"), ("images", "image")):
            data = self.copy_of_kvasir(f"without-{missing}")
            victim = sorted((data / "train" / part).iterdir())[0]
            victim.unlink()
            self.expect_error(1, *self.kvasir, "--data", data, says=[victim.stem])

    def corrupt(self, name, content):
        data = self.copy_of_kvasir(name)
        victim = sorted((data / "train" / "images").iterdir())[0]
        whole = victim.read_bytes()
        victim.write_bytes(content(whole))
        return data, victim

    def test_corrupt_images_are_named_or_skipped(self):
        png_of_100000 = (b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" +
                         struct.pack(">IIBBBBB", 100000, 100000, 8, 2, 0, 0, 0) + b"\0\0\0\0")
        cases = {
            "truncated": lambda whole: whole[: len(whole) // 2],
            "zero-byte": lambda whole: b"",
            "no-image": lambda whole: b"This is no image.",
            "huge": lambda whole: png_of_100000,
        }
        for name, content in cases.items():
            with self.subTest(name):
                data, victim = self.corrupt(name, content)
                whole_epoch = [*self.kvasir, "--data", data, "--steps", "8"]
                self.expect_error(1, *whole_epoch, says=[victim.name])
                done = self.dlbench(*whole_epoch, "--skip-corrupt")
                self.assertEqual(done.returncode, 0, done.stderr)
                report = self.report(self.folder / "report.json")
                self.assertIn("samples_skipped", [t["code"] for t in report["run"]["taints"]])
                loader = report["trials"][0]["loader"]
                self.assertEqual(loader["skipped"], 1)
                self.assertEqual(loader["skipped_samples"][0]["path"], victim.stem)
                self.assertIn(victim.name, loader["skipped_samples"][0]["reason"])

    def test_corrupt_images_of_the_validation_are_told_too(self):
        data = self.copy_of_kvasir("validation")
        victim = sorted((data / "valid" / "images").iterdir())[0]
        for part in ("images", "masks"):
            (data / "valid" / part / victim.name).rename(data / "valid" / part / f"of two\nlines{victim.suffix}")
        victim = victim.with_name(f"of two\nlines{victim.suffix}")
        victim.write_bytes(b"This is no image.")
        shown = victim.name.replace("\n", "\\n")
        train = ["train", "--workload", "resunetpp", "--image-size", "16", "--batch-size", "2", "--epochs", "2",
                 "--probes", "none", "--data", data, "--output", self.folder / "report.json"]
        self.expect_error(1, *train, says=[shown])
        done = self.dlbench(*train, "--skip-corrupt")
        self.assertEqual(done.returncode, 0, done.stderr)
        run = self.report(self.folder / "report.json")["run"]
        self.assertEqual([taint["where"] for taint in run["taints"] if taint["code"] == "samples_skipped"], ["epoch 1"])
        self.assertEqual([shown in each["reason"] for each in run["skipped"]], [True])

    def have_32_gib(self):
        """However much this machine has."""
        before = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (32 << 30, before[1]))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_AS, before)

    def test_too_little_memory_is_seen_before_allocating(self):
        self.have_32_gib()
        data = self.folder / "mnist-many"
        made = self.dlbench("data", "generate", "--dataset", "mnist", "--out", data,
                            "--samples", "400K")
        self.assertEqual(made.returncode, 0, made.stderr)
        arguments = ["run", "--workload", "mnist_cnn", "--data", data, "--batch-size", "300K",
                     "--output", self.folder / "report.json"]
        done = self.expect_error(1, *arguments, says=["needs", "available", "largest --batch-size"])
        self.assertNotIn("Killed", done.stderr)

    def test_a_step_to_verify_that_does_not_fit(self):
        self.have_32_gib()
        self.expect_error(1, "verify", "--workload", "mnist_cnn", "--batch-size", "1M",
                          says=["needs", "available", "largest --batch-size"])

    def test_a_data_set_too_small_for_a_cold_cache(self):
        report = self.folder / "cold.json"
        self.expect_error(2, *self.images, "--data", self.folder / "kvasir-seg", "--cache", "cold",
                          "--prefetch", "16", "--output", report, says=["--cache cold", "wanted"])
        self.assertFalse(report.exists(), "refused only when the run had begun")

    def test_results_in_place_of_the_data(self):
        data = self.copy_of_kvasir("overwritten")
        image = next((data / "train").glob("**/*.jpg"))
        before = image.read_bytes()
        self.expect_error(2, *self.images, "--data", data, "--output", image,
                          says=["--output", "among the files of the data set"])
        self.assertEqual(image.read_bytes(), before)

    def test_results_in_place_of_data_that_this_run_does_not_read(self):
        data = self.copy_of_kvasir("overwritten")
        labels = self.folder / "mnist" / "t10k-labels-idx1-ubyte"
        commands = [
            ("--output", data / "generated-by-dlbench.txt", [*self.images, "--data", data]),
            ("--trace", next((data / "test").glob("**/*.jpg")), [*self.kvasir, "--data", data]),
            ("--output", labels, self.mnist[:-2]),
            ("--checkpoint", labels, ["train", *self.mnist[1:]]),
            ("--output", labels, ["scale", *self.mnist[1:-2]]),
            ("--dump", labels, ["verify", *self.mnist[1:5]]),
        ]
        for option, file, command in commands:
            before = file.read_bytes()
            self.expect_error(2, *command, option, file, says=[option, "among the files of the data set"])
            self.assertEqual(file.read_bytes(), before)
        for file in (data / "train" / "images" / "new.jpg", data / "valid" / "masks" / "new.jpg"):
            self.expect_error(2, *self.images, "--data", data, "--output", file,
                              says=["among the files of the data set"])
        # Read before the compressed one beside it, if it were there.
        shutil.copytree(self.folder / "mnist", self.folder / "packed")
        images = self.folder / "packed" / "train-images-idx3-ubyte"
        subprocess.run(["gzip", images], check=True)
        self.expect_error(2, "run", "--workload", "mnist_cnn", "--data", images.parent, "--batch-size", "4",
                          "--output", images, says=["among the files of the data set"])

    def test_a_loss_that_is_not_finite(self):
        # On the reference: ReLU within oneDNN's convolutions turns NaN into 0, and the loss of a
        # network that has diverged may stay finite.
        output = self.folder / "report.json"
        self.expect_error(5, "train", "--device", "ref", "--workload", "mnist_cnn", "--data", self.folder / "mnist",
                          "--batch-size", "4", "--epochs", "2", "--learning-rate", "1e30",
                          "--output", output, says=["the loss is", "step", "epoch 1"])
        report = self.report(output)
        self.assertEqual(report["run"]["status"], "failed")
        self.assertEqual(report["run"]["exit_code"], 5)
        self.assertRegex(report["run"]["failure"]["phase"], "epoch 1, step [0-9]+ of 5")
        self.assertIn("partial", [taint["code"] for taint in report["run"]["taints"]])
        self.assertEqual([plan["mode"] for plan in report["workload"]["plans"]], ["train", "evaluate", "evaluate"])

    def test_broken_config_files(self):
        config = self.folder / "config.json"
        for text, says in (("{\n \"seed\" 3}", "line 2, column 9"), ('{"batch-siez": 4}', "--batch-size"),
                           ('{"batch-size": {"a": 1}}', "batch-size"), ("[1]", "no JSON object")):
            config.write_text(text, encoding="utf-8")
            self.expect_error(2, *self.mnist, "--config", config, says=[str(config), says])
        config.write_text('{"--seed": 3}', encoding="utf-8")
        self.expect_error(2, *self.mnist, "--config", config, says=["--seed", "without dashes"])
        config.write_text('{"seed": "many"}', encoding="utf-8")
        self.expect_error(2, *self.mnist, "--seed", "3", "--config", config, says=["many"])
        self.expect_error(2, *self.mnist, "--config", self.folder, says=[str(self.folder), "Is a directory"])
        self.expect_error(2, *self.mnist, "--config", self.folder / "none.json", says=["none.json"])

    def test_broken_safetensors(self):
        broken = self.folder / "broken.safetensors"
        for content in (b"", b"\xff" * 64, struct.pack("<Q", 2) + b"{}", struct.pack("<Q", 1 << 60)):
            broken.write_bytes(content)
            self.expect_error(1, "verify", "--workload", "mnist_cnn", "--backend", "ref", "--init",
                              broken, says=[""])

    def test_time_out_leaves_a_partial_report(self):
        done = self.dlbench(*self.mnist, "--timeout", "2", "--max-noise", "0.01")
        self.assertEqual(done.returncode, 124, done.stderr)
        report = self.report(self.folder / "report.json")
        self.assertEqual(report["run"]["status"], "partial")
        self.assertEqual(report["run"]["exit_code"], 124)
        self.assertIn({"what": "operators", "reason": "the run ended before they were profiled"},
                      report["run"]["skipped"])

    def test_interrupt_leaves_a_partial_report(self):
        running = self.start(*self.mnist, "--max-noise", "0.01", "--min-time", "200ms", "--benchy",
                             self.folder / "benchy.json")
        self.wait_for_trials(running)
        running.send_signal(signal.SIGINT)
        summary, errors = running.communicate(timeout=60)
        self.assertEqual(running.returncode, 130, errors)
        self.assertRegex(summary, r"\ntaints +[^\n]*partial\nreport +[^\n]*\(partial, ")
        report = self.report(self.folder / "report.json")
        self.assertEqual(report["run"]["status"], "partial")
        self.assertGreaterEqual(len(report["trials"]), 1)
        self.assertIn("benchy", [left_out["what"] for left_out in report["run"]["skipped"]])
        self.assertIn("partial", [taint["code"] for taint in report["run"]["taints"]])

    def test_an_interrupt_while_workers_load_for_a_trace(self):
        report = self.folder / "report.json"
        running = self.start(*self.mnist, "--trials", "full", "--repetitions", "2", "--min-time", "1", "--max-time",
                             "1", "--workers", "2", "--batch-size", "8", "--storage", "latency_ms=20,mib_per_s=1",
                             "--trace", self.folder / "trace.json")
        # The operators are the last before the trace.
        deadline = time.monotonic() + 60
        while running.poll() is None and time.monotonic() < deadline and not (
                report.exists() and json.loads(report.read_text(encoding="utf-8"))["operators"]):
            time.sleep(0.02)
        time.sleep(0.2)
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=60)
        self.assertEqual(running.returncode, 130, errors)
        self.assertEqual(self.report(report)["run"]["failure"]["phase"], "profiling")

    def test_a_hang_is_ended_by_force(self):
        trigger = self.folder / "hang"
        running = self.start(*self.mnist, "--trials", "synthetic", "--max-noise", "0.01", "--min-time", "200ms",
                             environment={"DLBENCH_TEST_FAULT": f"hang@0:{trigger}"})
        self.wait_for_trials(running)
        trigger.touch()
        time.sleep(2)
        running.send_signal(signal.SIGTERM)
        _, errors = running.communicate(timeout=60)
        self.assertEqual(running.returncode, 124, errors)
        self.assertIn("ended by force", errors)
        run = self.report(self.folder / "report.json")["run"]
        self.assertEqual(run["status"], "partial")
        self.assertEqual(run["exit_code"], 124)
        self.assertIn("ended by force", run["failure"]["detail"])
        self.assertIn("trial synthetic", run["failure"]["phase"])
        self.assertIn("partial", [taint["code"] for taint in run["taints"]])

    def test_a_process_that_was_stopped_is_tainted(self):
        running = self.start(*self.mnist, "--trials", "synthetic", "--repetitions", "2", "--min-time", "300ms",
                             "--max-time", "1")
        self.wait_for_trials(running)
        while running.poll() is None:
            running.send_signal(signal.SIGSTOP)
            time.sleep(0.05)
            running.send_signal(signal.SIGCONT)
            time.sleep(0.05)
        _, errors = running.communicate(timeout=60)
        self.assertEqual(running.returncode, 0, errors)
        taints = self.report(self.folder / "report.json")["run"]["taints"]
        self.assertTrue([taint for taint in taints if "was stopped" in taint["detail"]], taints)

    def wait_for_trials(self, running):
        """Until the partial report has some."""
        report = self.folder / "report.json"
        deadline = time.monotonic() + 60
        while running.poll() is None and time.monotonic() < deadline:
            time.sleep(0.2)
            if report.exists() and json.loads(report.read_text(encoding="utf-8"))["trials"]:
                return
        self.fail("no trials in a minute")

    def test_interrupted_generation_leaves_nothing(self):
        out = self.folder / "interrupted"
        running = self.start("data", "generate", "--dataset", "kvasir-seg", "--out", out, "--samples", "100000")
        deadline = time.monotonic() + 60
        while not list(self.folder.glob("interrupted*/**/*.jpg")) and time.monotonic() < deadline:
            time.sleep(0.1)
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=60)
        self.assertEqual(running.returncode, 130, errors)
        self.assertIn("nothing of it is left", errors)
        self.assertEqual(list(self.folder.glob("interrupted*")), [])

    def setUp(self):
        (self.folder / "report.json").unlink(missing_ok=True)


if __name__ == "__main__":
    unittest.main(verbosity=2)
