// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/cudnn_descriptor.h"

#include "engine/backend/cuda/cuda_call.h"

#include <algorithm>
#include <utility>

namespace dlbench::backend::cuda {

CudnnDescriptor::CudnnDescriptor(cudnnBackendDescriptorType_t type) {
  DLBENCH_CUDA(cudnnBackendCreateDescriptor(type, &raw_));
}

CudnnDescriptor::~CudnnDescriptor() {
  if (raw_ != nullptr) {
    cudnnBackendDestroyDescriptor(raw_);
  }
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name,
                          cudnnBackendAttributeType_t type,
                          std::int64_t count,
                          const void* values) {
  DLBENCH_CUDA(cudnnBackendSetAttribute(raw_, name, type, count, values));
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name, std::int64_t value) {
  set(name, CUDNN_TYPE_INT64, 1, &value);
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name, std::span<const std::int64_t> values) {
  set(name, CUDNN_TYPE_INT64, static_cast<std::int64_t>(values.size()), values.data());
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name, float value) {
  set(name, CUDNN_TYPE_FLOAT, 1, &value);
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name, cudnnDataType_t value) {
  set(name, CUDNN_TYPE_DATA_TYPE, 1, &value);
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name, const CudnnDescriptor& value) {
  const cudnnBackendDescriptor_t raw = value.raw();
  set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &raw);
}

void CudnnDescriptor::set_text(cudnnBackendAttributeName_t name, std::string_view text) {
  set(name, CUDNN_TYPE_CHAR, static_cast<std::int64_t>(text.size()), text.data());
}

void CudnnDescriptor::finalize(const char* what) { check(cudnnBackendFinalize(raw_), what); }

bool CudnnDescriptor::try_finalize() { return cudnnBackendFinalize(raw_) == CUDNN_STATUS_SUCCESS; }

std::int64_t CudnnDescriptor::get(cudnnBackendAttributeName_t name,
                                  cudnnBackendAttributeType_t type,
                                  std::int64_t most,
                                  void* values) const {
  std::int64_t count = 0;
  DLBENCH_CUDA(cudnnBackendGetAttribute(raw_, name, type, most, &count, values));
  return std::min(count, most);
}

std::int64_t CudnnDescriptor::get_int(cudnnBackendAttributeName_t name) const {
  std::int64_t value = 0;
  get(name, CUDNN_TYPE_INT64, 1, &value);
  return value;
}

std::vector<CudnnDescriptor> CudnnDescriptor::get_descriptors(cudnnBackendAttributeName_t name,
                                                              cudnnBackendDescriptorType_t type,
                                                              std::int64_t most) const {
  std::vector<CudnnDescriptor> descriptors;
  std::vector<cudnnBackendDescriptor_t> raw;
  for (std::int64_t i = 0; i < most; ++i) {
    descriptors.emplace_back(type);
    raw.push_back(descriptors.back().raw());
  }
  descriptors.resize(
      static_cast<std::size_t>(get(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, most, raw.data())));
  return descriptors;
}

}  // namespace dlbench::backend::cuda
