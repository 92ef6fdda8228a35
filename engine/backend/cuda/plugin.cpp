// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The CUDA plug-in's one exported function.
#include "engine/core/plugin.h"

#include "engine/backend/backend_list.h"
#include "engine/backend/cuda/device_probe.h"
#include "engine/core/error.h"

#include "build_id.h"

#include <memory>
#include <string>

namespace dlbench::backend::cuda {
namespace {

void register_all() {
  register_backend({.name = "cuda",
                    .priority = kCudaPriority,
                    .unavailable_reason =
                        [] {
                          const std::string why = why_unusable(read_device_status(0));
                          return why.empty() ? std::string("the CUDA backend runs no graph yet")
                                             : why;
                        },
                    .create = nullptr});
}

}  // namespace
}  // namespace dlbench::backend::cuda

extern "C" __attribute__((visibility("default"))) const dlbench::core::PluginInfo*
dlbench_plugin() {
  static const dlbench::core::PluginInfo info{.build_id = DLBENCH_BUILD_ID,
                                              .name = "cuda",
                                              .register_all =
                                                  dlbench::backend::cuda::register_all};
  return &info;
}
