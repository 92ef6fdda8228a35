// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/output_files.h"

#include "engine/core/error.h"
#include "reports/atomic_file.h"

#include <cstddef>

namespace dlbench::harness {

void check_distinct(const std::vector<NamedFile>& files) {
  for (std::size_t one = 0; one < files.size(); ++one) {
    for (std::size_t other = one + 1; other < files.size(); ++other) {
      if (!files[one].path.empty() && !files[other].path.empty() &&
          reports::is_same_file(files[one].path, files[other].path)) {
        throw core::Error(core::ErrorCode::kUsage,
                          files[one].option + " and " + files[other].option +
                              " name the same file '" + files[other].path +
                              "': one would overwrite the other; give each its own");
      }
    }
  }
}

void check_writable(const std::vector<NamedFile>& files) {
  for (const NamedFile& file : files) {
    if (!file.path.empty()) {
      reports::check_writable(file.path, "choose another place with " + file.option);
    }
  }
}

}  // namespace dlbench::harness
