// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// All-reduces of f32 with half of the bytes on the wire.
#pragma once

#include "engine/comm/forwarding.h"

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace dlbench::comm {

/// Rounds f32 gradients to bf16 or f16 before they are reduced and widens the sum afterwards, as
/// the fp16 and bf16 compression hooks of PyTorch's DistributedDataParallel do. Values that exceed
/// the range of f16 become infinite. Everything but f32 sums passes through, and so does what must
/// be lossless. Host memory only.
class CompressedCommunicator final : public ForwardingCommunicator {
 public:
  /// `wire`: kBF16 or kF16. `backend` gives the memory for compressed buckets.
  CompressedCommunicator(std::unique_ptr<Communicator> inner,
                         core::DType wire,
                         backend::Backend& backend);

  [[nodiscard]] Ticket start_all_reduce(const ReduceRequest& request,
                                        backend::Stream& stream) override;
  void wait(Ticket ticket, backend::Stream& stream) override;

  /// Relative error that rounding brought into this rank's gradients since the last call:
  /// sqrt(sum (x - rounded x)^2 / sum x^2) over all elements. 0 if nothing was sent. Measured only
  /// between measure_error(true) and measure_error(false): it costs a pass over the data.
  void measure_error(bool on);
  [[nodiscard]] double take_relative_error();

 private:
  /// One all-reduce that was started: of a compressed copy, or as it is.
  struct Flight {
    ReduceRequest request;
    backend::Buffer* wire = nullptr;
    Ticket inner = 0;
  };

  void compress(const ReduceRequest& request, std::uint16_t* wire);
  void widen(const ReduceRequest& request, const std::uint16_t* wire) const;

  core::DType wire_;
  backend::Backend& backend_;
  /// By the bucket's address: it comes back at every step, so its memory is kept.
  std::map<const std::byte*, std::unique_ptr<backend::Buffer>> wires_;
  std::vector<Flight> flights_;  ///< by ticket; emptied when none is left in the air
  std::size_t landed_ = 0;
  bool measures_error_ = false;
  double error_squares_ = 0.0;
  double squares_ = 0.0;
};

}  // namespace dlbench::comm
