// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Where a data set's files are: in the folder that was given, in the usual one, or generated once.
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

/// The files of a data set in its folder, of all splits, and what says that it was generated: none
/// of them is for results.
[[nodiscard]] std::vector<std::filesystem::path> data_files(const std::string& dataset,
                                                            const std::filesystem::path& folder);
/// Those of the workload's data set in `data` if that is given, else in the format's usual folder;
/// none where that is not there.
[[nodiscard]] std::vector<std::filesystem::path> present_data_files(const std::string& workload,
                                                                    const std::string& data);
/// How many samples are generated for batches of `global_batch` over all ranks: 64 times a power of
/// two, of which the training split holds one batch, and up to 1024 samples four of them. Throws
/// core::Error(kUsage) for more than 16384.
[[nodiscard]] std::int64_t samples_to_generate(std::int64_t global_batch);
/// `data` if given, else the format's usual folder if it is there, else samples_to_generate()
/// generated samples in the cache folder. Throws core::Error(kFile) that names DLBENCH_CACHE_DIR if
/// they cannot be put there.
[[nodiscard]] DataSource locate_data(const std::string& dataset,
                                     const std::string& data,
                                     std::int64_t global_batch);

}  // namespace dlbench::harness
