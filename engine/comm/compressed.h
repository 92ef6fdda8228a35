// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// All-reduces of f32 with half of the bytes on the wire.
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
/// the range of f16 become infinite. Everything but f32 sums passes through, and so does what must
/// be lossless. Both conversions run on the caller's stream: before the all-reduce starts, and in
/// wait(). All of it can be recorded if the inner communicator's part can. Not thread safe.
class CompressedCommunicator final : public ForwardingCommunicator {
 public:
  /// `wire`: kBF16 or kF16. `backend` gives the memory for compressed buckets.
  CompressedCommunicator(std::unique_ptr<Communicator> inner,
                         core::DType wire,
                         backend::Backend& backend);

  /// Makes the memory for the compressed bucket.
  void prepare(const ReduceRequest& request) override;
  [[nodiscard]] Ticket start_all_reduce(const ReduceRequest& request,
                                        backend::Stream& stream) override;
  void wait(Ticket ticket, backend::Stream& stream) override;

  /// Relative error that rounding brought into this rank's gradients since the last call:
  /// sqrt(sum (x - rounded x)^2 / sum x^2) over all elements. 0 if nothing was sent. Measured only
  /// between measure_error(true) and measure_error(false), and of what is started there, not of
  /// what is replayed: it costs a copy to the host and waits for the stream.
  void measure_error(bool on);
  [[nodiscard]] double take_relative_error();

 private:
  /// One all-reduce that was started: of a compressed copy, or as it is.
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
  /// By the bucket's address and elements: it comes back at every step. Kept to the end, for steps
  /// in flight and recorded ones use it.
  std::map<std::pair<const std::byte*, std::size_t>, std::unique_ptr<backend::Buffer>> wires_;
  std::vector<Flight> flights_;  ///< by ticket; emptied when none is left in the air
  std::size_t landed_ = 0;
  bool measures_error_ = false;
  double error_squares_ = 0.0;
  double squares_ = 0.0;
};

}  // namespace dlbench::comm
