// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The plug-in itself, on machines without a driver too: another library plays the driver, so that
// the plug-in and all it links are loaded and asked.
#include "engine/core/plugin.h"

#include "engine/backend/backend.h"
#include "engine/backend/cuda_loader.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

namespace dlbench::backend {
namespace {

TEST(CudaPlugin, LoadsWithItsLibrariesAndJudgesTheDevice) {
  CudaSetup setup = default_cuda_setup();
  const bool has_driver = dlopen(setup.driver.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr;
  setup.driver = has_driver ? setup.driver : "libm.so.6";
  ASSERT_EQ(load_cuda(setup), "");
  ASSERT_TRUE(core::load_plugin_file(setup.plugin).loaded);
  EXPECT_EQ(core::load_plugin_file(setup.plugin).name, "cuda");
  const std::vector<CudaLibrary> libraries = cuda_libraries(setup);
  EXPECT_EQ(libraries.size(), 6U);
  for (const CudaLibrary& library : libraries) {
    if (library.file == "libcupti.so.13" && library.path.empty()) {
      continue;  // the plug-in does without
    }
    EXPECT_NE(dlopen(library.file.c_str(), RTLD_NOW | RTLD_NOLOAD), nullptr) << library.file;
    EXPECT_TRUE(library.loaded) << library.file;
    EXPECT_TRUE(std::filesystem::exists(library.path)) << library.path;
  }
  EXPECT_THAT(backend_names(), ::testing::Contains("cuda"));
  if (!has_driver) {
    EXPECT_EQ(backend_unavailable_reason("cuda"), "no NVIDIA driver answers");
  }
}

}  // namespace
}  // namespace dlbench::backend
