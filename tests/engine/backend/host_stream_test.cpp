// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/host_stream.h"

#include "engine/core/check.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
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
