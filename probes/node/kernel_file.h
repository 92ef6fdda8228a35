// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads small kernel files (/proc, /sys) whole.
#pragma once

#include "engine/core/parse_number.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

namespace dlbench::probes {

/// Returns the file's text, or nothing if it cannot be opened or read. Kernel files have size 0 and
/// are read to their end.
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

/// Returns the number in such a file's only line; nothing for other content ("max").
template <typename Number>
[[nodiscard]] std::optional<Number> read_kernel_number(const std::filesystem::path& path) {
  const auto text = read_kernel_file(path);
  if (!text.has_value()) {
    return std::nullopt;
  }
  return core::parse_number<Number>(std::string_view(*text).substr(0, text->find('\n')));
}

}  // namespace dlbench::probes
