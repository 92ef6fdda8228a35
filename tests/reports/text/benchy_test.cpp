// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/text/benchy.h"

#include "tests/reports/sample_record.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <regex>

namespace dlbench::reports {
namespace {

using nlohmann::json;

/// A run: the sample without its series.
RunRecord io_synthetic_full() {
  RunRecord record = sample_record();
  record.trials.resize(3);
  return record;
}

TEST(Benchy, HasItsKeysAndListShapes) {
  const std::string text = benchy_json(io_synthetic_full());
  EXPECT_EQ(text.find('\n'), text.size() - 1) << "one line";
  const json view = json::parse(text);
  EXPECT_EQ(view["nranks"], 1);
  for (const char* name : {"IO", "SYNTHETIC", "FULL"}) {
    for (const char* key : {"rates", "avg_iter_throughput", "trial_throughput", "trial_time"}) {
      EXPECT_EQ(view[name][key].size(), 3U) << name << " " << key;
    }
    EXPECT_EQ(view[name]["rates"][0].size(), 4U) << name;
  }
  EXPECT_DOUBLE_EQ(view["FULL"]["trial_throughput"][1], 4.4);
  EXPECT_DOUBLE_EQ(view["FULL"]["trial_time"][1], 8.0 / 4.4);
  // 2 samples in 1.01 quarter of 8 / 4.3 s.
  EXPECT_NEAR(view["FULL"]["rates"][0][0].get<double>(), 4.3 / 1.01, 1e-9);
  // The mean of step rates is biased upward: it is kept as benchy defines it.
  EXPECT_GT(view["FULL"]["avg_iter_throughput"][0].get<double>(), 4.3);
}

TEST(Benchy, LeavesOutWhatDidNotRunOrDoesNotCount) {
  RunRecord record = io_synthetic_full();
  record.trials.erase(record.trials.begin());
  record.trials[1].repetitions[0].discarded = "disturbed";
  const json view = json::parse(benchy_json(record));
  EXPECT_FALSE(view.contains("IO"));
  EXPECT_EQ(view["FULL"]["trial_time"].size(), 2U);
  EXPECT_EQ(benchy_lines(record).find("::IO"), std::string::npos);
}

TEST(Benchy, PrefersSyntheticHostAndNeverNocomm) {
  RunRecord record = io_synthetic_full();
  record.trials.insert(record.trials.begin(),
                       sample_trial(TrialKind::kSynthetic, "nocomm", {7.0, 7.0, 7.1}));
  EXPECT_DOUBLE_EQ(json::parse(benchy_json(record))["SYNTHETIC"]["trial_throughput"][0], 4.95);
  record.trials.push_back(sample_trial(TrialKind::kSynthetic, "host", {4.0, 4.1, 4.2}));
  EXPECT_DOUBLE_EQ(json::parse(benchy_json(record))["SYNTHETIC"]["trial_throughput"][0], 4.0);
}

TEST(Benchy, HasTheMostRanksAndNoRateOfAStepWithoutATime) {
  RunRecord record = io_synthetic_full();
  record.trials[1].ranks = 4;
  record.trials[2].repetitions[0].step_wall_s[1] = 0.0;
  const json view = json::parse(benchy_json(record));
  EXPECT_EQ(view["nranks"], 4);
  EXPECT_EQ(view["FULL"]["rates"][0].size(), 3U);
}

/// The pattern is how the tutorials' plotting scripts find the lines.
TEST(Benchy, PrintsItsThreeSummaryLines) {
  const std::string lines = benchy_lines(io_synthetic_full());
  const std::regex pattern(
      R"(BENCHY::SUMMARY::\s*(IO|SYNTHETIC|FULL) average trial throughput: ([0-9.]+) \+/- ([0-9.]+)\n)");
  std::vector<std::string> found;
  for (std::sregex_iterator match(lines.begin(), lines.end(), pattern), end; match != end;
       ++match) {
    found.push_back((*match)[1].str() + " " + (*match)[2].str() + " " + (*match)[3].str());
  }
  // Population standard deviation of 19.5, 20, 20.5 is 0.408; with n - 1 it would be 0.5.
  EXPECT_EQ(
      found,
      (std::vector<std::string>{"IO 20.000 0.408", "SYNTHETIC 5.000 0.041", "FULL 4.400 0.082"}));
}

}  // namespace
}  // namespace dlbench::reports
