// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Bounds of options that several commands share.
#pragma once

#include "harness/commands/option_set.h"
#include "workloads/workload.h"

#include <cstdint>

namespace dlbench::harness {

inline constexpr CountLimits kBatchSizeLimits{1, workloads::kMaxBatchSize};
inline constexpr CountLimits kImageSizeLimits{1, 1 << 14};
inline constexpr CountLimits kThreadLimits{1, 1024};
inline constexpr CountLimits kSeedLimits{0, std::int64_t{1} << 40};
inline constexpr CountLimits kLinkNodeRankLimits{1, 1 << 20};

/// Bounds of a gradient bucket's cap, in MiB.
inline constexpr double kSmallestCapMib = 0.001;
inline constexpr double kLargestCapMib = 1e6;

}  // namespace dlbench::harness
