// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/device_contractions.h"

#include "engine/backend/cuda/conv_execution.h"
#include "engine/backend/cuda/cuda_call.h"
#include "engine/backend/cuda/cuda_memory.h"
#include "engine/backend/cuda/cuda_stream.h"
#include "engine/backend/cuda/matrix_execution.h"
#include "engine/core/error.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::backend::cuda {
namespace {

/// Plans beyond the first few of cuDNN's order are hardly ever the fastest.
constexpr std::size_t kCandidates = 8;
/// One gibibyte: more would be taken from the batch.
constexpr std::int64_t kWorkspaceLimit = std::int64_t{1} << 30;
/// 0x3c3c3c3c is 0.0115 as f32 and as two bf16, 1.06 as two f16: zeros would let the device run
/// cooler and faster than data does.
constexpr int kFillByte = 0x3c;

std::size_t bytes_of(const std::vector<std::int64_t>& extents, core::DType dtype) {
  return static_cast<std::size_t>(std::accumulate(
             extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>())) *
         core::size_of(dtype);
}

/// Median over a few runs, in seconds on the device's clock.
double seconds_of(ConvExecution& execution, const ContractionCall& call, CudaStream& stream) {
  constexpr int kWarmUp = 2;
  constexpr std::size_t kRuns = 5;
  for (int i = 0; i < kWarmUp; ++i) {
    execution.run(call);
  }
  std::array<double, kRuns> seconds{};
  const auto begin = stream.create_event();
  const auto end = stream.create_event();
  for (double& value : seconds) {
    stream.record(*begin);
    execution.run(call);
    stream.record(*end);
    end->wait();
    value = end->seconds_since(*begin);
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[kRuns / 2];
}

}  // namespace

DeviceContractions::DeviceContractions(LibraryHandles& handles,
                                       const CudnnDescriptor& device,
                                       const LoweringOptions& options,
                                       Choices& choices)
    : handles_(handles), device_(device), options_(options), choices_(choices) {}

std::size_t DeviceContractions::fastest(const ConvProblem& problem, const Executions& executions) {
  std::size_t workspace = 0;
  for (const auto& execution : executions) {
    workspace = std::max(workspace, execution->workspace_bytes());
  }
  CudaBuffer x(bytes_of(problem.x, problem.dtype));
  CudaBuffer w(bytes_of(problem.w, problem.dtype));
  CudaBuffer y(bytes_of(problem.y, problem.dtype));
  CudaBuffer scratch(workspace);
  for (CudaBuffer* buffer : {&x, &w, &y}) {
    DLBENCH_CUDA(cudaMemset(buffer->data(), kFillByte, buffer->bytes()));
  }
  DLBENCH_CUDA(cudaDeviceSynchronize());
  CudaStream stream;
  const ContractionCall call{x.data(), w.data(), y.data(), scratch.data(), stream.handle()};
  std::optional<std::size_t> best;
  double best_seconds = 0.0;
  std::string why;
  for (std::size_t i = 0; i < executions.size(); ++i) {
    try {
      const double seconds = seconds_of(*executions[i], call, stream);
      if (!best.has_value() || seconds < best_seconds) {
        best = i;
        best_seconds = seconds;
      }
    } catch (const core::Error& failure) {
      // cuDNN finalised a plan and refuses to run it: the others may do. Not if the device failed.
      if (cudaDeviceSynchronize() != cudaSuccess) {
        throw;
      }
      why = failure.what();
    }
  }
  if (!best.has_value()) {
    throw core::Error(core::ErrorCode::kLibrary,
                      "none of cuDNN's plans for " + problem.text() + " runs: " + why);
  }
  return *best;
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
                                        device_,
                                        kCandidates)) {
    names.push_back(plan.name);
    executions.push_back(std::make_shared<ConvExecution>(handles_, std::move(plan)));
  }
  const TuningKey key{
      decision, problem.text() + (options_.allow_tf32 ? " tf32" : "") + (direct ? " direct" : "")};
  const std::size_t index =
      choices_.choose(key, names, names.front(), [&] { return fastest(problem, executions); });
  return {.kernel_name = "cudnn:" + names[index],
          .decision = names[index],
          .scratch_bytes = executions[index]->workspace_bytes(),
          .run = [execution = executions[index]](const ContractionCall& call) {
            execution->run(call);
          }};
}

Contraction DeviceContractions::product(const MatrixProduct& product) {
  const auto execution = std::make_shared<MatrixExecution>(handles_, product);
  execution->choose_algorithm();
  return {.kernel_name = execution->name(),
          .decision = "",
          .scratch_bytes = kMatrixWorkspaceBytes,
          .run = [execution](const ContractionCall& call) { execution->run(call); }};
}

}  // namespace dlbench::backend::cuda
