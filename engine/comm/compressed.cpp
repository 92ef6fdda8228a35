// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/compressed.h"

#include "engine/core/check.h"

#include <cmath>
#include <utility>

namespace dlbench::comm {
namespace {

std::uint16_t narrow(core::DType wire, float value) {
  return wire == core::DType::kBF16 ? core::f32_to_bf16(value) : core::f32_to_f16(value);
}

float widened(core::DType wire, std::uint16_t bits) {
  return wire == core::DType::kBF16 ? core::bf16_to_f32(bits) : core::f16_to_f32(bits);
}

}  // namespace

CompressedCommunicator::CompressedCommunicator(std::unique_ptr<Communicator> inner,
                                               core::DType wire,
                                               backend::Backend& backend)
    : ForwardingCommunicator(std::move(inner)), wire_(wire), backend_(backend) {
  DLBENCH_CHECK(wire == core::DType::kBF16 || wire == core::DType::kF16) << core::name(wire);
  DLBENCH_CHECK(backend.reads_host_memory()) << "compression works on host memory";
}

void CompressedCommunicator::compress(const ReduceRequest& request, std::uint16_t* wire) {
  const auto* values = reinterpret_cast<const float*>(request.data);
  const auto count = static_cast<std::int64_t>(request.count);
#pragma omp parallel for simd schedule(static)
  for (std::int64_t i = 0; i < count; ++i) {
    wire[i] = narrow(wire_, values[i]);
  }
  if (!measures_error_) {
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const double value = values[i];
    const double error = value - widened(wire_, wire[i]);
    error_squares_ += error * error;
    squares_ += value * value;
  }
}

void CompressedCommunicator::widen(const ReduceRequest& request, const std::uint16_t* wire) const {
  auto* values = reinterpret_cast<float*>(request.data);
  const auto count = static_cast<std::int64_t>(request.count);
#pragma omp parallel for simd schedule(static)
  for (std::int64_t i = 0; i < count; ++i) {
    values[i] = widened(wire_, wire[i]);
  }
}

Ticket CompressedCommunicator::start_all_reduce(const ReduceRequest& request,
                                                backend::Stream& stream) {
  Flight flight{.request = request};
  ReduceRequest sent = request;
  if (request.dtype == core::DType::kF32 && request.op == ReduceOp::kSum && !request.lossless) {
    std::unique_ptr<backend::Buffer>& wire = wires_[request.data];
    const std::size_t bytes = request.count * sizeof(std::uint16_t);
    if (wire == nullptr || wire->bytes() < bytes) {
      wire = inner().allocate(backend_, bytes);
    }
    compress(request, reinterpret_cast<std::uint16_t*>(wire->data()));
    sent.data = wire->data();
    sent.dtype = wire_;
    flight.wire = wire.get();
  }
  flight.inner = inner().start_all_reduce(sent, stream);
  flights_.push_back(flight);
  return static_cast<Ticket>(flights_.size()) - 1;
}

void CompressedCommunicator::wait(Ticket ticket, backend::Stream& stream) {
  const Flight& flight = flights_.at(static_cast<std::size_t>(ticket));
  inner().wait(flight.inner, stream);
  if (flight.wire != nullptr) {
    widen(flight.request, reinterpret_cast<const std::uint16_t*>(flight.wire->data()));
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
