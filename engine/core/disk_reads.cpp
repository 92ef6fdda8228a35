// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/disk_reads.h"

#include "engine/core/file_descriptor.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <span>
#include <system_error>

namespace dlbench::core {

std::optional<std::int64_t> process_disk_read_bytes() noexcept {
  const FileDescriptor file(::open("/proc/self/io", O_RDONLY | O_CLOEXEC));
  std::array<char, 1024> text;  // seven short lines
  const ReadResult read =
      file.is_open() ? read_all(file.get(), std::as_writable_bytes(std::span(text))) : ReadResult{};
  return parse_read_bytes({text.data(), read.bytes});
}

std::optional<std::int64_t> parse_read_bytes(std::string_view text) noexcept {
  constexpr std::string_view kKey = "\nread_bytes:";
  const std::size_t at = text.find(kKey);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  text.remove_prefix(at + kKey.size());
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::int64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  return error == std::errc{} ? std::optional(bytes) : std::nullopt;
}

}  // namespace dlbench::core
