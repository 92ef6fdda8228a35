// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Ranks of the fake NCCL for its tests: threads, each with a device of its own, or processes.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <nccl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

namespace dlbench::fake::testing {

/// Before the runtime looks.
class Devices : public ::testing::Environment {
 public:
  void SetUp() override { ::setenv("DLBENCH_FAKE_GPU", "devices=4,memory_mib=256", 1); }
};
inline const auto* const kDevices = ::testing::AddGlobalTestEnvironment(new Devices);

inline void sleep() { std::this_thread::sleep_for(std::chrono::milliseconds(50)); }

inline ncclUniqueId new_id() {
  ncclUniqueId id{};
  EXPECT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  return id;
}

/// The state, once it is no longer in progress.
inline ncclResult_t settled(ncclComm_t communicator) {
  ncclResult_t state = ncclInProgress;
  while (state == ncclInProgress) {
    const ncclResult_t asked = ncclCommGetAsyncError(communicator, &state);
    EXPECT_EQ(asked, ncclSuccess);
    if (asked != ncclSuccess) {
      return asked;
    }
    std::this_thread::yield();
  }
  return state;
}

/// What the communicator meets, once it does.
inline ncclResult_t first_error(ncclComm_t communicator) {
  ncclResult_t state = ncclSuccess;
  while (state == ncclSuccess || state == ncclInProgress) {
    const ncclResult_t asked = ncclCommGetAsyncError(communicator, &state);
    EXPECT_EQ(asked, ncclSuccess);
    if (asked != ncclSuccess) {
      return asked;
    }
    std::this_thread::yield();
  }
  return state;
}

template <typename Number>
class DeviceArray {
 public:
  DeviceArray(const std::vector<Number>& numbers, cudaStream_t stream)
      : count_(numbers.size()), stream_(stream) {
    EXPECT_EQ(cudaMalloc(&memory_, bytes()), cudaSuccess);
    EXPECT_EQ(cudaMemcpyAsync(memory_, numbers.data(), bytes(), cudaMemcpyHostToDevice, stream),
              cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(memory_); }
  [[nodiscard]] Number* data() const { return static_cast<Number*>(memory_); }
  /// Behind what the stream has.
  [[nodiscard]] std::vector<Number> read() const {
    std::vector<Number> numbers(count_);
    EXPECT_EQ(cudaMemcpyAsync(numbers.data(), memory_, bytes(), cudaMemcpyDeviceToHost, stream_),
              cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
    return numbers;
  }

 private:
  [[nodiscard]] std::size_t bytes() const { return count_ * sizeof(Number); }

  std::size_t count_;
  cudaStream_t stream_;
  void* memory_ = nullptr;
};

/// A rank with a stream, on the device of its number unless told otherwise.
class Rank {
 public:
  Rank(const ncclUniqueId& id, int rank, int size, int blocking = 0, int device = -1)
      : rank_(rank), size_(size), device_(device < 0 ? rank : device) {
    EXPECT_EQ(cudaSetDevice(device_), cudaSuccess);
    EXPECT_EQ(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, 0), cudaSuccess);
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = blocking;
    started_ = ncclCommInitRankConfig(&communicator_, size, id, rank, &config);
  }
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;
  ~Rank() {
    if (communicator_ != nullptr) {
      abort();
    }
    EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
  }

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] ncclResult_t started() const { return started_; }
  [[nodiscard]] ncclComm_t communicator() const { return communicator_; }
  [[nodiscard]] cudaStream_t stream() const { return stream_; }

  /// Of a call: that it was taken, and waits until it is over.
  void expect(ncclResult_t result) {
    late_ += result == ncclInProgress ? 1 : 0;
    EXPECT_TRUE(result == ncclSuccess || result == ncclInProgress) << ncclGetLastError(nullptr);
    EXPECT_EQ(settled(communicator_), ncclSuccess) << ncclGetLastError(nullptr);
  }
  /// How many calls were in progress when they returned.
  [[nodiscard]] int late() const { return late_; }
  void synchronize() { EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess); }
  ncclResult_t all_reduce(float* data, std::size_t count) {
    return ncclAllReduce(data, data, count, ncclFloat32, ncclSum, communicator_, stream_);
  }
  ncclComm_t release() { return std::exchange(communicator_, nullptr); }
  void abort() { EXPECT_EQ(ncclCommAbort(release()), ncclSuccess); }
  void end() {
    expect(ncclCommFinalize(communicator_));
    EXPECT_EQ(ncclCommDestroy(release()), ncclSuccess);
  }

 private:
  int rank_;
  int size_;
  int device_;
  int late_ = 0;
  ncclResult_t started_ = ncclSuccess;
  ncclComm_t communicator_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

/// `body` on threads that are ranks; then they end together.
inline void with_ranks(int size, const std::function<void(Rank&)>& body, int blocking = 0) {
  const ncclUniqueId id = new_id();
  std::vector<std::thread> threads;
  for (int number = 0; number < size; ++number) {
    threads.emplace_back([&, number] {
      Rank rank(id, number, size, blocking);
      rank.expect(rank.started());
      body(rank);
      rank.synchronize();
      if (blocking == 1) {
        EXPECT_EQ(rank.late(), 0);
      }
      if (rank.communicator() != nullptr) {
        rank.end();
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

/// `body` in processes that are ranks. Ends this one, well if all of them did: for death tests,
/// where it has no thread yet.
[[noreturn]] inline void end_with_processes(int size, const std::function<void(Rank&)>& body) {
  const ncclUniqueId id = new_id();
  std::vector<pid_t> processes;
  for (int number = 0; number < size; ++number) {
    processes.push_back(::fork());
    if (processes.back() == 0) {
      Rank rank(id, number, size);
      rank.expect(rank.started());
      body(rank);
      std::_Exit(::testing::Test::HasFailure() ? 1 : 0);
    }
  }
  int failures = 0;
  for (const pid_t process : processes) {
    int status = 0;
    failures += ::waitpid(process, &status, 0) == process && status == 0 ? 0 : 1;
  }
  std::_Exit(failures);
}

}  // namespace dlbench::fake::testing
