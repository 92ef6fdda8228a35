// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks where the ranks ran, and each rank's figures against those of all.
#include "reports/validation/arithmetic_internal.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace dlbench::reports {
namespace {

/// Returns the host that lists a rank; null if none does. With several ranks it is found by rank
/// number, not by name, since two hosts may have the same name.
const HostRecord* host_of(const SystemRecord& system, std::int64_t rank) {
  const auto found = std::ranges::find_if(system.hosts, [rank](const HostRecord& host) {
    return std::ranges::count(host.ranks, rank) > 0;
  });
  return found == system.hosts.end() ? nullptr : &*found;
}

/// Checks that a rank ran on the host that lists it. A report written before the launch was
/// described knows only rank 0.
void check_host(const Checker& check,
                const SystemRecord& system,
                std::int64_t rank,
                const std::string& host) {
  const HostRecord* listed = host_of(system, rank);
  check.expect(listed == nullptr || listed->hostname == host,
               fmt::format("rank {} is on '{}', but system.hosts have it on '{}'",
                           rank,
                           host,
                           listed == nullptr ? "" : listed->hostname));
}

/// Checks that a GPU is listed once, by any of its names. Older reports lack addresses.
void check_gpus(const Checker& check, const HostRecord& host) {
  std::set<std::int64_t> indices;
  std::set<std::string> uuids;
  std::set<std::string> addresses;
  for (const GpuRecord& gpu : host.gpus) {
    check.expect(indices.insert(gpu.index).second,
                 fmt::format("index {} is there twice", gpu.index));
    check.expect(gpu.uuid.empty() || uuids.insert(gpu.uuid).second,
                 fmt::format("{} is there twice", gpu.uuid));
    check.expect(!gpu.address.has_value() || addresses.insert(*gpu.address).second,
                 fmt::format("{} is there twice", gpu.address.value_or("")));
  }
}

/// Checks that a rank computed on a GPU of its host. Without a driver's list, nothing is known.
void check_device(const Checker& check, const SystemRecord& system, const RankRecord& rank) {
  const HostRecord* host = host_of(system, rank.rank);
  if (!rank.device_uuid.has_value() || host == nullptr) {
    return;
  }
  check.expect(std::ranges::any_of(host->gpus,
                                   [&rank](const GpuRecord& gpu) {
                                     return gpu.uuid == rank.device_uuid &&
                                            gpu.address == rank.device_address;
                                   }),
               fmt::format("rank {} is on {} at {}, but system.hosts have no such GPU on '{}'",
                           rank.rank,
                           *rank.device_uuid,
                           rank.device_address.value_or("no address"),
                           host->hostname));
}

void check_numbers(const Checker& check, const TrialRecord& trial) {
  std::set<std::int64_t> ranks;
  for (const RankRecord& rank : trial.per_rank) {
    check.expect(rank.rank < trial.ranks && ranks.insert(rank.rank).second,
                 fmt::format("rank {} is there twice, or not one of {}", rank.rank, trial.ranks));
  }
  const auto listed = static_cast<std::int64_t>(trial.per_rank.size());
  check.expect(trial.ranks == 1 || !trial.throughput.has_value() || listed == trial.ranks,
               fmt::format("has {} of the {} ranks whose repetitions count", listed, trial.ranks));
}

/// Returns the sum of a value over a trial's ranks; nothing if any rank lacks it or is missing.
template <typename ValueOf>
std::optional<double> sum_over_ranks(const TrialRecord& trial, const ValueOf& value_of) {
  if (static_cast<std::int64_t>(trial.per_rank.size()) != trial.ranks) {
    return std::nullopt;
  }
  double sum = 0.0;
  for (const RankRecord& rank : trial.per_rank) {
    const std::optional<double> value = value_of(rank);
    if (!value.has_value()) {
      return std::nullopt;
    }
    sum += *value;
  }
  return sum;
}

/// A collective has one last rank. Older reports have one per node, because nodes' clocks are not
/// comparable: but not all ranks of a node can be late.
void check_late_shares(const Checker& check, const TrialRecord& trial, const SystemRecord& system) {
  std::map<const HostRecord*, double> late_shares;
  for (const RankRecord& rank : trial.per_rank) {
    if (const HostRecord* host = host_of(system, rank.rank); host != nullptr) {
      late_shares[host] += rank.late_share.value_or(0.0);
    }
  }
  for (const auto& [host, share] : late_shares) {
    check.expect(share <= 1.0 + kTolerance,
                 fmt::format("late_share of the ranks on '{}' sum to {}, more than all collectives",
                             host->hostname,
                             share));
  }
}

/// Checks the launch's hosts: ranks count from 0, each on one host; a completed run has them all.
void check_hosts(const Checker& root, const SystemRecord& system, RunStatus status) {
  const std::int64_t launched = launched_ranks(system);
  root.at("system.hosts")
      .expect(launched > 0 || status != RunStatus::kComplete,
              "is without ranks, but the run is complete");
  std::set<std::int64_t> ranks;
  for (std::size_t index = 0; index < system.hosts.size(); ++index) {
    check_gpus(root.at("system").at("hosts", index).at("gpus"), system.hosts[index]);
    for (const std::int64_t rank : system.hosts[index].ranks) {
      root.at("system")
          .at("hosts", index)
          .at("ranks")
          .expect(
              rank < launched && ranks.insert(rank).second,
              fmt::format(
                  "rank {} is there twice, or not one of the {} of system.hosts", rank, launched));
    }
  }
}

/// Checks that all ranks are listed, or after an early end only the one that wrote the report.
void check_job_ranks(const Checker& check, const JobRecord& job, const RunRecord& record) {
  std::set<std::int64_t> ranks;
  for (const JobRankRecord& rank : job.per_rank) {
    check.expect(ranks.insert(rank.rank).second, fmt::format("rank {} is there twice", rank.rank));
    check_host(check, record.system, rank.rank, rank.host);
  }
  if (record.run.status != RunStatus::kComplete) {
    return;
  }
  for (const HostRecord& host : record.system.hosts) {
    for (const std::int64_t rank : host.ranks) {
      check.expect(ranks.contains(rank),
                   fmt::format("rank {} is missing, which is one of system.hosts", rank));
    }
  }
}

}  // namespace

void check_ranks(const Checker& root, const RunRecord& record) {
  check_hosts(root, record.system, record.run.status);
  if (record.job.has_value()) {
    check_job_ranks(root.at("job.per_rank"), *record.job, record);
  }
  for (std::size_t index = 0; index < record.trials.size(); ++index) {
    const TrialRecord& trial = record.trials[index];
    const Checker check = root.at("trials", index).at("per_rank");
    check_numbers(check, trial);
    check_late_shares(check, trial, record.system);
    for (const RankRecord& rank : trial.per_rank) {
      check_host(check, record.system, rank.rank, rank.host);
      check_device(check, record.system, rank);
    }
  }
}

void check_rank_sums(const Checker& check, const TrialRecord& trial, const RankSums& counted) {
  const auto samples = sum_over_ranks(trial, [](const RankRecord& rank) {
    return rank.wall_s.has_value() ? std::optional(rank.samples_per_second * *rank.wall_s)
                                   : std::nullopt;
  });
  check.expect(
      !samples.has_value() || close(*samples, static_cast<double>(counted.samples)),
      fmt::format("samples_per_second times wall_s sum to {} samples, but the repetitions have {}",
                  samples.value_or(0.0),
                  counted.samples));
  const auto cpu_s = sum_over_ranks(trial, [](const RankRecord& rank) { return rank.cpu_s; });
  check.expect(!cpu_s.has_value() || !counted.cpu_s.has_value() || close(*cpu_s, *counted.cpu_s),
               fmt::format("cpu_s sum to {}, but those of the repetitions to {}",
                           cpu_s.value_or(0.0),
                           counted.cpu_s.value_or(0.0)));
  for (const RankRecord& rank : trial.per_rank) {
    check.expect(rank.wall_s.value_or(0.0) <= counted.wall_s * (1.0 + kTolerance),
                 fmt::format("rank {} took {} s, but the slowest of each repetition {} s together",
                             rank.rank,
                             rank.wall_s.value_or(0.0),
                             counted.wall_s));
  }
}

}  // namespace dlbench::reports
