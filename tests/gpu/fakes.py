# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""Programs that stand for dlbench, gpu_test, PyTorch and the driver's in tests of the acceptance.

Each is a script in a folder of its own; what they do is read from behaviour.json there, and each call is
a line of calls.jsonl.
"""
import json
import pathlib
import shutil
import sys

DLBENCH = r"""#!{python} -IS
import json, pathlib, sys, time
here = pathlib.Path({folder!r})
behaviour = json.loads((here / "behaviour.json").read_text())
words = sys.argv[1:]
with open(here / "calls.jsonl", "a") as log:
    log.write(json.dumps(words) + "\n")
said = " ".join(words)
for rule in behaviour.get("rules", ()):
    if rule["when"] in said:
        break
else:
    rule = {{}}
option = lambda name, other=None: words[words.index(name) + 1] if name in words else other
version = behaviour.get("version", "0.1.0 (fake)")
if "--version" in words:
    print(version)
if words[:1] == ["info"]:
    print(behaviour.get("info", "backends\n  cuda    NVIDIA H200"), flush=True)
if words[:2] == ["data", "generate"]:
    pathlib.Path(option("--out")).mkdir(parents=True)
if words[:1] == ["run"] and "--dry-run" not in words:
    trials = []
    for name in option("--trials").split(","):
        kind, _, variant = name.partition("/")
        rate = rule.get("rate", behaviour.get("rates", {{}}).get(name, 100.0))
        trials.append({{"kind": kind, "variant": variant or None,
                        "batch_size_per_rank": int(option("--batch-size", 0)),
                        "throughput": {{"samples_per_second": {{
                            "mean": rate, "ci95": behaviour.get("ci95", [rate - 1, rate + 1])}}}},
                        "probes": behaviour.get("probes", {{}}).get(name, {{}})}})
    effective = {{"precision": option("--precision"), "cache": option("--cache", "as-is"),
                  "trace": option("--trace", "")}}
    report = {{"trials": trials, "config": {{"effective": effective}},
               "dataset": {{"samples": behaviour.get("samples", 1280)}}, "probes": {{}},
               "run": {{"taints": behaviour.get("taints", []), **behaviour.get("run", {{"status": "complete"}})}},
               "tool": dict(zip(("version", "git_commit"), version.rstrip(")").split(" ("))),
               "workload": behaviour.get("workload", {{"device": behaviour.get("gpus", ["NVIDIA H200"])[0]}}),
               "system": {{"hosts": [{{"cpu": {{"usable_cores": behaviour.get("cores", 16)}},
                                     "gpus": [{{"name": name}} for name in
                                              behaviour.get("gpus", ["NVIDIA H200"])]}}]}}}}
    if not rule.get("no_report"):
        pathlib.Path(option("--output")).write_text(json.dumps(report))
if rule.get("records"):
    (pathlib.Path(option("--record-probes", {folder!r})) / "raw.json").write_bytes(
        __import__("os").urandom(rule["records"]))
if rule.get("says"):
    print(rule["says"], file=sys.stderr)
time.sleep(rule.get("seconds", 0))
sys.exit(rule.get("code", 0))
"""

GPU_TEST = r"""#!{python} -IS
import json, os, pathlib, sys, time
here = pathlib.Path({folder!r})
behaviour = json.loads((here / "behaviour.json").read_text()).get("gpu_test", {{}})
names = ["Step.Equals/mnist", "Step.Equals/resunetpp", "Nccl.Sums"]
failing, skipped = behaviour.get("fails", []), behaviour.get("skips", [])
words = " ".join(sys.argv[1:])
if "--gtest_list_tests" in words:
    print("Step.  # TypeParam = int\n  Equals/mnist\n  Equals/resunetpp  # GetParam() = 3\nNccl.\n  Sums")
    sys.stdout.flush()
    time.sleep(behaviour.get("list_seconds", 0))
    sys.exit(behaviour.get("list_code", 0))
with open(here / "calls.jsonl", "a") as log:
    log.write(json.dumps(["gpu_test", words.partition("--gtest_filter=")[2], os.environ.get("CUDA_LAUNCH_BLOCKING")])
              + "\n")
if "--gtest_filter=" in words:
    name = words.split("=")[-1]
    if name in behaviour.get("skips_alone", []):
        print("[  SKIPPED ] 1 test.")
    sys.exit(1 if name in behaviour.get("fails_alone", failing) else 0)
reason = behaviour.get("reason", "tf32 needs compute capability 8.0")
for name in names:
    if name in skipped:
        print(f"step_test.cpp:30: Skipped\n{{reason}}\n")
    state = "  FAILED  " if name in failing else "  SKIPPED " if name in skipped else "       OK "
    print(f"[{{state}}] {{name}}" + ", where GetParam() = 3" * (name in failing) + " (5 ms)")
if set(skipped) == set(names):
    print("[  PASSED  ] 0 tests.")
sys.exit(1 if failing else 0)
"""

BANDWIDTH = r"""#!{python} -IS
import json, pathlib, sys
of_all = json.loads((pathlib.Path({folder!r}) / "behaviour.json").read_text())
behaviour = of_all.get("bandwidth", {{}})
if behaviour.get("crashes"):
    sys.exit(1)
rows = [{{"name": name, "dtype": "bf16", "kind": f"own:{{name}} {{name}} bf16 -> bf16", "share_of_copy": share}}
        for name, share in behaviour.get("shares", {{"add": 0.95, "batch_norm": 0.875}}).items()]
pathlib.Path(sys.argv[sys.argv.index("--output") + 1]).write_text(
    json.dumps({{"dlbench": behaviour.get("version", of_all.get("version", "0.1.0 (fake)")),
                "device": behaviour.get("device", "NVIDIA H200"), "complete": behaviour.get("complete", True),
                "rows": rows, "failed": behaviour.get("failed", []), "skipped": behaviour.get("skipped", [])}}))
for row in rows:
    print(f"{{row['name']:<44}} bf16  4000.0 GB/s  {{row['share_of_copy']:.2f}} of copy")
sys.exit(behaviour.get("code", 0))
"""

# Called as `python3 pytorch_step.py --peer ...`, or with -c to look for PyTorch.
PYTHON = r"""#!{python} -IS
import json, pathlib, sys, time
here = pathlib.Path({folder!r})
peers = json.loads((here / "behaviour.json").read_text()).get("peers", {{}})
if sys.argv[1] == "-c":
    time.sleep(peers.get("import_seconds", 0))
    sys.exit(peers.get("import_code", 0))
option = lambda name: sys.argv[sys.argv.index(name) + 1]
key = f"{{option('--precision')}} {{option('--batch')}} {{option('--peer')}}"
with open(here / "calls.jsonl", "a") as log:
    log.write(json.dumps(["peer", key]) + "\n")
peer = peers.get(key, peers.get("default", {{"windows": [99, 100, 101]}}))
print(json.dumps(peer.get("first", {{}})), flush=True)
for rate in peer.get("windows", ()):
    print(f"window {{rate}}", flush=True)
if peer.get("says"):
    print(peer["says"], file=sys.stderr, flush=True)
time.sleep(peer.get("seconds", 0))
if not peer.get("code"):
    print(json.dumps({{"samples_per_second": 0, **peer.get("facts", {{}})}}))
print(peer.get("says_last", ""))
sys.exit(peer.get("code", 0))
"""

SMI = "#!/bin/sh\necho '{name}, 580.00, 143771 MiB, 700.00 W'\n"
# As acceptance.sh calls it: asked for PyTorch it says code, in place of compare_pytorch.py it runs the lines of
# compare, if there are any, and all else is Python's.
CALLED_PYTHON = """#!/bin/sh
case "$*" in
*find_spec*) exit {code};;
*compare_pytorch.py*)
{compare}
;;
esac
exec {python} "$@"
"""
SANITIZER = "#!/bin/sh\n{does}\n"
TIMEOUT = "#!/bin/sh\necho \"$@\" >>'{log}'\nexec {timeout} \"$@\"\n"


class Fakes:
    """A tree with bin/, and a folder for PATH."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.bin = self.folder / "tree" / "bin"
        self.path = self.folder / "path"
        for place in (self.bin, self.path):
            place.mkdir(parents=True)
        self.python = self.write(self.path / "torch_python", PYTHON)
        self.dlbench = self.write(self.bin / "dlbench", DLBENCH)
        self.write(self.bin / "gpu_test", GPU_TEST)
        self.write(self.bin / "gpu_bandwidth", BANDWIDTH)
        self.gpu("NVIDIA H200")
        self.behave()

    def write(self, file, template):
        return self.script(file, template.format(python=sys.executable, folder=str(self.folder)))

    @staticmethod
    def script(file, text):
        file.write_text(text)
        file.chmod(0o755)
        return file

    def gpu(self, name):
        """That the driver names."""
        self.script(self.path / "nvidia-smi", SMI.format(name=name))

    def called_python(self, has_torch=True, compare=":"):
        self.script(self.path / "python3", CALLED_PYTHON.format(code=0 if has_torch else 3, compare=compare,
                                                                python=sys.executable))

    def sanitizer(self, does):
        self.script(self.path / "compute-sanitizer", SANITIZER.format(does=does))

    def log_limits(self):
        """Has each call of timeout written down; what was until the next call of this."""
        log = self.folder / "limits.txt"
        log.write_text("")
        timeout = shutil.which("timeout")
        self.script(self.path / "timeout", TIMEOUT.format(log=log, timeout=timeout))
        return lambda: log.read_text().splitlines()

    def behave(self, **behaviour):
        (self.folder / "behaviour.json").write_text(json.dumps(behaviour))

    def forget_calls(self):
        (self.folder / "calls.jsonl").unlink()

    def calls(self):
        log = self.folder / "calls.jsonl"
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
