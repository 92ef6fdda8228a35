// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/system_record.h"

#include "engine/core/affinity.h"
#include "harness/node_cpus.h"
#include "probes/gpu/nvml_library.h"
#include "probes/node/system_info.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

// The format of CUDA and Linux: NVML has capital letters and eight digits for the domain.
std::string usual_address(std::string address) {
  constexpr std::size_t kDomainDigits = 4;
  std::ranges::transform(address, address.begin(), [](char letter) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  });
  while (address.find(':') > kDomainDigits && address.starts_with('0')) {
    address.erase(0, 1);
  }
  return address;
}

std::optional<std::string> if_known(std::string text) {
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

// Describes the GPUs that the driver offers to this process; their numbers count the whole machine.
std::vector<reports::GpuRecord> describe_gpus() {
  const std::vector<probes::GpuIdentity> listed = probes::list_gpus(probes::kNvmlLibrary);
  std::vector<reports::GpuRecord> gpus;
  for (std::size_t index = 0; index < listed.size(); ++index) {
    const probes::GpuIdentity& gpu = listed[index];
    if (!gpu.name.empty()) {
      gpus.push_back({.index = static_cast<std::int64_t>(index),
                      .name = gpu.name,
                      .uuid = gpu.uuid,
                      .address = if_known(usual_address(gpu.address)),
                      .memory_bytes = gpu.memory_bytes,
                      .driver = gpu.driver,
                      .compute_capability = gpu.compute_capability});
    }
  }
  return gpus;
}

reports::HostRecord describe_host(const probes::SystemFacts& facts) {
  reports::HostRecord host;
  host.hostname = facts.hostname;
  host.ranks = {0};
  host.cpu = {.model = facts.cpu.model,
              .sockets = facts.cpu.sockets,
              .cores = facts.cpu.cores,
              .threads = facts.cpu.threads,
              .isa = facts.cpu.isa,
              .usable_cores = facts.usable_cpus,
              .cpu_quota = facts.cpu_quota};
  host.memory_bytes = facts.memory.total_bytes;
  host.numa_nodes = facts.numa_nodes;
  host.os = facts.os;
  host.kernel = facts.kernel;
  host.gpus = describe_gpus();
  return host;
}

// What ranks exchange about their hosts; 0 for unknown values.
std::string host_text(const reports::HostRecord& host) {
  nlohmann::json gpus = nlohmann::json::array();
  for (const reports::GpuRecord& gpu : host.gpus) {
    gpus.push_back({{"index", gpu.index},
                    {"name", gpu.name},
                    {"uuid", gpu.uuid},
                    {"address", gpu.address.value_or("")},
                    {"memory_bytes", gpu.memory_bytes.value_or(0)},
                    {"driver", gpu.driver},
                    {"compute_capability", gpu.compute_capability}});
  }
  return nlohmann::json{{"model", host.cpu.model},
                        {"sockets", host.cpu.sockets.value_or(0)},
                        {"cores", host.cpu.cores.value_or(0)},
                        {"threads", host.cpu.threads.value_or(0)},
                        {"isa", host.cpu.isa},
                        {"cpus", core::affinity_cpus()},
                        {"cpu_quota", host.cpu.cpu_quota.value_or(0.0)},
                        {"memory_bytes", host.memory_bytes.value_or(0)},
                        {"numa_nodes", host.numa_nodes.value_or(0)},
                        {"os", host.os},
                        {"kernel", host.kernel},
                        {"gpus", std::move(gpus)}}
      .dump();
}

std::optional<double> cpu_quota(const nlohmann::json& facts) {
  const double quota = facts.at("cpu_quota");
  return quota > 0.0 ? std::optional(quota) : std::nullopt;
}

/// `object`: part of host_text()'s output.
std::optional<std::int64_t> known(const nlohmann::json& object, const char* key) {
  const auto value = object.at(key).get<std::int64_t>();
  return value > 0 ? std::optional(value) : std::nullopt;
}

/// `facts`: host_text()'s output.
void read_host(const nlohmann::json& facts, reports::HostRecord& host) {
  host.cpu = {.model = facts.at("model"),
              .sockets = known(facts, "sockets"),
              .cores = known(facts, "cores"),
              .threads = known(facts, "threads"),
              .isa = facts.at("isa"),
              .cpu_quota = cpu_quota(facts)};
  host.memory_bytes = known(facts, "memory_bytes");
  host.numa_nodes = known(facts, "numa_nodes");
  host.os = facts.at("os");
  host.kernel = facts.at("kernel");
}

bool are_one(const reports::GpuRecord& left, const reports::GpuRecord& right) {
  if (!left.uuid.empty() && !right.uuid.empty()) {
    return left.uuid == right.uuid;
  }
  return left.address.has_value() && right.address.has_value() ? left.address == right.address
                                                               : left.index == right.index;
}

/// Adds GPUs that no rank of the host has reported so far: a scheduler may show each rank its own.
void add_gpus(const nlohmann::json& facts, reports::HostRecord& host) {
  for (const nlohmann::json& told : facts.at("gpus")) {
    reports::GpuRecord gpu{.index = told.at("index"),
                           .name = told.at("name"),
                           .uuid = told.at("uuid"),
                           .address = if_known(told.at("address")),
                           .memory_bytes = known(told, "memory_bytes"),
                           .driver = told.at("driver"),
                           .compute_capability = told.at("compute_capability")};
    if (std::ranges::none_of(host.gpus,
                             [&gpu](const auto& other) { return are_one(gpu, other); })) {
      host.gpus.push_back(std::move(gpu));
    }
  }
}

/// Sorts by address, as the driver counts them. If it counted for each rank alone, indices repeat
/// and are renumbered.
void put_in_order(std::vector<reports::GpuRecord>& gpus) {
  std::ranges::stable_sort(gpus, {}, &reports::GpuRecord::address);
  std::set<std::int64_t> indices;
  for (const reports::GpuRecord& gpu : gpus) {
    indices.insert(gpu.index);
  }
  for (std::size_t place = 0; place < gpus.size() && indices.size() < gpus.size(); ++place) {
    gpus[place].index = static_cast<std::int64_t>(place);
  }
}

}  // namespace

void describe_system(reports::SystemRecord& system) {
  const probes::SystemFacts facts = probes::read_system_facts();
  system.hosts = {describe_host(facts)};
  for (const auto& [name, value] : facts.environment) {
    system.environment[name] = value;
  }
  if (facts.scheduler.has_value()) {
    system.scheduler = reports::SchedulerRecord{facts.scheduler->name,
                                                facts.scheduler->job_id,
                                                facts.scheduler->nodes,
                                                facts.scheduler->tasks};
  }
}

void describe_launch(comm::Rendezvous& ranks, reports::SystemRecord& system) {
  if (ranks.size() == 1) {
    return;
  }
  // Host facts are those of its first rank; processors and GPUs are combined from all ranks.
  const std::vector<std::string> texts = ranks.gather(host_text(system.hosts.front()));
  system.hosts.clear();
  std::vector<NodeCpus> cpus;  // by host
  for (std::size_t rank = 0; rank < ranks.places().size(); ++rank) {
    const comm::RankPlace& place = ranks.places()[rank];
    if (place.local_rank == 0) {
      system.hosts.push_back({.hostname = place.host});
      cpus.emplace_back();
    }
    const auto node = static_cast<std::size_t>(place.node);
    reports::HostRecord& host = system.hosts.at(node);
    host.ranks.push_back(static_cast<std::int64_t>(rank));
    if (rank < texts.size()) {
      const nlohmann::json facts = nlohmann::json::parse(texts[rank]);
      if (place.local_rank == 0) {
        read_host(facts, host);
      }
      add_gpus(facts, host);
      cpus[node].add(facts.at("cpus").get<std::vector<int>>(), cpu_quota(facts));
    }
  }
  for (std::size_t node = 0; node < cpus.size(); ++node) {
    system.hosts[node].cpu.usable_cores = cpus[node].cores();
    put_in_order(system.hosts[node].gpus);
  }
  system.libraries["mpi"] = ranks.library();
}

std::optional<std::string> gpu_uuid(const reports::SystemRecord& system,
                                    std::int64_t rank,
                                    const std::string& address) {
  for (const reports::HostRecord& host : system.hosts) {
    const auto gpu = std::ranges::find(host.gpus, address, &reports::GpuRecord::address);
    if (std::ranges::count(host.ranks, rank) > 0 && gpu != host.gpus.end()) {
      return if_known(gpu->uuid);
    }
  }
  return std::nullopt;
}

void name_devices(const reports::SystemRecord& system, reports::TrialRecord& trial) {
  for (reports::RankRecord& rank : trial.per_rank) {
    if (rank.device_address.has_value()) {
      rank.device_uuid = gpu_uuid(system, rank.rank, *rank.device_address);
    }
  }
}

}  // namespace dlbench::harness
