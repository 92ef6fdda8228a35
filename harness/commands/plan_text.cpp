// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/plan_text.h"

#include "reports/naming.h"
#include "reports/text/text_table.h"

#include <fmt/format.h>

namespace dlbench::harness {
namespace {

double in_mib(std::int64_t bytes) { return static_cast<double>(bytes) / 1048576.0; }

/// "64 samples over 2 ranks (32 on rank 0)".
std::string batch_text(const SessionPlan& plan) {
  std::string text = reports::count_text(plan.batch().global, "sample");
  if (const int ranks = plan.ranks().size(); ranks > 1) {
    text += fmt::format(
        " over {} ranks ({} on rank {})", ranks, plan.batch_size(), plan.ranks().rank());
  }
  return text;
}

}  // namespace

std::string config_text(const reports::ConfigRecord& config) {
  std::string text;
  for (const auto& [option, value] : config.effective) {
    const bool set = !std::holds_alternative<std::monostate>(value.data);
    text += fmt::format("{:<20} {:<24} {}\n",
                        option,
                        set ? reports::text_of(value) : "-",
                        config.source.at(option));
  }
  return text + "\n";
}

std::string plan_text(SessionPlan& plan, const std::vector<TrialId>& trials) {
  const graph::GraphTotals forward = graph::totals(plan.built().graph);
  const MemoryNeed& need = plan.memory_need();
  const backend::DeviceInfo device = plan.backend().device();
  const auto batch = static_cast<double>(plan.batch_size());
  std::string names;
  for (const TrialId& trial : trials) {
    names += (names.empty() ? "" : ", ") + trial.to_string();
  }
  std::string text = fmt::format(
      "workload     {}: {}\n"
      "device       {} ({} backend){}, {} loader workers\n"
      "data         {} samples of {} in {}\n"
      "{}"
      "batch        {} of side {}, precision {}\n"
      "parameters   {} trainable, {} statistics\n"
      "work         {}MAC forward, {}FLOP training step, per sample\n"
      "memory       {:.0f} MiB: parameters {:.0f}, gradients {:.0f}, optimizer {:.0f}, saved state "
      "{:.0f}, activations {:.0f}, workspace {:.0f}, loader {:.0f}\n",
      plan.workload().spec().name,
      plan.workload().spec().description,
      device.name,
      plan.backend().name(),
      device.threads > 0 ? fmt::format(", {} threads", device.threads) : "",
      plan.workers(),
      plan.dataset().size(),
      plan.dataset().spec().name,
      plan.source().folder.string(),
      names.empty() ? "" : fmt::format("trials       {}\n", names),
      batch_text(plan),
      plan.built().params.image_size,
      plan.options().precision,
      forward.trainable_parameters,
      forward.buffers,
      reports::decimal_text(static_cast<double>(forward.forward_macs) / batch),
      reports::decimal_text(plan.training_flop_per_sample()),
      in_mib(need.total()),
      in_mib(need.parameters),
      in_mib(need.gradients),
      in_mib(need.optimizer),
      in_mib(need.saved_state),
      in_mib(need.activations),
      in_mib(need.workspace),
      in_mib(need.loader_buffers));
  if (need.on_device) {
    text += fmt::format(
        "             beside it {:.0f} MiB of the device are kept for further workspace and "
        "libraries\n",
        in_mib(need.device_reserve));
  }
  return text;
}

std::string sizes_text(const std::vector<PlannedSize>& sizes) {
  reports::TextTable table({"series", "ranks", "local batch", "global batch", "memory per rank"});
  for (const PlannedSize& size : sizes) {
    table.add({size.series,
               std::to_string(size.ranks),
               std::to_string(size.batch.local),
               std::to_string(size.batch.global),
               reports::bytes_text(size.memory_bytes)});
  }
  return "sizes\n" + table.text(13);
}

}  // namespace dlbench::harness
