// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/core/file_descriptor.h"

#include <filesystem>
#include <system_error>

namespace dlbench::data {

/// A folder beside the one that it is to become, "<out>.partial-<host>-<16 hexadecimal digits>":
/// removed with all it holds unless it was renamed to its final place. It is locked (flock) while
/// its process lives, so that the next one beside it removes what a killed process left; where a
/// file system knows no such lock, that stays. Nodes that share a file system may not see each
/// other's locks: of another host only that is removed in which nothing was modified for 24 hours.
class PartialFolder {
 public:
  /// Throws core::Error(kFile) if it cannot be made.
  explicit PartialFolder(const std::filesystem::path& out);
  PartialFolder(const PartialFolder&) = delete;
  PartialFolder& operator=(const PartialFolder&) = delete;
  ~PartialFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// The error of the rename, or none.
  std::error_code rename_to(const std::filesystem::path& out);

 private:
  std::filesystem::path path_;
  core::FileDescriptor lock_;
};

}  // namespace dlbench::data
