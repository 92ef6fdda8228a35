// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Identifies a trial: kind and variant, as written on the command line ("synthetic/device").
#pragma once

#include "reports/vocabulary.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::harness {

/// One trial of a run. The variant is empty if the kind has only one.
struct TrialId {
  reports::TrialKind kind = reports::TrialKind::kIo;
  std::string variant;

  /// "io", "synthetic/host", "interference/step_beside_loader".
  [[nodiscard]] std::string to_string() const;
  /// Whether its steps are the network's; otherwise they are the loader's batches.
  [[nodiscard]] bool trains() const { return reports::trains(kind, variant); }
  /// Whether the loader runs in this trial.
  [[nodiscard]] bool loads() const { return kind != reports::TrialKind::kSynthetic; }
  friend bool operator==(const TrialId&, const TrialId&) = default;
};

/// A name that --trials accepts, and one line on what it measures.
struct TrialName {
  std::string name;
  std::string description;
};

/// Returns all names, in the order of `dlbench list`.
[[nodiscard]] std::vector<TrialName> trial_names();

/// The meaning of "synthetic".
enum class SyntheticTrials : std::uint8_t {
  kOne,      ///< one trial: where device and host have one memory, and in `dlbench scale`
  kByMemory  ///< synthetic/device and synthetic/host: a batch of the host is copied to the device
};

/// Parses "io,synthetic,full". With kByMemory, synthetic/nocomm with synthetic/host adds
/// synthetic/device, without which the copy would look like communication. Drops duplicates, keeps
/// the order. Throws core::Error(kUsage) with the nearest name; also for an empty list.
[[nodiscard]] std::vector<TrialId> parse_trials(std::string_view text, SyntheticTrials synthetic);

/// Returns `trials` and, of several ranks, synthetic/nocomm behind the last synthetic one, if they
/// are enough for a verdict (io, synthetic, full): without it the verdict could not tell computing
/// from communication. With synthetic/host it brings synthetic/device, as in parse_trials().
[[nodiscard]] std::vector<TrialId> with_nocomm_for_verdict(std::vector<TrialId> trials, int ranks);

}  // namespace dlbench::harness
