// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/session/cuda_graph.h"

#include "engine/core/error.h"

namespace dlbench::harness {

using core::Error;
using core::ErrorCode;

void check_cuda_graph(exec::GraphReplay choice,
                      const backend::Backend& backend,
                      const std::string& shared) {
  if (choice != exec::GraphReplay::kOn) {
    return;
  }
  if (backend.device().kind != "cuda") {
    throw Error(ErrorCode::kUnavailable,
                "--cuda-graph on needs an NVIDIA GPU; this run uses " +
                    std::string(backend.name()) + ": choose auto or off");
  }
  if (!shared.empty()) {
    throw Error(ErrorCode::kUnavailable,
                "--cuda-graph on with --share-gpu: " + shared +
                    ", so that the host has a part in every collective, which cannot be captured: "
                    "choose auto or off");
  }
}

}  // namespace dlbench::harness
