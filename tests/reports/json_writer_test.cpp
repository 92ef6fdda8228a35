// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/json_writer.h"

#include "reports/json_reader.h"
#include "tests/reports/sample_record.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <limits>

namespace dlbench::reports {
namespace {

/// A temporary folder that is removed at the end.
class JsonWriter : public ::testing::Test {
 protected:
  [[nodiscard]] std::string in_folder(const char* name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), {}));
  }
  tests::TemporaryFolder temporary_;
  const std::filesystem::path& folder_ = temporary_.path();
};

TEST_F(JsonWriter, ReadingGivesBackWhatWasWritten) {
  const std::string path = in_folder("report.json");
  write_report(sample_record(), path);
  EXPECT_EQ(to_json(read_report(path)), to_json(sample_record()));
  EXPECT_EQ(files(), 1U);
}

TEST_F(JsonWriter, NotFiniteNumbersBecomeNull) {
  RunRecord record = sample_record();
  record.trials[1].repetitions[0].step_loss[2] = std::numeric_limits<double>::quiet_NaN();
  record.trials[1].repetitions[0].wall_s = std::numeric_limits<double>::infinity();
  record.config.effective["x"] = -std::numeric_limits<double>::infinity();
  const nlohmann::json image = nlohmann::json::parse(to_json(record));
  const auto& repetition = image["trials"][1]["repetitions"][0];
  EXPECT_TRUE(repetition["step_loss"][2].is_null());
  EXPECT_TRUE(repetition["wall_s"].is_null());
  EXPECT_TRUE(image["config"]["effective"]["x"].is_null());
}

TEST_F(JsonWriter, ALossThatWasNotFiniteIsReadAsNan) {
  RunRecord record = sample_record();
  record.trials[1].repetitions[0].step_loss[2] = std::numeric_limits<double>::quiet_NaN();
  const RunRecord back = parse_report(to_json(record), "text");
  EXPECT_TRUE(std::isnan(back.trials[1].repetitions[0].step_loss[2]));
  EXPECT_EQ(back.trials[1].repetitions[0].step_loss[1], 0.8);
}

TEST_F(JsonWriter, AMissingNumberSaysWhy) {
  const nlohmann::json image = nlohmann::json::parse(to_json(sample_record()));
  EXPECT_TRUE(image["trials"][1]["mfu"].is_null());
  EXPECT_EQ(image["trials"][1]["mfu_reason"], "peak not measured");
  EXPECT_FALSE(image["trials"][1].contains("achieved_flop_per_s_reason"));
}

TEST_F(JsonWriter, BadUtf8DoesNotSpoilTheReport) {
  RunRecord record = sample_record();
  record.dataset->path = "data/\xff\xfe";
  const nlohmann::json image = nlohmann::json::parse(to_json(record));
  EXPECT_EQ(image["dataset"]["path"], "data/\uFFFD\uFFFD");
}

TEST_F(JsonWriter, NumbersKeepAllTheirDigits) {
  RunRecord record = sample_record();
  record.run.seed = std::numeric_limits<std::uint64_t>::max();
  record.trials[0].cpu_s_per_sample = 0.1 + 0.2;
  const RunRecord back = parse_report(to_json(record), "text");
  EXPECT_EQ(back.run.seed, record.run.seed);
  EXPECT_EQ(back.trials[0].cpu_s_per_sample, 0.1 + 0.2);
}

TEST_F(JsonWriter, AMissingVerdictHasItsReasonBesideIt) {
  RunRecord record = sample_record();
  const auto reason_in = [](const RunRecord& written) {
    return nlohmann::json::parse(to_json(written)).at("attribution_reason");
  };
  EXPECT_TRUE(reason_in(record).is_null());
  record.attribution.reset();
  EXPECT_EQ(reason_in(record), "a series has it at each of its points, where it can be told");
  record.scaling.clear();
  record.trials.clear();
  EXPECT_EQ(reason_in(record), "it needs the trials io, synthetic and full");
  record.attribution_reason = "the run has not come to it";  // as read, and out of date
  EXPECT_EQ(reason_in(record), "it needs the trials io, synthetic and full");
}

}  // namespace
}  // namespace dlbench::reports
