// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Generated digit images in MNIST's IDX files.
#pragma once

#include "data/dataset.h"

namespace dlbench::data {

/// Writes options.samples training and a sixth as many (at least ten) test images, as MNIST's four
/// plain IDX files. Digits have up to seven strokes, jittered in place, size, slant, thickness and
/// brightness; labels cycle through 0 to 9 in random order. Throws Error(kFile).
void generate_mnist(const GenerateOptions& options);

}  // namespace dlbench::data
