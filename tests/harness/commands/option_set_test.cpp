// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/option_set.h"

#include "engine/core/atomic_file.h"
#include "engine/core/error.h"
#include "tests/error_message.h"
#include "tests/harness/commands/command_line_call.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using tests::usage_error;

TEST(ParseCount, TakesWholeNumbersWithSuffixes) {
  const CountLimits limits{0, 5'000'000'000};
  EXPECT_EQ(parse_count("--n", "64", limits), 64);
  EXPECT_EQ(parse_count("--n", "10K", limits), 10'000);
  EXPECT_EQ(parse_count("--n", "10k", limits), 10'000);
  EXPECT_EQ(parse_count("--n", "1.5K", limits), 1500);
  EXPECT_EQ(parse_count("--n", "2M", limits), 2'000'000);
  EXPECT_EQ(parse_count("--n", "3G", limits), 3'000'000'000);
}

TEST(ParseCount, RefusesTheRestNamingValueAndWish) {
  for (const char* text : {"", "many", "1.5", "10Q", "10 K", "0x10", "1e999", "nan", "1.0001K"}) {
    const auto message = usage_error([&] { (void)parse_count("--steps", text, {0, 100'000}); });
    EXPECT_THAT(message,
                AllOf(HasSubstr("--steps"),
                      HasSubstr("'" + std::string(text) + "'"),
                      HasSubstr("whole number")));
  }
  for (const char* text : {"0", "-1", "101", "1G"}) {
    const auto message = usage_error([&] { (void)parse_count("--steps", text, {1, 100}); });
    EXPECT_THAT(message, HasSubstr("in the range 1 to 100"));
  }
}

TEST(ParseBytes, SuffixesArePowersOfTwo) {
  const CountLimits limits{1, std::int64_t{1} << 40};
  EXPECT_EQ(parse_bytes("-b", "8", limits), 8);
  EXPECT_EQ(parse_bytes("-b", "1K", limits), 1024);
  EXPECT_EQ(parse_bytes("-b", "64M", limits), 64 * 1024 * 1024);
  EXPECT_EQ(parse_bytes("-b", "2G", limits), std::int64_t{2} << 30);
  EXPECT_EQ(parse_bytes("-b", "1T", limits), std::int64_t{1} << 40);
  for (const char* wrong : {"", "0", "-1", "K", "1k", "1KB", "1.5M", "99999999999G", "2T"}) {
    EXPECT_THAT(usage_error([&] { (void)parse_bytes("--minbytes", wrong, limits); }),
                AllOf(HasSubstr("--minbytes: '" + std::string(wrong) + "' is not a size"),
                      HasSubstr("from 1 to 1T")));
  }
  EXPECT_THAT(usage_error([] {
                (void)parse_bytes("--memory", "1500", {64 << 20, 1LL << 50});
              }),
              HasSubstr("from 64M to 1024T"))
      << "for Slurm that would be 1500M";
}

TEST(ParseSeconds, TakesSecondsAndLongerAndShorterOnes) {
  EXPECT_DOUBLE_EQ(parse_seconds("--t", "2"), 2.0);
  EXPECT_DOUBLE_EQ(parse_seconds("--t", "1.5s"), 1.5);
  EXPECT_DOUBLE_EQ(parse_seconds("--t", "300ms"), 0.3);
  EXPECT_DOUBLE_EQ(parse_seconds("--t", "2min"), 120.0);
  EXPECT_DOUBLE_EQ(parse_seconds("--t", "10000h"), 3.6e7);
  EXPECT_THROW((void)parse_seconds("--t", "1e308h"), core::Error);
  EXPECT_THROW((void)parse_seconds("--t", "5e-324ms"), core::Error) << "rounds to zero";
  EXPECT_DOUBLE_EQ(parse_seconds("--t", "200 s"), 200.0);  // as help texts have it
  EXPECT_DOUBLE_EQ(parse_seconds("--t", "1.5h"), 5400.0);
}

TEST(ParseSeconds, RefusesTheRest) {
  for (const char* text : {"", "soon", "2d", "inf", "3 days"}) {
    EXPECT_THAT(usage_error([&] { (void)parse_seconds("--timeout", text); }),
                HasSubstr("is not a time (2, 1.5s, 300ms, 2min, 1h)"));
  }
  for (const char* text : {"0", "-1s"}) {
    EXPECT_THAT(usage_error([&] { (void)parse_seconds("--timeout", text); }),
                HasSubstr("above zero"));
  }
}

TEST(CommandLine, AnEmptyValueIsNotTheNextArgument) {
  const CommandLineCall call = call_dlbench({"scale", "--config=", "--dry-run"});
  EXPECT_EQ(call.code, 2);
  EXPECT_THAT(call.err, HasSubstr("--config: the value is empty"));
}

TEST(CommandLine, AnOptionIsNoValueOfTheOneBeforeIt) {
  const CommandLineCall call =
      call_dlbench({"run", "--workload", "mnist_cnn", "--trials", "--output", "report.json"});
  EXPECT_EQ(call.code, 2);
  EXPECT_THAT(call.err, HasSubstr("--trials wants a value, but '--output' follows"));
}

TEST(CommandLine, AFlagTakesNoValue) {
  const CommandLineCall call = call_dlbench({"run", "--workload", "mnist_cnn", "--strict=no"});
  EXPECT_EQ(call.code, 2);
  EXPECT_THAT(call.err, HasSubstr("--strict takes no value, but was given 'no'"));
}

TEST(CommandLine, ATimeoutEndsBeforeTheWalltimeAndABudgetBeforeItsWarning) {
  struct Case {
    std::vector<std::string> options;
    std::string refusal;  // empty: none
  };
  const std::string late = " s: the walltime (--time) ends the job after 90 s";
  const std::string warned = ": the job is told to end after 45 s";
  for (const Case& each : std::vector<Case>{
           {{"--timeout", "1000"}, "--timeout of 1000" + late},
           {{"--timeout", "90"}, "--timeout of 90" + late},
           {{"--timeout", "80", "--time-budget", "40"}, ""},
           {{"--timeout", "80"}, "--time-budget of 200 s, the default" + warned},
           {{"--time-budget", "46"}, "--time-budget of 46 s" + warned},
           {{"--time-budget", "45"}, ""},
           {{"--timeout", "30", "--time-budget", "40"}, ": the job is told to end after 30 s"}}) {
    std::vector<std::string> arguments = {"launch", "slurm", "--time", "90s", "--", "scale"};
    arguments.insert(arguments.end(), each.options.begin(), each.options.end());
    const CommandLineCall call = call_dlbench(arguments);
    EXPECT_EQ(call.code, each.refusal.empty() ? 0 : 2) << call.err;
    EXPECT_THAT(call.err, ::testing::HasSubstr(each.refusal));
  }
}

TEST(CommandLine, TrainingDoesNotWriteOverItsInitialWeights) {
  for (const char* option : {"--output", "--trace", "--checkpoint"}) {
    const CommandLineCall call = call_dlbench(
        {"train", "--workload", "mnist_cnn", "--init", "weights.st", option, "./weights.st"});
    EXPECT_EQ(call.code, 2) << call.err;
    EXPECT_THAT(call.err, ::testing::HasSubstr("name the same file"));
  }
}

// A set with one option of each kind, in a folder for config files.
class Options : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.add_text("data", "DIR", "folder", data_);
    options_.add_choice("cache", "page cache", cache_, {"as-is", "warm", "cold"});
    options_.add_count("batch-size", "N", "samples", batch_size_, {1, 1000});
    options_.add_count("seed", "N", "of all", seed_, {0, 1000});
    options_.add_seconds("min-time", "S", "at least", min_time_);
    options_.add_number("max-noise", "PCT", "stop", max_noise_, 0.01, 100.0);
    options_.add_number("rate", "R", "of learning", rate_, 0.0, 100.0);
    options_.add_flag("strict", "code 4", strict_);
    options_.add_text("config", "FILE", "options", config_);
  }

  std::string config(const std::string& text) {
    const std::string path = (folder_ / "config.json").string();
    core::write_file_atomically(path, text);
    return path;
  }

  tests::TemporaryFolder temporary_;
  const std::filesystem::path& folder_ = temporary_.path();
  OptionSet options_;
  std::string data_;
  std::string cache_ = "as-is";
  std::optional<std::int64_t> batch_size_;
  std::int64_t seed_ = 1;
  std::optional<double> min_time_;
  double max_noise_ = 1.0;
  double rate_ = 0.1;
  std::string config_;
  bool strict_ = false;
};

TEST_F(Options, TheCommandLineWinsOverTheFileAndTheFileOverDefaults) {
  options_.set("batch-size", "8", OptionSource::kCommandLine);
  read_config_file(config(R"({"batch_size": 32, "seed": 7, "strict": true, "min-time": "300ms"})"),
                   options_);
  EXPECT_EQ(batch_size_, 8);
  EXPECT_EQ(seed_, 7);
  EXPECT_TRUE(strict_);
  EXPECT_DOUBLE_EQ(min_time_.value_or(0.0), 0.3);
  const auto sources = options_.sources();
  EXPECT_EQ(sources.at("batch-size"), "command_line");
  EXPECT_EQ(sources.at("seed"), "file");
  EXPECT_EQ(sources.at("cache"), "default");
  EXPECT_EQ(sources.size(), 8U);
  const auto effective = options_.effective();
  EXPECT_EQ(effective.at("batch-size"), reports::Value(8));
  EXPECT_EQ(effective.at("seed"), reports::Value(7));
  EXPECT_EQ(effective.at("cache"), reports::Value("as-is"));
  EXPECT_EQ(effective.at("data"), reports::Value()) << "nothing given: null";
  EXPECT_FALSE(effective.contains("config") || sources.contains("config"))
      << "else it would be no file for --config";
  EXPECT_TRUE(options_.is_default("max-noise"));
  EXPECT_FALSE(options_.is_default("seed"));
}

TEST_F(Options, LaterOnTheCommandLineWins) {
  options_.set("seed", "3", OptionSource::kCommandLine);
  options_.set("seed", "4", OptionSource::kCommandLine);
  EXPECT_EQ(seed_, 4);
}

TEST_F(Options, OfTwoThatExcludeEachOtherItIsSaidWhichIsFromTheFile) {
  options_.exclude("batch-size", "seed");
  options_.set("seed", "3", OptionSource::kFile);
  EXPECT_NO_THROW(options_.check_exclusions());
  options_.set("batch-size", "4", OptionSource::kCommandLine);
  EXPECT_EQ(usage_error([&] { options_.check_exclusions(); }),
            "--batch-size and --seed (from the config file) exclude each other: give one of them");
  options_.set("seed", "3", OptionSource::kCommandLine);
  EXPECT_EQ(usage_error([&] { options_.check_exclusions(); }),
            "--batch-size and --seed exclude each other: give one of them");
}

TEST_F(Options, WrongNamesAndChoicesGetTheNearest) {
  EXPECT_THAT(usage_error([&] { options_.set("bach-size", "4", OptionSource::kFile); }),
              HasSubstr("did you mean '--batch-size'?"));
  EXPECT_THAT(
      usage_error([&] { options_.set("cache", "wram", OptionSource::kCommandLine); }),
      AllOf(
          HasSubstr("--cache"), HasSubstr("did you mean 'warm'?"), HasSubstr("as-is, warm, cold")));
  EXPECT_THAT(usage_error([&] { options_.set("strict", "maybe", OptionSource::kFile); }),
              HasSubstr("true or false"));
  EXPECT_THAT(usage_error([&] { options_.set("max-noise", "0", OptionSource::kFile); }),
              HasSubstr("in the range 0.01 to 100"));
  options_.set("max-noise", "5%", OptionSource::kFile);
  EXPECT_THAT(usage_error([&] { options_.set("rate", "5%", OptionSource::kFile); }),
              HasSubstr("is not a number"));
  EXPECT_DOUBLE_EQ(max_noise_, 5.0);
}

// As a report's config.effective has it.
TEST_F(Options, NullInAConfigFileIsNotSet) {
  options_.set("data", "digits", OptionSource::kCommandLine);
  read_config_file(config(R"({"seed": null, "batch-size": null, "min_time": null, "data": null,
                              "max-noise": 5.0})"),
                   options_);
  EXPECT_EQ(seed_, 1);
  EXPECT_TRUE(options_.is_default("seed"));
  EXPECT_FALSE(batch_size_.has_value());
  EXPECT_FALSE(min_time_.has_value());
  EXPECT_EQ(data_, "digits");
  EXPECT_DOUBLE_EQ(max_noise_, 5.0);
}

// "full" is the default, which says nothing of steps to capture.
TEST_F(Options, ADefaultInAConfigFileAsksForNothing) {
  const std::string missing = (folder_ / "none").string();
  const auto errors = [&](const std::string& text, std::vector<std::string> more) {
    std::vector<std::string> arguments = {"run", "--config", config(text), "--data", missing};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return call_dlbench(arguments).err;
  };
  const std::string full =
      R"({"workload": "mnist_cnn", "capture-trial": "full", "capture-steps": null})";
  EXPECT_THAT(errors(full, {}), AllOf(HasSubstr(missing), Not(HasSubstr("--capture-steps"))));
  EXPECT_THAT(errors(full, {"--capture-trial", "full"}), HasSubstr("with --capture-steps 20-49"));
  EXPECT_THAT(errors(R"({"workload": "mnist_cnn", "capture-trial": "synthetic/host"})", {}),
              HasSubstr("--capture-trial synthetic/host says whose steps are captured"));
}

TEST_F(Options, BadConfigFilesAreOneLineNamingFileAndKey) {
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"", "not JSON"},
           {"[1, 2]", "no JSON object"},
           {"{\"seed\":\n ", "line 2, column 2"},
           {R"({"sed": 1})", "did you mean '--seed'?"},
           {R"({"seed": {"value": 1}})", "'seed'"},
           {R"({"seed": "many"})", "'many'"},
           {R"({"sed": null})", "did you mean '--seed'?"},
           {R"({"seed": [null]})", "'seed'"},
           {R"({"data": ""})", "empty"},
           {R"({"config": "b.json"})", "include"},
           {R"({"seed": 1, "seed": 2})", "'seed' twice"},
           {R"({"min-time": 1, "min_time": 2})", "\"min_time\" sets an option"},
           {R"({"seed": 1.5})", "whole number"}}) {
    const std::string path = config(text);
    EXPECT_THAT(usage_error([&] { read_config_file(path, options_); }),
                AllOf(HasSubstr("config.json"), HasSubstr(message)))
        << text;
  }
  EXPECT_THAT(usage_error([&] { read_config_file((folder_ / "none").string(), options_); }),
              HasSubstr("No such file or directory"));
}

TEST_F(Options, MessagesSayWhichOnesTheConfigFileSet) {
  options_.set("max-noise", "5%", OptionSource::kFile);
  options_.set("data", "digits", OptionSource::kCommandLine);
  EXPECT_EQ(options_.with_origin("--max-noise '5': too much beside --data 'digits'"),
            "--max-noise (from the config file) '5': too much beside --data 'digits'");
  EXPECT_EQ(options_.with_origin("--max-noises '1', --max-noise: give --max-noise 6"),
            "--max-noises '1', --max-noise (from the config file): give --max-noise 6");
  const std::string path = config(R"({"link": "-1"})");
  EXPECT_THAT(call_dlbench({"run", "--workload", "mnist_cnn", "--dry-run", "--config", path}).err,
              HasSubstr("--link (from the config file) '-1'"));
}

// Opening it would wait for a writer.
TEST_F(Options, AConfigFileIsNoNamedPipe) {
  const std::string pipe = (folder_ / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(usage_error([&] { read_config_file(pipe, options_); }),
              HasSubstr("is a pipe or a device; give a regular file"));
}

TEST(CommandLine, BadOnesAreOneLineAndCodeTwo) {
  struct Case {
    std::vector<std::string> arguments;
    const char* message;
  };
  for (const Case& entry : std::vector<Case>{
           {{"rnu"}, "did you mean 'run'?"},
           {{"run", "--worklod", "mnist_cnn"}, "did you mean '--workload'?"},
           {{"run", "--workload", "mnist_cnn", "--batch", "4"}, "did you mean '--batch-size'?"},
           {{"run", "--workload", "mnist_cn"}, "did you mean 'mnist_cnn'?"},
           {{"run"}, "--workload is required"},
           {{"run", "--workload", "mnist_cnn", "--batch-size", "0"}, "--batch-size"},
           {{"run", "--workload", "mnist_cnn", "--precision", "fp23"}, "did you mean 'fp32'?"},
           {{"run", "--workload", "mnist_cnn", "--probes", "nvlm"}, "did you mean 'nvml'?"},
           {{"train", "--workload", "mnist_cnn", "--probes", "nvlm"}, "did you mean 'nvml'?"},
           {{"list", "workload"}, "unknown topic 'workload'; did you mean 'workloads'?"},
           {{"info", "--measure-peak"}, "did you mean '--measure-peaks'?"},
           {{"--workload", "mnist_cnn", "train"}, "as in `dlbench train --workload`"},
           {{"--samples=3", "list"}, "as in `dlbench data generate --samples=3`"},
           {{"--verison"}, "did you mean '--version'? known: --help"},
           {{"run", "--steps"}, "--steps: 1 required N missing (see dlbench run --help)"},
           {{"report"}, "wants one of show, validate, compare, plot (see dlbench report --help)"},
           {{"report", "show"}, "report is required (see dlbench report show --help)"},
           {{}, "wants one of run, train, "}}) {
    const CommandLineCall called = call_dlbench(entry.arguments);
    const std::string& errors = called.err;
    EXPECT_EQ(called.code, 2) << errors;
    EXPECT_THAT(errors, HasSubstr(entry.message));
    EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
  }
}

TEST(CommandLine, HelpAndVersionAreCodeZero) {
  EXPECT_EQ(call_dlbench({"--version"}).code, 0);
  EXPECT_EQ(call_dlbench({"--help"}).code, 0);
  EXPECT_EQ(call_dlbench({"info", "--help"}).code, 0);
  EXPECT_EQ(call_dlbench({"report", "show", "--help"}).code, 0);
}

TEST(CommandLine, HelpTellsEachDefaultOnce) {
  for (const char* command : {"run", "train", "verify", "scale", "comm", "info"}) {
    EXPECT_THAT(call_dlbench({command, "--help"}).out,
                AllOf(HasSubstr("--"), Not(HasSubstr("] ["))))
        << command;
  }
}

}  // namespace
}  // namespace dlbench::harness
