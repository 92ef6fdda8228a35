// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Bytes that this process caused to be read from storage, as counted by the kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace dlbench::core {

/// Bytes that this process has so far caused to be fetched from the block layer (local disks only):
/// read_bytes of /proc/self/io. Its increase over a repetition shows whether the repetition read
/// from disk or from the page cache. nullopt if the kernel does not offer it.
[[nodiscard]] std::optional<std::int64_t> process_disk_read_bytes() noexcept;

/// The number after "read_bytes:" in the text of /proc/self/io; nullopt if there is none.
[[nodiscard]] std::optional<std::int64_t> parse_read_bytes(std::string_view text) noexcept;

}  // namespace dlbench::core
