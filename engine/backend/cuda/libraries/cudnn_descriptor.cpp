// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda/libraries/cudnn_descriptor.h"

#include "engine/backend/cuda/libraries/cuda_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace dlbench::backend::cuda {

// Variants of a status share the thousands (cudnn_graph.h: CUDNN_STATUS_NOT_SUPPORTED_...).
bool CudnnAnswer::no() const {
  constexpr int kKinds = 1000;
  return static_cast<int>(status) / kKinds == static_cast<int>(CUDNN_STATUS_NOT_SUPPORTED) / kKinds;
}

bool LastCudnnFailure::accepts(std::string_view what, const CudnnAnswer& answer) {
  if (!answer.yes() && !answer.no()) {
    text_ = fmt::format("; {} failed: {}", what, answer.text);
  }
  return answer.yes();
}

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

void CudnnDescriptor::set(cudnnBackendAttributeName_t name,
                          std::span<const CudnnDescriptor> values) {
  std::vector<cudnnBackendDescriptor_t> raw;
  raw.reserve(values.size());
  for (const CudnnDescriptor& value : values) {
    raw.push_back(value.raw());
  }
  set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, static_cast<std::int64_t>(raw.size()), raw.data());
}

void CudnnDescriptor::set_text(cudnnBackendAttributeName_t name, std::string_view text) {
  set(name, CUDNN_TYPE_CHAR, static_cast<std::int64_t>(text.size()), text.data());
}

void CudnnDescriptor::finalize(const char* what) { check(cudnnBackendFinalize(raw_), what); }

CudnnAnswer CudnnDescriptor::try_finalize() {
  const cudnnStatus_t status = cudnnBackendFinalize(raw_);
  if (status == CUDNN_STATUS_SUCCESS) {
    return {};
  }
  return {.status = status, .text = failure_text(status)};
}

std::int64_t CudnnDescriptor::get(cudnnBackendAttributeName_t name,
                                  cudnnBackendAttributeType_t type,
                                  std::int64_t most,
                                  void* values) const {
  std::int64_t count = 0;
  DLBENCH_CUDA(cudnnBackendGetAttribute(raw_, name, type, most, &count, values));
  return std::min(count, most);
}

std::int64_t CudnnDescriptor::count(cudnnBackendAttributeName_t name,
                                    cudnnBackendAttributeType_t type) const {
  std::int64_t count = 0;
  DLBENCH_CUDA(cudnnBackendGetAttribute(raw_, name, type, 0, &count, nullptr));
  return count;
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
