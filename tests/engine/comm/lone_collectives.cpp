// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/comm/lone_collectives.h"

#include "engine/core/host_tensor.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <string_view>

namespace dlbench::comm::testing {
namespace {

using core::DType;
using core::HostTensor;

constexpr std::int64_t kElements = 4099;  // a prime: no share divides it

/// Small whole numbers of both signs, which every dtype holds.
HostTensor numbers(DType dtype, int offset) {
  HostTensor tensor(dtype, {kElements});
  for (std::int64_t i = 0; i < kElements; ++i) {
    tensor.set(i, static_cast<double>((i * 7 + offset) % 201 - 100));
  }
  return tensor;
}

HostTensor read(backend::Stream& stream, const std::byte* device, DType dtype) {
  HostTensor tensor(dtype, {kElements});
  stream.copy_to_host(tensor.data(), device, tensor.bytes());
  stream.synchronize();
  return tensor;
}

bool same(const HostTensor& a, const HostTensor& b) {
  return std::memcmp(a.data(), b.data(), a.bytes()) == 0;
}

struct Collective {
  std::string_view name;
  std::function<void(const ReduceRequest&, backend::Stream&)> run;
};

std::vector<Collective> collectives(Communicator& communicator) {
  return {{"all_reduce",
           [&](const ReduceRequest& request, backend::Stream& stream) {
             communicator.all_reduce(request, stream);
           }},
          {"all_reduce of maxima",
           [&](ReduceRequest request, backend::Stream& stream) {
             request.op = ReduceOp::kMax;
             communicator.all_reduce(request, stream);
           }},
          {"reduce_scatter",
           [&](const ReduceRequest& request, backend::Stream& stream) {
             communicator.reduce_scatter(request, stream);
           }},
          {"all_gather",
           [&](const ReduceRequest& request, backend::Stream& stream) {
             communicator.all_gather(request.data, request.count, request.dtype, stream);
           }},
          {"broadcast", [&](const ReduceRequest& request, backend::Stream& stream) {
             communicator.broadcast(
                 request.data, request.count * core::size_of(request.dtype), 0, stream);
           }}};
}

}  // namespace

std::string changed_by_collectives(backend::Backend& backend, Communicator& communicator) {
  constexpr std::size_t kBytes = kElements * 8;
  const auto own = communicator.allocate(backend, kBytes);
  const auto foreign = backend.allocate(kBytes);
  const auto stream = backend.create_stream();
  for (backend::Buffer* buffer : {own.get(), foreign.get()}) {
    for (const DType dtype :
         {DType::kF32, DType::kF64, DType::kF16, DType::kBF16, DType::kI32, DType::kI64}) {
      const HostTensor wanted = numbers(dtype, 3);
      for (const Collective& collective : collectives(communicator)) {
        stream->copy_to_device(buffer->data(), wanted.data(), wanted.bytes());
        collective.run({.data = buffer->data(), .count = kElements, .dtype = dtype}, *stream);
        if (!same(read(*stream, buffer->data(), dtype), wanted)) {
          return fmt::format("{} in {}, in memory of the {}, changed the data",
                             collective.name,
                             core::name(dtype),
                             buffer == own.get() ? "communicator" : "backend");
        }
      }
    }
  }
  return "";
}

std::string changed_by_recorded_all_reduce(backend::Backend& backend, Communicator& communicator) {
  constexpr DType kDType = DType::kF32;
  constexpr std::size_t kBytes = kElements * sizeof(float);
  if (!communicator.capturable()) {
    return "the communicator's collectives cannot be captured";
  }
  const auto from = backend.allocate(kBytes);
  const auto data = communicator.allocate(backend, kBytes);
  const auto to = backend.allocate(kBytes);
  const auto stream = backend.create_stream();
  const ReduceRequest request{.data = data->data(), .count = kElements, .dtype = kDType};
  communicator.prepare(request);
  communicator.all_reduce(request, *stream);  // as in a step: first uses allocate
  stream->synchronize();
  if (!stream->begin_capture()) {
    return "the device cannot record";
  }
  stream->copy_on_device(data->data(), from->data(), kBytes);
  const Ticket ticket = communicator.start_all_reduce(request, *stream);
  communicator.wait(ticket, *stream);
  stream->copy_on_device(to->data(), data->data(), kBytes);
  const auto replay = stream->end_capture();
  if (replay == nullptr) {
    return "the device recorded nothing";
  }
  for (const int offset : {1, 20, 77}) {
    const HostTensor wanted = numbers(kDType, offset);
    stream->copy_to_device(from->data(), wanted.data(), wanted.bytes());
    replay->launch({});
    if (!same(read(*stream, to->data(), kDType), wanted)) {
      return fmt::format("a launch of the recorded all_reduce changed the data (offset {})",
                         offset);
    }
  }
  return "";
}

}  // namespace dlbench::comm::testing
