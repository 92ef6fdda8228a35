// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/system_record.h"

#include "engine/core/affinity.h"
#include "harness/node_cpus.h"
#include "probes/gpu/nvml_library.h"
#include "probes/node/system_info.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

// Those that the driver hands out to this process; their numbers count all of the machine.
std::vector<reports::GpuRecord> describe_gpus() {
  const std::vector<probes::GpuIdentity> listed = probes::list_gpus(probes::kNvmlLibrary);
  std::vector<reports::GpuRecord> gpus;
  for (std::size_t index = 0; index < listed.size(); ++index) {
    const probes::GpuIdentity& gpu = listed[index];
    if (!gpu.name.empty()) {
      gpus.push_back({.index = static_cast<std::int64_t>(index),
                      .name = gpu.name,
                      .uuid = gpu.uuid,
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

// What ranks tell each other of their hosts; 0 for what is not known.
std::string host_text(const reports::HostRecord& host) {
  nlohmann::json gpus = nlohmann::json::array();
  for (const reports::GpuRecord& gpu : host.gpus) {
    gpus.push_back({{"index", gpu.index},
                    {"name", gpu.name},
                    {"uuid", gpu.uuid},
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

/// `facts`: what host_text() says.
void read_host(const nlohmann::json& facts, reports::HostRecord& host) {
  const auto known = [](const nlohmann::json& object, const char* key) {
    const auto value = object.at(key).get<std::int64_t>();
    return value > 0 ? std::optional(value) : std::nullopt;
  };
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
  for (const nlohmann::json& gpu : facts.at("gpus")) {
    host.gpus.push_back({.index = gpu.at("index"),
                         .name = gpu.at("name"),
                         .uuid = gpu.at("uuid"),
                         .memory_bytes = known(gpu, "memory_bytes"),
                         .driver = gpu.at("driver"),
                         .compute_capability = gpu.at("compute_capability")});
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
  // Of each host what its first rank says counts, and the processors of all.
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
      cpus[node].add(facts.at("cpus").get<std::vector<int>>(), cpu_quota(facts));
    }
  }
  for (std::size_t node = 0; node < cpus.size(); ++node) {
    system.hosts[node].cpu.usable_cores = cpus[node].cores();
  }
  system.libraries["mpi"] = ranks.library();
}

}  // namespace dlbench::harness
