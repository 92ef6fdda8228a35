// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/exec/checkpoint.h"

#include "engine/core/error.h"
#include "engine/exec/safetensors.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dlbench::exec {

namespace {

/// The kinds of values in a checkpoint.
std::vector<graph::Storage> checkpoint_kinds() {
  return {graph::Storage::kParameter, graph::Storage::kBuffer};
}

/// Returns the name of a running variance (graph/layers.h) with a value below zero; empty if there
/// is none.
std::string find_negative_variance(const TensorMap& tensors) {
  for (const auto& [name, tensor] : tensors) {
    for (std::int64_t i = 0; name.ends_with(".running_var") && i < tensor.elements(); ++i) {
      if (tensor.at(i) < 0.0) {
        return name;
      }
    }
  }
  return "";
}

}  // namespace

TensorMap export_checkpoint(const ModelState& state) {
  return state.export_tensors(checkpoint_kinds());
}

void save_checkpoint(const ModelState& state,
                     const std::filesystem::path& path,
                     const std::map<std::string, std::string>& metadata) {
  write_safetensors(path, export_checkpoint(state), metadata);
}

void load_checkpoint(ModelState& state, const std::filesystem::path& path) {
  const TensorMap tensors = read_safetensors(path);
  try {
    state.import_tensors(tensors, checkpoint_kinds());
  } catch (const core::Error& error) {
    throw core::Error(error.code(),
                      path.string() + ": " + error.what() +
                          "; wanted is a checkpoint: the weights and running statistics of this "
                          "network, nothing else");
  }
  if (const std::string name = state.find_not_finite(); !name.empty()) {
    throw core::Error(core::ErrorCode::kData,
                      path.string() + ": '" + name +
                          "' holds values that are not finite; start from other weights");
  }
  if (const std::string name = find_negative_variance(tensors); !name.empty()) {
    throw core::Error(
        core::ErrorCode::kData,
        path.string() + ": '" + name + "' holds a negative variance; start from other weights");
  }
}

}  // namespace dlbench::exec
