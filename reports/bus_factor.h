// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Bus bandwidth, which makes the rates of collectives comparable across numbers of ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace dlbench::reports {

/// Returns the factor from the algorithm bandwidth (bytes / time) to the bus bandwidth, which for a
/// perfect implementation equals the hardware's bandwidth at any number of ranks n: 2 (n - 1) / n
/// for all_reduce, (n - 1) / n for reduce_scatter and all_gather, 1 for broadcast
/// (NVIDIA/nccl-tests, doc/PERFORMANCE.md, "Bus bandwidth"; github.com/NVIDIA/nccl-tests). `bytes`
/// means the whole array: the input of reduce_scatter, the output of all_gather. At one rank
/// nothing moves and all factors but broadcast's are 0. Nothing for another op. ranks >= 1
/// (checked).
[[nodiscard]] std::optional<double> bus_factor(std::string_view op, std::int64_t ranks);

}  // namespace dlbench::reports
