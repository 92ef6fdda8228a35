// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Corrupt samples of a run and their substitutes. Private to the loader.
#pragma once

#include "data/dataset.h"
#include "data/loader/prefetch_loader.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace dlbench::data::detail {

/// Returns an error of a corrupt sample with LoaderOptions::corrupt_advice at its end.
[[nodiscard]] std::string with_advice(const std::string& message, const std::string& advice);

/// Loads a sample or, if allowed, the next good one of the sorted list in its place. The choice
/// depends on the files only, not on threads or history. Thread safe.
class SampleSubstitution {
 public:
  /// Keeps a reference to `dataset`. Allowed if `options` skip corrupt samples.
  SampleSubstitution(const Dataset& dataset, const LoaderOptions& options)
      : dataset_(dataset), allowed_(options.skip_corrupt), advice_(options.corrupt_advice) {}

  /// Loads `planned` or its substitute into `rows`; returns the index that was loaded. Rethrows the
  /// reader's error, with the advice, if substitution is not allowed or the error is neither
  /// Error(kData) nor Error(kFile); throws Error(kData) if the data set has no good sample.
  std::int64_t load(std::int64_t planned,
                    SampleReader& reader,
                    LoadContext& context,
                    std::span<const std::span<std::byte>> rows);

  /// Returns each corrupt sample found so far, without repeats, sorted by index.
  [[nodiscard]] std::vector<SkippedSample> skipped() const;

 private:
  bool is_known_bad(std::int64_t index) const;
  void remember(std::int64_t index, std::string message);

  const Dataset& dataset_;
  bool allowed_;
  std::string advice_;
  std::atomic<bool> any_bad_{false};  ///< lets good data sets avoid the lock
  mutable std::mutex mutex_;
  std::map<std::int64_t, std::string> bad_;
};

}  // namespace dlbench::data::detail
