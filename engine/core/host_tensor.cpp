// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/host_tensor.h"

#include <cstring>

namespace dlbench::core {
namespace {

template <typename T>
T load(const std::byte* data, std::int64_t index) {
  T value;
  std::memcpy(&value, data + static_cast<std::size_t>(index) * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
void store(std::byte* data, std::int64_t index, T value) {
  std::memcpy(data + static_cast<std::size_t>(index) * sizeof(T), &value, sizeof(T));
}

}  // namespace

HostTensor::HostTensor(DType dtype, const Shape& shape)
    : dtype_(dtype),
      shape_(shape),
      block_(default_host_allocator(),
             static_cast<std::size_t>(shape.elements()) * size_of(dtype)) {
  std::memset(block_.data(), 0, bytes());
}

std::size_t HostTensor::bytes() const {
  return static_cast<std::size_t>(elements()) * size_of(dtype_);
}

HostTensor HostTensor::clone() const {
  HostTensor copy(dtype_, shape_);
  std::memcpy(copy.data(), data(), bytes());
  return copy;
}

void HostTensor::check_type(DType requested) const {
  const bool bits16 = requested == DType::kU16 && (dtype_ == DType::kF16 || dtype_ == DType::kBF16);
  const bool bits8 = requested == DType::kU8 && dtype_ == DType::kBool;
  DLBENCH_CHECK(requested == dtype_ || bits16 || bits8)
      << "tensor of " << name(dtype_) << " read as " << name(requested);
}

double HostTensor::at(std::int64_t index) const {
  DLBENCH_CHECK(index >= 0 && index < elements()) << index << " of " << elements();
  const std::byte* data = block_.data();
  switch (dtype_) {
    case DType::kU8:
    case DType::kBool:
      return load<std::uint8_t>(data, index);
    case DType::kU16:
      return load<std::uint16_t>(data, index);
    case DType::kI32:
      return load<std::int32_t>(data, index);
    case DType::kI64:
      return static_cast<double>(load<std::int64_t>(data, index));
    case DType::kF16:
      return f16_to_f32(load<std::uint16_t>(data, index));
    case DType::kBF16:
      return bf16_to_f32(load<std::uint16_t>(data, index));
    case DType::kF32:
      return load<float>(data, index);
    case DType::kF64:
      return load<double>(data, index);
  }
  return 0;
}

void HostTensor::set(std::int64_t index, double value) {
  DLBENCH_CHECK(index >= 0 && index < elements()) << index << " of " << elements();
  std::byte* data = block_.data();
  switch (dtype_) {
    case DType::kU8:
    case DType::kBool:
      return store(data, index, static_cast<std::uint8_t>(value));
    case DType::kU16:
      return store(data, index, static_cast<std::uint16_t>(value));
    case DType::kI32:
      return store(data, index, static_cast<std::int32_t>(value));
    case DType::kI64:
      return store(data, index, static_cast<std::int64_t>(value));
    case DType::kF16:
      return store(data, index, f64_to_f16(value));
    case DType::kBF16:
      return store(data, index, f64_to_bf16(value));
    case DType::kF32:
      return store(data, index, static_cast<float>(value));
    case DType::kF64:
      return store(data, index, value);
  }
}

HostTensor HostTensor::to(DType dtype) const {
  HostTensor converted(dtype, shape_);
  for (std::int64_t i = 0; i < elements(); ++i) {
    converted.set(i, at(i));
  }
  return converted;
}

}  // namespace dlbench::core
