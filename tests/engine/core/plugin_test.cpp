// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Plug-ins that are refused, and the sentence for each.
#include "engine/core/plugin.h"

#include "build_id.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace dlbench::core {
namespace {

std::string reason(const std::string& kind) {
  const PluginStatus status =
      load_plugin_file(DLBENCH_PRETENDED_PLUGINS "/libpretended_plugin_" + kind + ".so");
  EXPECT_FALSE(status.loaded);
  return status.reason;
}

TEST(Plugin, OfAnotherBuildIsRefusedWithBothBuilds) {
  EXPECT_EQ(reason("other_build"),
            "it is of build some-other-build, this program of " DLBENCH_BUILD_ID
            ": install both from one build");
}

TEST(Plugin, OfAnotherInterfaceIsRefusedBeforeItsBuildIsRead) {
  EXPECT_EQ(reason("other_abi"),
            "its plug-in interface is version 7, this program's is " + std::to_string(kPluginAbi));
}

TEST(Plugin, WithoutTheFunctionIsNone) {
  EXPECT_EQ(reason("no_function"), "it has no function dlbench_plugin");
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
