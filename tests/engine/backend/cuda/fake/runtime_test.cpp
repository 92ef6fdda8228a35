// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What the fake runtime has to notice: tests on it are worth what it refuses.
#include "tests/engine/backend/cuda/fake/device.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <set>
#include <thread>
#include <vector>

namespace dlbench::fake {
namespace {

class FakeGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, 0), cudaSuccess);
    ASSERT_EQ(cudaStreamCreateWithPriority(&other_, cudaStreamNonBlocking, 0), cudaSuccess);
    ASSERT_EQ(cudaEventCreateWithFlags(&event_, cudaEventDefault), cudaSuccess);
    ASSERT_EQ(cudaEventCreateWithFlags(&joined_, cudaEventDisableTiming), cudaSuccess);
  }
  void TearDown() override {
    cudaEventDestroy(joined_);
    cudaEventDestroy(event_);
    cudaStreamDestroy(other_);
    cudaStreamDestroy(stream_);
  }
  void begin() {
    ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  }
  [[nodiscard]] cudaError_t end() { return cudaStreamEndCapture(stream_, &graph_); }
  void fork() {
    ASSERT_EQ(cudaEventRecord(event_, stream_), cudaSuccess);
    ASSERT_EQ(cudaStreamWaitEvent(other_, event_, 0), cudaSuccess);
  }
  void join() {
    ASSERT_EQ(cudaEventRecord(joined_, other_), cudaSuccess);
    ASSERT_EQ(cudaStreamWaitEvent(stream_, joined_, 0), cudaSuccess);
  }

  cudaStream_t stream_ = nullptr;
  cudaStream_t other_ = nullptr;
  cudaEvent_t event_ = nullptr;
  cudaEvent_t joined_ = nullptr;
  cudaGraph_t graph_ = nullptr;
};

void work_a_while() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

TEST_F(FakeGpu, WorksLateAndInOrder) {
  std::atomic<int> done{0};
  launch(stream_, [&] {
    work_a_while();
    ++done;
  });
  launch(stream_, [&] { done = done * 10; });
  EXPECT_EQ(done, 0);
  EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(done, 10);
}

TEST_F(FakeGpu, StreamsWaitForEventsAlone) {
  std::atomic<int> done{0};
  launch(stream_, [&] {
    work_a_while();
    done = 1;
  });
  std::atomic<int> seen_early{-1};
  launch(other_, [&] { seen_early = done.load(); });
  EXPECT_EQ(cudaStreamSynchronize(other_), cudaSuccess);
  EXPECT_EQ(seen_early, 0);
  fork();
  EXPECT_EQ(cudaEventQuery(event_), cudaErrorNotReady);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotReady);
  std::atomic<int> seen{-1};
  launch(other_, [&] { seen = done.load(); });
  EXPECT_EQ(cudaStreamSynchronize(other_), cudaSuccess);
  EXPECT_EQ(seen, 1);
}

TEST_F(FakeGpu, TimesLieBetweenTimedEventsAlone) {
  cudaEvent_t later = nullptr;
  ASSERT_EQ(cudaEventCreateWithFlags(&later, cudaEventBlockingSync), cudaSuccess);
  float milliseconds = 0;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, event_, later), cudaErrorInvalidResourceHandle);
  cudaEventRecord(event_, stream_);
  launch(stream_, work_a_while);
  cudaEventRecord(later, stream_);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, event_, later), cudaErrorNotReady);
  EXPECT_EQ(cudaEventSynchronize(later), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, event_, later), cudaSuccess);
  EXPECT_GE(milliseconds, 19.0F);
  cudaEventRecord(joined_, stream_);
  cudaEventSynchronize(joined_);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, event_, joined_), cudaErrorInvalidResourceHandle);
  cudaEventDestroy(later);
}

TEST_F(FakeGpu, CopiesFromPinnedMemoryReadItLate) {
  void* device = nullptr;
  void* pinned = nullptr;
  ASSERT_EQ(cudaMalloc(&device, 4), cudaSuccess);
  ASSERT_EQ(cudaHostAlloc(&pinned, 4, cudaHostAllocPortable), cudaSuccess);
  std::uint32_t pageable = 1;
  std::memset(pinned, 1, 4);
  launch(stream_, work_a_while);
  EXPECT_EQ(cudaMemcpyAsync(device, pinned, 4, cudaMemcpyHostToDevice, stream_), cudaSuccess);
  std::memset(pinned, 2, 4);
  std::uint32_t seen = 0;
  EXPECT_EQ(cudaMemcpyAsync(&seen, device, 4, cudaMemcpyDeviceToHost, stream_), cudaSuccess);
  EXPECT_EQ(seen, 0x02020202U);
  launch(stream_, work_a_while);
  EXPECT_EQ(cudaMemcpyAsync(device, &pageable, 4, cudaMemcpyHostToDevice, stream_), cudaSuccess);
  pageable = 5;
  EXPECT_EQ(cudaMemcpyAsync(&seen, device, 4, cudaMemcpyDeviceToHost, stream_), cudaSuccess);
  EXPECT_EQ(seen, 1U);
  cudaFreeHost(pinned);
  cudaFree(device);
}

TEST_F(FakeGpu, CopiesStayInTheirMemory) {
  void* device = nullptr;
  ASSERT_EQ(cudaMalloc(&device, 8), cudaSuccess);
  std::vector<std::uint8_t> host(16);
  EXPECT_EQ(cudaMemcpyAsync(device, host.data(), 9, cudaMemcpyHostToDevice, stream_),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyAsync(device, host.data(), 8, cudaMemcpyDeviceToHost, stream_),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyAsync(host.data(), host.data(), 8, cudaMemcpyHostToDevice, stream_),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(host.data()), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
  EXPECT_EQ(cudaMemsetAsync(device, 0, 8, stream_), cudaErrorInvalidValue);
}

TEST_F(FakeGpu, MemoryEnds) {
  std::size_t free = 0;
  std::size_t total = 0;
  ASSERT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  void* device = nullptr;
  EXPECT_EQ(cudaMalloc(&device, free + 1), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(FakeGpu, ClearingMemoryIsNothingThatStreamsWaitFor) {
  void* device = nullptr;
  ASSERT_EQ(cudaMalloc(&device, 4), cudaSuccess);
  launch(nullptr, work_a_while);
  EXPECT_EQ(cudaMemset(device, 0, 4), cudaSuccess);
  std::uint32_t seen = 0;
  cudaMemcpyAsync(&seen, device, 4, cudaMemcpyDeviceToHost, stream_);
  EXPECT_EQ(seen, 0xFFFFFFFFU);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  cudaMemcpyAsync(&seen, device, 4, cudaMemcpyDeviceToHost, stream_);
  EXPECT_EQ(seen, 0U);
  cudaFree(device);
}

TEST_F(FakeGpu, RecordsAndReplays) {
  int runs = 0;
  begin();
  launch(stream_, [&] { ++runs; });
  fork();
  launch(other_, [&] { ++runs; });
  join();
  launch(stream_, [&] { runs *= 10; });
  ASSERT_EQ(end(), cudaSuccess);
  cudaStreamSynchronize(stream_);
  EXPECT_EQ(runs, 0);
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph_, 0), cudaSuccess);
  for (const int wanted : {20, 220}) {
    EXPECT_EQ(cudaGraphLaunch(executable, stream_), cudaSuccess);
    cudaStreamSynchronize(stream_);
    EXPECT_EQ(runs, wanted);
  }
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph_);
}

TEST_F(FakeGpu, TakesNodesInAnyOrderThatTheirEdgesAllow) {
  std::vector<int> order;
  begin();
  fork();
  launch(stream_, [&] { order.push_back(1); });
  launch(other_, [&] { order.push_back(2); });
  join();
  ASSERT_EQ(end(), cudaSuccess);
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph_, 0), cudaSuccess);
  std::set<std::vector<int>> seen;
  for (int run = 0; run < 50; ++run) {
    order.clear();
    cudaGraphLaunch(executable, stream_);
    cudaStreamSynchronize(stream_);
    seen.insert(order);
  }
  EXPECT_EQ(seen, (std::set<std::vector<int>>{{1, 2}, {2, 1}}));
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph_);
}

TEST_F(FakeGpu, RefusesToEndARecordingWithWorkThatNobodyWaitsFor) {
  begin();
  fork();
  launch(other_, [] {});
  EXPECT_EQ(end(), cudaErrorStreamCaptureUnjoined);
  EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess) << "it records no longer";
}

TEST_F(FakeGpu, RefusesWhatRecordingCannotHold) {
  void* memory = nullptr;
  const std::vector<std::function<cudaError_t()>> calls = {
      [&] { return cudaMalloc(&memory, 4); },
      [&] { return cudaStreamSynchronize(stream_); },
      [&] { return cudaDeviceSynchronize(); },
      [&] { return cudaEventQuery(joined_); },
      [&] { return cudaEventSynchronize(joined_); },
  };
  for (std::size_t call = 0; call < calls.size(); ++call) {
    SCOPED_TRACE(call);
    begin();
    EXPECT_EQ(calls[call](), cudaErrorStreamCaptureUnsupported);
    EXPECT_EQ(launch(stream_, [] {}), cudaErrorStreamCaptureInvalidated);
    EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);
  }
}

TEST_F(FakeGpu, RefusesToMixRecordedAndOtherWork) {
  cudaEventRecord(joined_, other_);
  begin();
  EXPECT_EQ(cudaStreamWaitEvent(stream_, joined_, 0), cudaErrorStreamCaptureIsolation);
  EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);
  begin();
  cudaEventRecord(event_, stream_);
  cudaError_t seen = cudaSuccess;
  std::thread([&] { seen = cudaEventQuery(event_); }).join();
  EXPECT_EQ(seen, cudaErrorCapturedEvent);
  EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);
}

TEST_F(FakeGpu, OtherThreadsWorkOnWhileOneRecords) {
  begin();
  std::thread([this] {
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, 4), cudaSuccess);
    cudaEventRecord(joined_, other_);
    EXPECT_EQ(cudaEventSynchronize(joined_), cudaSuccess);
    cudaFree(memory);
  }).join();
  launch(stream_, [] {});
  EXPECT_EQ(end(), cudaSuccess);
  cudaGraphDestroy(graph_);
}

TEST_F(FakeGpu, KernelsRunOnTheDeviceOfTheirThread) {
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(launch(stream_, [] {}), cudaErrorInvalidResourceHandle);
  int devices = 0;
  ASSERT_EQ(cudaGetDeviceCount(&devices), cudaSuccess);
  EXPECT_EQ(cudaSetDevice(devices), cudaErrorInvalidDevice);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(launch(stream_, [] {}), cudaSuccess);
}

// The last: a failed device stays so.
TEST_F(FakeGpu, AFailedDeviceSaysSoOfEverything) {
  std::atomic<bool> ran{false};
  launch(stream_, [] { fail_device(cudaErrorIllegalAddress); });
  launch(stream_, [&] { ran = true; });
  cudaEventRecord(event_, stream_);
  EXPECT_EQ(cudaEventSynchronize(event_), cudaErrorIllegalAddress);
  EXPECT_FALSE(ran);
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 4), cudaErrorIllegalAddress);
  EXPECT_EQ(launch(stream_, [] {}), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
}

}  // namespace
}  // namespace dlbench::fake
