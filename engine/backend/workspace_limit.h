// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a backend may take of a device's memory beyond what a step that is not tuned is planned
// with.
#pragma once

#include <cstdint>

namespace dlbench::backend {

/// Bytes of workspace beyond which no implementation is taken on a device, whether measured,
/// advised or taken in place of one that does not run. One gibibyte: more would be taken from the
/// batch.
inline constexpr std::int64_t kWorkspaceLimit = std::int64_t{1} << 30;

}  // namespace dlbench::backend
