// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What the tests of the fake cuDNN and cuBLASLt share: arrays of the device, and a stream.
#pragma once

#include "engine/backend/cuda/libraries/library_handles.h"
#include "engine/core/dtype.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <vector>

namespace dlbench::backend::cuda {

using Extents = std::vector<std::int64_t>;
using Values = std::vector<double>;

inline std::int64_t elements(const Extents& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

/// From -2 to 2, without a period that shapes have.
inline Values whole_numbers(std::int64_t count, std::uint32_t seed) {
  Values values;
  for (std::int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525U + 1013904223U;
    values.push_back(static_cast<double>((seed >> 16U) % 5U) - 2);
  }
  return values;
}

/// As the device rounds what it stores.
inline double rounded(core::DType dtype, double value) {
  const auto single = static_cast<float>(value);
  switch (dtype) {
    case core::DType::kF16:
      return static_cast<double>(core::f16_to_f32(core::f32_to_f16(single)));
    case core::DType::kBF16:
      return static_cast<double>(core::bf16_to_f32(core::f32_to_bf16(single)));
    default:
      return static_cast<double>(single);
  }
}

inline void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  EXPECT_EQ(cudaMemcpyAsync(to, from, bytes, kind, nullptr), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
}

/// An array on the device, dense in the order of its values.
class DeviceValues {
 public:
  DeviceValues(core::DType dtype, std::size_t count) : dtype_(dtype), count_(count) {
    EXPECT_EQ(cudaMalloc(&data_, bytes()), cudaSuccess);
    fill_with_nan();
  }
  DeviceValues(core::DType dtype, const Values& values) : DeviceValues(dtype, values.size()) {
    std::vector<std::byte> host(bytes());
    for (std::size_t i = 0; i < count_; ++i) {
      const auto value = static_cast<float>(values[i]);
      const std::uint16_t half =
          dtype == core::DType::kF16 ? core::f32_to_f16(value) : core::f32_to_bf16(value);
      const void* from = dtype == core::DType::kF32 ? static_cast<const void*>(&value) : &half;
      std::memcpy(host.data() + i * core::size_of(dtype), from, core::size_of(dtype));
    }
    copy(data_, host.data(), bytes(), cudaMemcpyHostToDevice);
  }
  ~DeviceValues() { cudaFree(data_); }
  DeviceValues(const DeviceValues&) = delete;
  DeviceValues& operator=(const DeviceValues&) = delete;

  void fill_with_nan() const {
    EXPECT_EQ(cudaMemset(data_, 0xFF, bytes()), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  }
  [[nodiscard]] std::size_t bytes() const { return count_ * core::size_of(dtype_); }
  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] std::byte* at(std::size_t byte) const {
    return static_cast<std::byte*>(data_) + byte;
  }
  [[nodiscard]] Values values() const {
    std::vector<std::byte> host(bytes());
    copy(host.data(), data_, bytes(), cudaMemcpyDeviceToHost);
    Values values;
    for (std::size_t i = 0; i < count_; ++i) {
      float single = 0;
      std::uint16_t half = 0;
      std::memcpy(dtype_ == core::DType::kF32 ? static_cast<void*>(&single) : &half,
                  host.data() + i * core::size_of(dtype_),
                  core::size_of(dtype_));
      values.push_back(static_cast<double>(dtype_ == core::DType::kF32 ? single
                                           : dtype_ == core::DType::kF16
                                               ? core::f16_to_f32(half)
                                               : core::bf16_to_f32(half)));
    }
    return values;
  }

 private:
  core::DType dtype_;
  std::size_t count_;
  void* data_ = nullptr;
};

class FakeLibraries : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, 0), cudaSuccess);
  }
  void TearDown() override {
    wait();
    handles_.forget_stream();
    cudaStreamDestroy(stream_);
  }
  void wait() const { EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess); }

  LibraryHandles handles_;
  cudaStream_t stream_ = nullptr;
};

}  // namespace dlbench::backend::cuda
