// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/run_record.h"

#include "data/loader/prefetch_loader.h"
#include "engine/core/affinity.h"
#include "engine/core/build_info.h"
#include "engine/core/log.h"
#include "engine/core/round_up.h"
#include "harness/node_cpus.h"
#include "harness/rank_placement.h"
#include "harness/session/plan_record.h"
#include "harness/trials/trial_runner.h"
#include "probes/gpu/nvml_library.h"
#include "probes/node/system_info.h"
#include "reports/naming.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace dlbench::harness {
namespace {

std::string run_id() {
  std::random_device device;
  return fmt::format("{:016x}", (std::uint64_t{device()} << 32U) | device());
}

std::vector<std::int64_t> extents(const core::Shape& shape) {
  return {shape.extents().begin(), shape.extents().end()};
}

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

void read_host_text(const std::string& text, reports::HostRecord& host) {
  const nlohmann::json facts = nlohmann::json::parse(text);
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

reports::ValueMap describe_optimizer(const graph::OptimizerSpec& spec) {
  reports::ValueMap optimizer;
  optimizer["name"] = std::string(graph::name(spec.kind));
  optimizer["learning_rate"] = spec.learning_rate;
  optimizer["epsilon"] = spec.attributes.epsilon;
  switch (spec.kind) {
    case graph::OptimizerKind::kSgd:
      optimizer["momentum"] = spec.attributes.momentum;
      optimizer["weight_decay"] = spec.attributes.weight_decay;
      break;
    case graph::OptimizerKind::kAdadelta:
      optimizer["rho"] = spec.attributes.rho;
      break;
    case graph::OptimizerKind::kAdam:
    case graph::OptimizerKind::kNadam:
      optimizer["beta1"] = spec.attributes.beta1;
      optimizer["beta2"] = spec.attributes.beta2;
      break;
  }
  return optimizer;
}

void describe_tensors(const workloads::BuiltWorkload& built, reports::WorkloadRecord& workload) {
  for (const auto& binding : built.inputs) {
    const graph::Value& value = built.graph.value(*built.graph.find(binding.input));
    workload.inputs.push_back({.name = value.name,
                               .role = binding.role == data::Role::kInput ? "input" : "target",
                               .dtype = std::string(core::name(value.dtype)),
                               .shape = extents(value.shape)});
  }
  for (const auto& [name, id] : built.graph.outputs()) {
    workload.outputs.push_back({.name = name, .shape = extents(built.graph.value(id).shape)});
  }
}

// per_rank_loss where the loss of several ranks is not that of one rank with the global batch; none
// otherwise, as with --sync-loss.
std::optional<reports::TaintRecord> loss_taint(const SessionPlan& plan) {
  const bool ratio = plan.workload().spec().loss_reduction == workloads::LossReduction::kBatchRatio;
  if (!ratio || plan.ranks().size() == 1 || plan.reduction().sync_loss) {
    return std::nullopt;
  }
  return reports::TaintRecord{
      reports::Taint::kPerRankLoss,
      "loss",
      "each rank's loss is a ratio over its own samples: N ranks are not one rank with the whole "
      "batch; --sync-loss makes them one"};
}

}  // namespace

reports::RunRecord start_record(const Invocation& invocation,
                                const OptionSet& options,
                                std::uint64_t seed) {
  reports::RunRecord record;
  const core::BuildInfo& build = core::build_info();
  record.tool = {.version = build.version,
                 .git_commit = build.git_commit,
                 .build = {build.build_type, build.compiler, build.features}};
  record.run.id = run_id();
  record.run.command = invocation.arguments;
  record.run.started_at = utc_now();
  record.run.status = reports::RunStatus::kPartial;
  record.run.seed = seed;
  record.config = {options.effective(), options.sources()};
  describe_system(record.system);
  return record;
}

void describe_launch(comm::Rendezvous& ranks, reports::RunRecord& record) {
  if (ranks.size() == 1) {
    return;
  }
  // One JSON text per rank; of each host the one of its first rank counts, and the processors of
  // all.
  const std::vector<std::string> texts = ranks.gather(host_text(record.system.hosts.front()));
  record.system.hosts.clear();
  std::vector<NodeCpus> cpus;  // by host
  for (std::size_t rank = 0; rank < ranks.places().size(); ++rank) {
    const comm::RankPlace& place = ranks.places()[rank];
    if (place.local_rank == 0) {
      reports::HostRecord host{.hostname = place.host};
      if (rank < texts.size()) {
        read_host_text(texts[rank], host);
      }
      record.system.hosts.push_back(std::move(host));
      cpus.emplace_back();
    }
    const auto node = static_cast<std::size_t>(place.node);
    record.system.hosts.at(node).ranks.push_back(static_cast<std::int64_t>(rank));
    if (rank < texts.size()) {
      const nlohmann::json facts = nlohmann::json::parse(texts[rank]);
      cpus[node].add(facts.at("cpus").get<std::vector<int>>(), cpu_quota(facts));
    }
  }
  for (std::size_t node = 0; node < cpus.size(); ++node) {
    record.system.hosts[node].cpu.usable_cores = cpus[node].cores();
  }
  record.system.libraries["mpi"] = ranks.library();
}

namespace {

// What was left to the workload and the machine, now that they have chosen.
void complete_options(const SessionPlan& plan, reports::ValueMap& effective) {
  const std::int64_t threads = plan.backend().device().threads;  // 0 where a device computes
  const std::map<std::string, reports::Value> chosen{
      {"batch-size", plan.batch_size()},
      {"data", plan.source().folder.string()},
      {"global-batch-size", plan.batch().global},
      {"image-size", plan.built().params.image_size},
      {"max-time", StoppingLimits{}.max_time_s},
      {"min-time", RunnerOptions{}.min_time_s},
      {"threads", threads > 0 ? reports::Value(threads) : reports::Value()},
      {"workers", plan.workers()}};
  for (const auto& [option, value] : chosen) {
    const auto found = effective.find(option);
    if (found != effective.end() && std::holds_alternative<std::monostate>(found->second.data)) {
      found->second = value;
    }
  }
}

}  // namespace

void describe_plan(SessionPlan& plan, reports::RunRecord& record) {
  complete_options(plan, record.config.effective);
  const workloads::WorkloadSpec& spec = plan.workload().spec();
  const graph::GraphTotals forward = graph::totals(plan.built().graph);
  const auto batch = static_cast<double>(plan.batch_size());
  reports::WorkloadRecord workload;
  workload.name = spec.name;
  workload.task = spec.task;
  workload.citation = spec.citation;
  workload.parameters["image_size"] = plan.built().params.image_size;
  workload.trainable_parameters = forward.trainable_parameters;
  workload.buffers = forward.buffers;
  workload.forward_macs_per_sample = static_cast<double>(forward.forward_macs) / batch;
  workload.training_flop_per_sample = plan.training_flop_per_sample();
  describe_tensors(plan.built(), workload);
  workload.loss = spec.loss;
  workload.optimizer = describe_optimizer(spec.optimizer);
  workload.precision = plan.options().precision;
  workload.batch_size_per_rank = plan.batch_size();
  workload.global_batch_size = plan.batch().global;
  for (const auto& [name, version] : plan.backend().libraries()) {
    record.system.libraries[name] = version;
  }
  const backend::DeviceInfo device = plan.backend().device();
  workload.device = device.name;
  workload.backend = std::string(plan.backend().name());
  record.workload = std::move(workload);

  const data::DatasetSpec& dataset = plan.dataset().spec();
  std::int64_t bytes = 0;
  for (const auto& file : plan.dataset().files()) {
    std::error_code error;
    const auto size = std::filesystem::file_size(file, error);
    bytes += error ? 0 : static_cast<std::int64_t>(size);
  }
  record.dataset = reports::DatasetRecord{.name = dataset.name,
                                          .path = plan.source().folder.string(),
                                          .origin = plan.source().generated ? "generated" : "files",
                                          .format = dataset.format,
                                          .samples = plan.dataset().size(),
                                          .bytes = bytes,
                                          .split = std::string(data::name(SessionPlan::kSplit))};
}

namespace {

void describe_memory(const MemoryNeed& need, reports::MemoryRecord& memory) {
  memory.parameters_bytes = need.parameters;
  memory.gradients_bytes = need.gradients;
  memory.optimizer_bytes = need.optimizer;
  memory.activations_bytes = need.activations;
  memory.workspace_bytes = need.workspace;
  memory.loader_buffers_bytes = need.loader_buffers;
  memory.saved_state_bytes = need.saved_state;
  memory.planned_peak_bytes = need.total();
  memory.planned_host_bytes = need.host_bytes();
  memory.planned_device_bytes = need.device_bytes();
}

}  // namespace

void describe_planned_memory(SessionPlan& plan, reports::RunRecord& record) {
  describe_memory(plan.memory_need(), record.workload->memory);
  record.workload->memory.measured_rss_bytes =
      reports::Measured<std::int64_t>::missing("measured by dlbench run, once its session is open");
}

std::vector<reports::TaintRecord> planned_taints(const SessionPlan& plan) {
  std::vector<reports::TaintRecord> taints;
  if (plan.source().generated) {
    taints.push_back(
        {reports::Taint::kGeneratedData, "data set", "the data were generated by dlbench"});
  }
  if (plan.options().storage.enabled()) {
    taints.push_back({reports::Taint::kSimulated, "storage", plan.options().storage.to_string()});
  }
  for (const std::optional<reports::TaintRecord>& found :
       {link_taint(plan.options().link, plan.ranks().size()),
        gpu_sharing(plan.shared_device()),
        loss_taint(plan)}) {
    if (found.has_value()) {
      taints.push_back(*found);
    }
  }
  return taints;
}

std::optional<reports::TaintRecord> link_taint(const std::optional<comm::LinkModel>& link,
                                               int ranks) {
  if (!link.has_value() || !comm::idle_reason(*link, ranks).empty()) {
    return std::nullopt;
  }
  return reports::TaintRecord{reports::Taint::kSimulated, "link", link->to_string()};
}

void warn_idle_link(const std::optional<comm::LinkModel>& link, int ranks) {
  const std::string why = link.has_value() ? comm::idle_reason(*link, ranks) : std::string();
  if (!why.empty()) {
    core::log::warn("--link simulates nothing here: " + why);
  }
}

void warn_idle_workers(const SessionPlan& plan) {
  const std::int64_t busy = plan.most_busy_workers();
  if (plan.workers() <= busy) {
    return;
  }
  const std::int64_t prefetch = plan.options().prefetch;
  core::log::warn(
      fmt::format("--workers {}: no more than {} can work at a time, for --prefetch {} asks for {} "
                  "of up to {}; --prefetch {} has work for all",
                  plan.workers(),
                  busy,
                  prefetch,
                  reports::count_text(busy, "part"),
                  reports::count_text(plan.dataset().spec().samples_per_ticket, "sample"),
                  core::ceil_divide(plan.workers(), busy / prefetch)));
}

void describe_session(Session& session, reports::RunRecord& record) {
  reports::WorkloadRecord& workload = *record.workload;
  workload.plans = {plan_record(session.step(), session.plan().batch_size())};
  describe_memory(session.memory_need(), workload.memory);
  workload.memory.measured_rss_bytes = session.rss_growth_bytes();
}

}  // namespace dlbench::harness
