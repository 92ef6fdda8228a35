// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Collectives of a good report, falsified in one place each: validation names the place.
#include "reports/bus_factor.h"
#include "tests/reports/validation/forgery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace dlbench::reports {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(CollectiveArithmetic, Bandwidths) {
  EXPECT_THAT(problems_after([](RunRecord& r) { r.collectives[0].algbw_gb_per_s = 2.0; }),
              Contains(HasSubstr("algbw_gb_per_s: is 2")));
  EXPECT_THAT(problems_after([](RunRecord& r) { r.collectives[0].busbw_gb_per_s = 1.0; }),
              Contains(HasSubstr("algbw_gb_per_s times the bus factor is 1.5")));
  EXPECT_THAT(problems_after([](RunRecord& r) { r.collectives[0].busbw_gb_per_s.reset(); }),
              Contains(HasSubstr("busbw_gb_per_s: is missing")));
  EXPECT_THAT(problems_after([](RunRecord& r) { r.collectives[0].ranks = 1; }),
              Contains(HasSubstr("algbw_gb_per_s: has a value, but nothing travelled")));
  EXPECT_THAT(problems_after([](RunRecord& r) { r.collectives[0].time_s.p95 = 0.0005; }),
              Contains(HasSubstr("min, median, p95, max do not ascend")));
}

/// Of `comm -b 1000000 -e 2000000 -f 2 --ranks 4`, measured in whole.
void ask(RunRecord& record) {
  record.config.effective["collectives"] = "all_reduce,broadcast";
  record.config.effective["dtype"] = "f32";
  record.config.effective["ranks"] = "4";
  record.config.effective["minbytes"] = 1'000'000;
  record.config.effective["maxbytes"] = 2'000'000;
  record.config.effective["stepfactor"] = 2.0;
  for (const char* option :
       {"collectives", "dtype", "ranks", "minbytes", "maxbytes", "stepfactor"}) {
    record.config.source[option] = "command_line";
  }
  const std::vector<CollectiveRecord> small = record.collectives;
  for (CollectiveRecord large : small) {
    large.bytes *= 2;
    *large.algbw_gb_per_s *= 2.0;
    *large.busbw_gb_per_s *= 2.0;
    record.collectives.push_back(large);
  }
}

TEST(CollectiveArithmetic, WhatTheOptionsAskForIsThere) {
  EXPECT_THAT(problems_after(ask), IsEmpty());
  EXPECT_THAT(problems_after([](RunRecord& r) {
                ask(r);
                r.collectives.clear();
              }),
              Contains(HasSubstr("has no all_reduce over 4 ranks")));
  EXPECT_THAT(problems_after([](RunRecord& r) {
                ask(r);
                r.config.effective["ranks"] = "2,4";
              }),
              Contains(HasSubstr("has no broadcast over 2 ranks")));
  EXPECT_THAT(problems_after([](RunRecord& r) {
                ask(r);
                r.collectives.pop_back();
              }),
              Contains(HasSubstr("of broadcast over 4 ranks are not the sizes that minbytes, "
                                 "maxbytes and stepfactor ask for: 1 of 2")));
  EXPECT_THAT(problems_after([](RunRecord& r) {
                ask(r);
                r.collectives.pop_back();
                r.run.status = RunStatus::kPartial;
              }),
              ::testing::Not(Contains(HasSubstr("stepfactor"))));
  EXPECT_THAT(problems_after([](RunRecord& r) {
                ask(r);
                r.config.effective["dtype"] = "f64";
              }),
              Contains(HasSubstr("collectives[0].dtype: is f32, but the option dtype is f64")));
}

// Options of any other program than this one: no size without end, no number that overflows.
TEST(CollectiveArithmetic, TakesOptionsThatMakeNoSense) {
  const std::vector<std::pair<const char*, Value>> odd{{"stepfactor", 0.0},
                                                       {"stepfactor", 1.0},
                                                       {"stepfactor", -2.0},
                                                       {"maxbytes", 1e300},
                                                       {"maxbytes", 1.0},
                                                       {"minbytes", -1},
                                                       {"dtype", "f33"},
                                                       {"ranks", "0,-1,x,99999999999999999999,4"}};
  for (const auto& [option, value] : odd) {
    EXPECT_THAT(problems_after([&](RunRecord& r) {
                  ask(r);
                  for (CollectiveRecord& each : r.collectives) {
                    each.dtype.clear();  // unknown: of an older report
                  }
                  r.config.effective[option] = value;
                }),
                IsEmpty())
        << option << " " << text_of(value);
  }
}

TEST(CollectiveArithmetic, EachIsThereOnceWithItsFitInItsIntervals) {
  EXPECT_THAT(problems_after([](RunRecord& r) { r.collectives.push_back(r.collectives[0]); }),
              Contains(HasSubstr("collectives[2]: is there twice")));
  EXPECT_THAT(problems_after([](RunRecord& r) { r.collectives[0].fit->alpha_s = 1.0; }),
              Contains(HasSubstr("collectives[0].fit.alpha_s: 1 is outside its interval")));
  EXPECT_THAT(problems_after([](RunRecord& r) {
                r.collectives[1].fit->beta_s_per_byte_ci95 = IntervalRecord{2.0, 1.0};
              }),
              Contains(HasSubstr("collectives[1].fit.beta_s_per_byte: interval [2, 1] is upside")));
}

TEST(BusFactor, IsThatOfNcclTests) {
  EXPECT_DOUBLE_EQ(*bus_factor("all_reduce", 2), 1.0);
  EXPECT_DOUBLE_EQ(*bus_factor("all_reduce", 8), 1.75);
  EXPECT_DOUBLE_EQ(*bus_factor("reduce_scatter", 8), 0.875);
  EXPECT_DOUBLE_EQ(*bus_factor("all_gather", 4), 0.75);
  EXPECT_DOUBLE_EQ(*bus_factor("broadcast", 16), 1.0);
  EXPECT_DOUBLE_EQ(*bus_factor("all_reduce", 1), 0.0);
  EXPECT_FALSE(bus_factor("all_to_all", 4).has_value());
}

}  // namespace
}  // namespace dlbench::reports
