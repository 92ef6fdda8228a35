// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Chooses one of several implementations of a node: as given, as measured in an earlier run, as
// measured now, or by rule. The backend supplies the measurement.
#pragma once

#include "engine/backend/lowering.h"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>

namespace dlbench::backend {

/// The name of a choice in decisions, and the problem on which it depends.
struct TuningKey {
  std::string decision;  ///< "<node>|<direction>"
  std::string problem;   ///< shapes, attributes, dtype
};

/// The choices of one lower() call, with the file that remembers them.
class Choices {
 public:
  /// `machine`: what times depend on besides the problem (device, threads, library version). Reads
  /// the cache file of the options; a file that is missing or of another version counts as empty.
  Choices(const LoweringOptions& options, std::string machine);

  /// Returns the index of the candidate to use: from given decisions, from the cache file, from
  /// `measure` (which returns an index, or nullopt if it cannot measure), or by rule, in this
  /// order. `names` must not be empty; `preferred` is the choice by rule, or the first name if it
  /// is not among them. Throws core::Error(kUnavailable) if a given decision is not among the
  /// names.
  [[nodiscard]] std::size_t choose(const TuningKey& key,
                                   std::span<const std::string> names,
                                   const std::string& preferred,
                                   const std::function<std::optional<std::size_t>()>& measure);

  /// Calls LoweringOptions::check, for long measurements. choose() calls it before each
  /// measurement.
  void check() const;

  /// Merges new measurements into the cache file, if one is configured, as it is now: another
  /// process may have added its own since. If two save at the same time the later one wins, and
  /// what the other measured is measured again. Readers see either the old or the new file. If
  /// saving fails, warns once with the reason.
  void save() const;

 private:
  using ByProblem = std::map<std::string, std::string>;  ///< problem and machine -> candidate

  const LoweringOptions& options_;
  std::string machine_;
  ByProblem known_;
  ByProblem measured_;  ///< those of known_ measured by this object
};

}  // namespace dlbench::backend
