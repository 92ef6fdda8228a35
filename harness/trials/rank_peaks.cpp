// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/rank_peaks.h"

#include "engine/core/affinity.h"
#include "harness/peaks/device_peaks.h"
#include "harness/peaks/gpu_peaks.h"
#include "harness/peaks/peak_cache.h"
#include "probes/node/topology.h"
#include "reports/peak_rates.h"

#include <algorithm>
#include <functional>
#include <string>

namespace dlbench::harness {
namespace {

using reports::Measured;

// Whether this rank has as many cores of the same processor as rank 0. Collective.
bool has_cores_of_rank_0(RankGroup& group) {
  const PeakKey key = peak_key();
  const std::string text = key.processor + key.isa + std::to_string(key.threads);
  const auto mark = static_cast<double>(std::hash<std::string>{}(text) >> 12);  // 52 bits: exact
  return mark == group.broadcast(mark);
}

// Collective.
Measured<double> sum_of_ranks(const SessionPlan& plan,
                              RankGroup& group,
                              std::optional<double> own) {
  const bool cpu = plan.backend().device().kind == "cpu";
  if (ranks_share_devices(plan, group)) {
    return Measured<double>::missing(
        "ranks share cores or a GPU: what they can do together is not known");
  }
  double peak = own.value_or(0.0);
  if (cpu) {
    const bool alike = has_cores_of_rank_0(group);
    const double of_rank_0 = group.broadcast(peak);
    peak = alike ? of_rank_0 : 0.0;
  }
  if (group.any(peak <= 0.0)) {
    return Measured<double>::missing(
        "no peak is known for this device and precision; `dlbench info --measure-peaks` measures "
        "it");
  }
  return group.sum({peak}).front();
}

}  // namespace

bool ranks_share_devices(const SessionPlan& plan, RankGroup& group) {
  if (plan.backend().device().kind != "cpu") {
    return group.any(!plan.shared_device().empty());
  }
  return group.size() > 1 && group.any(group.others_run_on(probes::cpus_of_same_cores(
                                 probes::read_topology(), core::affinity_cpus())));
}

std::vector<reports::PeakRecord> peaks_of_this_rank(const backend::Backend& backend,
                                                    const RankGroup& group) {
  const backend::DeviceInfo device = backend.device();
  if (device.kind == "cuda") {
    std::vector<reports::PeakRecord> peaks = datasheet_peaks(device.name);
    const auto measured = cached_device_peaks(backend);
    peaks.insert(peaks.end(), measured.begin(), measured.end());
    return peaks;
  }
  return device.kind == "cpu" && group.speaks() ? known_peaks()
                                                : std::vector<reports::PeakRecord>{};
}

GroupPeaks peaks_of_all_ranks(const SessionPlan& plan,
                              RankGroup& group,
                              const std::vector<reports::PeakRecord>& own) {
  const std::string& precision = plan.options().precision;
  return {.flop_per_s = sum_of_ranks(plan, group, reports::mfu_flop_per_s(own, precision)),
          .measured_flop_per_s =
              sum_of_ranks(plan, group, reports::measured_flop_per_s(own, precision)).value};
}

std::optional<reports::SkipRecord> lacking_memory_peak(
    const std::vector<reports::PeakRecord>& peaks) {
  const bool known = std::ranges::any_of(
      peaks, [](const reports::PeakRecord& peak) { return peak.memory_bytes_per_s.has_value(); });
  if (peaks.empty() || known) {
    return std::nullopt;
  }
  return reports::SkipRecord{
      "peak of memory bandwidth, and bounds of operators",
      "others left no moment in which every thread kept its processor: `dlbench info "
      "--measure-peaks` on a quiet machine measures it"};
}

}  // namespace dlbench::harness
