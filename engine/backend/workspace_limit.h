// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// How much device memory a backend may use beyond what is planned for a step that is not tuned.
#pragma once

#include <cstdint>

namespace dlbench::backend {

/// Workspace in bytes above which no implementation is used on a device, whether measured, advised,
/// or a replacement for one that does not run. One gibibyte: more would reduce the possible batch.
inline constexpr std::int64_t kWorkspaceLimit = std::int64_t{1} << 30;

}  // namespace dlbench::backend
