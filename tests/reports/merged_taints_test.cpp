// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/merged_taints.h"

#include <gtest/gtest.h>

namespace dlbench::reports {
namespace {

TEST(MergedTaints, AreThoseOfOneCodeAndTrialThatSayTheSame) {
  const auto merged =
      merged_taints({{Taint::kDisturbed, "trial full", "it lost 0.4 s"},
                     {Taint::kThrottled, "trial full", "it lost 0.4 s"},
                     {Taint::kDisturbed, "trial io", "it lost 0.4 s"},
                     {Taint::kDisturbed, "trial full, repetition 2", "it lost 1.5 s"}});
  ASSERT_EQ(merged.size(), 3U);
  EXPECT_EQ(merged[0].detail, "it lost 0.4 s, and 1 more like it");
  EXPECT_EQ(merged[1].code, Taint::kThrottled);
  EXPECT_EQ(merged[1].detail, "it lost 0.4 s");
  EXPECT_EQ(merged[2].where, "trial io");
}

TEST(MergedTaints, FiguresInBracketsTellNothingApart) {
  const auto merged =
      merged_taints({{Taint::kDisturbed, "trial full", "others ran (0.4 s of CPU)"},
                     {Taint::kDisturbed, "trial full", "others ran (1.5 s of CPU)"}});
  ASSERT_EQ(merged.size(), 1U);
  EXPECT_EQ(merged[0].detail, "others ran (0.4 s of CPU), and 1 more like it");
}

}  // namespace
}  // namespace dlbench::reports
