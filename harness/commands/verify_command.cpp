// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/backend_list.h"
#include "engine/core/error.h"
#include "harness/commands/command.h"
#include "harness/commands/op_verification.h"
#include "harness/commands/option_limits.h"
#include "harness/commands/output_files.h"
#include "harness/commands/step_verification.h"
#include "probes/node/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::harness {
namespace {

/// Returns the processor's backend; ref if the build has none.
std::string standard_backend() {
  const std::vector<std::string> names = backend::backend_names();
  return std::ranges::find(names, "cpu") == names.end() ? "ref" : "cpu";
}

constexpr CountLimits kVerifyStepLimits{1, 1000};

class VerifyCommand final : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "verify"; }
  [[nodiscard]] std::string summary() const override {
    return "compare a training step, or single ops, with the reference implementation";
  }
  [[nodiscard]] std::string details() const override {
    return "Compares loss, prediction, every gradient, the optimizer's update and the running\n"
           "statistics of one step, and the update and the optimizer's state of a later one: on a\n"
           "GPU of one that is replayed. The dump holds the first step as safetensors, for other\n"
           "frameworks to check. With --backend ref in fp32 the step is the reference itself:\n"
           "compared are the updates alone, with their rule in float64, and the dump is for the\n"
           "rest.\n"
           "Examples:\n"
           "  dlbench verify --workload resunetpp\n"
           "  dlbench verify --workload mnist_cnn --dump step.safetensors\n"
           "  dlbench verify --op conv --backend cpu\n"
           "  dlbench verify --op all --backend ref     (gradients against central differences)\n"
           "Exit codes: 0 within the tolerances, 1 files, 2 command line or device, 3 not within "
           "them,\n"
           "  5 failed during the step";
  }
  void add_options(OptionSet& options) override {
    options.add_text("workload", "NAME", "whose step: see `dlbench list`", workload_);
    options.add_text("op", "NAME", "single ops instead of a step: a name, or all", op_);
    options.add_count("case", "N", "one case of the op", case_, {0, 1 << 20});
    options.add_text("backend",
                     "NAME",
                     "what is verified: cpu, cuda, cuda:N (the N-th GPU, from 0) or ref",
                     backend_);
    options.add_choice("precision",
                       "of convolutions and matrix products; the reference computes in fp32",
                       precision_,
                       {"fp32", "tf32", "bf16", "fp16"});
    options.add_choice(
        "conv-algorithm", "of the verified backend", conv_algorithm_, backend::kConvAlgorithms);
    options.add_count("batch-size",
                      "N",
                      "samples of the step; default: small, so that it takes seconds",
                      batch_size_,
                      kBatchSizeLimits);
    options.add_count("image-size",
                      "N",
                      "side of the network input; default: small, where the workload allows it",
                      image_size_,
                      kImageSizeLimits);
    options.add_count("steps",
                      "N",
                      "on the same batch: of the last one the update is compared; default: 2, on a "
                      "GPU 4, the last of which is replayed",
                      steps_,
                      kVerifyStepLimits);
    options.add_count(
        "threads", "N", "compute threads; default: all cores", threads_, kThreadLimits);
    options.add_count("seed", "N", "of batch, weights and dropout", seed_, kSeedLimits);
    options.add_text("data", "DIR", "data set folder; default: a batch drawn in memory", data_);
    options.add_text("init", "FILE", "safetensors with all weights; default: drawn", init_);
    options.add_text("dump", "FILE", "write the step as safetensors", dump_);
  }
  int run(const OptionSet& options, const Invocation& /*invocation*/) override {
    if (workload_.empty() == op_.empty()) {
      throw core::Error(core::ErrorCode::kUsage,
                        "give either --workload (`dlbench list` shows the names) or --op");
    }
    if (!op_.empty()) {
      refuse(options,
             "--op",
             {"precision", "batch-size", "image-size", "steps", "seed", "data", "init", "dump"});
      return run_ops();
    }
    refuse(options, "--workload", {"case"});
    check_distinct({{"--init", init_}, {"--dump", dump_}});
    check_not_standard_output({{"--dump", dump_}});
    VerifyOptions verify;
    verify.workload = workload_;
    verify.params = {.batch_size = batch_size_.value_or(0), .image_size = image_size_.value_or(0)};
    verify.backend = backend_;
    verify.steps = static_cast<int>(steps_.value_or(0));
    verify.threads = static_cast<int>(threads_.value_or(probes::usable_physical_cores()));
    verify.seed = static_cast<std::uint64_t>(seed_);
    verify.precision = precision_;
    verify.conv_algorithm = conv_algorithm_;
    verify.data = path(data_);
    verify.init = path(init_);
    verify.dump = path(dump_);
    return run_verify(verify, std::cout);
  }

 private:
  static void refuse(const OptionSet& options,
                     const std::string& with,
                     const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      if (!options.is_default(name)) {
        throw core::Error(
            core::ErrorCode::kUsage,
            fmt::format("--{} has no meaning with {}; leave one of them out", name, with));
      }
    }
  }

  [[nodiscard]] int run_ops() const {
    conformance::Filter filter;
    filter.op = op_ == "all" ? "" : op_;
    if (case_.has_value()) {
      filter.index = static_cast<int>(*case_);
    }
    filter.conv_algorithm = conv_algorithm_;
    return run_verify_ops(backend_,
                          static_cast<int>(threads_.value_or(probes::usable_physical_cores())),
                          filter,
                          std::cout);
  }

  static std::optional<std::filesystem::path> path(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional<std::filesystem::path>(text);
  }

  std::string workload_;
  std::string op_;
  std::optional<std::int64_t> case_;
  std::string backend_ = standard_backend();
  std::string precision_ = "fp32";
  backend::ConvAlgorithm conv_algorithm_ = backend::ConvAlgorithm::kDirect;
  std::optional<std::int64_t> batch_size_;
  std::optional<std::int64_t> image_size_;
  std::optional<std::int64_t> steps_;
  std::optional<std::int64_t> threads_;
  std::int64_t seed_ = 1;
  std::string data_;
  std::string init_;
  std::string dump_;
};

}  // namespace

std::unique_ptr<Command> make_verify_command() { return std::make_unique<VerifyCommand>(); }

}  // namespace dlbench::harness
