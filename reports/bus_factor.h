// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Bus bandwidth: what makes the rates of collectives comparable over numbers of ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace dlbench::reports {

/// Factor from the algorithm bandwidth (bytes / time) to the bus bandwidth, which a perfect
/// implementation brings to the bandwidth of the hardware whatever the number of ranks n:
/// 2 (n - 1) / n for all_reduce, (n - 1) / n for reduce_scatter and all_gather, 1 for broadcast
/// (NVIDIA/nccl-tests, doc/PERFORMANCE.md, "Bus bandwidth"; github.com/NVIDIA/nccl-tests). `bytes`
/// is that of the whole array: for reduce_scatter the input, for all_gather the output. At one rank
/// nothing moves and only broadcast's factor is not 0. Nothing for another op. ranks >= 1
/// (checked).
[[nodiscard]] std::optional<double> bus_factor(std::string_view op, std::int64_t ranks);

}  // namespace dlbench::reports
