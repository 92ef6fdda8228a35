// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The option --cuda-graph: auto, on or off.
#pragma once

#include "engine/backend/backend.h"
#include "engine/exec/executor.h"

#include <string>

namespace dlbench::harness {

[[nodiscard]] exec::GraphReplay graph_replay(const std::string& choice);

/// Throws core::Error(kUnavailable) where "on" cannot be: not on a GPU, or not on one that ranks
/// share (`shared` says which, as comm::shared_device() does; empty: none).
void check_cuda_graph(const std::string& choice,
                      const backend::Backend& backend,
                      const std::string& shared = "");

}  // namespace dlbench::harness
