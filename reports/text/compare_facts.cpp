// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/text/compare_internal.h"
#include "reports/text/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace dlbench::reports {
namespace {

/// Adds facts of the hosts; each value of several hosts once.
void add_hosts(const std::vector<HostRecord>& hosts, std::map<std::string, std::string>& facts) {
  const auto add = [&hosts, &facts](const std::string& name, const auto& value_of) {
    std::set<std::string> values;
    for (const HostRecord& host : hosts) {
      values.insert(value_of(host));
    }
    if (!values.empty()) {
      facts[name] = fmt::format("{}", fmt::join(values, ", "));
    }
  };
  const auto of_gpus = [](const HostRecord& host, std::string GpuRecord::*member) {
    std::set<std::string> values;
    for (const GpuRecord& gpu : host.gpus) {
      values.insert(gpu.*member);
    }
    return values.empty() ? "none" : fmt::format("{}", fmt::join(values, ", "));
  };
  add("host", [](const HostRecord& host) { return host.hostname; });
  add("cpu", [](const HostRecord& host) { return host.cpu.model; });
  add("instruction set", [](const HostRecord& host) { return host.cpu.isa; });
  add("usable cores", [](const HostRecord& host) { return std::to_string(host.cpu.usable_cores); });
  add("cpu quota", [](const HostRecord& host) {
    return host.cpu.cpu_quota.has_value() ? number_text(*host.cpu.cpu_quota) : "none";
  });
  add("kernel", [](const HostRecord& host) { return host.kernel; });
  add("gpu", [&](const HostRecord& host) { return of_gpus(host, &GpuRecord::name); });
  add("gpu driver", [&](const HostRecord& host) { return of_gpus(host, &GpuRecord::driver); });
}

/// Adds the GPUs that ranks computed on, out of all GPUs of their hosts.
void add_devices(const RunRecord& record, std::map<std::string, std::string>& facts) {
  std::set<std::string> uuids;
  for (const TrialRecord& trial : record.trials) {
    for (const RankRecord& rank : trial.per_rank) {
      if (rank.device_uuid.has_value()) {
        uuids.insert(*rank.device_uuid);
      }
    }
  }
  if (uuids.empty() && record.workload.has_value() && record.workload->device_uuid.has_value()) {
    uuids.insert(*record.workload->device_uuid);  // one rank alone
  }
  constexpr std::size_t kNamed = 4;  // a job may have hundreds
  if (!uuids.empty() && uuids.size() <= kNamed) {
    facts["gpu of the ranks"] = fmt::format("{}", fmt::join(uuids, ", "));
  }
}

/// Adds where it computes, and by which plans: `train` has one for an epoch's last batch too.
void add_workload(const WorkloadRecord& workload, std::map<std::string, std::string>& facts) {
  facts["device"] = workload.device;
  facts["backend"] = workload.backend;
  std::map<std::string, std::set<std::string>> hashes;
  for (const PlanRecord& plan : workload.plans) {
    hashes[fmt::format("plan {}, batch {}", plan.mode, plan.batch_size)].insert(plan.hash);
  }
  for (const auto& [plan, of_plan] : hashes) {
    facts[plan] = fmt::format("{}", fmt::join(of_plan, ", "));
  }
}

/// Returns the facts of a run that may explain a change of speed, by name.
std::map<std::string, std::string> facts_of(const RunRecord& record) {
  // The place of results and the length of measuring do not affect the program's speed. What
  // `train` writes besides its steps may: see below.
  static const std::set<std::string> no_influence = {"output",
                                                     "trace",
                                                     "checkpoint",
                                                     "record-probes",
                                                     "benchy",
                                                     "quiet",
                                                     "verbose",
                                                     "strict",
                                                     "config",
                                                     "max-time",
                                                     "time-budget",
                                                     "timeout",
                                                     "max-noise",
                                                     "repetitions"};
  std::map<std::string, std::string> facts;
  facts["dlbench"] = record.tool.version + " " + record.tool.git_commit;
  facts["status"] = status_text(record.run);
  facts["build"] = record.tool.build.type + ", " + record.tool.build.compiler;
  for (const auto& [option, value] : record.config.effective) {
    if (!no_influence.contains(option)) {
      facts["--" + option] = text_of(value);
    }
  }
  for (const char* written : {"trace", "checkpoint"}) {
    const auto option = record.config.effective.find(written);
    if (command_of(record.run) == "train" && option != record.config.effective.end() &&
        option->second != Value()) {
      facts[std::string("--") + written] = "given";  // to which file is of no influence
    }
  }
  for (const auto& [library, version] : record.system.libraries) {
    facts["library " + library] = version;
  }
  for (const auto& [variable, value] : record.system.environment) {
    facts["environment " + variable] = value;
  }
  add_hosts(record.system.hosts, facts);
  add_devices(record, facts);
  if (record.workload.has_value()) {
    add_workload(*record.workload, facts);
  }
  if (record.dataset.has_value()) {
    facts["dataset"] = fmt::format("{}, {} samples, {}",
                                   record.dataset->name,
                                   record.dataset->samples,
                                   record.dataset->origin);
  }
  std::set<bool> replayed;
  for (const TrialRecord& trial : record.trials) {
    if (trial.replayed.has_value()) {
      replayed.insert(*trial.replayed);
    }
  }
  if (!replayed.empty()) {
    facts["steps replayed"] = replayed.size() > 1 ? "some" : replayed.contains(true) ? "yes" : "no";
  }
  std::set<std::string> kinds;
  for (const CollectiveRecord& collective : record.collectives) {
    kinds.insert(collective.transport + (collective.replayed.value_or(false) ? ", replayed" : ""));
  }
  if (!kinds.empty()) {
    facts["collectives"] = fmt::format("{}", fmt::join(kinds, "; "));
  }
  std::set<std::string> taints;  // each once: a repetition has one of its own
  for (const TaintRecord& taint : record.run.taints) {
    taints.emplace(word(taint.code));
  }
  facts["taints"] = taints.empty() ? "none" : fmt::format("{}", fmt::join(taints, ","));
  return facts;
}

}  // namespace

std::string status_text(const RunInfoRecord& run) {
  const std::string status(word(run.status));
  const bool good = run.status == RunStatus::kComplete && run.exit_code.value_or(0) == 0;
  return good || !run.exit_code.has_value()
             ? status
             : fmt::format("{} (exit code {})", status, *run.exit_code);
}

std::string command_of(const RunInfoRecord& run) {
  return run.command.size() > 1 ? run.command[1] : std::string();
}

std::vector<Difference> differences_of(std::span<const RunRecord> baselines,
                                       std::span<const RunRecord> candidates) {
  using Facts = std::map<std::string, std::string>;
  const auto facts_of_all = [](std::span<const RunRecord> records) {
    std::vector<Facts> facts;
    for (const RunRecord& record : records) {
      facts.push_back(facts_of(record));
    }
    return facts;
  };
  const std::vector<Facts> before = facts_of_all(baselines);
  const std::vector<Facts> after = facts_of_all(candidates);
  std::set<std::string> names;
  for (const std::vector<Facts>* side : {&before, &after}) {
    for (const Facts& facts : *side) {
      for (const auto& [name, value] : facts) {
        names.insert(name);
      }
    }
  }
  const auto values_of = [](const std::vector<Facts>& side, const std::string& name) {
    std::set<std::string> values;
    for (const Facts& facts : side) {
      const auto found = facts.find(name);
      values.insert(found == facts.end() ? "none" : found->second);
    }
    return values;
  };
  std::vector<Difference> differences;
  for (const std::string& name : names) {
    const std::set<std::string> ours = values_of(before, name);
    const std::set<std::string> theirs = values_of(after, name);
    if (ours != theirs || ours.size() > 1) {
      differences.push_back({name,
                             fmt::format("{}", fmt::join(ours, " or ")),
                             fmt::format("{}", fmt::join(theirs, " or "))});
    }
  }
  return differences;
}

}  // namespace dlbench::reports
