// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/run_record.h"

#include "data/loader/prefetch_loader.h"
#include "engine/core/build_info.h"
#include "engine/core/log.h"
#include "harness/commands/system_record.h"
#include "harness/session/plan_record.h"
#include "harness/trials/trial_runner.h"

#include <fmt/format.h>

#include <map>
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

void complete_options(const SessionPlan& plan, reports::ValueMap& effective) {
  const std::int64_t threads = plan.backend().device().threads;  // 0 where a device computes
  if (const auto given = effective.find("threads"); threads == 0 && given != effective.end()) {
    given->second = reports::Value();
  }
  const reports::Value of_host = threads > 0 ? reports::Value(threads) : reports::Value();
  const std::map<std::string, reports::Value> chosen{{"batch-size", plan.batch_size()},
                                                     {"data", plan.source().folder.string()},
                                                     {"global-batch-size", plan.batch().global},
                                                     {"image-size", plan.built().params.image_size},
                                                     {"max-time", StoppingLimits{}.max_time_s},
                                                     {"min-time", RunnerOptions{}.min_time_s},
                                                     {"threads", of_host},
                                                     {"workers", plan.workers()}};
  for (const auto& [option, value] : chosen) {
    const auto found = effective.find(option);
    if (found != effective.end() && std::holds_alternative<std::monostate>(found->second.data)) {
      found->second = value;
    }
  }
}

void describe_plan(SessionPlan& plan, reports::RunRecord& record) {
  if (const auto given = record.config.effective.find("threads");
      plan.backend().device().threads == 0 && given != record.config.effective.end() &&
      given->second != reports::Value()) {
    core::log::warn("--threads has no effect: a GPU computes, and no thread of the host does");
  }
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
  if (!device.address.empty()) {
    workload.device_address = device.address;
    workload.device_uuid = gpu_uuid(record.system, 0, device.address);
  }
  workload.backend = std::string(plan.backend().name());
  record.workload = std::move(workload);

  const data::DatasetSpec& dataset = plan.dataset().spec();
  record.system.libraries.insert(dataset.libraries.begin(), dataset.libraries.end());
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

void describe_session(Session& session, reports::RunRecord& record) {
  reports::WorkloadRecord& workload = *record.workload;
  workload.plans = {plan_record(session.step(), session.plan().batch_size())};
  describe_memory(session.memory_need(), workload.memory);
  workload.memory.measured_rss_bytes = session.rss_growth_bytes();
}

}  // namespace dlbench::harness
