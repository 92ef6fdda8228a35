// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A model's parameters and running statistics in a safetensors file, with logical names and
// layouts, so that any backend, batch size and mode can read what another one wrote.
#pragma once

#include "engine/exec/model_state.h"

#include <filesystem>
#include <map>
#include <string>

namespace dlbench::exec {

/// Returns what a checkpoint contains: parameters and running statistics.
[[nodiscard]] TensorMap export_checkpoint(const ModelState& state);

/// Writes export_checkpoint() to a file, atomically. Throws core::Error(kFile).
void save_checkpoint(const ModelState& state,
                     const std::filesystem::path& path,
                     const std::map<std::string, std::string>& metadata = {});

/// Overwrites all parameters and running statistics. Throws core::Error(kFile or kData) naming the
/// file if it is unreadable, is not safetensors, or has a tensor that is missing, unknown, of
/// another shape or dtype, or not finite. After non-finite values the state is unspecified.
void load_checkpoint(ModelState& state, const std::filesystem::path& path);

}  // namespace dlbench::exec
