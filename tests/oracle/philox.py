# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""The dropout masks of dlbench, from the documentation of engine/core/rng.h alone.

Philox4x32-10 (Salmon et al. 2011, SC11), key = seed (low word, high word), counter = (block, node,
sample in the global batch, step). Element e of a sample takes word e % 4 of block e // 4; the
uniform number is its upper 24 bits / 2^24, and the element is kept if that is >= rate.
"""
import numpy as np

_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_WEYL = (0x9E3779B9, 0xBB67AE85)
_MASK = 0xFFFFFFFF


def philox4x32(counter, key):
    """Ten rounds over arrays of 32-bit words held in uint64. Returns the four words."""
    c = [np.asarray(word, dtype=np.uint64) for word in counter]
    k = [int(word) for word in key]
    for _ in range(10):
        wide0 = c[0] * np.uint64(_MULTIPLIERS[0])
        wide1 = c[2] * np.uint64(_MULTIPLIERS[1])
        high0, low0 = wide0 >> np.uint64(32), wide0 & np.uint64(_MASK)
        high1, low1 = wide1 >> np.uint64(32), wide1 & np.uint64(_MASK)
        c = [high1 ^ c[1] ^ np.uint64(k[0]), low1, high0 ^ c[3] ^ np.uint64(k[1]), low0]
        k = [(k[0] + _WEYL[0]) & _MASK, (k[1] + _WEYL[1]) & _MASK]
    return c


def dropout_mask(seed, step, node, first_sample, shape, rate):
    """1 where kept, 0 where dropped; shape (N, ...)."""
    samples = shape[0]
    elements = int(np.prod(shape[1:]))
    blocks = (elements + 3) // 4
    block, sample = np.meshgrid(np.arange(blocks), np.arange(samples) + first_sample)
    words = philox4x32(
        (block, np.full_like(block, node), sample, np.full_like(block, step)),
        (seed & _MASK, seed >> 32),
    )
    bits = np.stack(np.broadcast_arrays(*words), axis=-1).reshape(samples, -1)[:, :elements]
    uniform = (bits >> np.uint64(8)).astype(np.float64) / 2.0**24
    return (uniform >= np.float32(rate)).astype(np.float64).reshape(shape)
