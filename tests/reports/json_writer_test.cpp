// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/json_writer.h"

#include "engine/core/error.h"
#include "reports/atomic_file.h"
#include "reports/json_reader.h"
#include "tests/reports/sample_record.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <limits>

namespace dlbench::reports {
namespace {

using ::testing::HasSubstr;

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

std::string error_of(const std::string& path, std::string_view text) {
  try {
    write_file_atomically(path, text);
  } catch (const core::Error& error) {
    EXPECT_EQ(error.code(), core::ErrorCode::kFile);
    return error.what();
  }
  return "no error";
}

TEST_F(JsonWriter, ReadingGivesBackWhatWasWritten) {
  const std::string path = in_folder("report.json");
  write_report(sample_record(), path);
  EXPECT_EQ(to_json(read_report(path)), to_json(sample_record()));
  EXPECT_EQ(files(), 1U);
}

TEST_F(JsonWriter, ReplacesAnOlderFile) {
  const std::string path = in_folder("report.json");
  write_file_atomically(path, "old and longer than the new text");
  write_file_atomically(path, "new");
  EXPECT_EQ(read_text_file(path), "new");
  EXPECT_EQ(files(), 1U);
}

TEST_F(JsonWriter, FollowsASymbolicLink) {
  std::filesystem::create_symlink(in_folder("target.json"), in_folder("link.json"));
  write_file_atomically(in_folder("link.json"), "text");
  EXPECT_TRUE(std::filesystem::is_symlink(in_folder("link.json")));
  EXPECT_EQ(read_text_file(in_folder("target.json")), "text");
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
  EXPECT_TRUE(image["trials"][0]["mfu"].is_null());
  EXPECT_EQ(image["trials"][0]["mfu_reason"], "peak not measured");
  EXPECT_FALSE(image["trials"][0].contains("achieved_flop_per_s_reason"));
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

TEST_F(JsonWriter, AMissingFolderIsNamed) {
  const std::string path = in_folder("nowhere/report.json");
  const std::string message = error_of(path, "text");
  EXPECT_THAT(message, HasSubstr(path));
  EXPECT_THAT(message, HasSubstr("No such file or directory"));
  EXPECT_THROW(check_writable(path), core::Error);
}

TEST_F(JsonWriter, AFolderInPlaceOfTheFileIsNamed) {
  EXPECT_THAT(error_of(folder_.string(), "text"), HasSubstr("Is a directory"));
  EXPECT_THROW(check_writable(folder_.string()), core::Error);
}

TEST_F(JsonWriter, AFullDeviceIsNamedAndNotReplaced) {
  EXPECT_THAT(error_of("/dev/full", "text"), HasSubstr("No space left on device"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST_F(JsonWriter, AFullDiskLeavesTheOldReportAndNoTemporaryFile) {
  const std::string path = in_folder("report.json");
  write_file_atomically(path, "old");
  const std::string message = [&] {
    // A limit on the file size stands in for a full disk: the write fails half way.
    struct rlimit before {};
    EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit small = before;
    small.rlim_cur = 4096;
    const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    std::string text = error_of(path, std::string(100'000, 'x'));
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, old_handler);
    return text;
  }();
  EXPECT_THAT(message, HasSubstr("File too large"));
  EXPECT_EQ(read_text_file(path), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(JsonWriter, CheckWritableLeavesNothingBehind) {
  check_writable(in_folder("report.json"));
  EXPECT_EQ(files(), 0U);
}

}  // namespace
}  // namespace dlbench::reports
