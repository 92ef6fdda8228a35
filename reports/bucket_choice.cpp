// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/bucket_choice.h"

#include <algorithm>

namespace dlbench::reports {
namespace {

// An estimate without interval may be arbitrarily wrong.
bool slower(const EstimateRecord& step, const EstimateRecord& best) {
  return step.ci95.has_value() && best.ci95.has_value() && (*step.ci95)[0] > (*best.ci95)[1];
}

const BucketCapRecord* shortest_measured(std::span<const BucketCapRecord> caps) {
  const BucketCapRecord* shortest = nullptr;
  for (const BucketCapRecord& cap : caps) {
    if (cap.measured_step_time_s.has_value() &&
        (shortest == nullptr ||
         cap.measured_step_time_s->mean < shortest->measured_step_time_s->mean)) {
      shortest = &cap;
    }
  }
  return shortest;
}

}  // namespace

std::optional<double> best_modelled_cap(std::span<const BucketCapRecord> caps, double tells) {
  const BucketCapRecord* shortest = nullptr;
  double longest_s = 0.0;
  for (const BucketCapRecord& cap : caps) {
    if (!cap.modelled_step_time_s.has_value()) {
      continue;
    }
    longest_s = std::max(longest_s, *cap.modelled_step_time_s);
    if (shortest == nullptr || *cap.modelled_step_time_s < *shortest->modelled_step_time_s) {
      shortest = &cap;
    }
  }
  if (shortest == nullptr || longest_s <= *shortest->modelled_step_time_s * (1.0 + tells)) {
    return std::nullopt;
  }
  return shortest->bucket_cap_mib;
}

std::optional<double> best_measured_cap(std::span<const BucketCapRecord> caps) {
  const BucketCapRecord* best = shortest_measured(caps);
  if (best == nullptr) {
    return std::nullopt;
  }
  const bool tells = std::ranges::any_of(caps, [best](const BucketCapRecord& cap) {
    return cap.measured_step_time_s.has_value() &&
           slower(*cap.measured_step_time_s, *best->measured_step_time_s);
  });
  return tells ? std::optional(best->bucket_cap_mib) : std::nullopt;
}

std::vector<double> caps_as_good(std::span<const BucketCapRecord> caps, double best_mib) {
  std::vector<double> as_good;
  const auto best = std::ranges::find(caps, best_mib, &BucketCapRecord::bucket_cap_mib);
  if (best == caps.end() || !best->measured_step_time_s.has_value()) {
    return as_good;
  }
  for (const BucketCapRecord& cap : caps) {
    if (&cap != &*best && cap.measured_step_time_s.has_value() &&
        !slower(*cap.measured_step_time_s, *best->measured_step_time_s)) {
      as_good.push_back(cap.bucket_cap_mib);
    }
  }
  return as_good;
}

}  // namespace dlbench::reports
