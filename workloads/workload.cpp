// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "workloads/workload.h"

#include "engine/core/check.h"
#include "engine/core/error.h"
#include "engine/core/named_registry.h"

#include <fmt/format.h>

#include <utility>

namespace dlbench::workloads {
namespace {

using Registry = core::NamedRegistry<std::unique_ptr<const Workload>>;

Registry& registry() {
  static Registry workloads("workload");
  return workloads;
}

std::string describe(const ImageSizeRule& rule) {
  if (rule.min == rule.max) {
    return fmt::format("{} only", rule.standard);
  }
  return fmt::format("a multiple of {} from {} to {}, by default {}",
                     rule.multiple,
                     rule.min,
                     rule.max,
                     rule.standard);
}

}  // namespace

WorkloadParams choose_params(const WorkloadSpec& spec, const WorkloadParams& params) {
  WorkloadParams chosen = params;
  if (chosen.batch_size == 0) {
    chosen.batch_size = spec.batch_size;
  }
  if (chosen.image_size == 0) {
    chosen.image_size = spec.image_size.standard;
  }
  if (chosen.batch_size < 1 || chosen.batch_size > kMaxBatchSize) {
    throw core::Error(core::ErrorCode::kUsage,
                      fmt::format("batch size {} for workload '{}'; wanted 1 to {}",
                                  chosen.batch_size,
                                  spec.name,
                                  kMaxBatchSize));
  }
  const ImageSizeRule& rule = spec.image_size;
  if (chosen.image_size < rule.min || chosen.image_size > rule.max ||
      chosen.image_size % rule.multiple != 0) {
    throw core::Error(core::ErrorCode::kUsage,
                      fmt::format("image size {} for workload '{}'; wanted {}",
                                  chosen.image_size,
                                  spec.name,
                                  describe(rule)));
  }
  return chosen;
}

BuiltWorkload Workload::build(const WorkloadParams& params, graph::Mode mode) const {
  const WorkloadParams chosen = choose_params(spec(), params);
  BuiltWorkload built = build_chosen(chosen, mode);
  built.params = chosen;
  for (const std::string_view output : {kLossOutput, kPredictionOutput, kCountsOutput}) {
    DLBENCH_CHECK(built.graph.outputs().contains(std::string(output)))
        << "workload '" << spec().name << "' has no output '" << output << "'";
  }
  DLBENCH_CHECK(built.inputs.size() == built.graph.inputs().size())
      << "workload '" << spec().name << "' binds " << built.inputs.size() << " inputs";
  return built;
}

BuiltWorkload Workload::build_chosen(const WorkloadParams& chosen, graph::Mode mode) const {
  try {
    return build_graph(chosen, mode);
  } catch (const core::Error& error) {
    if (error.code() != core::ErrorCode::kShape) {
      throw;
    }
    throw core::Error(core::ErrorCode::kUsage,
                      fmt::format("batch size {} of images of {} x {} for workload '{}': {}",
                                  chosen.batch_size,
                                  chosen.image_size,
                                  chosen.image_size,
                                  spec().name,
                                  error.what()));
  }
}

graph::Graph training_graph(const WorkloadSpec& spec,
                            const BuiltWorkload& built,
                            core::DType precision,
                            const ReductionOptions& reduction) {
  graph::Graph graph = graph::mixed_precision(built.graph, precision);
  graph = graph::differentiate(graph, graph.outputs().at(std::string(kLossOutput)));
  graph = graph::insert_all_reduce(graph, reduction.buckets);
  graph = graph::add_optimizer(graph, spec.optimizer);
  if (precision == core::DType::kF16) {
    graph = graph::scale_loss(graph);
  }
  return reduction.sync_loss ? graph::synchronize_loss(graph) : graph;
}

graph::Graph evaluation_graph(const BuiltWorkload& built,
                              core::DType precision,
                              const ReductionOptions& reduction) {
  const graph::Graph graph = graph::mixed_precision(built.graph, precision);
  return reduction.sync_loss ? graph::synchronize_loss(graph) : graph;
}

WorkloadRegistration::WorkloadRegistration(std::unique_ptr<const Workload> workload) {
  DLBENCH_CHECK(workload != nullptr) << "no workload";
  const std::string name = workload->spec().name;
  registry().add(name, std::move(workload));
}

std::vector<std::string> workload_names() { return registry().names(); }

const Workload& find_workload(std::string_view name) { return *registry().find(name); }

}  // namespace dlbench::workloads
