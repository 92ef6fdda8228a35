// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/json_reader.h"

#include "engine/core/error.h"
#include "engine/core/rng.h"
#include "reports/json_writer.h"
#include "reports/validation/validate.h"
#include "tests/error_message.h"
#include "tests/reports/sample_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <functional>

namespace dlbench::reports {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

std::string error_of(const std::string& text) {
  return tests::error_of([&] { static_cast<void>(parse_report(text, "r.json")); },
                         core::ErrorCode::kData);
}

std::string error_after(const std::function<void(json&)>& change) {
  json report = json::parse(to_json(sample_record()));
  change(report);
  return error_of(report.dump());
}

TEST(JsonReader, NamesTheFileAndTheLineOfBadJson) {
  EXPECT_THAT(error_of("{\n  \"schema\": "), HasSubstr("r.json: not JSON: parse error at line 2"));
  EXPECT_THAT(error_of(""), HasSubstr("not JSON"));
  EXPECT_THAT(error_of("\xff\xfe\n\x01"), HasSubstr("not JSON"));
}

// Readers differ in which of the two they take.
TEST(JsonReader, AKeyThatIsThereTwiceIsAnError) {
  std::string report = to_json(sample_record());
  const std::string exit_code = "\"exit_code\": 0";
  const std::size_t place = report.find(exit_code);
  ASSERT_NE(place, std::string::npos);
  report.insert(place, exit_code + ", ");
  EXPECT_EQ(error_of(report), "r.json: an object has 'exit_code' twice");
  EXPECT_THAT(error_of(R"({"a": {"b": 1}, "c": {"b": 1}, "d": [{"b": 1}, {"b": 1}]})"),
              HasSubstr("not a report"));
  EXPECT_THAT(error_of(R"({"a": {"b": {}}, "a": 1})"), HasSubstr("'a' twice"));
}

TEST(JsonReader, RefusesOtherFilesAndVersions) {
  EXPECT_THAT(error_of("[]"), HasSubstr("expected an object"));
  EXPECT_THAT(error_of("{}"), HasSubstr("not a report of dlbench"));
  EXPECT_THAT(error_after([](json& report) { report["schema_version"] = 2; }),
              HasSubstr("schema_version is 2, this program reads version 1"));
  EXPECT_THAT(error_after([](json& report) { report["schema_version"] = 0; }),
              HasSubstr("schema_version is 0, this program reads version 1"));
}

TEST(JsonReader, NamesTheMemberThatIsWrong) {
  EXPECT_EQ(
      error_after([](json& report) { report["trials"][2]["repetitions"][1]["wall_s"] = "long"; }),
      "r.json: trials[2].repetitions[1].wall_s is string, expected number");
  EXPECT_EQ(error_after([](json& report) { report["trials"][0]["kind"] = "input"; }),
            "r.json: trials[0].kind is the unknown word 'input'");
  EXPECT_EQ(error_after([](json& report) { report["run"].erase("status"); }),
            "r.json: run.status is missing");
  EXPECT_EQ(error_after([](json& report) { report["run"]["seed"] = -1; }),
            "r.json: run.seed is -1, expected 0 or more");
  EXPECT_EQ(error_after([](json& report) { report["run"]["exit_code"] = 1.5; }),
            "r.json: run.exit_code is 1.5, expected a whole number");
  EXPECT_EQ(error_after([](json& report) { report["run"]["seed"] = -1.0; }),
            "r.json: run.seed is -1, expected a whole number");
  // Of a float beyond 2^53 nobody knows which whole number was meant.
  EXPECT_EQ(error_after([](json& report) { report["run"]["exit_code"] = 1e17; }),
            "r.json: run.exit_code is 1e+17, expected a whole number");
  EXPECT_EQ(error_after([](json& report) { report["run"]["status"] = "a\x7f\nz"; }),
            "r.json: run.status is the unknown word 'a?"
            "?z'");
  EXPECT_EQ(error_after([](json& report) { report["attribution"]["margin_ci95"] = {1.0}; }),
            "r.json: attribution.margin_ci95 is not a list of two numbers, [lower, upper]");
}

TEST(JsonReader, IgnoresUnknownKeysAndToleratesMissingOptionalOnes) {
  EXPECT_EQ(error_after([](json& report) {
              report["later"] = {{"addition", 1}};
              report["trials"][0].erase("cpu_s_per_sample");
              report["trials"][0].erase("mfu");
            }),
            "no error");
}

TEST(JsonReader, HugeNestingIsAnErrorNotACrash) {
  EXPECT_THAT(error_of(std::string(1'000'000, '[')), HasSubstr("nested deeper than 64 levels"));
  std::string objects;
  for (int level = 0; level < 100'000; ++level) {
    objects += "{\"a\":";
  }
  EXPECT_THAT(error_of(objects), HasSubstr("nested deeper"));
}

TEST(JsonReader, NumbersThatDoNotFitAreErrors) {
  EXPECT_THAT(error_of("{\"schema\": 1e999}"), HasSubstr("not JSON"));
  EXPECT_THAT(
      error_after([](json& report) { report["dataset"]["samples"] = 18446744073709551615U; }),
      HasSubstr("too large"));
}

/// Deletes, doubles and changes bytes of a good report: every outcome is a record or an Error.
TEST(JsonReader, DamagedReportsNeverCrash) {
  const std::string good = to_json(sample_record());
  core::RandomStream random(7, 0);
  int readable = 0;
  for (int round = 0; round < 1500; ++round) {
    std::string bad = good;
    for (std::uint32_t change = 0; change <= random.below(4); ++change) {
      const std::size_t position = random.below(static_cast<std::uint32_t>(bad.size() - 20));
      switch (random.below(3)) {
        case 0:
          bad.erase(position, 1 + random.below(16));
          break;
        case 1:
          bad[position] = static_cast<char>(random.below(256));
          break;
        default:
          bad.insert(position, bad.substr(position, 1 + random.below(16)));
      }
    }
    try {
      static_cast<void>(validate_report(bad, "bad"));
      static_cast<void>(parse_report(bad, "bad"));
      ++readable;
    } catch (const core::Error& error) {
      EXPECT_EQ(error.code(), core::ErrorCode::kData) << error.what();
    }
  }
  EXPECT_GT(readable, 10);
  EXPECT_LT(readable, 1490);
}

TEST(JsonReader, AMissingFileIsNamed) {
  try {
    static_cast<void>(read_report("/nowhere/report.json"));
    FAIL();
  } catch (const core::Error& error) {
    EXPECT_EQ(error.code(), core::ErrorCode::kFile);
    EXPECT_THAT(error.what(), HasSubstr("/nowhere/report.json"));
  }
}

}  // namespace
}  // namespace dlbench::reports
