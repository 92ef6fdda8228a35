// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/trial_id.h"

#include "engine/core/error.h"
#include "engine/core/nearest_name.h"
#include "engine/core/split_list.h"

#include <algorithm>

namespace dlbench::harness {
namespace {

using reports::TrialKind;

// Returns the trials that one name of the list stands for.
std::vector<TrialId> expand(const std::string& name, SyntheticTrials synthetic) {
  if (name == "io") {
    return {{TrialKind::kIo, ""}};
  }
  if (name == "full") {
    return {{TrialKind::kFull, ""}};
  }
  if (name == "interference") {
    return {{TrialKind::kInterference, "step_beside_loader"},
            {TrialKind::kInterference, "loader_beside_step"}};
  }
  if (name == "synthetic/nocomm") {
    return {{TrialKind::kSynthetic, "nocomm"}};
  }
  if (synthetic == SyntheticTrials::kOne && name.starts_with("synthetic")) {
    return {{TrialKind::kSynthetic, ""}};
  }
  if (name == "synthetic") {
    return {{TrialKind::kSynthetic, "device"}, {TrialKind::kSynthetic, "host"}};
  }
  return {{TrialKind::kSynthetic, name.substr(name.find('/') + 1)}};
}

// The cost of communication is the difference of device and nocomm, which have no copy.
void add_device_for_nocomm(std::vector<TrialId>& trials) {
  const auto find = [&trials](const char* variant) {
    return std::ranges::find(trials, TrialId{TrialKind::kSynthetic, variant});
  };
  if (find("nocomm") != trials.end() && find("host") != trials.end() &&
      find("device") == trials.end()) {
    trials.insert(find("nocomm"), TrialId{TrialKind::kSynthetic, "device"});
  }
}

}  // namespace

std::string TrialId::to_string() const {
  std::string text(reports::word(kind));
  return variant.empty() ? text : text + "/" + variant;
}

std::vector<TrialName> trial_names() {
  return {
      {"io", "the loader alone: reads, decodes, augments, collates"},
      {"synthetic", "the step alone on one batch; on a GPU both /device and /host"},
      {"synthetic/device", "the step on a batch that lies in the device's memory"},
      {"synthetic/host", "the same step, with the copy of the batch to the device"},
      {"synthetic/nocomm", "the step without communication; several ranks only"},
      {"full", "loader and step together, as in training"},
      {"interference", "what loader and step cost each other: each timed beside the other"},
  };
}

std::vector<TrialId> parse_trials(std::string_view text, SyntheticTrials synthetic) {
  std::vector<std::string> known;
  for (const TrialName& trial : trial_names()) {
    known.push_back(trial.name);
  }
  std::vector<TrialId> trials;
  for (const std::string& name : core::split_list(text)) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw core::Error(core::ErrorCode::kUsage, core::unknown_name_message("trial", name, known));
    }
    for (const TrialId& trial : expand(name, synthetic)) {
      if (std::find(trials.begin(), trials.end(), trial) == trials.end()) {
        trials.push_back(trial);
      }
    }
  }
  add_device_for_nocomm(trials);
  if (trials.empty()) {
    throw core::Error(core::ErrorCode::kUsage,
                      "--trials: the list is empty; wanted for example io,synthetic,full");
  }
  return trials;
}

std::vector<TrialId> with_nocomm_for_verdict(std::vector<TrialId> trials, int ranks) {
  const auto has = [&trials](TrialKind kind) {
    return std::ranges::find(trials, kind, &TrialId::kind) != trials.end();
  };
  const TrialId nocomm{TrialKind::kSynthetic, "nocomm"};
  const bool measured = std::ranges::find(trials, nocomm) != trials.end();
  if (ranks > 1 && has(TrialKind::kIo) && has(TrialKind::kSynthetic) && has(TrialKind::kFull) &&
      !measured) {
    const auto last = std::find_if(trials.rbegin(), trials.rend(), [](const TrialId& trial) {
      return trial.kind == TrialKind::kSynthetic;
    });
    trials.insert(last.base(), nocomm);
    add_device_for_nocomm(trials);
  }
  return trials;
}

}  // namespace dlbench::harness
