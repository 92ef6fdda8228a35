// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What this process caused to be read from storage: the kernel's own count, not that of its calls.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace dlbench::core {

/// Bytes that this process caused to be fetched from the block layer so far (local disks only):
/// read_bytes of /proc/self/io. The difference over a repetition proves or disproves that it read
/// from the disk. Empty where the kernel does not offer it.
[[nodiscard]] std::optional<std::int64_t> process_disk_read_bytes() noexcept;

/// The number after "read_bytes:" in a /proc/self/io text.
[[nodiscard]] std::optional<std::int64_t> parse_read_bytes(std::string_view text) noexcept;

}  // namespace dlbench::core
