// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/text/measured_item.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace dlbench::reports {
namespace {

RunRecord asked(const std::map<std::string, std::string>& options) {
  RunRecord record;
  for (const auto& [option, value] : options) {
    record.config.effective[option] = value;
  }
  return record;
}

TEST(AskedWithout, LooksAtTheItemAndNotOnlyAtTheOptions) {
  const RunRecord baseline =
      asked({{"trials", "io,full"}, {"ranks", "1,2"}, {"mode", "weak,strong"}});
  const RunRecord one_rank =
      asked({{"trials", "io,full"}, {"ranks", "1"}, {"mode", "weak,strong"}});
  const RunRecord weak = asked({{"trials", "io,full"}, {"ranks", "1,2"}, {"mode", "weak"}});
  const MeasuredItem item{.trial = "full", .series = "weak bucket-cap-mib=4", .ranks = 1};
  EXPECT_FALSE(asked_without(item, baseline, one_rank)) << "that is what was still asked for";
  EXPECT_FALSE(asked_without(item, baseline, weak));
  MeasuredItem other = item;
  other.ranks = 2;
  EXPECT_TRUE(asked_without(other, baseline, one_rank));
  other = item;
  other.series = "strong";
  EXPECT_TRUE(asked_without(other, baseline, weak));
  EXPECT_FALSE(asked_without(other, weak, baseline)) << "more is not less";
}

TEST(AskedWithout, WhatRunAddsByItselfIsNotAskedOfAnEarlierProgram) {
  const MeasuredItem nocomm{.trial = "synthetic/nocomm", .ranks = 2};
  const RunRecord with_defaults = asked({{"trials", "io,synthetic,full"}});
  EXPECT_TRUE(asked_without(nocomm, with_defaults, with_defaults));
  const RunRecord named = asked({{"trials", "io,synthetic,synthetic/nocomm,full"}});
  EXPECT_FALSE(asked_without(nocomm, named, named));
  EXPECT_FALSE(asked_without(nocomm, with_defaults, named));
}

TEST(AskedWithout, RanksThatAreNotGivenAreAtMostThoseOfTheLaunch) {
  const RunRecord baseline = asked({{"ranks", "1,2"}});
  RunRecord candidate = asked({});
  candidate.system.hosts.emplace_back().ranks = {0};
  EXPECT_FALSE(asked_without({.trial = "full", .ranks = 1}, baseline, candidate));
  EXPECT_TRUE(asked_without({.trial = "full", .ranks = 2}, baseline, candidate));
}

TEST(AskedWithout, ACollectiveIsOfItsOpAndOfTheSizesThatWereMeasured) {
  const RunRecord baseline =
      asked({{"collectives", "all_gather,all_reduce"}, {"maxbytes", "4096"}, {"dtype", "f32"}});
  RunRecord candidate =
      asked({{"collectives", "all_gather,all_reduce"}, {"maxbytes", "1024"}, {"dtype", "f32"}});
  candidate.collectives.emplace_back().bytes = 1024;
  MeasuredItem item{.op = "all_gather", .dtype = "f32", .bytes = 1024};
  EXPECT_FALSE(asked_without(item, baseline, candidate));
  item.bytes = 4096;
  EXPECT_TRUE(asked_without(item, baseline, candidate));
  candidate.config.effective["maxbytes"] = "4096";
  EXPECT_FALSE(asked_without(item, baseline, candidate));
  candidate.config.effective["collectives"] = "all_reduce";
  EXPECT_TRUE(asked_without(item, baseline, candidate));
  candidate.config.effective["collectives"] = "all_gather,all_reduce";
  candidate.config.effective["dtype"] = "bf16";
  EXPECT_TRUE(asked_without(item, baseline, candidate));
}

TEST(AskedWithout, OneMemoryHasOneSyntheticTrial) {
  const RunRecord baseline = asked({{"trials", "synthetic"}});
  RunRecord candidate = baseline;
  const MeasuredItem device{.trial = "synthetic/device"};
  EXPECT_FALSE(asked_without(device, baseline, candidate));
  candidate.trials.emplace_back().kind = TrialKind::kSynthetic;
  EXPECT_TRUE(asked_without(device, baseline, candidate));
  candidate.config.effective["trials"] = "synthetic,synthetic/nocomm";
  EXPECT_FALSE(asked_without({.trial = "synthetic/nocomm"}, baseline, candidate));
}

}  // namespace
}  // namespace dlbench::reports
