// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/validation/validate.h"

#include "reports/json_writer.h"
#include "reports/run_fields.h"
#include "reports/schema.h"
#include "tests/reports/sample_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <functional>
#include <set>

namespace dlbench::reports {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> lines(const std::vector<Problem>& problems) {
  std::vector<std::string> result;
  for (const Problem& problem : problems) {
    result.push_back(to_line(problem));
  }
  return result;
}

std::vector<std::string> problems_after(const std::function<void(json&)>& change) {
  json report = json::parse(to_json(sample_record()));
  change(report);
  return lines(validate_report(report.dump(), "r.json"));
}

std::vector<std::string> arithmetic_after(const std::function<void(RunRecord&)>& change) {
  RunRecord record = sample_record();
  change(record);
  return lines(check_arithmetic(record));
}

TEST(Validate, TheSampleIsRight) {
  EXPECT_THAT(lines(validate_report(to_json(sample_record()), "r.json")), IsEmpty());
}

TEST(Validate, TheEmptyRecordFitsTheSchema) {
  RunRecord record;
  record.run.started_at = "2026-01-31T12:00:00Z";  // what no run lacks
  EXPECT_THAT(lines(validate_report(to_json(record), "r.json")), IsEmpty());
}

TEST(Validate, TheSchemaNamesTheWrongMember) {
  EXPECT_THAT(problems_after([](json& report) { report["trials"][0]["kind"] = "input"; }),
              Contains(HasSubstr("trials[0].kind: ")));
  EXPECT_EQ(problems_after([](json& report) { report["trials"][0]["ranks"] = 0; }).size(), 1U)
      << "the trial, the list and the report are not wrong besides";
  EXPECT_THAT(problems_after([](json& report) { report["run"].erase("seed"); }),
              Contains(HasSubstr("seed")));
  EXPECT_THAT(problems_after([](json& report) {
                report["trials"][1]["throughput"]["samples_per_second"]["mean"] = "fast";
              }),
              Contains(HasSubstr("trials[1].throughput.samples_per_second.mean: ")));
  EXPECT_THAT(problems_after([](json& report) { report["run"]["taints"][0]["code"] = "odd"; }),
              Contains(HasSubstr("run.taints[0].code: ")));
  EXPECT_THAT(problems_after([](json& report) { report["trials"][0]["ranks"] = 0; }),
              Contains(HasSubstr("trials[0].ranks: ")));
  EXPECT_THAT(problems_after([](json& report) { report["trials"][0]["variant"] = "gpu"; }),
              Contains(HasSubstr("trials[0].variant: ")));
  EXPECT_THAT(problems_after([](json& report) { report["operators"][0]["phase"] = "thinking"; }),
              Contains(HasSubstr("operators[0].phase: ")));
  EXPECT_THAT(problems_after([](json& report) {
                report["trials"][1]["throughput"]["samples_per_second"] = nullptr;
              }),
              Contains(HasSubstr("trials[1].throughput")));
}

TEST(Validate, AProblemIsOneLineWhateverTheReportHolds) {
  const std::vector<std::string> problems = arithmetic_after([](RunRecord& r) {
    r.trials[2].phases[0].name = "a\nb";
    r.trials[2].phases[1].name = "a\nb";
  });
  EXPECT_THAT(problems, Contains(HasSubstr("a?b is there twice")));
}

TEST(Validate, TimesAreOfOneForm) {
  for (const char* const time : {"",
                                 "yesterday",
                                 "2026-01-31",
                                 "2026-01-31 12:00:00Z",
                                 "2026-01-31T12:00:00",
                                 "2026-13-31T12:00:00Z",
                                 "2026-01-31T24:00:00Z",
                                 "2026-01-31T12:00:00Z and more"}) {
    EXPECT_THAT(problems_after([&](json& report) { report["run"]["started_at"] = time; }),
                Contains(HasSubstr("run.started_at: ")))
        << time;
    EXPECT_THAT(problems_after([&](json& report) { report["run"]["finished_at"] = time; }),
                Contains(HasSubstr("run.finished_at: ")))
        << time;
    EXPECT_THAT(
        problems_after([&](json& report) { report["system"]["peaks"][0]["measured_at"] = time; }),
        Contains(HasSubstr("system.peaks[0].measured_at: ")))
        << time;
  }
  EXPECT_THAT(problems_after([](json& r) { r["run"]["finished_at"] = "2026-01-31T12:02:00.25Z"; }),
              IsEmpty());
}

TEST(Validate, ADatasetSaysWhichItIs) {
  for (const char* const key : {"name", "path", "origin", "format", "samples", "split"}) {
    EXPECT_THAT(problems_after([&](json& report) { report["dataset"].erase(key); }),
                Contains(HasSubstr(key)));
  }
  for (const char* const key : {"name", "format", "split"}) {
    EXPECT_THAT(problems_after([&](json& report) { report["dataset"][key] = ""; }),
                Contains(HasSubstr(std::string("dataset.") + key)));
  }
}

TEST(Validate, ArithmeticFindsWhatTheSchemaCannot) {
  EXPECT_THAT(arithmetic_after(
                  [](RunRecord& r) { r.trials[0].throughput->samples_per_second.mean = 20.1; }),
              Contains(HasSubstr("the mean of the repetitions is 20")));
  EXPECT_THAT(
      arithmetic_after([](RunRecord& r) { r.trials[0].throughput->samples_per_second.n = 2; }),
      Contains(HasSubstr("but 3 repetitions count")));
  EXPECT_THAT(arithmetic_after(
                  [](RunRecord& r) { r.trials[0].throughput->samples_per_second.stddev = 0.1; }),
              Contains(HasSubstr("stddev: is 0.1")));
  EXPECT_THAT(arithmetic_after([](RunRecord& r) { r.trials[0].repetitions[1].wall_s *= 2; }),
              Contains(HasSubstr("samples / wall_s is 10")));
  EXPECT_THAT(arithmetic_after([](RunRecord& r) { r.trials[0].repetitions[1].round = 0; }),
              Contains(HasSubstr("counts twice")));
  EXPECT_THAT(
      arithmetic_after([](RunRecord& r) { r.trials[0].repetitions[1].step_wall_s.pop_back(); }),
      Contains(HasSubstr("has 3 times for 4 steps")));
  EXPECT_THAT(arithmetic_after([](RunRecord& r) { r.trials[1].step_time_s->p95 = 0.1; }),
              Contains(HasSubstr("do not ascend")));
  EXPECT_THAT(arithmetic_after([](RunRecord& r) { r.trials[1].mfu.reason.clear(); }),
              Contains(HasSubstr("mfu_reason does not say why")));
  EXPECT_THAT(arithmetic_after([](RunRecord& r) { r.trials[1].global_batch_size = 3; }),
              Contains(HasSubstr("3 is more than 1 ranks of 2")));
  EXPECT_THAT(arithmetic_after([](RunRecord& r) { r.trials.push_back(r.trials[0]); }),
              Contains(HasSubstr("trials[23]: is there twice")));
  EXPECT_THAT(arithmetic_after([](RunRecord& r) { r.trials[1].throughput.reset(); }),
              Contains(HasSubstr("is null although repetitions count")));
}

TEST(Validate, ArithmeticOfRunAndConclusions) {
  EXPECT_THAT(arithmetic_after([](RunRecord& r) { r.run.status = RunStatus::kFailed; }),
              Contains(HasSubstr("failure is null")));
  EXPECT_THAT(arithmetic_after([](RunRecord& r) { r.run.finished_at.reset(); }),
              Contains(HasSubstr("no finished_at")));
  EXPECT_THAT(arithmetic_after([](RunRecord& r) { r.run.exit_code.reset(); }),
              Contains(HasSubstr("no exit_code")));
  EXPECT_THAT(arithmetic_after([](RunRecord& r) { r.attribution->overlap_efficiency = 1.0; }),
              Contains(HasSubstr("overlap_efficiency: is 1")));
  EXPECT_THAT(arithmetic_after([](RunRecord& r) { r.job->cpu_efficiency = 0.5; }),
              Contains(HasSubstr("cpu_time_s / (wall_s cpu_capacity) is 0.75")));
  EXPECT_THAT(arithmetic_after([](RunRecord& r) { r.history[1].metrics["dice"] = 5.0; }),
              Contains(HasSubstr("dice is not from 0 to 1")));
  EXPECT_THAT(arithmetic_after([](RunRecord& r) { r.history.erase(r.history.begin()); }),
              Contains(HasSubstr("epochs are not 1, 2")));
  EXPECT_THAT(arithmetic_after([](RunRecord& r) { r.history[1].epoch = 1; }),
              Contains(HasSubstr("epochs are not 1, 2")));
  EXPECT_THAT(arithmetic_after([](RunRecord& r) { r.history[0].samples_per_second = 640.0; }),
              Contains(HasSubstr("history[0].samples_per_second: is 640")));
  EXPECT_THAT(arithmetic_after([](RunRecord& r) { r.attribution.reset(); }),
              Contains(HasSubstr("attribution: is null although")));
  EXPECT_THAT(arithmetic_after([](RunRecord& r) { r.trials[2].phases.clear(); }),
              Contains(HasSubstr("trials[2].phases: is empty, but 12 steps count")));
}

// --- The schema and the field lists say the same. ---

/// Follows "$ref" and "allOf" to the node that has the properties.
const json& resolved(const json& schema, const json& node) {
  if (node.contains("$ref")) {
    return resolved(schema,
                    schema.at(json::json_pointer(node["$ref"].get<std::string>().substr(1))));
  }
  return node.contains("allOf") ? resolved(schema, node["allOf"][0]) : node;
}

/// Visitor that compares one record's field list with its object in the schema, and descends.
struct SchemaWalker {
  const json& schema;
  const json& object;
  std::string path;
  std::set<std::string> required;
  std::set<std::string> known;

  template <typename T>
  static constexpr bool kIsRecord = requires(SchemaWalker& walker, T& record) {
    fields(walker, record);
  };

  const json& property(const std::string& key) {
    known.insert(key);
    EXPECT_TRUE(object["properties"].contains(key)) << path << " lacks " << key;
    static const json nothing = json::object();
    return object["properties"].contains(key) ? resolved(schema, object["properties"][key])
                                              : nothing;
  }
  static bool nullable(const json& node) {
    return node.contains("type") && node["type"].is_array() &&
           std::find(node["type"].begin(), node["type"].end(), "null") != node["type"].end();
  }
  template <typename T>
  void descend(const json& node, const std::string& where) const {
    if constexpr (kIsRecord<T>) {
      walk<T>(schema, node, where);
    }
  }
  template <typename T>
  static void walk(const json& schema, const json& node, const std::string& where) {
    SchemaWalker walker{schema, node, where, {}, {}};
    T record{};
    fields(walker, record);
    walker.finish();
  }
  void finish() const {
    std::set<std::string> in_schema;
    for (const auto& [key, value] : object["properties"].items()) {
      in_schema.insert(key);
      const json& target = resolved(schema, value);
      EXPECT_TRUE(target.contains("description")) << path << "." << key;
    }
    EXPECT_EQ(in_schema, known) << path;
    EXPECT_EQ(object["required"].get<std::set<std::string>>(), required) << path;
  }

  template <typename T>
  void operator()(const char* key, T& /*member*/) {
    required.insert(key);
    descend<T>(property(key), path + "." + key);
  }
  template <typename T>
  void operator()(const char* key, std::vector<T>& /*member*/) {
    required.insert(key);
    const json& node = property(key);
    descend<T>(resolved(schema, node["items"]), path + "." + key);
  }
  template <typename T>
  void operator()(const char* key, std::optional<T>& /*member*/) {
    const json& node = property(key);
    EXPECT_TRUE(nullable(node)) << path << "." << key << " may be null";
    descend<T>(node, path + "." + key);
  }
  template <typename T>
  void operator()(const char* key, Measured<T>& /*member*/) {
    EXPECT_TRUE(nullable(property(key))) << path << "." << key << " may be null";
    property(std::string(key) + "_reason");
  }
};

TEST(Schema, SaysOfEachKeyWhatTheFieldListsSay) {
  json schema = json::parse(report_schema());
  for (const char* key : {"schema", "schema_version"}) {  // written before the field lists
    schema["properties"].erase(key);
    schema["required"].erase(std::find(schema["required"].begin(), schema["required"].end(), key));
  }
  SchemaWalker::walk<RunRecord>(schema, schema, "report");
}

TEST(Schema, KnowsTheClosedListsOfWords) {
  const json schema = json::parse(report_schema());
  const auto words = [&schema](const char* pointer) {
    return schema.at(json::json_pointer(pointer)).get<std::vector<std::string>>();
  };
  std::vector<std::string> taints;
  for (const Taint taint : all_taints()) {
    taints.emplace_back(word(taint));
    EXPECT_FALSE(explain(taint).empty());
    EXPECT_EQ(from_word<Taint>(word(taint)), taint);
  }
  EXPECT_EQ(words("/$defs/taint/properties/code/enum"), taints);
  std::vector<std::string> verdicts;
  for (const Verdict verdict : all_verdicts()) {
    verdicts.emplace_back(word(verdict));
    EXPECT_FALSE(explain(verdict).empty());
    EXPECT_EQ(from_word<Verdict>(word(verdict)), verdict);
  }
  EXPECT_EQ(words("/$defs/attribution/properties/verdict/enum"), verdicts);
}

TEST(Schema, UsesOnlyWhatDraft7ValidatorsUnderstandToo) {
  const std::set<std::string> allowed = {"$schema",
                                         "$id",
                                         "title",
                                         "description",
                                         "type",
                                         "required",
                                         "properties",
                                         "$defs",
                                         "$ref",
                                         "items",
                                         "enum",
                                         "minimum",
                                         "maximum",
                                         "minLength",
                                         "pattern",
                                         "minItems",
                                         "maxItems",
                                         "additionalProperties",
                                         "allOf"};
  const std::function<void(const json&, const std::string&)> check = [&](const json& node,
                                                                         const std::string& path) {
    for (const auto& [key, value] : node.items()) {
      EXPECT_TRUE(allowed.contains(key)) << path << " uses " << key;
      if (key == "$ref") {
        EXPECT_EQ(node.size(), 1U) << path << " has a keyword beside $ref";
      } else if (key == "properties" || key == "$defs") {
        for (const auto& [name, child] : value.items()) {
          check(child, path + "/" + name);
        }
      } else if (key == "items" || key == "additionalProperties") {
        check(value, path + "/" + key);
      } else if (key == "allOf") {
        for (const json& child : value) {
          check(child, path + "/allOf");
        }
      }
    }
  };
  check(json::parse(report_schema()), "");
}

}  // namespace
}  // namespace dlbench::reports
