// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Images and labels in MNIST's four IDX files: MNIST itself, Fashion-MNIST, and what dlbench
// generates. The files are {train,t10k}-{images-idx3,labels-idx1}-ubyte, each plain or .gz, in the
// folder or in its raw/, MNIST/raw/ or FashionMNIST/raw/; the t10k files are both the test and the
// valid split. Opened through dataset.h as "mnist", which decodes the files into memory; loading a
// sample copies rows.
//
// Tensors: "image" (N, 28, 28, 1) u8 and "label" (N) i32 in [0, 10).
#pragma once

#include <cstdint>

namespace dlbench::data {

inline constexpr std::int64_t kMnistSide = 28;  ///< rows and columns of an image

}  // namespace dlbench::data
