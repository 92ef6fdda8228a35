// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// `dlbench data inspect`: what a folder holds, its problems, and the cost of loading a sample.
#pragma once

#include "data/dataset.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace dlbench::data {

struct SplitInspection {
  Split split = Split::kTrain;
  std::int64_t samples = 0;
  std::int64_t bytes = 0;  ///< of its files
};

struct DatasetInspection {
  std::string dataset;  ///< "kvasir-seg"
  std::string format;
  std::vector<SplitInspection> splits;  ///< existing splits; only train is required
  std::int64_t samples = 0;
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  /// Sizes of the smallest and the largest image (by pixels) before resizing.
  std::int64_t min_width = 0, min_height = 0, max_width = 0, max_height = 0;
  double mean_pixels = 0.0;
  bool generated = false;  ///< by dlbench
  /// Mean seconds that one worker spent on one successfully loaded sample, with files in the page
  /// cache or not, as they were found.
  double read_s = 0.0, decode_s = 0.0, transform_s = 0.0;
  int workers = 0;                    ///< workers at that time; more than cores wait for each other
  std::vector<std::string> problems;  ///< one line each, the file named
};

/// Loads every sample once with `threads` threads (0: one per core). Throws Error(kFile) if the
/// folder cannot be read, Error(kData) if no known format is in it.
[[nodiscard]] DatasetInspection inspect(const std::filesystem::path& folder,
                                        const DatasetOptions& options = {},
                                        int threads = 0);

}  // namespace dlbench::data
