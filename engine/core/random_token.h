// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace dlbench::core {

/// 64 random bits, others at each call: for names that no other process may have. Process numbers
/// would not do: they are equal in containers and on nodes that share a file system.
[[nodiscard]] std::uint64_t random_token();

}  // namespace dlbench::core
