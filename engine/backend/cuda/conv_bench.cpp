// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/conv_bench.h"

#include "engine/backend/cuda/cuda_call.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

namespace dlbench::backend::cuda {
namespace {

/// 0x3c3c3c3c is 0.0115 as f32 and as two bf16, 1.06 as two f16: zeros would let the device run
/// cooler and faster than data does.
constexpr int kFillByte = 0x3c;

std::size_t bytes_of(const std::vector<std::int64_t>& extents, core::DType dtype) {
  return static_cast<std::size_t>(std::accumulate(
             extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>())) *
         core::size_of(dtype);
}

/// At least `bytes`, where there is room.
bool grow(std::unique_ptr<CudaBuffer>& buffer, std::size_t bytes) {
  if (buffer == nullptr || buffer->bytes() < bytes) {
    buffer.reset();  // first, for there may be no room for both
    buffer = CudaBuffer::if_room(bytes);
  }
  return buffer != nullptr;
}

}  // namespace

ConvBench::ConvBench(LibraryHandles& handles)
    : handles_(handles), begin_(stream_.create_event()), end_(stream_.create_event()) {}

ConvBench::~ConvBench() { handles_.forget_stream(); }

bool ConvBench::reserve(const ConvProblem& problem, std::size_t workspace) {
  if (!grow(x_, bytes_of(problem.x, problem.dtype)) ||
      !grow(w_, bytes_of(problem.w, problem.dtype)) ||
      !grow(y_, bytes_of(problem.y, problem.dtype)) ||
      !grow(bias_, bytes_of({problem.y[1]}, problem.dtype)) || !grow(scratch_, workspace)) {
    return false;
  }
  for (CudaBuffer* buffer : {x_.get(), w_.get(), y_.get(), bias_.get()}) {
    DLBENCH_CUDA(cudaMemset(buffer->data(), kFillByte, buffer->bytes()));
  }
  DLBENCH_CUDA(cudaDeviceSynchronize());
  return true;
}

ContractionCall ConvBench::call() {
  return {.x = x_->data(),
          .w = w_->data(),
          .y = y_->data(),
          .bias = bias_->data(),
          .scratch = scratch_->data(),
          .stream = stream_.handle()};
}

// A chip that was idle takes tens of milliseconds of work to reach the clock that it holds in a
// training; the candidate that is timed first would look slow. The first run loads kernels, during
// which the chip may idle.
void ConvBench::warm_up(ConvExecution& execution) {
  constexpr auto kLong = std::chrono::milliseconds(100);
  constexpr int kAtOnce = 4;
  run_once(execution);
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < kLong) {
    for (int run = 0; run < kAtOnce; ++run) {
      execution.run(call());
    }
    stream_.synchronize();
  }
  warm_ = true;
}

// The untimed run keeps the device busy while the host enqueues those that are timed: on an idle
// stream the host's time for the first of them would be inside. Where the host is slower than the
// device with every run, its time still is what is measured.
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

void ConvBench::run_once(ConvExecution& execution) {
  execution.run(call());
  stream_.synchronize();
}

}  // namespace dlbench::backend::cuda
