#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 The dlbench authors
# SPDX-License-Identifier: Apache-2.0
"""Prints the table of resize_test.cpp: FNV-1a hashes of what OpenCV's INTER_LINEAR makes of a pattern.

Run with Debian's Python and python3-opencv: /usr/bin/python3 tests/data/transforms/resize_golden.py
"""
import cv2
import numpy

SIZES = [  # height, width, channels, new height, new width
    (487, 332, 3, 256, 256), (1072, 1920, 3, 256, 256), (531, 622, 3, 256, 256), (531, 622, 1, 256, 256),
    (512, 512, 3, 256, 256), (512, 512, 1, 256, 256), (512, 300, 3, 256, 150), (512, 301, 3, 256, 150),
    (100, 90, 3, 256, 256), (100, 90, 1, 256, 256), (256, 256, 3, 256, 256), (1, 1, 3, 5, 7),
    (7, 1, 1, 3, 4), (1, 9, 3, 4, 3), (13, 17, 3, 29, 5), (13, 17, 1, 29, 31), (1072, 1920, 1, 64, 96),
    (576, 720, 3, 17, 33), (1024, 1024, 3, 256, 256), (1024, 768, 1, 256, 256), (2, 2, 3, 1, 1), (3, 5, 1, 1, 1),
]


def pattern(height, width, channels):
    """The same numbers as pattern() in resize_test.cpp."""
    y, x, c = numpy.meshgrid(numpy.arange(height, dtype=numpy.uint32), numpy.arange(width, dtype=numpy.uint32),
                             numpy.arange(channels, dtype=numpy.uint32), indexing="ij")
    value = x * 2654435761 + y * 2246822519 + c * 3266489917
    value ^= value >> 15
    value *= numpy.uint32(668265263)
    return (value >> 24).astype(numpy.uint8)


def fnv1a(data):
    state = 0xCBF29CE484222325
    for byte in data:
        state = ((state ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return state


print("// OpenCV", cv2.__version__)
for height, width, channels, new_height, new_width in SIZES:
    image = pattern(height, width, channels)
    resized = cv2.resize(image, (new_width, new_height), interpolation=cv2.INTER_LINEAR)
    print("    {%d, %d, %d, %d, %d, 0x%016xU}," % (height, width, channels, new_height, new_width,
                                                 fnv1a(resized.tobytes())))
