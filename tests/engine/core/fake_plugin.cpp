// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Plug-ins that cannot be taken, one for each way, and one that can: CMake compiles this file once
// for each, with other values of the macros.
#include "engine/core/plugin.h"
#include "engine/core/plugin_part.h"

#include "build_id.h"

#include <cstdlib>
#include <stdexcept>

namespace {

#ifdef FAKE_BUILD_ID
/// Tells the test that it was added.
const dlbench::core::PluginPart kPart([] { setenv("DLBENCH_TEST_PLUGIN_PART", FAKE_BUILD_ID, 1); });
#endif

[[maybe_unused]] void fail_to_register() {
  dlbench::core::PluginPart::add_all();
  throw std::runtime_error("it does not want to");
}

[[maybe_unused]] void register_nothing() {}

}  // namespace

#ifndef FAKE_REGISTER
#define FAKE_REGISTER fail_to_register
#endif
#ifdef FAKE_BUILD_ID
extern "C" __attribute__((visibility("default"))) const dlbench::core::PluginInfo*
dlbench_plugin() {
  static const dlbench::core::PluginInfo info{
      .abi = FAKE_ABI, .build_id = FAKE_BUILD_ID, .name = "fake", .register_all = FAKE_REGISTER};
  return &info;
}
#endif
