// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What one fake collective is, when it is refused, and what it does.
#pragma once

#include "tests/engine/backend/cuda/fake/nccl_ranks.h"

#include <nccl.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace dlbench::fake::nccl {

enum class Kind : std::uint32_t { kAllReduce, kReduceScatter, kAllGather, kBroadcast };

/// What all ranks must agree on. `count` is NCCL's argument: of one rank's share where there are
/// shares.
struct Collective {
  Kind kind = Kind::kAllReduce;
  ncclDataType_t dtype = ncclFloat32;
  ncclRedOp_t op = ncclSum;
  std::int32_t root = 0;
  std::uint64_t count = 0;
  bool recorded = false;  ///< as part of a graph: by all ranks or by none

  bool operator==(const Collective&) const = default;
};

struct Buffers {
  const std::byte* send = nullptr;
  std::byte* recv = nullptr;
};

/// "ncclAllReduce of 5 x ncclFloat32, ncclSum", and where it is so, ", recorded".
[[nodiscard]] std::string text_of(const Collective& collective);

/// What a profiler calls its kernel: "ncclDevKernel_AllReduce_ncclFloat32".
[[nodiscard]] std::string kernel_name(const Collective& collective);

/// Throws Refused for what NCCL's documentation leaves no meaning, and for what the fake lacks:
/// operations other than sum and max, reductions of dtypes that the plug-in has not.
void check_call(const Collective& collective, const Buffers& buffers, int rank, int size);

/// Takes part. Throws Refused where another rank is in another collective, GivenUp.
void run_collective(const Collective& collective,
                    const Buffers& buffers,
                    Ranks& ranks,
                    const std::atomic<bool>& given_up);

}  // namespace dlbench::fake::nccl
