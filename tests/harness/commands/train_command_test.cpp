// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// dlbench train, list and data as a user calls them.
#include "engine/backend/backend.h"
#include "reports/json_reader.h"
#include "tests/harness/commands/command_line_call.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace dlbench::harness {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Commands : public ::testing::Test {
 protected:
  void SetUp() override { report_ = (folder_ / "report.json").string(); }

  int call(const std::vector<std::string>& arguments) {
    const CommandLineCall called = call_dlbench(arguments);
    out_ = called.out;
    err_ = called.err;
    return called.code;
  }

  std::string generate(const std::string& dataset, int samples) {
    const std::string path = (folder_ / dataset).string();
    EXPECT_EQ(call({"data",
                    "generate",
                    "--dataset",
                    dataset,
                    "--out",
                    path,
                    "--samples",
                    std::to_string(samples)}),
              0)
        << err_;
    return path;
  }

  int train(const std::string& data, std::vector<std::string> more) {
    std::vector<std::string> arguments{"train",
                                       "--workload",
                                       "mnist_cnn",
                                       "--threads",
                                       "1",
                                       "--workers",
                                       "1",
                                       "--batch-size",
                                       "8",
                                       "--data",
                                       data,
                                       "--output",
                                       report_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    if (std::find(more.begin(), more.end(), "--device") == more.end()) {
      arguments.insert(arguments.end(), {"--device", "ref"});
    }
    return call(arguments);
  }

  tests::TemporaryFolder temporary_;
  const std::filesystem::path& folder_ = temporary_.path();
  std::string report_;
  std::string out_;
  std::string err_;
};

TEST_F(Commands, TrainWritesHistoryAndCheckpoint) {
  const std::string data = generate("mnist", 20);
  const std::string checkpoint = (folder_ / "best.safetensors").string();
  ASSERT_EQ(train(data, {"--epochs", "2", "--checkpoint", checkpoint}), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("epoch   1/2"));
  EXPECT_THAT(out_, HasSubstr("accuracy"));
  const reports::RunRecord record = reports::read_report(report_);
  EXPECT_EQ(record.run.status, reports::RunStatus::kComplete);
  ASSERT_EQ(record.history.size(), 2U);
  EXPECT_DOUBLE_EQ(*record.history[1].learning_rate, 0.7);
  EXPECT_EQ(record.run.taints.at(0).code, reports::Taint::kGeneratedData);
  std::vector<std::string> plans;
  for (const reports::PlanRecord& plan : record.workload->plans) {
    plans.push_back(plan.mode + " " + std::to_string(plan.batch_size));
    EXPECT_GT(plan.nodes, 0);
    EXPECT_EQ(plan.hash.size(), 16U);
  }
  EXPECT_THAT(plans, ::testing::IsSupersetOf({"train 8", "evaluate 8"}));
  EXPECT_TRUE(std::filesystem::exists(checkpoint));
  EXPECT_EQ(call({"report", "validate", report_}), 0) << out_ << err_;
  EXPECT_EQ(train(data, {"--epochs", "1", "--init", checkpoint, "--strict"}), 4) << err_;
}

// Of them most of the time of `run` may go: to what a measurement of the loader has no use for.
TEST_F(Commands, WhereTheLoaderRunsAloneNoKernelsAreTunedAndNoOperatorsProfiled) {
  const std::string data = generate("mnist", 20);
  const std::filesystem::path cache = folder_ / "cache";
  ::setenv("DLBENCH_CACHE_DIR", cache.c_str(), 1);
  EXPECT_EQ(call({"run", "--workload", "mnist_cnn", "--device",     "auto", "--data",
                  data,  "--trials",   "io",        "--steps",      "1",    "--threads",
                  "1",   "--workers",  "1",         "--probes",     "none", "--max-time",
                  "1",   "--output",   report_,     "--batch-size", "8",    "--repetitions",
                  "2"}),
            0)
      << err_;
  ::unsetenv("DLBENCH_CACHE_DIR");
  EXPECT_FALSE(std::filesystem::exists(cache / "tuning.txt"));
  const reports::RunRecord record = reports::read_report(report_);
  EXPECT_EQ(record.run.status, reports::RunStatus::kComplete);
  EXPECT_TRUE(record.operators.empty());
  EXPECT_THAT(record.run.skipped,
              ::testing::Contains(::testing::Field(&reports::SkipRecord::what, "operators")));
  EXPECT_EQ(call({"report", "validate", report_}), 0) << out_ << err_;
}

TEST_F(Commands, ProbesThatNobodyAskedForAreInTheReport) {
  const std::string data = generate("mnist", 20);
  ASSERT_EQ(call({"run",       "--workload",   "mnist_cnn", "--device",      "ref",  "--threads",
                  "1",         "--batch-size", "2",         "--data",        data,   "--trials",
                  "synthetic", "--steps",      "1",         "--repetitions", "2",    "--max-time",
                  "1",         "--probes",     "none",      "--output",      report_}),
            0)
      << err_;
  const reports::RunRecord record = reports::read_report(report_);
  EXPECT_EQ(std::get<std::string>(record.config.effective.at("probes").data), "none");
  EXPECT_EQ(record.config.source.at("probes"), "command_line");
  EXPECT_TRUE(record.trials.at(0).probes.empty());
  std::ifstream file(report_);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(text, HasSubstr("not asked for: --probes none"));
  EXPECT_EQ(call({"report", "validate", report_}), 0) << out_ << err_;
}

TEST_F(Commands, WithoutAutotuneNothingIsTimed) {
  if (!backend::backend_unavailable_reason("cpu").empty()) {
    GTEST_SKIP() << "no backend that has a choice";
  }
  const tests::CacheFolder cache;
  const std::string data = generate("mnist", 20);
  const std::filesystem::path tuning = cache.path() / "tuning.txt";
  ASSERT_EQ(train(data, {"--epochs", "1", "--device", "cpu", "--autotune", "off"}), 0) << err_;
  EXPECT_FALSE(std::filesystem::exists(tuning));
  for (int run = 0; run < 10 && !std::filesystem::exists(tuning); ++run) {  // others may disturb it
    ASSERT_EQ(train(data, {"--epochs", "1", "--device", "cpu"}), 0) << err_;
  }
  EXPECT_TRUE(std::filesystem::exists(tuning));
}

TEST_F(Commands, ValidationThatIsNotThereIsASkipAndABrokenOneAnError) {
  const std::string data = generate("mnist", 20);
  const auto remove = [&](const std::string& file) {
    return std::filesystem::remove(data + "/" + file) ||
           std::filesystem::remove(data + "/" + file + ".gz");
  };
  ASSERT_TRUE(remove("t10k-labels-idx1-ubyte"));
  EXPECT_EQ(train(data, {"--epochs", "1"}), 1);
  EXPECT_THAT(err_, HasSubstr("t10k-labels-idx1-ubyte"));
  ASSERT_TRUE(remove("t10k-images-idx3-ubyte"));
  EXPECT_EQ(train(data, {"--epochs", "1"}), 0) << err_;
  EXPECT_THAT(err_, HasSubstr("no validation"));
  const reports::RunRecord record = reports::read_report(report_);
  ASSERT_EQ(record.run.skipped.size(), 1U);
  EXPECT_EQ(record.run.skipped[0].what, "validation");
  EXPECT_FALSE(record.history.at(0).valid_loss.has_value());
}

TEST_F(Commands, ALossThatIsNotFiniteIsCodeFiveWithAPartialReport) {
  const std::string data = generate("mnist", 20);
  EXPECT_EQ(train(data, {"--epochs", "2", "--init", (folder_ / "none").string()}), 1);
  EXPECT_THAT(err_, HasSubstr("none"));
  EXPECT_EQ(train(data, {"--epochs", "2", "--learning-rate", "1e30"}), 5) << out_;
  EXPECT_THAT(err_, HasSubstr("epoch 1"));
  const reports::RunRecord record = reports::read_report(report_);
  EXPECT_EQ(record.run.status, reports::RunStatus::kFailed);
  EXPECT_EQ(record.run.exit_code, 5);
  EXPECT_THAT(record.run.failure->phase, HasSubstr("epoch 1, step"));
}

TEST_F(Commands, TrainRefusesABatchLargerThanTheData) {
  const std::string data = generate("mnist", 4);
  EXPECT_EQ(train(data, {"--epochs", "1"}), 2);
  EXPECT_THAT(err_, HasSubstr("a batch of 8 is larger than the 4 samples"));
}

TEST_F(Commands, DryRunOfTrainRunsNothing) {
  const std::string data = generate("mnist", 20);
  EXPECT_EQ(train(data, {"--dry-run"}), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("1199882"));
  EXPECT_THAT(out_, HasSubstr("not estimated: no peaks of the ref backend"));
  EXPECT_FALSE(std::filesystem::exists(report_));
}

TEST_F(Commands, InspectListsProblems) {
  const std::string data = generate("kvasir-seg", 10);
  EXPECT_EQ(call({"data", "inspect", data}), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("no problems found"));
  EXPECT_THAT(out_, HasSubstr("generated by dlbench"));
  const auto masks = std::filesystem::directory_iterator(folder_ / "kvasir-seg/train/masks");
  const std::filesystem::path mask = masks->path();
  std::filesystem::remove(mask);
  EXPECT_EQ(call({"data", "inspect", data}), 1);
  EXPECT_THAT(out_, HasSubstr("1 problem:"));
  EXPECT_THAT(out_, HasSubstr(mask.stem().string()));
  EXPECT_EQ(call({"data", "inspect", folder_.string() + "/nowhere"}), 1);
  std::filesystem::remove_all(folder_ / "kvasir-seg/train/masks");
  EXPECT_EQ(call({"data", "inspect", data}), 1);
  EXPECT_THAT(out_, HasSubstr("1 problem:\n    cannot read folder"));
  // A line break in a name is not one of the list.
  std::filesystem::create_directories(folder_ / "kvasir-seg/train/masks");
  std::filesystem::create_directories(folder_ / "odd/images");
  std::filesystem::create_directories(folder_ / "odd/masks");
  for (const char* part : {"odd/images/a\nb.png", "odd/masks/a\nb.png"}) {
    std::ofstream(folder_ / part) << "x";
  }
  EXPECT_EQ(call({"data", "inspect", (folder_ / "odd").string()}), 1);
  EXPECT_THAT(out_, HasSubstr("a\\nb.png' is neither"));
}

TEST_F(Commands, GenerateRefusesATakenFolderAndAnUnknownFormat) {
  const std::string data = generate("mnist", 10);
  EXPECT_EQ(call({"data", "generate", "--dataset", "mnist", "--out", data}), 2) << err_;
  EXPECT_EQ(call({"data", "generate", "--dataset", "kvasir", "--out", data + "2"}), 2);
  EXPECT_THAT(err_, HasSubstr("did you mean 'kvasir-seg'"));
  EXPECT_EQ(call({"data", "generate", "--dataset", "mnist"}), 2);
}

TEST_F(Commands, ListShowsWhatThereIs) {
  EXPECT_EQ(call({"list"}), 0);
  for (const char* part : {"resunetpp",
                           "4,062,993",
                           "mnist_cnn",
                           "1,199,882",
                           "kvasir-seg",
                           "ref",
                           "rapl",
                           "synthetic/nocomm"}) {
    EXPECT_THAT(out_, HasSubstr(part));
  }
  EXPECT_EQ(call({"list", "datasets"}), 0);
  EXPECT_THAT(out_, HasSubstr("kvasir-seg"));
  EXPECT_THAT(out_, Not(HasSubstr("resunetpp")));
  EXPECT_EQ(call({"list", "dataset"}), 2);
  EXPECT_THAT(err_, HasSubstr("did you mean 'datasets'"));
}

TEST_F(Commands, VerifyOpsRunsCasesByName) {
  EXPECT_EQ(call({"verify", "--op", "relu", "--backend", "ref"}), 0) << out_;
  EXPECT_THAT(out_, HasSubstr("0 failed"));
  EXPECT_EQ(call({"verify", "--op", "rel"}), 2);
  EXPECT_THAT(err_, HasSubstr("did you mean 'relu'"));
  EXPECT_EQ(call({"verify", "--op", "relu", "--workload", "mnist_cnn"}), 2);
}

}  // namespace
}  // namespace dlbench::harness
