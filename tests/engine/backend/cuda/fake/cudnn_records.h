// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What cuDNN was told of each of its descriptors, kept beside them: the library itself tells only
// part of it.
#pragma once

#include "tests/engine/backend/cuda/fake/refusal.h"

#include <cudnn.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace dlbench::fake {

using CudnnRefusal = Refusal<cudnnStatus_t>;
struct CudnnProgram;

struct CudnnRecord;
/// Shared by the raw descriptor and those that it was given to, which outlive it: cuDNN copies.
using CudnnRecordPtr = std::shared_ptr<CudnnRecord>;

struct CudnnAttribute {
  cudnnBackendAttributeType_t type = CUDNN_TYPE_INT64;
  std::int64_t count = 0;
  std::vector<std::byte> bytes;
  std::vector<CudnnRecordPtr> descriptors;  ///< of CUDNN_TYPE_BACKEND_DESCRIPTOR
};

struct CudnnRecord {
  cudnnBackendDescriptorType_t type = CUDNN_BACKEND_TENSOR_DESCRIPTOR;
  bool finalized = false;
  std::map<cudnnBackendAttributeName_t, CudnnAttribute> attributes;
  /// Of an engine's configuration: the operation graph whose heuristics gave it.
  CudnnRecordPtr graph;
  /// Of a finalised plan: what it computes, or why that cannot be told.
  std::shared_ptr<const CudnnProgram> program;
  std::string refusal;
  std::size_t workspace_bytes = 0;
  std::int64_t engine = -1;  // of a plan

  [[nodiscard]] const CudnnAttribute* find(cudnnBackendAttributeName_t name) const;
};

/// By raw descriptor. Safe for concurrent use, as cuDNN is for different descriptors.
class CudnnRecords {
 public:
  void add(cudnnBackendDescriptor_t raw, CudnnRecord record);
  void remove(cudnnBackendDescriptor_t raw);
  /// Throws CudnnRefusal of a descriptor that cuDNN did not make, or that was destroyed.
  [[nodiscard]] CudnnRecordPtr find(cudnnBackendDescriptor_t raw);
  /// Keeps copies of the values; what cuDNN refuses is not to be told here.
  void set(cudnnBackendDescriptor_t raw,
           cudnnBackendAttributeName_t name,
           cudnnBackendAttributeType_t type,
           std::int64_t count,
           const void* values);

 private:
  std::mutex mutex_;
  std::map<cudnnBackendDescriptor_t, CudnnRecordPtr> records_;
};

[[nodiscard]] CudnnRecords& cudnn_records();

}  // namespace dlbench::fake
