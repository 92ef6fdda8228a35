// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/output_files.h"

#include "engine/core/atomic_file.h"
#include "engine/core/error.h"

#include <cstddef>
#include <system_error>

namespace dlbench::harness {

void check_distinct(const std::vector<NamedFile>& files) {
  for (std::size_t one = 0; one < files.size(); ++one) {
    for (std::size_t other = one + 1; other < files.size(); ++other) {
      if (!files[one].path.empty() && !files[other].path.empty() &&
          core::is_same_file(files[one].path, files[other].path)) {
        throw core::Error(core::ErrorCode::kUsage,
                          files[one].option + " and " + files[other].option +
                              " name the same file '" + files[other].path +
                              "': one would overwrite the other; give each its own");
      }
    }
  }
}

void check_not_standard_output(const std::vector<NamedFile>& files) {
  for (const NamedFile& file : files) {
    if (!file.path.empty() && core::is_standard_output(file.path)) {
      throw core::Error(core::ErrorCode::kUsage,
                        file.option + " '" + file.path +
                            "' is the standard output, which takes the summary: name a file");
    }
  }
}

void check_apart(const std::vector<NamedFile>& files,
                 const std::vector<std::filesystem::path>& inputs,
                 std::string_view what) {
  for (const NamedFile& file : files) {
    std::error_code ignored;
    // Most results are yet to be made, and data sets have many files.
    if (file.path.empty() || !std::filesystem::is_regular_file(file.path, ignored)) {
      continue;
    }
    for (const std::filesystem::path& input : inputs) {
      if (std::filesystem::equivalent(file.path, input, ignored)) {
        throw core::Error(core::ErrorCode::kUsage,
                          file.option + " names '" + file.path + "', " + std::string(what) +
                              ": it would be overwritten; choose another");
      }
    }
  }
}

void check_writable(const std::vector<NamedFile>& files) {
  for (const NamedFile& file : files) {
    if (!file.path.empty()) {
      core::check_writable(file.path, "choose another place with " + file.option);
    }
  }
}

}  // namespace dlbench::harness
