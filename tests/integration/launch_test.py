# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""dlbench launch: scripts that run, submission, and what is refused, with fakes for schedulers."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from command import PROGRAM, CommandTest

try:
    import yaml
except ImportError:
    yaml = None

# Nothing that a shell could touch may reach dlbench changed.
ODD = ["two words", "it's", 'say "so"', "$HOME", "`id`", "$(id)", "a;b", "*", "back\\slash"]
JOB = ["--time", "30min", "--"]
RUN = ["run", "--workload", "mnist_cnn"]

# What starts ranks, and the variables that the scripts of each scheduler read.
STARTERS = {"slurm": "srun", "lsf": "mpiexec", "pbs": "mpiexec", "flux": "flux"}
VARIABLES = {
    "slurm": {"SLURM_JOB_ID": "71", "SLURM_JWT": "secret"},
    "lsf": {"LSB_JOBID": "72"},
    "pbs": {"PBS_JOBID": "73.server", "PBS_O_WORKDIR": ".", "PBS_NODEFILE": "/dev/null",
            "PBS_JOBCOOKIE": "secret"},
    "flux": {"FLUX_URI": "local:///tmp/x"},
}
SUBMITS = {
    "slurm": ("sbatch", "echo '81;cluster'", "81"),
    "lsf": ("bsub", "echo 'Job <82> is submitted to queue <batch>.'", "82"),
    "pbs": ("qsub", "echo 83.server", "83.server"),
    "flux": ("flux", "echo f84", "f84"),
    "kubernetes": ("kubectl", "echo mpijob.kubeflow.org/dlbench", "mpijob.kubeflow.org/dlbench"),
}


class Launch(CommandTest):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="dlbench-launch-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        path = os.environ["PATH"]
        os.environ["PATH"] = f"{self.bin}:{path}"
        self.addCleanup(os.environ.__setitem__, "PATH", path)

    def fake(self, name, body):
        program = self.bin / name
        program.write_text("#!/bin/bash\n" + body, encoding="utf-8")
        program.chmod(0o755)

    def script(self, *arguments):
        done = self.dlbench("launch", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def run_script(self, scheduler, text):
        """Runs a batch script below a fake launcher that keeps its words, separated by NUL."""
        words = self.folder / "words"
        self.fake(STARTERS[scheduler],
                      f'if [ "$1" = getattr ]; then echo f74; exit; fi\n'
                      f'[ "$1" != resource ] || exit 0\nprintf "%s\\0" "$@" > {words}\n')
        environment = dict(os.environ, **VARIABLES[scheduler])
        done = subprocess.run(["bash"], input=text, capture_output=True, text=True, timeout=60,
                              env=environment, cwd=self.folder, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, words.read_text(encoding="utf-8").split("\0")[:-1]

    def test_arguments_reach_the_ranks_byte_for_byte(self):
        for scheduler in STARTERS:
            for odd in ODD:
                with self.subTest(scheduler=scheduler, odd=odd):
                    text = self.script(scheduler, "--nodes", "2", "--ranks-per-node", "2",
                                       "--program", "my dlbench", *JOB, *RUN, "--data", odd,
                                       "--output", "r.json", "--timeout", "60")
                    _, words = self.run_script(scheduler, text)
                    wanted = ["my dlbench", *RUN, "--data", odd, "--output", "r.json",
                              "--timeout", "60"]
                    self.assertEqual(words[-len(wanted):], wanted)

    def test_the_log_starts_with_host_and_sorted_variables_but_no_token(self):
        for scheduler, variables in VARIABLES.items():
            with self.subTest(scheduler=scheduler):
                log, _ = self.run_script(scheduler, self.script(scheduler, *JOB, *RUN))
                lines = log.splitlines()
                self.assertRegex(lines[0], r"^host: \S+$")
                shown = [line for line in lines if line.split("=")[0] in variables]
                self.assertEqual(shown, sorted(shown))
                self.assertTrue(shown)
                self.assertNotIn("secret", log)

    def test_the_report_is_named_after_the_job(self):
        numbers = {"slurm": "71", "lsf": "72", "pbs": "73.server", "flux": "f74"}
        for scheduler, number in numbers.items():
            with self.subTest(scheduler=scheduler):
                text = self.script(scheduler, "--output-dir", "out", "--job-name", "x", *JOB, *RUN)
                _, words = self.run_script(scheduler, text)
                self.assertEqual(words[-2:], ["--output", f"out/x-{number}.json"])

    def test_a_failing_run_fails_the_job(self):
        self.fake("srun", "exit 5\n")
        done = subprocess.run(["bash"], input=self.script("slurm", *JOB, *RUN), text=True,
                              capture_output=True, env=dict(os.environ, SLURM_JOB_ID="1"),
                              timeout=60, check=False)
        self.assertEqual(done.returncode, 5)

    def test_nsys_writes_one_file_per_rank(self):
        variables = {"slurm": "SLURM_PROCID", "lsf": "PMI_RANK", "pbs": "PMI_RANK",
                     "flux": "FLUX_TASK_RANK"}
        for scheduler, variable in variables.items():
            with self.subTest(scheduler=scheduler):
                _, words = self.run_script(scheduler, self.script(scheduler, "--nsys", *JOB, *RUN))
                self.assertIn("nsys", words)
                output = [word for word in words if word.startswith("--output=dlbench-")]
                self.assertEqual(len(output), 1, words)
                self.assertTrue(output[0].endswith(f"-rank%q{{{variable}}}"), output)

    def test_submit_hands_over_the_script_and_prints_the_number(self):
        for scheduler, (program, answer, number) in SUBMITS.items():
            with self.subTest(scheduler=scheduler):
                given = self.folder / "given"
                self.fake(program, f"cat > {given}\n{answer}\n")
                image = ["--container", "image:1"] if scheduler == "kubernetes" else []
                arguments = [scheduler, "--nodes", "2", *image]
                done = self.dlbench("launch", *arguments, "--submit", *JOB, *RUN)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stdout, number + "\n")
                self.assertEqual(given.read_text(encoding="utf-8"),
                                 self.script(*arguments, *JOB, *RUN))

    def test_a_printed_script_names_a_folder_that_is_missing(self):
        for scheduler in SUBMITS:
            folder = self.folder / f"missing-{scheduler}"
            image = ["--container", "registry/dlbench:1", "--volume", "claim"] if scheduler == "kubernetes" else []
            done = self.dlbench("launch", scheduler, "--output-dir", folder, *image, *JOB, *RUN)
            self.assertEqual(done.returncode, 0, done.stderr)
            warned = f"warning: --output-dir '{folder}' is not there: make it before the job is submitted"
            self.assertEqual(warned in done.stderr, scheduler != "kubernetes", done.stderr)
            self.assertFalse(folder.exists())
            done = self.dlbench("launch", scheduler, "--output-dir", self.folder, *image, *JOB, *RUN)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_gpus_want_cpus_for_their_ranks(self):
        for scheduler in SUBMITS:
            image = ["--container", "registry/dlbench:1"] if scheduler == "kubernetes" else []
            arguments = ("launch", scheduler, "--gpus-per-node", "4", "--output-dir", self.folder, *image)
            done = self.dlbench(*arguments, *JOB, *RUN)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr.count("--gpus-per-node 4 without --cpus-per-task"),
                             0 if scheduler == "kubernetes" else 1, done.stderr)
            done = self.dlbench(*arguments, "--cpus-per-task", "8", *JOB, *RUN)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_job_without_gpus_for_a_command_that_wants_one_says_so(self):
        job = ("launch", "slurm", "--time", "30min", "--output-dir", self.folder)
        run = ("--", "run", "--workload", "mnist_cnn", "--device")
        self.assertIn("the job asks for no GPU", self.dlbench(*job, *run, "cuda").stderr)
        self.assertNotIn("asks for no GPU", self.dlbench(*job, *run, "cpu").stderr)
        self.assertNotIn("asks for no GPU", self.dlbench(*job, "--gpus-per-node", "1", *run, "cuda").stderr)
        for options in (("cpu", "--cuda-graph", "on"), ("cpu", "--capture-steps", "20-49"),
                        ("cuda", "--link", "latency_us=1,gbit_per_s=1")):
            self.assertEqual(self.dlbench(*job, *run, *options).returncode, 2, options)

    def test_ranks_that_would_share_a_gpu_are_refused_at_once(self):
        arguments = ("launch", "slurm", "--gpus-per-node", "4", "--cpus-per-task", "2", "--output-dir", self.folder)
        for ranks, device, code, says in (
                ("8", [], 2, "8 ranks per node are more than its 4 GPUs"),
                ("4", ["--device", "cuda:1"], 2, "--device cuda:1 is one GPU for all 4 ranks of a node"),
                ("8", ["--share-gpu"], 0, ""), ("8", ["--device", "cpu"], 0, ""), ("4", ["--device", "cuda"], 0, ""),
                ("1", ["--device", "cuda:1"], 0, "")):
            done = self.dlbench(*arguments, "--ranks-per-node", ranks, *JOB, *RUN, *device)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(says, done.stderr)
        done = self.dlbench(*arguments, "--ranks-per-node", "8", *JOB, "info", "--ranks")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.expect_error(2, *arguments, "--nodes", "1", "--ranks-per-node", "1", *JOB, *RUN, "--trials", "synthetic/nocomm",
                          says=["none of the trials can run on 1 rank: synthetic/nocomm"])

    def test_a_run_with_fewer_cpus_than_its_job_asked_for_says_so(self):
        done = self.dlbench("run", "--workload", "mnist_cnn", "--device", "cpu", "--dry-run",
                            environment={"SLURM_CPUS_PER_TASK": "99999"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("SLURM_CPUS_PER_TASK is 99999, but this process may use"), 1, done.stderr)

    def test_submit_makes_the_folder_of_the_log(self):
        self.fake("sbatch", "echo 1\n")
        folder = self.folder / "new" / "results"
        done = self.dlbench("launch", "slurm", "--submit", "--output-dir", folder, *JOB, *RUN)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(folder.is_dir())

    def test_submit_without_a_scheduler(self):
        os.environ["PATH"] = str(self.bin)
        self.expect_error(2, "launch", "slurm", "--submit", *JOB, *RUN,
                          says=["cannot submit", "'sbatch'", "No such file", "--submit"])

    def test_a_job_that_the_scheduler_refuses(self):
        self.fake("sbatch", "echo 'sbatch: error: invalid partition' >&2; exit 1\n")
        done = self.expect_error(1, "launch", "slurm", "--submit", *JOB, *RUN,
                                 says=["sbatch refused the job (code 1)"])
        self.assertIn("invalid partition", done.stderr)

    def test_what_is_wrong_with_the_job_is_known_before_it_waits(self):
        self.expect_error(2, "launch", "slurm", *JOB, "rum", says=["did you mean 'run'"])
        self.expect_error(2, "launch", "slurm", *JOB, "run", says=["--workload is required"])
        self.expect_error(2, "launch", "slurm", *JOB, "run", "--workload", "mnist_cn",
                          says=["did you mean 'mnist_cnn'"])
        self.expect_error(2, "launch", "slurm", *JOB, *RUN, "--wrkers", "2",
                          says=["did you mean '--workers'"])
        self.expect_error(2, "launch", "slurm", *JOB, *RUN, "--batch-size", "0", says=["range 1"])
        self.expect_error(2, "launch", "slurm", *JOB, "run", "--help", says=["nothing to launch"])
        self.expect_error(2, "launch", "slurm", *JOB, "scale", "--ranks", "1,64",
                          says=["--ranks: 64 ranks asked for"])
        two = ["--nodes", "2", *JOB]
        self.expect_error(2, "launch", "slurm", *two, "comm", "--ranks", "1,3",
                          says=["--ranks: 3 ranks asked for, this launch has 2"])
        for command in ["run", "train", "scale"]:
            begin = ["launch", "slurm", *two, command, "--workload", "resunetpp"]
            self.expect_error(2, *begin, "--image-size", "100", says=["image size 100"])
            self.expect_error(2, *begin, "--global-batch-size", "1", says=["each of 2 ranks"])
            self.expect_error(2, *begin, "--device", "cpu", "--precision", "fp16",
                              says=["fp16", "f32 and bf16"])
            self.expect_error(2, *begin, "--device", "cuda:x", says=["is no device"])
        self.script("slurm", *JOB, "scale", "--sweep", "loader-workers", "--image-size", "64")
        self.expect_error(2, "launch", "slurm", *JOB, "launch", "slurm", "--time", "1h",
                          says=["inner command"])

    def test_bad_options(self):
        self.expect_error(2, "launch", "slrm", *JOB, *RUN, says=["did you mean 'slurm'"])
        self.expect_error(2, "launch", "slurm", "--nodes", "0", *JOB, *RUN,
                          says=["--nodes", "range 1"])
        self.expect_error(2, "launch", "slurm", "--nodse", "2", *JOB, *RUN,
                          says=["did you mean '--nodes'"])
        self.expect_error(2, "launch", "slurm", "--preset", "sumit", *JOB, *RUN,
                          says=["did you mean 'summit'"])
        self.expect_error(2, "launch", "slurm", "--time", "30", "--", *RUN, says=["30", "30min"])
        self.expect_error(2, "launch", "slurm", "--", *RUN, says=["--time is required"])
        self.expect_error(2, "launch", "slurm", "--time", "1h", says=["nothing to launch", "--"])
        self.expect_error(2, "launch", "slurm", *JOB, says=["nothing to launch"])
        self.expect_error(2, "launch", "kubernetes", *JOB, *RUN, says=["--container"])
        self.expect_error(2, "launch", "lsf", "--memory", "60G", *JOB, *RUN, says=["--memory"])
        self.expect_error(2, "launch", "slurm", "--memory", "1500", *JOB, *RUN,
                          says=["--memory: '1500' is not a size from 64M"])
        self.expect_error(2, "launch", "slurm", "--ranks-per-node", "2", "--tasks-per-node", "4",
                          *JOB, *RUN, says=["two names of one number"])
        self.expect_error(2, "launch", "slurm", "--account", "a b", *JOB, *RUN,
                          says=["--account 'a b'"])
        self.expect_error(2, "launch", "slurm", "--output-dir=~/res", *JOB, *RUN, says=["'~/res'", "write $HOME"])

    def test_a_job_has_time_for_its_budget(self):
        for scheduler, walltime, command, says in (
                ("lsf", "3min", [*RUN, "--time-budget", "2min"], "--time-budget of 120 s: the job is told to end after 90 s"),
                ("slurm", "30min", [*RUN, "--time-budget", "29.9min"], "told to end after 1740 s"),
                ("slurm", "2min", ["scale"], "--time-budget of 200 s, the default: the job is told to end after 60 s"),
                ("slurm", "1h", ["scale", "--time-budget", "20s", "--timeout", "8s"], "or a longer --timeout")):
            self.expect_error(2, "launch", scheduler, "--time", walltime, "--", *command, says=[says])
        self.script("slurm", "--time", "30min", "--", *RUN, "--time-budget", "29min")

    def test_memory_is_in_the_schedulers_units(self):
        self.assertIn("#SBATCH --mem=61440M\n", self.script("slurm", "--memory", "60G", *JOB, *RUN))
        self.assertIn(":mem=1572864mb", self.script("pbs", "--memory", "1536G", *JOB, *RUN))

    def test_the_default_program_is_this_one(self):
        self.assertIn(str(pathlib.Path(PROGRAM).resolve()), self.script("slurm", *JOB, *RUN))

    @unittest.skipIf(yaml is None, "no python3-yaml")
    def test_the_manifest_is_an_mpijob(self):
        text = self.script("kubernetes", "--nodes", "3", "--gpus-per-node", "2", "--container",
                           "registry:5000/dlbench:1", "--program", "dlbench", *JOB, *RUN, "--data",
                           "|".join(ODD) + "\n\té")
        job = yaml.safe_load(text)
        self.assertEqual((job["apiVersion"], job["kind"]), ("kubeflow.org/v2beta1", "MPIJob"))
        spec = job["spec"]
        self.assertEqual(spec["slotsPerWorker"], 2)
        self.assertEqual(spec["runPolicy"]["activeDeadlineSeconds"], 1800)
        launcher, worker = (spec["mpiReplicaSpecs"][kind] for kind in ("Launcher", "Worker"))
        self.assertEqual((launcher["replicas"], worker["replicas"]), (1, 3))
        pod = worker["template"]["spec"]["containers"][0]
        self.assertEqual(pod["resources"]["limits"]["nvidia.com/gpu"], 2)
        self.assertIn("/dev/shm", [mount["mountPath"] for mount in pod["volumeMounts"]])
        container = launcher["template"]["spec"]["containers"][0]
        # Kubernetes turns $$ into $ and would replace $(NAME).
        words = [word.replace("$$", "$") for word in container["args"]]
        data = words[words.index("--data") + 1]
        self.assertEqual(data, "|".join(ODD) + "\n\té")
        self.assertEqual(words[:3], ["mpirun", "-n", "6"])
        shell = [word.replace("$$", "$") for word in container["command"]]
        done = subprocess.run([*shell, "printf", "%s|", *words], capture_output=True, text=True,
                              timeout=60, check=True)
        self.assertTrue(done.stdout.endswith("|".join(words) + "|"), done.stdout)


if __name__ == "__main__":
    unittest.main()
