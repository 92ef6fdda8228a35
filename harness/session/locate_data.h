// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds a data set's files: in the given folder, in the usual one, or generated once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace dlbench::harness {

/// Where the data came from.
struct DataSource {
  std::filesystem::path folder;
  bool generated = false;  ///< taint generated_data
};

/// Returns the files of a data set in its folder, of all splits, and the marker that says it was
/// generated: results must not be written to any of them.
[[nodiscard]] std::vector<std::filesystem::path> data_files(const std::string& dataset,
                                                            const std::filesystem::path& folder);
/// Returns the files of the workload's data set in `data` if given, else in the format's usual
/// folder; none if that does not exist.
[[nodiscard]] std::vector<std::filesystem::path> present_data_files(const std::string& workload,
                                                                    const std::string& data);
/// Returns how many samples to generate for batches of `global_batch` over all ranks: 64 times a
/// power of two, so that the training split holds one batch, or four as long as 1024 samples are
/// not exceeded. Throws core::Error(kUsage) for more than 16384.
[[nodiscard]] std::int64_t samples_to_generate(std::int64_t global_batch);
/// Returns `data` if given, else the format's usual folder if it exists, else generates
/// samples_to_generate() samples in the cache folder. Throws core::Error(kFile) that names
/// DLBENCH_CACHE_DIR if they cannot be written there.
[[nodiscard]] DataSource locate_data(const std::string& dataset,
                                     const std::string& data,
                                     std::int64_t global_batch);

}  // namespace dlbench::harness
