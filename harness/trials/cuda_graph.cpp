// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/cuda_graph.h"

#include "engine/core/error.h"

namespace dlbench::harness {

using core::Error;
using core::ErrorCode;

exec::GraphReplay graph_replay(const std::string& choice) {
  if (choice == "off") {
    return exec::GraphReplay::kOff;
  }
  return choice == "on" ? exec::GraphReplay::kOn : exec::GraphReplay::kAuto;
}

void check_cuda_graph(const std::string& choice,
                      const backend::Backend& backend,
                      const std::string& shared) {
  if (choice != "on") {
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
                    ", so that the host has a part in every collective, which cannot be recorded: "
                    "choose auto or off");
  }
}

}  // namespace dlbench::harness
