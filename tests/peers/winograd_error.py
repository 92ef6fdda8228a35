#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""Relative error of every gradient of one training step with Winograd convolutions.

Runs `dlbench verify` with direct and with Winograd convolutions on the same batch and weights, and
compares their dumps: ||g_winograd - g_direct|| / ||g_direct|| per tensor, beside the same of direct
convolutions against the float64-accumulating reference, which shows what rounding alone does.

  /usr/bin/python3 tests/peers/winograd_error.py --dlbench build/release/bin/dlbench
"""
import argparse
import json
import pathlib
import struct
import subprocess
import tempfile

import numpy


def read_safetensors(path):
    data = pathlib.Path(path).read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    body = data[8 + length :]
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        begin, end = entry["data_offsets"]
        tensors[name] = numpy.frombuffer(body[begin:end], numpy.float32).reshape(entry["shape"])
    return tensors


def gradients(dlbench, arguments, folder, label, extra):
    path = pathlib.Path(folder) / f"{label}.safetensors"
    command = [dlbench, "verify", "--workload", arguments.workload, "--dump", str(path), *extra]
    if arguments.batch_size:
        command += ["--batch-size", str(arguments.batch_size)]
    if arguments.image_size:
        command += ["--image-size", str(arguments.image_size)]
    # A step beyond verify's tolerance (code 3) is still dumped, and is what this script looks at.
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if not path.exists():
        raise SystemExit(done.stdout)
    tensors = read_safetensors(path)
    return {name[5:]: value for name, value in tensors.items() if name.startswith("grad/")}


def errors(one, other):
    """By tensor; without those whose gradient is 0 but for rounding (a bias before a batch norm)."""
    result = {}
    total = sum(float((value.astype(numpy.float64) ** 2).sum()) for value in other.values()) ** 0.5
    for name, reference in other.items():
        norm = float(numpy.linalg.norm(reference.astype(numpy.float64)))
        if norm > 1e-6 * total:
            difference = one[name].astype(numpy.float64) - reference
            result[name] = float(numpy.linalg.norm(difference)) / norm
    return result


def whole(one, other):
    difference = sum(float(((one[name].astype(numpy.float64) - other[name]) ** 2).sum()) for name in other)
    norm = sum(float((other[name].astype(numpy.float64) ** 2).sum()) for name in other)
    return (difference / norm) ** 0.5


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dlbench", required=True)
    parser.add_argument("--workload", default="resunetpp")
    parser.add_argument("--batch-size", type=int, default=0, help="0: verify's own")
    parser.add_argument("--image-size", type=int, default=0, help="0: verify's own")
    parser.add_argument("--worst", type=int, default=5, help="tensors to list")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        reference = gradients(arguments.dlbench, arguments, folder, "ref", ["--backend", "ref"])
        direct = gradients(arguments.dlbench, arguments, folder, "direct", ["--conv-algorithm", "direct"])
        winograd = gradients(arguments.dlbench, arguments, folder, "winograd", ["--conv-algorithm", "winograd"])
    for label, one, other in (
        ("winograd against direct", winograd, direct),
        ("winograd against ref", winograd, reference),
        ("direct against ref", direct, reference),
    ):
        by_tensor = errors(one, other)
        values = sorted(by_tensor.values())
        print(f"{label}: all gradients {whole(one, other):.2e}; per tensor median "
              f"{values[len(values) // 2]:.2e}, 90 % below {values[int(0.9 * len(values))]:.2e}, "
              f"largest {values[-1]:.2e} of {len(values)}")
        for name in sorted(by_tensor, key=by_tensor.get, reverse=True)[: arguments.worst]:
            print(f"  {by_tensor[name]:.2e}  {name}")


if __name__ == "__main__":
    main()
