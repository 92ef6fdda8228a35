// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/backend/cuda/fake/cudnn_records.h"

#include <cstring>
#include <utility>

namespace dlbench::fake {
namespace {

std::size_t value_bytes(cudnnBackendAttributeType_t type) {
  switch (type) {
    case CUDNN_TYPE_BOOLEAN:
      return sizeof(bool);
    case CUDNN_TYPE_CHAR:
      return sizeof(char);
    case CUDNN_TYPE_HANDLE:
    case CUDNN_TYPE_VOID_PTR:
    case CUDNN_TYPE_BACKEND_DESCRIPTOR:
      return sizeof(void*);
    case CUDNN_TYPE_INT64:
      return sizeof(std::int64_t);
    case CUDNN_TYPE_DOUBLE:
      return sizeof(double);
    case CUDNN_TYPE_FRACTION:
      return sizeof(cudnnFraction_t);
    default:  // f32, 32-bit integers and enumerations
      return sizeof(std::int32_t);
  }
}

}  // namespace

const CudnnAttribute* CudnnRecord::find(cudnnBackendAttributeName_t name) const {
  const auto entry = attributes.find(name);
  return entry == attributes.end() ? nullptr : &entry->second;
}

void CudnnRecords::add(cudnnBackendDescriptor_t raw, CudnnRecord record) {
  const std::scoped_lock lock(mutex_);
  records_[raw] = std::make_shared<CudnnRecord>(std::move(record));
}

void CudnnRecords::remove(cudnnBackendDescriptor_t raw) {
  const std::scoped_lock lock(mutex_);
  records_.erase(raw);
}

CudnnRecordPtr CudnnRecords::find(cudnnBackendDescriptor_t raw) {
  const std::scoped_lock lock(mutex_);
  const auto entry = records_.find(raw);
  if (entry == records_.end()) {
    throw CudnnRefusal(CUDNN_STATUS_BAD_PARAM, "no descriptor of cuDNN, or a destroyed one");
  }
  return entry->second;
}

void CudnnRecords::set(cudnnBackendDescriptor_t raw,
                       cudnnBackendAttributeName_t name,
                       cudnnBackendAttributeType_t type,
                       std::int64_t count,
                       const void* values) {
  CudnnAttribute attribute{.type = type, .count = count};
  attribute.bytes.resize(static_cast<std::size_t>(count) * value_bytes(type));
  if (!attribute.bytes.empty()) {
    std::memcpy(attribute.bytes.data(), values, attribute.bytes.size());
  }
  if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    for (std::int64_t i = 0; i < count; ++i) {
      attribute.descriptors.push_back(
          find(static_cast<const cudnnBackendDescriptor_t*>(values)[i]));
    }
  }
  find(raw)->attributes[name] = std::move(attribute);
}

// Leaked: descriptors may be destroyed at the end of the process.
CudnnRecords& cudnn_records() {
  static auto* const records = new CudnnRecords;
  return *records;
}

}  // namespace dlbench::fake
