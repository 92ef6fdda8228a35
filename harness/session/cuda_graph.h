// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the option --cuda-graph is available.
#pragma once

#include "engine/backend/backend.h"
#include "engine/exec/executor.h"

#include <string>

namespace dlbench::harness {

/// Throws core::Error(kUnavailable) if kOn is impossible: not on a GPU, or on one that ranks share
/// (`shared` describes it, as comm::shared_device() does; empty: none).
void check_cuda_graph(exec::GraphReplay choice,
                      const backend::Backend& backend,
                      const std::string& shared = "");

}  // namespace dlbench::harness
