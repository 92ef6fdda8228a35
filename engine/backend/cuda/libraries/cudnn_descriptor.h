// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A descriptor of cuDNN's graph API that owns itself, with typed attributes.
#pragma once

#include <cudnn.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::backend::cuda {

/// What cuDNN says when it is asked for something that it may not have.
struct CudnnAnswer {
  cudnnStatus_t status = CUDNN_STATUS_SUCCESS;
  std::string text;  ///< of a failure, with its number: the status and what cuDNN adds

  [[nodiscard]] bool yes() const { return status == CUDNN_STATUS_SUCCESS; }
  /// It does not support this: a plain no. All that is neither yes nor no went wrong.
  [[nodiscard]] bool no() const;
};

/// What cuDNN failed with last among many answers, where it did not just say no.
class LastCudnnFailure {
 public:
  /// Whether the answer is yes; `what` was asked for.
  [[nodiscard]] bool accepts(std::string_view what, const CudnnAnswer& answer);
  /// "; eng38{2=1} failed: ...", to be put behind a sentence; empty if nothing failed.
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
  /// Finalises it, or says why cuDNN does not.
  [[nodiscard]] CudnnAnswer try_finalize();

  [[nodiscard]] std::int64_t get_int(cudnnBackendAttributeName_t name) const;
  /// Up to `most` values of an enumeration.
  template <typename T>
  [[nodiscard]] std::vector<T> get_list(cudnnBackendAttributeName_t name,
                                        cudnnBackendAttributeType_t type,
                                        std::int64_t most) const {
    std::vector<T> values(static_cast<std::size_t>(most));
    values.resize(static_cast<std::size_t>(get(name, type, most, values.data())));
    return values;
  }
  /// How many values the attribute has.
  [[nodiscard]] std::int64_t count(cudnnBackendAttributeName_t name,
                                   cudnnBackendAttributeType_t type) const;
  /// Up to `most` descriptors of one type.
  [[nodiscard]] std::vector<CudnnDescriptor> get_descriptors(cudnnBackendAttributeName_t name,
                                                             cudnnBackendDescriptorType_t type,
                                                             std::int64_t most) const;

 private:
  /// Number of values written, which may be less than what a first query promises.
  std::int64_t get(cudnnBackendAttributeName_t name,
                   cudnnBackendAttributeType_t type,
                   std::int64_t most,
                   void* values) const;

  cudnnBackendDescriptor_t raw_ = nullptr;
};

}  // namespace dlbench::backend::cuda
