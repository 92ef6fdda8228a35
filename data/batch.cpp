// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/batch.h"

#include "engine/core/check.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace dlbench::data {

std::size_t TensorSpec::row_bytes() const {
  return static_cast<std::size_t>(sample_shape.elements()) * core::size_of(dtype);
}

BatchTensor::BatchTensor(TensorSpec spec, std::int64_t capacity, core::HostAllocator& allocator)
    : spec_(std::move(spec)),
      row_bytes_(spec_.row_bytes()),
      capacity_(capacity),
      block_(allocator, static_cast<std::size_t>(capacity) * row_bytes_) {
  // Touches every page now instead of in the first timed batch.
  std::memset(block_.data(), 0, block_.bytes());
}

std::span<std::byte> BatchTensor::row(std::int64_t row) {
  DLBENCH_CHECK(row >= 0 && row < capacity_) << "row " << row << " of " << capacity_;
  return {data() + static_cast<std::size_t>(row) * row_bytes_, row_bytes_};
}

std::span<const std::byte> BatchTensor::row(std::int64_t row) const {
  DLBENCH_CHECK(row >= 0 && row < capacity_) << "row " << row << " of " << capacity_;
  return {data() + static_cast<std::size_t>(row) * row_bytes_, row_bytes_};
}

Batch::Batch(std::span<const TensorSpec> specs,
             std::int64_t capacity,
             core::HostAllocator& allocator)
    : capacity_(capacity) {
  DLBENCH_CHECK(capacity > 0);
  tensors_.reserve(specs.size());
  for (const TensorSpec& spec : specs) {
    tensors_.emplace_back(spec, capacity, allocator);
  }
  indices.reserve(static_cast<std::size_t>(capacity));
}

const BatchTensor& Batch::tensor(std::string_view name) const {
  const auto found = std::ranges::find_if(
      tensors_, [&](const BatchTensor& tensor) { return tensor.spec().name == name; });
  DLBENCH_CHECK(found != tensors_.end()) << "no tensor '" << name << "' in the batch";
  return *found;
}

std::size_t Batch::bytes() const {
  std::size_t sum = 0;
  for (const BatchTensor& tensor : tensors_) {
    sum += tensor.bytes();
  }
  return sum;
}

}  // namespace dlbench::data
