// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/core/file_descriptor.h"

#include <filesystem>
#include <system_error>

namespace dlbench::data {

/// A temporary folder next to its final place, "<out>.partial-<host>-<16 hexadecimal digits>",
/// removed with its contents unless it was renamed. It is locked (flock) while its process lives,
/// so that a later process can remove what a killed one left; without such locks on the file
/// system, leftovers stay. Nodes may not see each other's locks on a shared file system: the folder
/// of another host is removed only if nothing in it was modified for 24 hours.
class PartialFolder {
 public:
  /// Throws core::Error(kFile) if it cannot be made.
  explicit PartialFolder(const std::filesystem::path& out);
  PartialFolder(const PartialFolder&) = delete;
  PartialFolder& operator=(const PartialFolder&) = delete;
  ~PartialFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Renames the folder. Returns the error of the rename, or none.
  std::error_code rename_to(const std::filesystem::path& out);

 private:
  std::filesystem::path path_;
  core::FileDescriptor lock_;
};

}  // namespace dlbench::data
