// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Plug-ins that are refused, and the sentence for each.
#include "engine/core/plugin.h"

#include "engine/core/library_file.h"
#include "tests/temporary_folder.h"

#include "build_id.h"
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace dlbench::core {
namespace {

std::string reason(const std::string& kind) {
  const PluginStatus status =
      load_plugin_file(DLBENCH_FAKE_PLUGINS "/libfake_plugin_" + kind + ".so");
  EXPECT_FALSE(status.loaded);
  return status.reason;
}

TEST(Plugin, OfAnotherBuildIsRefusedWithBothBuilds) {
  EXPECT_EQ(reason("other_build"),
            "it is of build some-other-build, this program of " DLBENCH_BUILD_ID
            ": install both from one build");
}

TEST(Plugin, OfAnotherBuildLeavesNothingBehind) {
  EXPECT_NE(reason("other_build"), "");
  EXPECT_EQ(std::getenv("DLBENCH_TEST_PLUGIN_PART"), nullptr);
  EXPECT_EQ(reason("failing"), "it does not want to");
  EXPECT_STREQ(std::getenv("DLBENCH_TEST_PLUGIN_PART"), DLBENCH_BUILD_ID);
}

TEST(Plugin, OfAnotherInterfaceIsRefusedBeforeItsBuildIsRead) {
  EXPECT_EQ(reason("other_abi"),
            "its plug-in interface is version 7, this program's is " + std::to_string(kPluginAbi));
}

TEST(Plugin, WithoutTheFunctionIsNone) {
  EXPECT_THAT(
      reason("no_function"),
      ::testing::EndsWith("/libfake_plugin_no_function.so' has no function dlbench_plugin"));
}

// As after an installation that ran out of space; the loader would map what is not there.
TEST(Plugin, ThatIsCutOffIsRefusedBeforeItIsLoaded) {
  const tests::TemporaryFolder folder;
  const std::filesystem::path cut = folder.path() / "libdlbench_cut.so";
  std::filesystem::copy(DLBENCH_FAKE_PLUGINS "/libfake_plugin_no_function.so", cut);
  const std::uintmax_t size = std::filesystem::file_size(cut);
  EXPECT_EQ(library_defect(cut), "");
  for (const std::uintmax_t left : {size / 2, std::uintmax_t{100}}) {
    std::filesystem::resize_file(cut, left);
    EXPECT_THAT(library_defect(cut),
                ::testing::StartsWith("is cut off: it has " + std::to_string(left) + " of at"));
  }
  EXPECT_THAT(load_plugin_file(cut).reason, ::testing::HasSubstr("libdlbench_cut.so' is cut off"));
}

TEST(Plugin, WhatIsNoLibraryIsTheLoadersToSay) {
  const tests::TemporaryFolder folder;
  std::ofstream(folder.file("text.so")) << "no library";
  std::ofstream(folder.file("empty.so"));
  EXPECT_EQ(library_defect(folder.file("text.so")), "");
  EXPECT_EQ(library_defect(folder.file("empty.so")), "");
  EXPECT_EQ(library_defect(folder.file("not_there.so")), "");
  EXPECT_EQ(library_defect(folder.path()), "is no regular file");
}

TEST(Plugin, OfAnotherNameThanItsFileIsRefused) {
  const tests::TemporaryFolder folder;
  const std::filesystem::path other = folder.path() / "libdlbench_other.so";
  std::filesystem::copy(DLBENCH_FAKE_PLUGINS "/libfake_plugin_failing.so", other);
  EXPECT_THAT(load_plugin_file(other).reason,
              ::testing::AllOf(::testing::HasSubstr("libdlbench_other.so' is the plug-in '"),
                               ::testing::EndsWith("' under another name")));
}

TEST(DriverRefusal, SaysWhyADriverThatIsThereDoesNotLoad) {
  const tests::TemporaryFolder folder;
  const std::string file = folder.file("libcuda_broken.so.1");
  std::ofstream(file) << "no library";
  ASSERT_EQ(dlopen(file.c_str(), RTLD_NOW), nullptr);
  EXPECT_THAT(driver_refusal(file),
              ::testing::AllOf(::testing::StartsWith("the NVIDIA driver does not load: "),
                               ::testing::HasSubstr("libcuda_broken.so.1")));
  ASSERT_EQ(dlopen("libcuda_absent.so.1", RTLD_NOW), nullptr);
  EXPECT_EQ(driver_refusal("libcuda_absent.so.1"),
            "no NVIDIA driver on this machine: libcuda_absent.so.1 cannot be loaded");
}

TEST(Plugin, ThatFailsToRegisterCountsAsNotLoaded) {
  EXPECT_EQ(reason("failing"), "it does not want to");
}

TEST(Plugin, ThatIsNotThereIsNamedWithItsPath) {
  EXPECT_THAT(reason("never_made"), ::testing::EndsWith("_never_made.so' is not there"));
}

TEST(Plugin, IsTriedOnceAndRemembered) {
  const std::string first = reason("no_function");
  const std::size_t attempts = plugin_attempts().size();
  EXPECT_EQ(reason("no_function"), first);
  EXPECT_EQ(plugin_attempts().size(), attempts);
}

}  // namespace
}  // namespace dlbench::core
