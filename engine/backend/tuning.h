// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Which of several implementations a node gets: as given, as found earlier, as measured now, or by
// rule. How to measure is the backend's.
#pragma once

#include "engine/backend/lowering.h"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>

namespace dlbench::backend {

/// What a node is called in decisions, and what its choice depends on.
struct TuningKey {
  std::string decision;  ///< "<node>|<direction>"
  std::string problem;   ///< shapes, attributes, dtype
};

/// The choices of one lower() call, with the file that remembers them.
class Choices {
 public:
  /// `machine`: what times depend on besides the problem (device, threads, library version).
  /// Reads the cache file of the options; one that is missing or of another version counts as
  /// empty.
  Choices(const LoweringOptions& options, std::string machine);

  /// Index of the candidate to use, from given decisions, from the cache file, by `measure` (which
  /// returns an index, or nothing where it cannot), or by rule, in this order. `names` is not
  /// empty; `preferred`: the choice where nothing is measured; if it is not among the names, the
  /// first one.
  [[nodiscard]] std::size_t choose(const TuningKey& key,
                                   std::span<const std::string> names,
                                   const std::string& preferred,
                                   const std::function<std::optional<std::size_t>()>& measure);

  /// LoweringOptions::check, for measurements that take long. choose() calls it before each.
  void check() const;

  /// Adds new measurements to the cache file, if there is one, as it is now: another process may
  /// have added its own since. Of two that save in the same moment the later one stays; what the
  /// other measured is measured again. Readers see the old file or the new one. Where saving fails
  /// a warning says so once, with the reason.
  void save() const;

 private:
  using ByProblem = std::map<std::string, std::string>;  ///< problem and machine -> candidate

  const LoweringOptions& options_;
  std::string machine_;
  ByProblem known_;
  ByProblem measured_;  ///< of these, by this object
};

}  // namespace dlbench::backend
