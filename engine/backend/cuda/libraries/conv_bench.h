// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs plans of cuDNN outside of steps, to time them and to check what they compute: a stream, and
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

/// Its memory is not included in the prediction of what a run needs. It grows to the largest
/// operands of all problems, and is freed if a problem does not fit next to what others left, and
/// with the bench, before the step's own memory is allocated. Not thread safe.
class ConvBench {
 public:
  explicit ConvBench(LibraryHandles& handles);
  ~ConvBench();
  ConvBench(const ConvBench&) = delete;
  ConvBench& operator=(const ConvBench&) = delete;

  /// Allocates the operands of `problem` and `workspace` bytes, fills the operands with random
  /// values and computes the samples against which its plans are checked (the latter two once for
  /// successive calls with the same problem). Returns false if the device has no room: then nothing
  /// may be run.
  [[nodiscard]] bool reserve(const ConvProblem& problem, std::size_t workspace);
  /// Returns the seconds on the device's clock of `runs` runs back to back, after an untimed run.
  /// The first call keeps the device busy until its clock frequency has risen. Throws core::Error
  /// if the plan does not run.
  [[nodiscard]] double seconds(ConvExecution& execution, int runs);
  /// Runs a plan of the reserved problem once, over a result filled with NaN; returns what is wrong
  /// with what it computes, empty if nothing. Throws core::Error if the plan does not run.
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
  std::unique_ptr<CudaBuffer> samples_;  ///< two f64 per sample
  ConvProblem problem_;
  std::vector<Index> offsets_;
  std::vector<double> sums_;  ///< the argument of wrong_results()
  CudaStream stream_;
  std::unique_ptr<Stream::Event> begin_;
  std::unique_ptr<Stream::Event> end_;
  bool filled_ = false;  ///< the operands and sums are those of `problem_`
  bool warm_ = false;
};

}  // namespace dlbench::backend::cuda
