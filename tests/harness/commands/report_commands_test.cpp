// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// dlbench report show, validate, compare as a user calls them. report plot needs the program's
// place: the scripts it starts are tested in tests/reports/plots_test.cpp.
#include "engine/core/atomic_file.h"
#include "reports/json_reader.h"
#include "reports/json_writer.h"
#include "tests/harness/commands/command_line_call.h"
#include "tests/reports/sample_record.h"
#include "tests/temporary_folder.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <stdio_ext.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ReportCommands : public ::testing::Test {
 protected:
  void SetUp() override {
    good_ = (folder_ / "good.json").string();
    reports::write_report(reports::sample_record(), good_);
  }

  int call(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "report");
    const CommandLineCall called = call_dlbench(arguments);
    out_ = called.out;
    err_ = called.err;
    return called.code;
  }
  std::string write(const reports::RunRecord& record) {
    const std::string path = (folder_ / "other.json").string();
    reports::write_report(record, path);
    return path;
  }

  tests::TemporaryFolder temporary_;
  const std::filesystem::path& folder_ = temporary_.path();
  std::string good_;
  std::string out_;
  std::string err_;
};

TEST_F(ReportCommands, ShowPrintsSummaryAndTables) {
  EXPECT_EQ(call({"show", good_}), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("contention_bound"));
  EXPECT_THAT(out_, HasSubstr("Operators of the step"));
}

TEST_F(ReportCommands, ShowLeavesTheTerminalToItsUser) {
  reports::RunRecord hostile = reports::sample_record();
  hostile.workload->name = "mnist\x1b[2Jcnn";
  hostile.run.taints.push_back({reports::Taint::kDisturbed, "trial\a", "by\rsomebody"});
  EXPECT_EQ(call({"show", write(hostile)}), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("mnist\\x1b[2Jcnn"));
  EXPECT_EQ(out_.find_first_of("\x1b\a\r"), std::string::npos);
}

TEST_F(ReportCommands, ValidateListsProblemsAndEndsWithOne) {
  EXPECT_EQ(call({"validate", good_}), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("good.json: valid"));
  reports::RunRecord wrong = reports::sample_record();
  wrong.trials[0].throughput->samples_per_second.n = 2;
  EXPECT_EQ(call({"validate", write(wrong)}), 1);
  EXPECT_THAT(out_, HasSubstr("trials[0].throughput.samples_per_second.n: is 2"));
  EXPECT_THAT(out_, HasSubstr("1 problem\n"));
}

TEST_F(ReportCommands, ValidateNamesTheFileOfAProblemAmongSeveral) {
  reports::RunRecord wrong = reports::sample_record();
  wrong.trials[0].throughput->samples_per_second.n = 2;
  const std::string bad = write(wrong);
  EXPECT_EQ(call({"validate", bad}), 1);
  EXPECT_THAT(out_, StartsWith("trials[0].throughput.samples_per_second.n: is 2"));
  EXPECT_EQ(call({"validate", bad, good_}), 1);
  EXPECT_THAT(out_, StartsWith(bad + ": trials[0].throughput.samples_per_second.n: is 2"));
}

// A trace, the weights of another program, a report of another version.
TEST_F(ReportCommands, ValidateSaysInOneLineThatSomethingIsNoReport) {
  const std::string other = (folder_ / "trace.json").string();
  for (const auto& [text, reason] :
       {std::pair("{}", "not a report of dlbench\n"),
        std::pair(R"({"traceEvents": []})", "not a report of dlbench\n"),
        std::pair("[1]", "is array, expected an object\n"),
        std::pair(R"({"schema": "dlbench.report", "schema_version": 2})",
                  "schema_version is 2, this program reads version 1")}) {
    core::write_file_atomically(other, text);
    EXPECT_EQ(call({"validate", other}), 1);
    EXPECT_EQ(out_, other + ": no report\n");
    EXPECT_THAT(err_, AllOf(HasSubstr("trace.json: "), HasSubstr(reason)));
    EXPECT_EQ(std::count(err_.begin(), err_.end(), '\n'), 1) << err_;
  }
}

TEST_F(ReportCommands, ValidateSaysTheResultOfEachFile) {
  reports::RunRecord wrong = reports::sample_record();
  wrong.trials[0].throughput->samples_per_second.n = 2;
  const std::string bad = write(wrong);
  const std::string missing = (folder_ / "missing.json").string();
  EXPECT_EQ(call({"validate", good_, good_}), 0) << err_;
  EXPECT_EQ(call({"validate", missing, bad, good_}), 1);
  EXPECT_THAT(err_, HasSubstr("No such file or directory"));
  EXPECT_THAT(out_, HasSubstr("missing.json: no report\n"));
  EXPECT_THAT(out_, HasSubstr("other.json: 1 problem\n"));
  EXPECT_THAT(out_, HasSubstr("good.json: valid\n")) << "the last one is checked all the same";
  EXPECT_EQ(call({"validate"}), 2);
}

TEST_F(ReportCommands, ShowAndCompareWarnOfAReportThatIsNotValid) {
  reports::RunRecord wrong = reports::sample_record();
  wrong.trials[0].throughput->samples_per_second.n = 2;
  const std::string bad = write(wrong);
  const std::string line =
      "warning: '" + bad + "' is not valid: trials[0].throughput.samples_per_second.n: is 2";
  const std::string advice = "see dlbench report validate " + bad + "\n";
  EXPECT_EQ(call({"show", bad}), 0);
  EXPECT_THAT(err_, AllOf(StartsWith(line), HasSubstr("(no other problem)"), EndsWith(advice)));
  wrong.run.started_at = "yesterday";
  wrong.trials[1].repetitions[0].samples = -5;
  write(wrong);
  EXPECT_EQ(call({"compare", bad, good_}), 0);
  EXPECT_THAT(err_, AllOf(HasSubstr(bad), HasSubstr(" more problem"), EndsWith(advice)));
  EXPECT_EQ(std::count(err_.begin(), err_.end(), '\n'), 1) << err_;
  EXPECT_EQ(call({"compare", good_, bad}), 0);
  EXPECT_THAT(err_, EndsWith(advice));
  EXPECT_EQ(call({"compare", good_, good_}), 0);
  EXPECT_EQ(err_, "");
  EXPECT_EQ(call({"show", good_}), 0);
  EXPECT_EQ(err_, "");
}

TEST_F(ReportCommands, CompareEndsWithThreeWhenSlower) {
  EXPECT_EQ(call({"compare", good_, good_}), 0) << err_;
  reports::RunRecord slower = reports::sample_record();
  slower.trials[2] =
      reports::sample_trial(reports::TrialKind::kFull, std::nullopt, {2.1, 2.2, 2.3});
  slower.trials[2].series = reports::sample_record().trials[2].series;
  const std::string path = write(slower);
  EXPECT_EQ(call({"compare", good_, path}), 3);
  EXPECT_THAT(out_, HasSubstr("slower"));
  EXPECT_EQ(call({"compare", path, good_}), 0) << "faster is no failure";
  EXPECT_EQ(call({"compare", good_, path, "--tolerance", "80"}), 0) << "within the tolerance";
}

TEST_F(ReportCommands, CompareWritesWhatItFoundForPrograms) {
  reports::RunRecord slower = reports::sample_record();
  slower.trials[2] =
      reports::sample_trial(reports::TrialKind::kFull, std::nullopt, {2.1, 2.2, 2.3});
  slower.trials[2].series = reports::sample_record().trials[2].series;
  slower.config.effective["seed"] = 7;
  const std::string candidate = write(slower);
  const std::string output = (folder_ / "comparison.json").string();
  EXPECT_EQ(call({"compare", good_, candidate, "--output", output}), 3) << err_;
  EXPECT_THAT(out_, HasSubstr("slower")) << "for people all the same";
  const auto json = nlohmann::json::parse(reports::read_text_file(output));
  EXPECT_EQ(json.at("schema"), "dlbench.comparison");
  EXPECT_EQ(json.at("fails"), true);
  const auto& trials = json.at("trials");
  const auto full = std::find_if(trials.begin(), trials.end(), [](const auto& trial) {
    return trial.at("change") == "slower";
  });
  ASSERT_NE(full, trials.end());
  EXPECT_THAT(full->at("trial").get<std::string>(), HasSubstr("full"));
  EXPECT_NEAR(full->at("ratio").get<double>(), 0.5, 0.01);
  EXPECT_EQ(full->at("ci95").size(), 2U);
  EXPECT_EQ(full->at("candidate_n"), 3);
  EXPECT_TRUE(full->at("doubt").is_null());
  EXPECT_FALSE(json.at("differences").empty());
  EXPECT_EQ(call({"compare", good_, candidate, "--output", candidate}), 2) << "an input";
  EXPECT_THAT(err_, HasSubstr("--output"));
}

TEST_F(ReportCommands, CompareWithStrictEndsWithFourWhereItIsUnsure) {
  reports::RunRecord noisy = reports::sample_record();
  noisy.trials[2] = reports::sample_trial(reports::TrialKind::kFull, std::nullopt, {2.0, 4.4, 7.0});
  noisy.trials[2].series = reports::sample_record().trials[2].series;
  const std::string path = write(noisy);
  EXPECT_EQ(call({"compare", good_, path}), 0);
  EXPECT_THAT(out_, HasSubstr("unsure"));
  EXPECT_EQ(call({"compare", good_, path, "--strict"}), 4);
  EXPECT_EQ(call({"compare", good_, good_, "--strict", "--tolerance", "20"}), 0) << out_;
}

TEST_F(ReportCommands, CompareTakesSeveralStartsOfEach) {
  const auto start = [this](const std::string& name, double scale) {
    reports::RunRecord record = reports::sample_record();
    record.run.id = name;
    for (reports::TrialRecord& trial : record.trials) {
      for (reports::RepetitionRecord& repetition : trial.repetitions) {
        repetition.samples_per_second *= scale;
      }
    }
    std::string path = (folder_ / (name + ".json")).string();
    reports::write_report(record, path);
    return path;
  };
  const std::string before_1 = start("before-1", 1.0);
  const std::string before_2 = start("before-2", 1.001);
  const std::string after_1 = start("after-1", 0.5);
  const std::string after_2 = start("after-2", 0.501);
  EXPECT_EQ(call({"compare", "--before", before_1, before_2, "--after", after_1, after_2}), 3);
  EXPECT_THAT(out_, HasSubstr(" 2/2 "));
  EXPECT_EQ(call({"compare", "--after", after_1, "--before", after_2, "--before", before_1}), 0);
  EXPECT_THAT(out_, HasSubstr(" 2/1 "));
  EXPECT_EQ(call({"compare", "--before", before_1, before_1, "--after", after_1}), 1);
  EXPECT_THAT(err_, HasSubstr("two of the reports are of one run, before-1"));
}

TEST_F(ReportCommands, AVerdictThatCannotBeWrittenIsCodeOne) {
  const int full = ::open("/dev/full", O_WRONLY);
  if (full < 0) {
    GTEST_SKIP() << "no /dev/full here";
  }
  reports::RunRecord failed = reports::sample_record();
  failed.run.status = reports::RunStatus::kFailed;
  failed.run.exit_code = 5;
  const std::string path = write(failed);
  const std::vector<const char*> arguments = {
      "dlbench", "report", "compare", good_.c_str(), path.c_str()};
  std::fflush(stdout);
  const int terminal = ::dup(STDOUT_FILENO);
  ::dup2(full, STDOUT_FILENO);
  ::testing::internal::CaptureStderr();
  const int code = run_command_line(static_cast<int>(arguments.size()), arguments.data());
  ::__fpurge(stdout);
  std::clearerr(stdout);
  ::dup2(terminal, STDOUT_FILENO);
  ::close(terminal);
  ::close(full);
  EXPECT_EQ(code, 1);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("cannot write the standard output"));
}

TEST_F(ReportCommands, CompareEndsWithThreeWhenTheCandidateFailed) {
  reports::RunRecord failed = reports::sample_record();
  failed.run.status = reports::RunStatus::kFailed;
  failed.run.exit_code = 5;
  const std::string path = write(failed);
  EXPECT_EQ(call({"compare", good_, path}), 3);
  EXPECT_THAT(out_, HasSubstr("the candidate is not complete: failed (exit code 5)"));
  EXPECT_EQ(call({"compare", path, good_}), 0) << "what is asked is the candidate";
}

TEST_F(ReportCommands, BadFilesAreOneLineAndCodeOne) {
  const std::string broken = (folder_ / "broken.json").string();
  core::write_file_atomically(broken, "{\n\n");
  for (const char* command : {"show", "validate"}) {
    EXPECT_EQ(call({command, broken}), 1);
    EXPECT_THAT(err_, HasSubstr("not JSON"));
    EXPECT_EQ(call({command, (folder_ / "missing.json").string()}), 1);
    EXPECT_THAT(err_, HasSubstr("No such file or directory"));
  }
  EXPECT_EQ(call({"plot", broken}), 1);
  EXPECT_EQ(call({"plot", good_, "--output", (folder_ / "no" / "plot.png").string()}), 1);
  EXPECT_THAT(err_, HasSubstr("choose another place with --output"));
  EXPECT_EQ(call({"compare", good_, broken}), 1);
}

TEST_F(ReportCommands, PlotRefusesAnOutputThatNamesNoFormat) {
  for (const std::string& output : {(folder_ / "plot").string(),
                                    (folder_ / "plot.").string(),
                                    (folder_ / ".png").string(),
                                    (folder_ / "plot.doc").string(),
                                    std::string("-")}) {
    EXPECT_EQ(call({"plot", good_, "--output", output}), 2);
    EXPECT_THAT(err_,
                HasSubstr("--output '" + output +
                          "' names no format of an image; give a file that ends in .png, .svg"));
    EXPECT_FALSE(std::filesystem::exists(output));
  }
}

TEST_F(ReportCommands, BadCommandLinesAreCodeTwo) {
  EXPECT_EQ(call({"show"}), 2);
  EXPECT_EQ(call({"plot", good_, "--plot", "pie"}), 2);
  EXPECT_EQ(call({"plot", good_, "--output", good_}), 2);
  EXPECT_THAT(err_, HasSubstr("which this command reads"));
  EXPECT_EQ(call({"compare", good_, good_, "--tolerance", "0"}), 2);
  for (const std::vector<std::string>& sides : std::vector<std::vector<std::string>>{
           {}, {good_}, {"--before", good_}, {good_, good_, "--before", good_, "--after", good_}}) {
    std::vector<std::string> words = {"compare"};
    words.insert(words.end(), sides.begin(), sides.end());
    EXPECT_EQ(call(words), 2);
    EXPECT_THAT(err_, HasSubstr("--before FILE... --after FILE..."));
  }
}

}  // namespace
}  // namespace dlbench::harness
