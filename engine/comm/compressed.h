// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// All-reduces of f32 that transfer half of the bytes.
#pragma once

#include "engine/comm/forwarding.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace dlbench::comm {

/// Rounds f32 gradients to bf16 or f16 before they are reduced and widens the sum afterwards, as
/// the fp16 and bf16 compression hooks of PyTorch's DistributedDataParallel do. Values that exceed
/// the range of f16 become infinite. Everything except f32 sums that need not be lossless passes
/// through unchanged. Both conversions run on the caller's stream: before the all-reduce starts,
/// and in wait(). Can be captured if the inner communicator can. Not thread safe.
class CompressedCommunicator final : public ForwardingCommunicator {
 public:
  /// `wire`: kBF16 or kF16. `backend` provides the memory for compressed buckets.
  CompressedCommunicator(std::unique_ptr<Communicator> inner,
                         core::DType wire,
                         backend::Backend& backend);

  /// Allocates the memory for the compressed bucket.
  void prepare(const ReduceRequest& request) override;
  [[nodiscard]] Ticket start_all_reduce(const ReduceRequest& request,
                                        backend::Stream& stream) override;
  void wait(Ticket ticket, backend::Stream& stream) override;

  /// take_relative_error() returns the relative rounding error of this rank's gradients since the
  /// last call, sqrt(sum (x - rounded x)^2 / sum x^2) over all elements; 0 if nothing was sent. It
  /// covers all-reduces started (not replayed) between measure_error(true) and
  /// measure_error(false): measuring copies to the host and waits for the stream.
  void measure_error(bool on);
  [[nodiscard]] double take_relative_error();

 private:
  /// A started all-reduce, of a compressed copy or (wire == nullptr) of the original.
  struct Flight {
    ReduceRequest request;
    backend::Buffer* wire = nullptr;
    Ticket inner = 0;
  };

  [[nodiscard]] static bool compresses(const ReduceRequest& request);
  [[nodiscard]] backend::Buffer& wire_for(const ReduceRequest& request);
  void measure(const ReduceRequest& request, backend::Buffer& wire, backend::Stream& stream);

  core::DType wire_;
  backend::Backend& backend_;
  /// By the bucket's address and number of elements, since buckets recur in every step. Never
  /// freed, because steps in flight and captured ones use it.
  std::map<std::pair<const std::byte*, std::size_t>, std::unique_ptr<backend::Buffer>> wires_;
  std::vector<Flight> flights_;  ///< by ticket; emptied when none is in flight any more
  std::size_t landed_ = 0;
  bool measures_error_ = false;
  double error_squares_ = 0.0;
  double squares_ = 0.0;
};

}  // namespace dlbench::comm
