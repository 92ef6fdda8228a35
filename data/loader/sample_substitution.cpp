// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/loader/sample_substitution.h"

#include "engine/core/error.h"

#include <fmt/format.h>

#include <utility>

namespace dlbench::data::detail {

using core::Error;
using core::ErrorCode;

std::string with_advice(const std::string& message, const std::string& advice) {
  return advice.empty() ? message : message + "; " + advice;
}

std::int64_t SampleSubstitution::load(std::int64_t planned,
                                      SampleReader& reader,
                                      LoadContext& context,
                                      std::span<const std::span<std::byte>> rows) {
  const std::int64_t size = dataset_.size();
  for (std::int64_t attempt = 0; attempt < size; ++attempt) {
    const std::int64_t index = (planned + attempt) % size;
    if (is_known_bad(index)) {
      continue;
    }
    try {
      reader.load(index, context, rows);
      return index;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kData && error.code() != ErrorCode::kFile) {
        throw;
      }
      if (!allowed_) {
        throw Error(error.code(), with_advice(error.what(), advice_));
      }
      remember(index, error.what());
    }
  }
  throw Error(ErrorCode::kData,
              fmt::format("all {} samples of this split are corrupt; the last: {}",
                          size,
                          skipped().back().message));
}

std::vector<SkippedSample> SampleSubstitution::skipped() const {
  const std::lock_guard lock(mutex_);
  std::vector<SkippedSample> all;
  for (const auto& [index, message] : bad_) {
    all.push_back({index, dataset_.sample_name(index), message});
  }
  return all;
}

bool SampleSubstitution::is_known_bad(std::int64_t index) const {
  if (!any_bad_.load(std::memory_order_acquire)) {
    return false;
  }
  const std::lock_guard lock(mutex_);
  return bad_.contains(index);
}

void SampleSubstitution::remember(std::int64_t index, std::string message) {
  const std::lock_guard lock(mutex_);
  bad_.emplace(index, std::move(message));
  any_bad_.store(true, std::memory_order_release);
}

}  // namespace dlbench::data::detail
