// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/libraries/device_contractions.h"

#include "engine/backend/cuda/libraries/matrix_execution.h"
#include "engine/backend/workspace_limit.h"
#include "engine/core/error.h"
#include "engine/core/log.h"

#include <cuda_runtime_api.h>

#include <functional>
#include <utility>

namespace dlbench::backend::cuda {
namespace {

/// Plans from each of cuDNN's lists: those after the first few are hardly ever the fastest.
constexpr std::size_t kCandidates = 8;

struct Refusal {
  std::string reason;   ///< empty: not refused
  bool lasting = true;  ///< false: only for now, for instance because memory was short
};

/// Returns what `run` returns, or why it failed: cuDNN finalises plans that it refuses to run,
/// while others for the same problem may run. If the device failed, rethrows the error.
Refusal refusal_of(const std::function<std::string()>& run) {
  try {
    return {.reason = run()};
  } catch (const core::Error& failure) {
    if (cudaDeviceSynchronize() != cudaSuccess) {
      throw;
    }
    static_cast<void>(cudaGetLastError());  // clears the failed launch's error for the next one
    return {.reason = failure.what(), .lasting = failure.code() == core::ErrorCode::kLibrary};
  }
}

}  // namespace

DeviceContractions::DeviceContractions(LibraryHandles& handles,
                                       const LoweringOptions& options,
                                       Choices& choices,
                                       TriedPlans& tried)
    : handles_(handles), options_(options), choices_(choices), tried_(tried) {}

ConvBench& DeviceContractions::bench() {
  if (bench_ == nullptr) {
    bench_ = std::make_unique<ConvBench>(handles_);
  }
  return *bench_;
}

std::string DeviceContractions::tried_as(const ConvProblem& problem,
                                         const ConvExecution& execution) const {
  return problem.text() + (options_.allow_tf32 ? " tf32 " : " ") + execution.name();
}

std::optional<std::string> DeviceContractions::known_refusal(const ConvProblem& problem,
                                                             const ConvExecution& execution) const {
  const auto known = tried_.find(tried_as(problem, execution));
  return known != tried_.end() ? std::optional(known->second) : std::nullopt;
}

// Warns about a wrong plan even if another is used: users should know that their library has one.
std::string DeviceContractions::refusal(const ConvProblem& problem, ConvExecution& execution) {
  if (const std::optional<std::string> known = known_refusal(problem, execution)) {
    return *known;
  }
  Refusal found = refusal_of([&] {
    std::string wrong = bench().check(
        execution, {.tf32 = options_.allow_tf32, .transformed = execution.transformed()});
    if (!wrong.empty()) {
      core::log::warn_once("cuDNN's plan " + execution.name() + " for " + problem.text() + " " +
                           wrong + ": it is not taken");
    }
    return wrong;
  });
  if (found.lasting) {
    tried_[tried_as(problem, execution)] = found.reason;
  }
  return found.reason;
}

std::optional<Tuned> DeviceContractions::time(const ConvProblem& problem,
                                              const Executions& executions,
                                              std::span<const std::size_t> candidates) {
  std::vector<std::size_t> workspaces;
  for (const std::size_t candidate : candidates) {
    workspaces.push_back(executions[candidate]->workspace_bytes());
  }
  const std::vector<std::size_t> fitting =
      affordable(workspaces, [&](std::size_t bytes) { return bench().reserve(problem, bytes); });
  if (fitting.size() < candidates.size()) {
    core::log::warn_once(
        "there is not the device memory to time all of cuDNN's plans: some are left out");
  }
  if (fitting.empty()) {
    return std::nullopt;
  }
  std::vector<bool> checked(fitting.size());
  const Tuned tuned = tune(fitting.size(),
                           [&](std::size_t index, int runs) {
                             choices_.check();
                             ConvExecution& execution = *executions[candidates[fitting[index]]];
                             Trial trial;
                             if (!checked[index]) {
                               checked[index] = true;
                               trial.refusal = refusal(problem, execution);
                             }
                             if (trial.refusal.empty()) {
                               trial.refusal = refusal_of([&] {
                                                 trial.seconds = bench().seconds(execution, runs);
                                                 return std::string();
                                               }).reason;
                             }
                             return trial;
                           },
                           {});
  if (!tuned.best.has_value() && fitting.size() < candidates.size()) {
    return std::nullopt;  // one of those left out may run
  }
  Tuned of_all{.best = std::nullopt, .refusals = std::vector<std::string>(candidates.size())};
  for (std::size_t index = 0; index < fitting.size(); ++index) {
    of_all.refusals[fitting[index]] = tuned.refusals[index];
  }
  if (tuned.best.has_value()) {
    of_all.best = fitting[*tuned.best];
  }
  return of_all;
}

std::string DeviceContractions::try_out(const ConvProblem& problem, ConvExecution& execution) {
  if (!options_.try_out) {
    return "";
  }
  if (const std::optional<std::string> known = known_refusal(problem, execution)) {
    return *known;
  }
  choices_.check();
  if (bench().reserve(problem, execution.workspace_bytes())) {
    return refusal(problem, execution);
  }
  core::log::warn_once(
      "there is not the device memory to check all of cuDNN's plans: some are taken without having "
      "been seen to compute what they should; a smaller batch leaves room for that");
  return "";
}

Contraction DeviceContractions::convolution(const ConvProblem& problem,
                                            const std::string& decision) {
  const bool direct = options_.conv_algorithm == ConvAlgorithm::kDirect;
  Executions executions;
  std::vector<std::string> names;
  for (ConvPlan& plan : find_conv_plans(problem,
                                        {.allow_tf32 = options_.allow_tf32,
                                        .deterministic = options_.deterministic,
                                        .direct = direct,
                                        .workspace_limit = kWorkspaceLimit},
                                        PlanTarget(handles_.cudnn()),
                                        kCandidates)) {
    names.push_back(plan.name);
    executions.push_back(std::make_shared<ConvExecution>(handles_, problem, std::move(plan)));
  }
  const TuningKey key{
      decision, problem.text() + (options_.allow_tf32 ? " tf32" : "") + (direct ? " direct" : "")};
  const std::size_t index = choose_that_runs(
      choices_,
      key,
      names,
      {.tune = [&](std::span<const std::size_t> left) { return time(problem, executions, left); },
       .try_out = [&](std::size_t candidate) { return try_out(problem, *executions[candidate]); }});
  return {.kernel_name = "cudnn:" + names[index],
          .decision = names[index],
          .scratch_bytes = executions[index]->workspace_bytes(),
          .repeatable = executions[index]->repeatable(),
          .run = [execution = executions[index]](const ContractionCall& call) {
            execution->run(call);
          }};
}

Contraction DeviceContractions::product(const MatrixProduct& product) {
  std::shared_ptr<MatrixExecution> execution;
  if (product.epilogue.fusible()) {
    execution = std::make_shared<MatrixExecution>(handles_, product);
  }
  Epilogue behind;
  if (execution == nullptr || !execution->try_algorithm(options_.deterministic)) {
    MatrixProduct bare = product;
    behind = std::exchange(bare.epilogue, {});
    execution = std::make_shared<MatrixExecution>(handles_, bare);
    execution->choose_algorithm(options_.deterministic);
  }
  const ChannelsLast result{
      .batch = product.rows, .channels = product.columns, .stride = product.columns};
  return {.kernel_name = execution->name(),
          .decision = "",
          .scratch_bytes = kMatrixWorkspaceBytes,
          .run = [execution, behind, dtype = product.dtype, result](const ContractionCall& call) {
            execution->run(call);
            launch_epilogue(behind, call.bias, call.y, dtype, result, call.stream);
          }};
}

}  // namespace dlbench::backend::cuda
