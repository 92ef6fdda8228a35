// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The CUDA plug-in's one exported function.
#include "engine/core/plugin.h"

#include "build_id.h"

namespace dlbench::backend::cuda {
namespace {

void register_all() {}

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
