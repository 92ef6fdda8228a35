// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Which trial: kind and variant, as written on the command line ("synthetic/device").
#pragma once

#include "reports/vocabulary.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::harness {

/// One trial of a run. The variant is empty where the kind has only one.
struct TrialId {
  reports::TrialKind kind = reports::TrialKind::kIo;
  std::string variant;

  /// "io", "synthetic/host", "interference/step_beside_loader".
  [[nodiscard]] std::string to_string() const;
  /// Whether its steps are the network's; else they are the loader's batches.
  [[nodiscard]] bool trains() const { return reports::trains(kind, variant); }
  /// Whether the loader works beside it.
  [[nodiscard]] bool loads() const { return kind != reports::TrialKind::kSynthetic; }
  friend bool operator==(const TrialId&, const TrialId&) = default;
};

/// A name that --trials accepts, and one line on what it measures.
struct TrialName {
  std::string name;
  std::string description;
};

/// All of them, in the order of a list.
[[nodiscard]] std::vector<TrialName> trial_names();

/// What "synthetic" stands for.
enum class SyntheticTrials : std::uint8_t {
  kOne,      ///< one trial: where device and host have one memory, and in `dlbench scale`
  kByMemory  ///< synthetic/device and synthetic/host: a batch of the host is copied to the device
};

/// Parses "io,synthetic,full". With kByMemory synthetic/nocomm beside synthetic/host brings
/// synthetic/device, without which the copy would look like communication. Doubles are dropped,
/// order is kept. Throws core::Error(kUsage) with the nearest name; also for an empty list.
[[nodiscard]] std::vector<TrialId> parse_trials(std::string_view text, SyntheticTrials synthetic);

}  // namespace dlbench::harness
