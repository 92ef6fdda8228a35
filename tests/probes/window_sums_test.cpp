// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/window_sums.h"

#include "probes/probe.h"

#include <gtest/gtest.h>

#include <optional>

namespace dlbench::probes {
namespace {

TEST(WindowSums, AValueThatOneWindowLacksHasNoSum) {
  const ProbeSpec spec{.name = "fake",
                       .description = "",
                       .options = {},
                       .values = {{"whole", "", ""}, {"broken", "", ""}}};
  for (const bool broken_first : {true, false}) {
    WindowSums sums(2);
    sums.add("full", {1.0, broken_first ? std::nullopt : std::optional(10.0)});
    sums.add("full", {2.0, broken_first ? std::optional(10.0) : std::nullopt});
    const ProbeValues values = sums.collect("full", spec, "it was not read");
    ASSERT_EQ(values.values.size(), 2U);
    EXPECT_EQ(values.values[0].value, 3.0);
    EXPECT_EQ(values.values[0].reason, "");
    EXPECT_EQ(values.values[1].value, std::nullopt);
    EXPECT_EQ(values.values[1].reason, "it was not read");
    EXPECT_EQ(sums.collect("io", spec, "").values[0].reason, "no window of this trial");
  }
}

}  // namespace
}  // namespace dlbench::probes
