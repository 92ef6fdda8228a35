// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/libraries/conv_bench.h"

#include "engine/backend/cuda/libraries/cuda_call.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

namespace dlbench::backend::cuda {
namespace {

constexpr std::size_t kSampleBytes = std::size_t{2} * kMaxConvSamples * sizeof(double);

std::int64_t elements_of(const std::vector<std::int64_t>& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

std::size_t bytes_of(const std::vector<std::int64_t>& extents, core::DType dtype) {
  return static_cast<std::size_t>(elements_of(extents)) * core::size_of(dtype);
}

/// Grows a buffer to at least `bytes`, losing its contents; returns false if there is no room.
bool grow(std::unique_ptr<CudaBuffer>& buffer, std::size_t bytes) {
  if (buffer == nullptr || buffer->bytes() < bytes) {
    buffer.reset();  // first, since there may be no room for both
    buffer = CudaBuffer::if_room(bytes);
  }
  return buffer != nullptr;
}

}  // namespace

ConvBench::ConvBench(LibraryHandles& handles)
    : handles_(handles), begin_(stream_.create_event()), end_(stream_.create_event()) {}

ConvBench::~ConvBench() { handles_.forget_stream(); }

bool ConvBench::grow_for(const ConvProblem& problem, std::size_t workspace) {
  return grow(x_, bytes_of(problem.x, problem.dtype)) &&
         grow(w_, bytes_of(problem.w, problem.dtype)) &&
         grow(y_, bytes_of(problem.y, problem.dtype)) &&
         grow(bias_, bytes_of({problem.y[1]}, problem.dtype)) && grow(scratch_, workspace) &&
         grow(samples_, kSampleBytes);
}

void ConvBench::give_back() {
  for (auto* const buffer : {&x_, &w_, &y_, &bias_, &scratch_, &samples_}) {
    buffer->reset();
  }
}

bool ConvBench::reserve(const ConvProblem& problem, std::size_t workspace) {
  // For the same problem only the workspace can grow.
  if (filled_ && problem.text() == problem_.text() && grow(scratch_, workspace)) {
    return true;
  }
  filled_ = false;
  if (!grow_for(problem, workspace)) {
    give_back();  // memory that larger problems left
    if (!grow_for(problem, workspace)) {
      give_back();
      return false;
    }
  }
  problem_ = problem;
  fill();
  compute_samples();
  filled_ = true;
  return true;
}

// Random like real data: zeros and constants hide what is added twice or read from a wrong place,
// and let the device run cooler and faster. Padding lanes are not zero here: plans do not know
// them.
void ConvBench::fill() {
  const auto random = [&](CudaBuffer& to, std::int64_t elements, ConvOperand operand) {
    launch_random_values({.y = to.data(),
                          .dtype = problem_.dtype,
                          .elements = elements,
                          .seed = static_cast<std::uint32_t>(operand)},
                         stream_.handle());
  };
  random(*x_, elements_of(problem_.x), ConvOperand::kX);
  random(*w_, elements_of(problem_.w), ConvOperand::kW);
  random(*y_, elements_of(problem_.y), ConvOperand::kY);
  random(*bias_, problem_.y[1], ConvOperand::kBias);
}

void ConvBench::compute_samples() {
  offsets_ = conv_samples(problem_);
  sums_.assign(2 * offsets_.size(), 0.0);
  ConvSamplesArgs args = conv_samples_args(problem_, offsets_);
  args.x = x_->data();
  args.w = w_->data();
  args.y = y_->data();
  args.sums = reinterpret_cast<double*>(samples_->data());
  launch_conv_samples(args, stream_.handle());
  stream_.copy_to_host(
      reinterpret_cast<std::byte*>(sums_.data()), samples_->data(), sums_.size() * sizeof(double));
  stream_.synchronize();
}

CudaBuffer& ConvBench::result() {
  switch (problem_.direction) {
    case ConvDirection::kForward:
      return *y_;
    case ConvDirection::kBackwardData:
      return *x_;
    default:
      return *w_;
  }
}

ContractionCall ConvBench::call() {
  return {.x = x_->data(),
          .w = w_->data(),
          .y = y_->data(),
          .bias = bias_->data(),
          .scratch = scratch_->data(),
          .stream = stream_.handle()};
}

// An idle chip takes tens of milliseconds of work to reach the clock frequency that it holds during
// training; the candidate that is timed first would look slow. The first run loads kernels, during
// which the chip may idle.
void ConvBench::warm_up(ConvExecution& execution) {
  constexpr auto kLong = std::chrono::milliseconds(100);
  constexpr int kAtOnce = 4;
  execution.run(call());
  stream_.synchronize();
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < kLong) {
    for (int run = 0; run < kAtOnce; ++run) {
      execution.run(call());
    }
    stream_.synchronize();
  }
  warm_ = true;
}

// The untimed run keeps the device busy while the host enqueues the timed ones: on an idle stream
// the host's time for the first of them would be included. If the host is slower than the device
// for every run, the host's time is still what is measured.
double ConvBench::seconds(ConvExecution& execution, int runs) {
  if (!warm_) {
    warm_up(execution);
  }
  execution.run(call());
  stream_.record(*begin_);
  for (int run = 0; run < runs; ++run) {
    execution.run(call());
  }
  stream_.record(*end_);
  end_->wait();
  return end_->seconds_since(*begin_);
}

// NaN shows what a plan does not write.
std::string ConvBench::check(ConvExecution& execution, const ConvRounding& rounding) {
  constexpr int kNanByte = 0xFF;
  DLBENCH_CUDA(cudaMemsetAsync(result().data(),
                               kNanByte,
                               bytes_of(result_extents(problem_), problem_.dtype),
                               stream_.handle()));
  execution.run(call());
  launch_gather({.x = result().data(),
                 .dtype = problem_.dtype,
                 .offsets = offsets_,
                 .y = reinterpret_cast<double*>(samples_->data())},
                stream_.handle());
  std::vector<double> results(offsets_.size());
  stream_.copy_to_host(reinterpret_cast<std::byte*>(results.data()),
                       samples_->data(),
                       results.size() * sizeof(double));
  stream_.synchronize();
  return wrong_results(problem_, rounding, offsets_, sums_, results);
}

}  // namespace dlbench::backend::cuda
