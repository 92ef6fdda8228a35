# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the dump of `dlbench verify --dump`: a safetensors file, with a reader of its own."""
import json
import struct

import numpy as np

_DTYPES = {
    "F64": np.float64,
    "F32": np.float32,
    "I64": np.int64,
    "I32": np.int32,
    "U16": np.uint16,
    "U8": np.uint8,
    "BOOL": np.bool_,
}


def read_safetensors(path):
    """Returns (tensors by name, metadata)."""
    with open(path, "rb") as file:
        content = file.read()
    (header_bytes,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + header_bytes])
    data = content[8 + header_bytes :]
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        array = np.frombuffer(data[begin:end], dtype=_DTYPES[entry["dtype"]])
        tensors[name] = array.reshape(entry["shape"])
    return tensors, metadata


class StepDump:
    """One training step: what the network read, what it made, the state before and after."""

    def __init__(self, path):
        self.tensors, self.metadata = read_safetensors(path)

    def part(self, prefix):
        """Tensors "<prefix>/<name>" by name."""
        start = prefix + "/"
        return {n[len(start) :]: t for n, t in self.tensors.items() if n.startswith(start)}

    def __getitem__(self, name):
        return self.tensors[name]
