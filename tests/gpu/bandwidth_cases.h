// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What gpu_bandwidth measures: the memory-bound ops of the backends, each in a graph of its own.
#pragma once

#include "engine/conformance/op_case.h"

#include <cstdint>
#include <vector>

namespace dlbench {

/// The largest tensor of most cases: (batch, channels, side, side).
struct BandwidthSizes {
  std::int64_t batch = 32;
  std::int64_t channels = 64;  ///< a multiple of 4
  std::int64_t side = 256;     ///< even
  int batches = 5;             ///< of calls; the fastest counts
  int calls = 20;              ///< enqueued between two events
};

/// One op, or a chain that backends may fuse, in the precisions it is asked for.
[[nodiscard]] std::vector<conformance::OpCase> bandwidth_cases(const BandwidthSizes& sizes);

}  // namespace dlbench
