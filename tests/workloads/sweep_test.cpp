// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "workloads/sweep.h"

#include "engine/core/check.h"
#include "engine/core/error.h"
#include "workloads/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace dlbench::workloads {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names_of(const std::vector<SweepVariant>& variants) {
  std::vector<std::string> names;
  for (const SweepVariant& variant : variants) {
    names.push_back(variant.name);
  }
  return names;
}

TEST(Sweeps, OnePerFile) {
  EXPECT_EQ(sweep_names().size(), std::size_t{DLBENCH_SWEEP_COUNT});
  for (const std::string& name : sweep_names()) {
    EXPECT_EQ(find_sweep(name).name, name);
  }
}

TEST(Sweeps, NameAWorkloadThatExists) {
  for (const std::string& name : sweep_names()) {
    const SweepSpec& spec = find_sweep(name);
    EXPECT_EQ(find_workload(spec.workload).spec().name, spec.workload) << name;
    EXPECT_FALSE(spec.description.empty()) << name;
    EXPECT_FALSE(spec.citation.empty()) << name;
  }
}

TEST(Sweeps, UnknownNameSuggestsTheNearest) {
  try {
    (void)find_sweep("ddp-option");
    FAIL() << "found";
  } catch (const core::Error& error) {
    EXPECT_EQ(error.code(), core::ErrorCode::kUsage);
    EXPECT_THAT(error.what(), HasSubstr("ddp-options"));
  }
}

TEST(Sweeps, VariantsMeetEveryValueOfEveryAxis) {
  SweepSpec spec;
  EXPECT_THAT(names_of(expand(spec)), ElementsAre(""));
  spec.variants = {{"plain", {}}, {"late", {{"shard", "late"}}}};
  spec.axes = {{"workers", {"1", "2"}}, {"cache", {"warm"}}};
  const auto variants = expand(spec);
  EXPECT_THAT(names_of(variants),
              ElementsAre("plain workers=1 cache=warm",
                          "plain workers=2 cache=warm",
                          "late workers=1 cache=warm",
                          "late workers=2 cache=warm"));
  ASSERT_EQ(variants[3].settings.size(), 3U);
  EXPECT_EQ(variants[3].settings[0].value, "late");
  EXPECT_EQ(variants[3].settings[1].option, "workers");
  EXPECT_EQ(variants[3].settings[1].value, "2");
}

TEST(Sweeps, RanksAreThoseOfTheSweepOrPowersOfTwoAndAll) {
  SweepSpec spec;
  EXPECT_THAT(rank_counts(spec, 1), ElementsAre(1));
  EXPECT_THAT(rank_counts(spec, 8), ElementsAre(1, 2, 4, 8));
  EXPECT_THAT(rank_counts(spec, 6), ElementsAre(1, 2, 4, 6));
  spec.ranks = {12, 1, 3, 3};
  EXPECT_THAT(rank_counts(spec, 6), ElementsAre(1, 3));
}

TEST(Sweeps, ABrokenOneIsRefusedAtProgramStart) {
  const SweepSpec whole{.name = "broken", .workload = "mnist_cnn", .trials = {"full"}};
  SweepSpec broken = whole;
  broken.workload.clear();
  EXPECT_THROW(SweepRegistration{broken}, core::CheckFailure);
  broken = whole;
  broken.variants = {{"same", {}}, {"same", {}}};
  EXPECT_THROW(SweepRegistration{broken}, core::CheckFailure);
  broken = whole;
  broken.variants = {{"", {}}, {"named", {}}};
  EXPECT_THROW(SweepRegistration{broken}, core::CheckFailure);
  broken = whole;
  broken.name = "ddp-options";
  EXPECT_THROW(SweepRegistration{broken}, core::CheckFailure);
}

}  // namespace
}  // namespace dlbench::workloads
