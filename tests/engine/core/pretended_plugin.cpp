// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Plug-ins that cannot be taken, one for each way: CMake compiles this file once for each, with
// other values of the three macros.
#include "engine/core/plugin.h"

#include "build_id.h"

#include <stdexcept>

namespace {

[[maybe_unused]] void fail_to_register() { throw std::runtime_error("it does not want to"); }

}  // namespace

#ifdef PRETENDED_BUILD_ID
extern "C" __attribute__((visibility("default"))) const dlbench::core::PluginInfo*
dlbench_plugin() {
  static const dlbench::core::PluginInfo info{.abi = PRETENDED_ABI,
                                              .build_id = PRETENDED_BUILD_ID,
                                              .name = "pretended",
                                              .register_all = fail_to_register};
  return &info;
}
#endif
