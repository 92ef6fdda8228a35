// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/host_stream.h"

#include "engine/core/check.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <thread>

namespace dlbench::backend {
namespace {

TEST(HostStream, CopiesAndClearsAtOnce) {
  HostStream stream;
  const std::array<std::byte, 4> source{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  std::array<std::byte, 4> device{};
  std::array<std::byte, 4> back{};
  stream.copy_to_device(device.data(), source.data(), source.size());
  stream.copy_to_host(back.data(), device.data(), device.size());
  EXPECT_EQ(back, source);
  stream.fill_zero(device.data(), device.size());
  EXPECT_EQ(device, (std::array<std::byte, 4>{}));
}

TEST(HostStream, ConvertsToHalfTheBitsAndBack) {
  using core::DType;
  HostStream stream;
  // The nearest, ties to even; an overflow of f16; what both hold exactly.
  const std::array<float, 5> values{1.0F, 1.0F + 0x1p-8F, 1.0F + 0x3p-8F, -70000.0F, 0.0F};
  std::array<std::uint16_t, 5> bits{};
  std::array<float, 5> back{};
  const auto round_trip = [&](DType narrow) {
    stream.convert({.from = reinterpret_cast<const std::byte*>(values.data()),
                    .to = reinterpret_cast<std::byte*>(bits.data()),
                    .to_dtype = narrow,
                    .count = values.size()});
    stream.convert({.from = reinterpret_cast<const std::byte*>(bits.data()),
                    .from_dtype = narrow,
                    .to = reinterpret_cast<std::byte*>(back.data()),
                    .count = values.size()});
    return back;
  };
  EXPECT_EQ(round_trip(DType::kBF16),
            (std::array<float, 5>{1.0F, 1.0F, 1.0F + 0x4p-8F, -70144.0F, 0.0F}));
  EXPECT_EQ(
      round_trip(DType::kF16),
      (std::array<float, 5>{
          1.0F, 1.0F + 0x1p-8F, 1.0F + 0x3p-8F, -std::numeric_limits<float>::infinity(), 0.0F}));
  EXPECT_THROW(stream.convert({}), core::CheckFailure) << "f32 to f32";
}

TEST(HostStream, EventsReadTheSteadyClock) {
  HostStream stream;
  const auto first = stream.create_event();
  const auto second = stream.create_event();
  EXPECT_FALSE(first->done());
  stream.record(*first);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  stream.record(*second);
  EXPECT_TRUE(second->done());
  second->wait();
  EXPECT_GE(second->seconds_since(*first), 0.002);
}

TEST(HostStream, RefusesAnEventNeverRecorded) {
  HostStream stream;
  const auto event = stream.create_event();
  EXPECT_THROW(stream.wait_for(*event), core::CheckFailure);
  const auto other = stream.create_event();
  stream.record(*other);
  EXPECT_THROW((void)other->seconds_since(*event), core::CheckFailure);
}

TEST(HostStream, CannotBeCaptured) {
  HostStream stream;
  EXPECT_FALSE(stream.begin_capture());
  EXPECT_EQ(stream.end_capture(), nullptr);
}

}  // namespace
}  // namespace dlbench::backend
