# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""Dumps a training step with `dlbench verify` and checks it in PyTorch (check_step.py).

usage: oracle_test.py --dlbench PROGRAM --workload NAME --backend NAME [verify's options]
                      [--expect-planted ERROR,ERROR...]

With --expect-planted the same dump is checked with each error planted, and must fail each time: the
checker is checked. Exit code 77: PyTorch or the backend is missing here.
"""
import argparse
import os
import subprocess
import sys
import tempfile

SKIP = 77


def dump_step(program, options, path):
    """Runs verify; ends the test if it fails, or skips it where the backend cannot be had."""
    command = [program, "verify", *options, "--dump", path]
    print(" ".join(command), flush=True)
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print(done.stdout, flush=True)
    if done.returncode == 2 and "backend is not part of this build" in done.stdout:
        print("SKIP: no such backend here")
        sys.exit(SKIP)
    if done.returncode != 0:
        sys.exit(f"verify ended with {done.returncode}")


def check(path, planted=None):
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "check_step.py")
    command = [sys.executable, "-B", script, path]
    if planted:
        command += ["--plant", planted]
    return subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dlbench", required=True)
    parser.add_argument("--expect-planted", default="")
    arguments, verify_options = parser.parse_known_args()
    try:
        import torch  # noqa: F401
    except ImportError as error:
        print(f"SKIP: no PyTorch in {sys.executable}: {error}")
        return SKIP
    with tempfile.TemporaryDirectory(prefix="dlbench_oracle_") as folder:
        path = os.path.join(folder, "step.safetensors")
        dump_step(arguments.dlbench, verify_options, path)
        clean = check(path)
        print(clean.stdout, flush=True)
        if clean.returncode != 0:
            return 1
        for planted in filter(None, arguments.expect_planted.split(",")):
            done = check(path, planted)
            print(f"planted {planted}: {done.stdout.strip().splitlines()[-1]}", flush=True)
            if done.returncode != 3:
                print(done.stdout)
                return f"the planted error '{planted}' was not found (code {done.returncode})"
    return 0


if __name__ == "__main__":
    sys.exit(main())
