// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// An owning descriptor of cuDNN's graph API, with typed attributes.
#pragma once

#include <cudnn.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::backend::cuda {

/// The answer of cuDNN to a request for something that it may not have.
struct CudnnAnswer {
  cudnnStatus_t status = CUDNN_STATUS_SUCCESS;
  std::string text;  ///< of a failure: the status with its number, and what cuDNN adds

  [[nodiscard]] bool yes() const { return status == CUDNN_STATUS_SUCCESS; }
  /// Whether cuDNN does not support it. What is neither yes nor no is a failure.
  [[nodiscard]] bool no() const;
};

/// The last failure of cuDNN among many answers, other than "not supported".
class LastCudnnFailure {
 public:
  /// Returns whether the answer is yes, and remembers a failure; `what` was requested.
  [[nodiscard]] bool accepts(std::string_view what, const CudnnAnswer& answer);
  /// "; eng38{2=1} failed: ...", to be appended to a sentence; empty if nothing failed.
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

class CudnnDescriptor {
 public:
  CudnnDescriptor() = default;
  explicit CudnnDescriptor(cudnnBackendDescriptorType_t type);
  CudnnDescriptor(CudnnDescriptor&& other) noexcept { std::swap(raw_, other.raw_); }
  CudnnDescriptor& operator=(CudnnDescriptor&& other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  CudnnDescriptor(const CudnnDescriptor&) = delete;
  CudnnDescriptor& operator=(const CudnnDescriptor&) = delete;
  ~CudnnDescriptor();

  [[nodiscard]] cudnnBackendDescriptor_t raw() const { return raw_; }

  // Setting an attribute throws core::Error(kLibrary) with cuDNN's text.
  void set(cudnnBackendAttributeName_t name,
           cudnnBackendAttributeType_t type,
           std::int64_t count,
           const void* values);
  void set(cudnnBackendAttributeName_t name, std::int64_t value);
  void set(cudnnBackendAttributeName_t name, std::span<const std::int64_t> values);
  void set(cudnnBackendAttributeName_t name, float value);
  void set(cudnnBackendAttributeName_t name, cudnnDataType_t value);
  void set(cudnnBackendAttributeName_t name, const CudnnDescriptor& value);
  void set(cudnnBackendAttributeName_t name, std::span<const CudnnDescriptor> values);
  void set_text(cudnnBackendAttributeName_t name, std::string_view text);
  void finalize(const char* what);
  /// Finalises the descriptor, or returns why cuDNN does not.
  [[nodiscard]] CudnnAnswer try_finalize();

  [[nodiscard]] std::int64_t get_int(cudnnBackendAttributeName_t name) const;
  /// Up to `most` values of an attribute that is a list.
  template <typename T>
  [[nodiscard]] std::vector<T> get_list(cudnnBackendAttributeName_t name,
                                        cudnnBackendAttributeType_t type,
                                        std::int64_t most) const {
    std::vector<T> values(static_cast<std::size_t>(most));
    values.resize(static_cast<std::size_t>(get(name, type, most, values.data())));
    return values;
  }
  /// The number of values of an attribute.
  [[nodiscard]] std::int64_t count(cudnnBackendAttributeName_t name,
                                   cudnnBackendAttributeType_t type) const;
  /// Up to `most` descriptors of one type.
  [[nodiscard]] std::vector<CudnnDescriptor> get_descriptors(cudnnBackendAttributeName_t name,
                                                             cudnnBackendDescriptorType_t type,
                                                             std::int64_t most) const;

 private:
  /// Reads values; returns how many were written, which may be fewer than a first query promises.
  std::int64_t get(cudnnBackendAttributeName_t name,
                   cudnnBackendAttributeType_t type,
                   std::int64_t most,
                   void* values) const;

  cudnnBackendDescriptor_t raw_ = nullptr;
};

}  // namespace dlbench::backend::cuda
