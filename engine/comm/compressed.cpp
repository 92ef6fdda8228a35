// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/compressed.h"

#include "engine/core/check.h"

#include <cmath>
#include <utility>

namespace dlbench::comm {
CompressedCommunicator::CompressedCommunicator(std::unique_ptr<Communicator> inner,
                                               core::DType wire,
                                               backend::Backend& backend)
    : ForwardingCommunicator(std::move(inner)), wire_(wire), backend_(backend) {
  DLBENCH_CHECK(wire == core::DType::kBF16 || wire == core::DType::kF16) << core::name(wire);
}

bool CompressedCommunicator::compresses(const ReduceRequest& request) {
  return request.dtype == core::DType::kF32 && request.op == ReduceOp::kSum && !request.lossless;
}

backend::Buffer& CompressedCommunicator::wire_for(const ReduceRequest& request) {
  std::unique_ptr<backend::Buffer>& wire = wires_[{request.data, request.count}];
  if (wire == nullptr) {
    wire = inner().allocate(backend_, request.count * sizeof(std::uint16_t));
  }
  return *wire;
}

void CompressedCommunicator::prepare(const ReduceRequest& request) {
  if (compresses(request)) {
    static_cast<void>(wire_for(request));
  }
  inner().prepare(request);
}

void CompressedCommunicator::measure(const ReduceRequest& request,
                                     backend::Buffer& wire,
                                     backend::Stream& stream) {
  std::vector<float> values(request.count);
  std::vector<std::uint16_t> rounded(request.count);
  stream.copy_to_host(
      reinterpret_cast<std::byte*>(values.data()), request.data, request.count * sizeof(float));
  stream.copy_to_host(reinterpret_cast<std::byte*>(rounded.data()),
                      wire.data(),
                      request.count * sizeof(std::uint16_t));
  stream.synchronize();
  for (std::size_t i = 0; i < request.count; ++i) {
    const double value = values[i];
    const double error = value - (wire_ == core::DType::kBF16 ? core::bf16_to_f32(rounded[i])
                                                              : core::f16_to_f32(rounded[i]));
    error_squares_ += error * error;
    squares_ += value * value;
  }
}

Ticket CompressedCommunicator::start_all_reduce(const ReduceRequest& request,
                                                backend::Stream& stream) {
  Flight flight{.request = request};
  ReduceRequest sent = request;
  if (compresses(request)) {
    flight.wire = &wire_for(request);
    sent.data = flight.wire->data();
    sent.dtype = wire_;
    stream.convert(
        {.from = request.data, .to = sent.data, .to_dtype = wire_, .count = request.count});
    if (measures_error_) {
      measure(request, *flight.wire, stream);
    }
  }
  flight.inner = inner().start_all_reduce(sent, stream);
  flights_.push_back(flight);
  return static_cast<Ticket>(flights_.size()) - 1;
}

void CompressedCommunicator::wait(Ticket ticket, backend::Stream& stream) {
  const Flight& flight = flights_.at(static_cast<std::size_t>(ticket));
  inner().wait(flight.inner, stream);
  if (flight.wire != nullptr) {
    stream.convert({.from = flight.wire->data(),
                    .from_dtype = wire_,
                    .to = flight.request.data,
                    .count = flight.request.count});
  }
  ++landed_;
  if (landed_ == flights_.size()) {
    flights_.clear();
    landed_ = 0;
  }
}

void CompressedCommunicator::measure_error(bool on) { measures_error_ = on; }

double CompressedCommunicator::take_relative_error() {
  const double squares = std::exchange(squares_, 0.0);
  const double errors = std::exchange(error_squares_, 0.0);
  return squares > 0.0 ? std::sqrt(errors / squares) : 0.0;
}

}  // namespace dlbench::comm
