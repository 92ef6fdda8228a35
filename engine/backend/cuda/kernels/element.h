// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Elements as stored and as computed with: f32 arithmetic for any storage type, rounded once when
// written, and packs of neighbours that are accessed 16 bytes at a time.
#pragma once

#include "engine/core/check.h"
#include "engine/core/dtype.h"
#include "engine/core/host_device.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

#if defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace dlbench::backend::cuda {

/// IEEE binary16 and bfloat16 as stored in memory.
struct F16 {
  std::uint16_t bits;
};
struct BF16 {
  std::uint16_t bits;
};

DLBENCH_HOST_DEVICE float to_float(float value) { return value; }
DLBENCH_HOST_DEVICE float to_float(double value) { return static_cast<float>(value); }
DLBENCH_HOST_DEVICE float to_float(std::uint8_t value) { return static_cast<float>(value); }
DLBENCH_HOST_DEVICE float to_float(F16 value) {
#if defined(__CUDA_ARCH__)
  return __half2float(__ushort_as_half(value.bits));
#else
  return core::f16_to_f32(value.bits);
#endif
}
DLBENCH_HOST_DEVICE float to_float(BF16 value) {
#if defined(__CUDA_ARCH__)
  return __uint_as_float(static_cast<unsigned>(value.bits) << 16U);
#else
  return core::bf16_to_f32(value.bits);
#endif
}

/// Stores with rounding to nearest, ties to even; f16 overflows to infinity; NaN stays NaN.
DLBENCH_HOST_DEVICE void store(float& element, float value) { element = value; }
DLBENCH_HOST_DEVICE void store(double& element, float value) {
  element = static_cast<double>(value);
}
DLBENCH_HOST_DEVICE void store(F16& element, float value) {
#if defined(__CUDA_ARCH__)
  element.bits = __half_as_ushort(__float2half_rn(value));
#else
  element.bits = core::f32_to_f16(value);
#endif
}
DLBENCH_HOST_DEVICE void store(BF16& element, float value) {
#if defined(__CUDA_ARCH__)
  element.bits = __bfloat16_as_ushort(__float2bfloat16_rn(value));
#else
  element.bits = core::f32_to_bf16(value);
#endif
}

/// The number of elements of a type in one access of 16 bytes.
template <typename T>
inline constexpr int kWide = 16 / static_cast<int>(sizeof(T));

/// N neighbouring elements, read and written as a whole, in as few accesses as possible.
template <typename T, int N>
struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) Pack {
  T lane[N];
};

/// Reads the pack at an address that is aligned for it.
template <int N, typename T>
[[nodiscard]] DLBENCH_HOST_DEVICE Pack<T, N> read_pack(const T* from) {
  return *reinterpret_cast<const Pack<T, N>*>(from);
}
template <typename T, int N>
DLBENCH_HOST_DEVICE void write_pack(T* to, const Pack<T, N>& pack) {
#if defined(__CUDA_ARCH__)
  // nvcc splits the copy of a struct, and joins it again only if no lane was selected by a
  // condition: otherwise four words would be written one by one.
  if constexpr (sizeof(Pack<T, N>) % sizeof(uint4) == 0) {
    uint4 words[sizeof(Pack<T, N>) / sizeof(uint4)];
    memcpy(words, &pack, sizeof(words));
    for (std::size_t i = 0; i < sizeof(words) / sizeof(uint4); ++i) {
      __stwb(reinterpret_cast<uint4*>(to) + i, words[i]);
    }
    return;
  }
#endif
  *reinterpret_cast<Pack<T, N>*>(to) = pack;
}

template <typename T, int N>
DLBENCH_HOST_DEVICE void widen(const Pack<T, N>& pack, float (&values)[N]) {
  for (int lane = 0; lane < N; ++lane) {
    values[lane] = to_float(pack.lane[lane]);
  }
}
template <int N, typename T>
DLBENCH_HOST_DEVICE void load_pack(const T* from, float (&values)[N]) {
  widen(read_pack<N>(from), values);
}
template <int N, typename T>
DLBENCH_HOST_DEVICE void store_pack(T* to, const float (&values)[N]) {
  Pack<T, N> pack;
  for (int lane = 0; lane < N; ++lane) {
    store(pack.lane[lane], values[lane]);
  }
  write_pack(to, pack);
}

/// Loads the first `count` elements of a pack; the other values are 0.
template <int N, typename T>
DLBENCH_HOST_DEVICE void load_some(const T* from, int count, float (&values)[N]) {
  for (int lane = 0; lane < N; ++lane) {
    values[lane] = lane < count ? to_float(from[lane]) : 0.0F;
  }
}
template <int N, typename T>
DLBENCH_HOST_DEVICE void store_some(T* to, int count, const float (&values)[N]) {
  for (int lane = 0; lane < N; ++lane) {
    if (lane < count) {  // a loop up to `count` would index the values and keep them in memory
      store(to[lane], values[lane]);
    }
  }
}

/// Whether packs of 16 bytes may be accessed at these addresses; null counts as aligned.
template <typename... Pointers>
[[nodiscard]] bool aligned(const Pointers*... pointers) {
  return ((reinterpret_cast<std::uintptr_t>(pointers) % 16 == 0) && ...);
}

/// Calls `visitor` with an element of the C++ type of an activation's dtype.
template <typename Visitor>
void visit_activation(core::DType dtype, const Visitor& visitor) {
  switch (dtype) {
    case core::DType::kF32:
      return visitor(float{});
    case core::DType::kF16:
      return visitor(F16{});
    case core::DType::kBF16:
      return visitor(BF16{});
    default:
      DLBENCH_CHECK(false) << "an activation is f32, f16 or bf16, not " << core::name(dtype);
  }
}

}  // namespace dlbench::backend::cuda
