// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A batch as the loader delivers it: named tensors of raw dtypes with roles, in host memory.
// loader/prefetch_loader.h describes how batches are filled and handed out.
#pragma once

#include "engine/core/dtype.h"
#include "engine/core/host_allocator.h"
#include "engine/core/shape.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::data {

/// Whether a tensor of a batch is an input of the network or a target of the loss.
enum class Role : std::uint8_t { kInput, kTarget };

/// One tensor of a sample: its name ("image"), role, dtype and shape without the batch axis.
/// Images are (H, W, C) u8, masks (H, W) u8 of 0 and 1, labels () i32.
struct TensorSpec {
  std::string name;
  Role role = Role::kInput;
  core::DType dtype = core::DType::kU8;
  core::Shape sample_shape;

  /// Returns the bytes of one row, i.e. of this tensor for one sample.
  [[nodiscard]] std::size_t row_bytes() const;
};

/// One tensor of a batch: dense, row-major, sample axis first, 64-byte aligned.
class BatchTensor {
 public:
  /// Takes memory for `capacity` rows from `allocator`, which must outlive the tensor.
  BatchTensor(TensorSpec spec, std::int64_t capacity, core::HostAllocator& allocator);

  [[nodiscard]] const TensorSpec& spec() const { return spec_; }
  [[nodiscard]] std::byte* data() { return block_.data(); }
  [[nodiscard]] const std::byte* data() const { return block_.data(); }
  /// Returns row `row` of the tensor; 0 <= row < capacity.
  [[nodiscard]] std::span<std::byte> row(std::int64_t row);
  [[nodiscard]] std::span<const std::byte> row(std::int64_t row) const;
  /// Returns the bytes of memory at full capacity.
  [[nodiscard]] std::size_t bytes() const { return block_.bytes(); }

 private:
  TensorSpec spec_;
  std::size_t row_bytes_;
  std::int64_t capacity_;
  core::HostBlock block_;
};

/// One batch. Rows [0, samples) are real; the contents of the rows behind them are unspecified.
/// `samples` equals the capacity except in a kept partial batch at the end of an epoch.
class Batch {
 public:
  /// Takes memory for `capacity` samples of all `specs`; capacity > 0.
  Batch(std::span<const TensorSpec> specs, std::int64_t capacity, core::HostAllocator& allocator);

  std::int64_t samples = 0;
  /// Index in the data set of each row's sample; `samples` entries. A sample that replaced a
  /// corrupt one is listed with its own index.
  std::vector<std::int64_t> indices;
  std::int64_t epoch = 0;
  /// Number of the batch within its epoch, and since the loader was made (across epochs).
  std::int64_t number_in_epoch = 0;
  std::int64_t number = 0;
  /// Position of row 0 in the global batch (all ranks), and the samples of the global batch: the
  /// keys of per-sample random numbers, and the weight of an uneven last batch.
  std::int64_t global_row = 0;
  std::int64_t global_samples = 0;

  [[nodiscard]] std::int64_t capacity() const { return capacity_; }
  [[nodiscard]] std::span<BatchTensor> tensors() { return tensors_; }
  [[nodiscard]] std::span<const BatchTensor> tensors() const { return tensors_; }
  /// Returns the tensor of that name; an unknown name is a programmer error (CheckFailure).
  [[nodiscard]] const BatchTensor& tensor(std::string_view name) const;
  /// Returns the bytes of all tensors at full capacity.
  [[nodiscard]] std::size_t bytes() const;

 private:
  std::int64_t capacity_;
  std::vector<BatchTensor> tensors_;
};

}  // namespace dlbench::data
