# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""Dumps a training step with `dlbench verify` and checks it in PyTorch (check_step.py).

usage: oracle_test.py --dlbench PROGRAM --workload NAME --backend NAME [verify's options]
                      [--expect-planted ERROR,ERROR...]

With --expect-planted the same dump is checked with each error planted as well, and each must be found:
the checker is checked. Exit code 77: PyTorch or the backend is missing here.
"""
import argparse
import importlib.util
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dlbench", required=True)
    parser.add_argument("--expect-planted", default="")
    arguments, verify_options = parser.parse_known_args()
    if importlib.util.find_spec("torch") is None:
        print(f"SKIP: no PyTorch in {sys.executable}")
        return SKIP
    with tempfile.TemporaryDirectory(prefix="dlbench_oracle_") as folder:
        path = os.path.join(folder, "step.safetensors")
        dump_step(arguments.dlbench, verify_options, path)
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "check_step.py")
        return subprocess.run([sys.executable, "-B", script, path, "--expect-planted",
                               arguments.expect_planted]).returncode


if __name__ == "__main__":
    sys.exit(main())
