// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// dlbench data generate, dlbench data inspect.
#include "data/generators/generate.h"
#include "data/inspect.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "harness/commands/command.h"
#include "harness/commands/listing.h"
#include "harness/commands/option_limits.h"
#include "harness/session/run_guard.h"

#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <string>

namespace dlbench::harness {
namespace {

class DataGenerateCommand final : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "data generate"; }
  [[nodiscard]] std::string summary() const override {
    return "write a data set of realistic, learnable files";
  }
  [[nodiscard]] std::string details() const override {
    return "The files depend on data set, samples and seed alone.\n"
           "Example:\n"
           "  dlbench data generate --dataset kvasir-seg --out polyps --samples 200 --seed 1";
  }
  void add_options(OptionSet& options) override {
    options.add_choice("dataset", "its format", dataset_, data::dataset_names());
    options.add_text("out", "DIR", "a folder that does not exist or is empty", out_);
    options.add_count("samples",
                      "N",
                      "over all splits; mnist: training samples, beside a sixth as many (at least "
                      "10) to test with",
                      samples_,
                      {1, 1'000'000});
    options.add_count("seed", "N", "of the content", seed_, kSeedLimits);
    options.add_count("threads", "N", "default: all cores", threads_, kThreadLimits);
  }
  int run(const OptionSet& /*options*/, const Invocation& /*invocation*/) override {
    if (dataset_.empty() || out_.empty()) {
      throw core::Error(core::ErrorCode::kUsage, "--dataset and --out are required");
    }
    core::log::progress(fmt::format("generating {} samples of {}", samples_, dataset_));
    RunGuard guard(std::nullopt);
    try {
      data::generate(dataset_,
                     {.out = out_,
                      .samples = samples_,
                      .seed = static_cast<std::uint64_t>(seed_),
                      .threads = static_cast<int>(threads_.value_or(0)),
                      .check = [&guard] { guard.check(); }});
    } catch (const core::Error& error) {
      if (core::ended_early(error.code())) {
        throw core::Error(
            error.code(),
            fmt::format("ended before '{}' was complete; nothing of it is left", out_));
      }
      throw;
    }
    core::log::progress("");
    std::fputs(
        fmt::format("{}: {} samples of {}, seed {}\n", out_, samples_, dataset_, seed_).c_str(),
        stdout);
    return 0;
  }

 private:
  std::string dataset_;
  std::string out_;
  std::int64_t samples_ = 64;
  std::int64_t seed_ = 1;
  std::optional<std::int64_t> threads_;
};

class DataInspectCommand final : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "data inspect"; }
  [[nodiscard]] std::string summary() const override {
    return "read a data set folder: samples, sizes, problems, cost of loading";
  }
  [[nodiscard]] std::string details() const override {
    return "Exit codes: 0 no problems, 1 problems (listed) or no data set that dlbench knows";
  }
  void add_options(OptionSet& options) override {
    options.add_text("folder", "DIR", "data set folder", folder_);
    options.positional(true);
    options.add_count("threads", "N", "default: all cores", threads_, kThreadLimits);
  }
  int run(const OptionSet& /*options*/, const Invocation& /*invocation*/) override {
    core::log::progress("inspecting " + folder_);
    const data::DatasetInspection inspection =
        data::inspect(folder_, {}, static_cast<int>(threads_.value_or(0)));
    core::log::progress("");
    std::fputs(core::log::lines(describe_inspection(folder_, inspection)).c_str(), stdout);
    return inspection.problems.empty() ? 0 : core::exit_code(core::ErrorCode::kData);
  }

 private:
  std::string folder_;
  std::optional<std::int64_t> threads_;
};

}  // namespace

std::unique_ptr<Command> make_data_generate_command() {
  return std::make_unique<DataGenerateCommand>();
}

std::unique_ptr<Command> make_data_inspect_command() {
  return std::make_unique<DataInspectCommand>();
}

}  // namespace dlbench::harness
