// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/host_stream.h"

#include "engine/core/check.h"
#include "engine/core/dtype.h"

#include <cstdint>
#include <cstring>

namespace dlbench::backend {
namespace {

using Clock = std::chrono::steady_clock;

class HostEvent final : public Stream::Event {
 public:
  void wait() override { DLBENCH_CHECK(recorded_) << "waiting for an event never recorded"; }
  [[nodiscard]] bool done() override { return recorded_; }
  [[nodiscard]] double seconds_since(const Event& earlier) const override {
    const auto& other = dynamic_cast<const HostEvent&>(earlier);
    DLBENCH_CHECK(recorded_ && other.recorded_) << "time of an event never recorded";
    return std::chrono::duration<double>(time_ - other.time_).count();
  }
  void record_now() {
    time_ = Clock::now();
    recorded_ = true;
  }

 private:
  Clock::time_point time_;
  bool recorded_ = false;
};

void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes > 0 && to != from) {
    std::memcpy(to, from, bytes);
  }
}

// One loop for each pair of types: a branch inside would prevent vectorisation.
template <typename From, typename To, typename Convert>
void convert_each(const Conversion& conversion, Convert convert) {
  const auto* from = reinterpret_cast<const From*>(conversion.from);
  auto* to = reinterpret_cast<To*>(conversion.to);
  const auto count = static_cast<std::int64_t>(conversion.count);
#pragma omp parallel for simd schedule(static)
  for (std::int64_t i = 0; i < count; ++i) {
    to[i] = convert(from[i]);
  }
}

}  // namespace

std::unique_ptr<Stream::Event> HostStream::create_event() { return std::make_unique<HostEvent>(); }

void HostStream::record(Event& event) { dynamic_cast<HostEvent&>(event).record_now(); }

void HostStream::wait_for(Event& event) { event.wait(); }

void HostStream::copy_to_device(std::byte* device, const std::byte* host, std::size_t bytes) {
  copy_bytes(device, host, bytes);
}

void HostStream::copy_to_host(std::byte* host, const std::byte* device, std::size_t bytes) {
  copy_bytes(host, device, bytes);
}

void HostStream::copy_on_device(std::byte* to, const std::byte* from, std::size_t bytes) {
  copy_bytes(to, from, bytes);
}

void HostStream::fill_zero(std::byte* device, std::size_t bytes) {
  if (bytes > 0) {
    std::memset(device, 0, bytes);
  }
}

void HostStream::convert(const Conversion& conversion) {
  using core::DType;
  const bool narrows = conversion.from_dtype == DType::kF32;
  const DType narrow = narrows ? conversion.to_dtype : conversion.from_dtype;
  DLBENCH_CHECK((narrows || conversion.to_dtype == DType::kF32) &&
                (narrow == DType::kF16 || narrow == DType::kBF16))
      << core::name(conversion.from_dtype) << " to " << core::name(conversion.to_dtype);
  const bool brain = narrow == DType::kBF16;
  if (narrows && brain) {
    convert_each<float, std::uint16_t>(conversion, [](float x) { return core::f32_to_bf16(x); });
  } else if (narrows) {
    convert_each<float, std::uint16_t>(conversion, [](float x) { return core::f32_to_f16(x); });
  } else if (brain) {
    convert_each<std::uint16_t, float>(conversion,
                                       [](std::uint16_t x) { return core::bf16_to_f32(x); });
  } else {
    convert_each<std::uint16_t, float>(conversion,
                                       [](std::uint16_t x) { return core::f16_to_f32(x); });
  }
}

}  // namespace dlbench::backend
