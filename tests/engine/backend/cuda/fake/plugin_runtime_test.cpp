// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The plug-in's memory, streams and events on a fake device: what a training alone would not
// show.
#include "engine/backend/cuda/libraries/cuda_memory.h"
#include "engine/backend/cuda/libraries/cuda_stream.h"
#include "engine/core/clock.h"
#include "engine/core/error.h"
#include "tests/engine/backend/cuda/fake/device.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>

namespace dlbench::backend::cuda {
namespace {

constexpr std::size_t kTooMuch = std::size_t{1} << 60;

void work_for_5_ms() { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }

// The next launch asks the runtime for its last error, and would take what was refused for its own.
TEST(FakePluginMemory, LeavesNoErrorWhereItIsRefused) {
  EXPECT_EQ(CudaBuffer::if_room(kTooMuch), nullptr);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_THROW(CudaBuffer{kTooMuch}, core::Error);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_THROW((void)PinnedAllocator(0).allocate(kTooMuch), core::Error);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST(FakePluginStream, LeavesNoErrorWhereAnEventIsNotReached) {
  CudaStream stream;
  const auto event = stream.create_event();
  ASSERT_EQ(fake::launch(stream.handle(), work_for_5_ms), cudaSuccess);
  stream.record(*event);
  EXPECT_FALSE(event->done());
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  event->wait();
  EXPECT_TRUE(event->done());
}

TEST(FakePluginStream, LeavesNoErrorOfARecordingThatFailed) {
  CudaStream stream;
  ASSERT_TRUE(stream.begin_capture());
  EXPECT_THROW(stream.synchronize(), core::Error);  // nothing may wait for what is not run
  stream.abandon_capture();
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  stream.synchronize();
}

TEST(FakePluginStream, TellsSeconds) {
  CudaStream stream;
  const auto begin = stream.create_event();
  const auto end = stream.create_event();
  const std::int64_t before_ns = core::steady_ns();
  stream.record_time(*begin);
  ASSERT_EQ(fake::launch(stream.handle(), work_for_5_ms), cudaSuccess);
  stream.record_time(*end);
  end->wait();
  const double max_s = 1e-9 * static_cast<double>(core::steady_ns() - before_ns);
  EXPECT_GE(end->seconds_since(*begin), 0.0049);
  EXPECT_LE(end->seconds_since(*begin), max_s + 0.0001);
}

// By their number a profiler's records are tied to the ops.
TEST(FakePluginStream, CountsKernelsCopiesAndFillsOfARecording) {
  CudaStream stream;
  CudaBuffer from(64);
  CudaBuffer to(64);
  const auto time = stream.create_event();
  ASSERT_TRUE(stream.begin_capture());
  EXPECT_EQ(stream.captured_work(), 0);
  stream.record_time(*time);
  EXPECT_EQ(stream.captured_work(), 0);
  ASSERT_EQ(fake::launch(stream.handle(), [] {}), cudaSuccess);
  EXPECT_EQ(stream.captured_work(), 1);
  stream.fill_zero(to.data(), to.bytes());
  EXPECT_EQ(stream.captured_work(), 2);
  stream.copy_on_device(to.data(), from.data(), to.bytes());
  EXPECT_EQ(stream.captured_work(), 3);
  const std::unique_ptr<Replay> replay = stream.end_capture();
  const std::array<Stream::Event*, 1> times{time.get()};
  replay->launch(times);
  stream.synchronize();
}

}  // namespace
}  // namespace dlbench::backend::cuda
