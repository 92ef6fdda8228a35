// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Images and labels in MNIST's four IDX files: MNIST itself, Fashion-MNIST, and what dlbench
// writes.
#pragma once

#include "data/dataset.h"

#include <cstdint>
#include <filesystem>
#include <memory>

namespace dlbench::data {

inline constexpr std::int64_t kMnistSide = 28;  ///< rows and columns of an image

/// Opens {train,t10k}-{images-idx3,labels-idx1}-ubyte, each plain or .gz, in the folder or in its
/// raw/, MNIST/raw/ or FashionMNIST/raw/. Split kTest and kValid are both the t10k files. The files
/// are decoded into memory here; loading copies rows.
///
/// Tensors: "image" (N, 28, 28, 1) u8 and "label" (N) i32 in [0, 10).
/// Throws MissingSplit where only the other split's files are; Error(kUsage) for an image size
/// other than 0 or 28; Error(kFile or kData) for missing, truncated or foreign files, different
/// counts of images and labels, labels above 9.
[[nodiscard]] std::unique_ptr<Dataset> open_mnist_idx(const std::filesystem::path& folder,
                                                      Split split,
                                                      const DatasetOptions& options);

}  // namespace dlbench::data
