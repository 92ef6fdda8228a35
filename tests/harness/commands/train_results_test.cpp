// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What is left of a training, and of other commands, that end badly: reports that cannot be
// written, traces, failure records.
#include "engine/core/atomic_file.h"
#include "engine/exec/safetensors.h"
#include "reports/json_reader.h"
#include "tests/harness/commands/command_line_call.h"
#include "tests/temporary_folder.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

namespace dlbench::harness {
namespace {

using ::testing::AllOf;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class TrainResults : public ::testing::Test {
 protected:
  void SetUp() override {
    report_ = file("report.json");
    std::filesystem::create_directory(file("elsewhere"));
    ::setenv("TMPDIR", file("elsewhere").c_str(), 1);
    ASSERT_EQ(
        call({"data", "generate", "--dataset", "mnist", "--out", file("data"), "--samples", "20"}),
        0)
        << called_.err;
  }
  void TearDown() override { ::unsetenv("TMPDIR"); }

  [[nodiscard]] std::string file(const std::string& name) const {
    return (folder_.path() / name).string();
  }
  int call(const std::vector<std::string>& arguments) {
    called_ = call_dlbench(arguments);
    return called_.code;
  }
  int train(const std::vector<std::string>& more) { return call(training(more)); }
  [[nodiscard]] std::vector<std::string> training(const std::vector<std::string>& more) const {
    return with(more,
                {"train",
                 "--workload",
                 "mnist_cnn",
                 "--device",
                 "ref",
                 "--threads",
                 "1",
                 "--workers",
                 "1",
                 "--batch-size",
                 "8",
                 "--data",
                 file("data"),
                 "--epochs",
                 "1"});
  }
  [[nodiscard]] std::vector<std::string> measuring(const std::vector<std::string>& more) const {
    return with(more,
                {"run",        "--workload", "mnist_cnn", "--device",     "ref", "--threads",
                 "1",          "--workers",  "1",         "--batch-size", "2",   "--data",
                 file("data"), "--trials",   "synthetic", "--steps",      "1",   "--repetitions",
                 "2",          "--max-time", "1"});
  }
  [[nodiscard]] std::vector<std::filesystem::path> elsewhere() const {
    const std::filesystem::directory_iterator files(file("elsewhere"));
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : files) {
      paths.push_back(entry.path());
    }
    return paths;
  }
  [[nodiscard]] reports::RunRecord record() const { return reports::read_report(report_); }

  tests::TemporaryFolder folder_;
  std::string report_;
  CommandLineCall called_;

 private:
  [[nodiscard]] std::vector<std::string> with(const std::vector<std::string>& more,
                                              std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), more.begin(), more.end());
    if (std::find(more.begin(), more.end(), "--output") == more.end()) {
      arguments.insert(arguments.end(), {"--output", report_});
    }
    return arguments;
  }
};

TEST_F(TrainResults, AReportThatCannotBeWrittenGoesElsewhereWithTheSummary) {
  const std::vector<std::string> all_reduce{"comm",
                                            "--device",
                                            "cpu",
                                            "-b",
                                            "1K",
                                            "-e",
                                            "1K",
                                            "--collectives",
                                            "all_reduce",
                                            "--iters",
                                            "2",
                                            "--output",
                                            "/dev/full"};
  for (const auto& arguments :
       {training({"--output", "/dev/full"}), measuring({"--output", "/dev/full"}), all_reduce}) {
    SCOPED_TRACE(arguments.front());
    EXPECT_EQ(call(arguments), 1);
    ASSERT_THAT(elsewhere(), SizeIs(1)) << called_.err;
    const std::filesystem::path saved = elsewhere().front();
    EXPECT_THAT(called_.err,
                AllOf(HasSubstr("No space left"), HasSubstr("the report is in " + saved.string())));
    EXPECT_THAT(called_.out, HasSubstr(saved.string())) << "the summary";
    const reports::RunRecord record = reports::read_report(saved);
    EXPECT_EQ(record.run.status, reports::RunStatus::kFailed);
    EXPECT_EQ(record.run.exit_code, 1);
    EXPECT_EQ(record.history.size() + record.trials.size() + record.collectives.size(), 1U);
    EXPECT_EQ(call({"report", "validate", saved.string()}), 0) << called_.out << called_.err;
    std::filesystem::remove(saved);
  }
}

TEST_F(TrainResults, AClosedStandardOutputIsNoticedBeforeAnythingIsDone) {
  const auto closed_call = [&](const std::vector<std::string>& arguments) {
    std::vector<const char*> argv = {"dlbench"};
    for (const std::string& argument : arguments) {
      argv.push_back(argument.c_str());
    }
    std::fflush(stdout);
    ::testing::internal::CaptureStderr();
    const int kept = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
    ::close(STDOUT_FILENO);
    const int code = run_command_line(static_cast<int>(argv.size()), argv.data());
    ::dup2(kept, STDOUT_FILENO);
    ::close(kept);
    std::clearerr(stdout);
    const std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(code, 1);
    EXPECT_THAT(said, AllOf(HasSubstr("cannot write"), Not(HasSubstr("epoch"))));
  };
  closed_call(training({"--output", "-"}));
  closed_call(training({"--output", "/dev/stdout"}));
  closed_call({"comm", "--device", "cpu", "-b", "1K", "-e", "1K", "--output", "-"});
  EXPECT_THAT(elsewhere(), IsEmpty());
}

TEST_F(TrainResults, WhatEndsTheTrainingLeavesTheTrace) {
  const std::string trace = file("trace.json");
  EXPECT_EQ(train({"--learning-rate", "1e30", "--trace", trace}), 5);
  EXPECT_TRUE(std::filesystem::exists(trace));
  const reports::RunRecord record = this->record();
  const auto& timeline = std::get<reports::ValueMap>(record.probes.at("timeline").data);
  EXPECT_GT(std::get<double>(timeline.at("recorded_events").data), 0.0);
  EXPECT_EQ(timeline.at("dropped_events"), reports::Value(0.0));
}

TEST_F(TrainResults, ATraceThatARunCouldNotBeginIsSaidInTheReport) {
  const std::string trace = file("trace.json");
  EXPECT_EQ(
      call(measuring(
          {"--repetitions", "1000", "--max-time", "60", "--timeout", "0.5", "--trace", trace})),
      124);
  EXPECT_FALSE(std::filesystem::exists(trace));
  EXPECT_THAT(record().run.skipped,
              UnorderedElementsAre(Field(&reports::SkipRecord::what, "operators"),
                                   Field(&reports::SkipRecord::what, "trace")));
}

TEST_F(TrainResults, WhatEndsARunLeavesWhatItsProbesSaw) {
  reports::RunRecord record;
  for (const char* timeout : {"1", "5", "60"}) {  // a busy machine needs longer for a repetition
    const auto run = measuring({"--repetitions", "1000", "--max-time", "60", "--timeout", timeout});
    EXPECT_EQ(call(run), 124);
    record = this->record();
    if (!record.trials.empty()) {
      break;
    }
  }
  ASSERT_TRUE(record.probes.contains("proc"));
  ASSERT_THAT(record.trials, SizeIs(1));
  EXPECT_FALSE(record.trials[0].repetitions.empty());
  const auto& proc = std::get<reports::ValueMap>(record.trials[0].probes.at("proc").data);
  EXPECT_GT(std::get<double>(proc.at("user_cpu_seconds").data), 0.0);
}

TEST_F(TrainResults, ProbesWatchTheTraining) {
  const std::string trace = file("trace.json");
  ASSERT_EQ(train({"--trace", trace}), 0) << called_.err;
  const reports::RunRecord watched = record();
  EXPECT_THAT(watched.run.skipped, IsEmpty());
  std::ifstream stream(trace);
  const std::string events{std::istreambuf_iterator<char>(stream), {}};
  for (const char* part : {"\"step\"", "\"validation step\"", "\"forward\"", "\"load\""}) {
    EXPECT_THAT(events, HasSubstr(part));
  }
  ASSERT_TRUE(watched.probes.contains("proc"));
  const auto& proc = std::get<reports::ValueMap>(watched.probes.at("proc").data);
  EXPECT_EQ(proc.at("available"), reports::Value(true));
  EXPECT_GT(std::get<double>(proc.at("user_cpu_seconds").data), 0.0);
  EXPECT_EQ(call({"report", "validate", report_}), 0) << called_.out << called_.err;
  ASSERT_EQ(train({"--probes", "none"}), 0) << called_.err;
  const reports::RunRecord blind = record();
  const auto& not_asked = std::get<reports::ValueMap>(blind.probes.at("proc").data);
  EXPECT_EQ(not_asked.at("reason"), reports::Value("not asked for: --probes none"));
  EXPECT_FALSE(not_asked.contains("user_cpu_seconds"));
}

TEST_F(TrainResults, ACheckpointOnTheStandardOutputIsRefused) {
  for (const char* name : {"-", "/dev/stdout"}) {
    EXPECT_EQ(train({"--checkpoint", name}), 2);
    EXPECT_THAT(called_.err, HasSubstr("--checkpoint"));
    EXPECT_THAT(called_.out, IsEmpty());
  }
}

TEST_F(TrainResults, AFailureIsOfTheStepThatHadIt) {
  EXPECT_EQ(train({"--learning-rate", "1e30"}), 5);
  const reports::FailureRecord failure = *record().run.failure;
  EXPECT_EQ(failure.phase, "epoch 1, step 2 of 3");
  EXPECT_THAT(failure.detail, HasSubstr("in step 2 of 3"));
}

TEST_F(TrainResults, InitialWeightsThatAreNotFiniteAreBlamedThemselves) {
  const std::string good = file("good.safetensors");
  ASSERT_EQ(train({"--checkpoint", good}), 0) << called_.err;
  exec::TensorMap tensors = exec::read_safetensors(good);
  tensors.begin()->second.set(0, std::numeric_limits<double>::quiet_NaN());
  const std::string bad = file("bad.safetensors");
  exec::write_safetensors(bad, tensors);
  EXPECT_EQ(train({"--init", bad}), 1);
  EXPECT_THAT(called_.err,
              AllOf(HasSubstr(bad), HasSubstr(tensors.begin()->first), HasSubstr("not finite")));
  EXPECT_THAT(called_.err, Not(HasSubstr("learning rate")));
}

TEST_F(TrainResults, ADryRunChecksTheFilesToo) {
  EXPECT_EQ(train({"--dry-run", "--init", file("none")}), 1);
  EXPECT_THAT(called_.err, HasSubstr("none"));
  EXPECT_EQ(train({"--dry-run", "--checkpoint", file("no/folder")}), 1);
  EXPECT_THAT(called_.err, HasSubstr("--checkpoint"));
  EXPECT_EQ(train({"--dry-run", "--trace", file("no/folder")}), 1);
  EXPECT_EQ(train({"--dry-run", "--output", file("no/folder")}), 1);
  const std::string other = file("other.safetensors");
  exec::TensorMap strange;
  strange.emplace("stranger", core::HostTensor(core::DType::kF32, {2}));
  exec::write_safetensors(other, strange);
  EXPECT_EQ(train({"--dry-run", "--init", other}), 1);
  EXPECT_THAT(called_.err, HasSubstr(other));
  EXPECT_EQ(train({"--dry-run", "--checkpoint", file("best.safetensors")}), 0) << called_.err;
}

}  // namespace
}  // namespace dlbench::harness
