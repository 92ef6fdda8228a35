// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Where plans of cuDNN are run before a step does, and what they compute is checked: a stream, and
// memory for one problem at a time.
#pragma once

#include "engine/backend/cuda/conv_check.h"
#include "engine/backend/cuda/conv_problem.h"
#include "engine/backend/cuda/libraries/conv_execution.h"
#include "engine/backend/cuda/libraries/cuda_memory.h"
#include "engine/backend/cuda/libraries/cuda_stream.h"
#include "engine/backend/cuda/libraries/library_handles.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace dlbench::backend::cuda {

/// Its memory is no part of what a run was predicted to need: it grows to the largest operands of
/// all problems, or is given back for one that does not find room beside those of others; and with
/// the bench, before the step's own is taken. Not for use by several threads.
class ConvBench {
 public:
  explicit ConvBench(LibraryHandles& handles);
  ~ConvBench();
  ConvBench(const ConvBench&) = delete;
  ConvBench& operator=(const ConvBench&) = delete;

  /// Makes room for the operands of `problem`, filled with random values, and for `workspace`
  /// bytes; and computes the samples that its plans are checked with: all but the room once for
  /// calls with one problem in succession. False where the device has no
  /// room for them: then nothing may be run.
  [[nodiscard]] bool reserve(const ConvProblem& problem, std::size_t workspace);
  /// Seconds on the device's clock of `runs` runs back to back, after one that is not timed. The
  /// first time it first keeps the device busy until its clock has risen. Throws core::Error if the
  /// plan does not run.
  [[nodiscard]] double seconds(ConvExecution& execution, int runs);
  /// Runs a plan of the reserved problem once, over a result of NaN: what is wrong with what it
  /// computes, or empty. Throws core::Error if the plan does not run.
  [[nodiscard]] std::string check(ConvExecution& execution, const ConvRounding& rounding);

 private:
  [[nodiscard]] bool grow_for(const ConvProblem& problem, std::size_t workspace);
  void give_back();
  void warm_up(ConvExecution& execution);
  void fill();
  void compute_samples();
  [[nodiscard]] ContractionCall call();
  /// The operand that the reserved problem's direction computes.
  [[nodiscard]] CudaBuffer& result();

  LibraryHandles& handles_;
  std::unique_ptr<CudaBuffer> x_;
  std::unique_ptr<CudaBuffer> w_;
  std::unique_ptr<CudaBuffer> y_;
  std::unique_ptr<CudaBuffer> bias_;
  std::unique_ptr<CudaBuffer> scratch_;
  std::unique_ptr<CudaBuffer> samples_;  ///< two f64 for each
  ConvProblem problem_;
  std::vector<Index> offsets_;
  std::vector<double> sums_;  ///< as wrong_results() has them
  CudaStream stream_;
  std::unique_ptr<Stream::Event> begin_;
  std::unique_ptr<Stream::Event> end_;
  bool filled_ = false;  ///< the operands and sums are those of `problem_`
  bool warm_ = false;
};

}  // namespace dlbench::backend::cuda
