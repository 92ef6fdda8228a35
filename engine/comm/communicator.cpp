// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/communicator.h"

namespace dlbench::comm {

std::string_view name(ReduceOp op) { return op == ReduceOp::kSum ? "sum" : "max"; }

std::size_t share_begin(std::size_t count, int rank, int size) {
  // Without the product count * rank, which could overflow.
  const auto ranks = static_cast<std::size_t>(size);
  const auto index = static_cast<std::size_t>(rank);
  return count / ranks * index + count % ranks * index / ranks;
}

}  // namespace dlbench::comm
