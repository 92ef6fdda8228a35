// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading small kernel files (/proc, /sys) whole.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

namespace dlbench::probes {

/// The file's text, or empty if it cannot be opened or read. Kernel files have size 0 and are read
/// to their end.
[[nodiscard]] inline std::optional<std::string> read_kernel_file(
    const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    return std::nullopt;
  }
  std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  if (stream.bad()) {
    return std::nullopt;
  }
  return text;
}

}  // namespace dlbench::probes
