// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace dlbench::core {

/// Returns 64 new random bits, for names that must be unique among processes. Process ids would not
/// do: they can be equal in containers and on nodes that share a file system.
[[nodiscard]] std::uint64_t random_token();

}  // namespace dlbench::core
