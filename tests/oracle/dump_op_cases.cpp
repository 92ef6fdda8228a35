// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// dump_op_cases FOLDER: runs every conformance case of a single op on the ref backend in float64
// and writes operands, results and attributes to FOLDER/<op>_<number>.safetensors, and five steps
// of each optimizer to FOLDER/steps_<optimizer>.safetensors. ops_against_torch.py compares them.
#include "engine/conformance/case_run.h"
#include "engine/conformance/op_case.h"
#include "engine/core/rng.h"
#include "engine/exec/safetensors.h"
#include "engine/graph/passes.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <string>

namespace dlbench::conformance {
namespace {

using nlohmann::json;

constexpr int kOptimizerSteps = 5;

struct AttributesToJson {
  json operator()(const graph::ConvAttributes& a) const {
    return {{"stride", a.stride},
            {"dilation", a.dilation},
            {"pad_begin", a.pad_begin},
            {"pad_end", a.pad_end},
            {"groups", a.groups}};
  }
  json operator()(const graph::ConvTransposeAttributes& a) const {
    json text = (*this)(a.conv);
    text["output_padding"] = a.output_padding;
    return text;
  }
  json operator()(const graph::BatchNormAttributes& a) const {
    return {{"momentum", a.momentum}, {"epsilon", a.epsilon}};
  }
  json operator()(const graph::PoolAttributes& a) const {
    return {{"kernel", a.kernel}, {"stride", a.stride}};
  }
  json operator()(const graph::UpsampleAttributes& a) const { return {{"factor", a.factor}}; }
  json operator()(const graph::SliceAttributes& a) const {
    return {{"begin", a.begin}, {"extent", a.extent}};
  }
  json operator()(const graph::NormalizeAttributes& a) const {
    return {{"scale", a.scale}, {"mean", a.mean}, {"stddev", a.stddev}};
  }
  json operator()(const graph::DiceAttributes& a) const { return {{"smooth", a.smooth}}; }
  json operator()(const graph::ThresholdAttributes& a) const {
    return {{"threshold", a.threshold}};
  }
  json operator()(const graph::OptimizerAttributes& a) const {
    return {{"beta1", a.beta1},
            {"beta2", a.beta2},
            {"epsilon", a.epsilon},
            {"rho", a.rho},
            {"momentum", a.momentum},
            {"weight_decay", a.weight_decay}};
  }
  json operator()(const graph::LossScaleAttributes& a) const {
    return {{"growth", a.growth}, {"backoff", a.backoff}, {"interval", a.interval}};
  }
  /// The others say nothing beyond the shapes of operands and results.
  template <typename Other>
  json operator()(const Other& /*other*/) const {
    return json::object();
  }
};

json attributes_of(const graph::Attributes& attributes) {
  return std::visit(AttributesToJson{}, attributes);
}

void write(const std::filesystem::path& path, const exec::TensorMap& tensors, const json& text) {
  exec::write_safetensors(path, tensors, {{"case", text.dump()}});
}

void dump_case(backend::Backend& ref, const Case& item, const std::filesystem::path& folder) {
  const CaseGraph graph = make_case_graph(*item.spec, core::DType::kF64);
  exec::TensorMap tensors;
  for (const auto& [name, tensor] : graph.contents) {
    tensors.emplace("in/" + name, tensor.clone());
  }
  for (auto& [name, tensor] : CaseRun(ref, graph).run(graph.contents)) {
    tensors.emplace("out/" + name, tensor.clone());
  }
  json text{{"op", item.name()},
            {"note", item.spec->note},
            {"attributes", attributes_of(item.spec->attributes)},
            {"inputs", json::array()},
            {"outputs", graph.outputs},
            {"weighted", graph.weighted},
            {"gradients", json::object()}};
  for (const Operand& operand : item.spec->inputs) {
    text["inputs"].push_back(operand.name);
  }
  for (const OperandGradient& gradient : graph.gradients) {
    text["gradients"][gradient.operand] = (gradient.is_input ? "in/" : "out/") + gradient.result;
  }
  write(folder / fmt::format("{}_{}.safetensors", item.name(), item.index), tensors, text);
}

/// A graph with one parameter w whose gradient is the input-independent state "grad/w".
graph::Graph optimizer_graph(const graph::OptimizerSpec& spec, const core::Shape& shape) {
  graph::GraphBuilder builder(graph::Mode::kTrain);
  const auto w = builder.add_state(graph::Storage::kParameter, "w", core::DType::kF64, shape, {});
  builder.add_state(graph::Storage::kGradient, "grad/w", core::DType::kF64, shape, {}, w);
  return graph::add_optimizer(std::move(builder).finish(), spec);
}

void dump_optimizer(backend::Backend& ref,
                    const graph::OptimizerSpec& spec,
                    const std::filesystem::path& folder) {
  const core::Shape shape{23};
  const graph::Graph graph = optimizer_graph(spec, shape);
  exec::ModelState state(ref, graph, 1);
  comm::SelfCommunicator self;
  exec::Executor executor(ref, state, self, graph, {});
  core::RandomStream random(1, 1);
  const auto draw = [&] {
    core::HostTensor tensor(core::DType::kF64, shape);
    for (std::int64_t i = 0; i < shape.elements(); ++i) {
      tensor.set(i, static_cast<double>(random.uniform(-1.0F, 1.0F)));
    }
    return tensor;
  };
  exec::TensorMap tensors;
  tensors.emplace("w/0", draw());
  state.write("w", tensors.at("w/0"));
  for (int step = 1; step <= kOptimizerSteps; ++step) {
    const auto gradient = tensors.emplace(fmt::format("grad/{}", step), draw()).first;
    state.write("grad/w", gradient->second);
    executor.run();
    tensors.emplace(fmt::format("w/{}", step), state.read("w"));
  }
  const json text{{"optimizer", graph::name(spec.kind)},
                  {"learning_rate", spec.learning_rate},
                  {"steps", kOptimizerSteps},
                  {"attributes", attributes_of(spec.attributes)}};
  write(folder / fmt::format("steps_{}.safetensors", graph::name(spec.kind)), tensors, text);
}

void dump_all(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  const auto ref = backend::create_backend("ref", {.threads = 1});
  std::set<const OpCase*> done;
  for (const Case& item : all_cases()) {
    if (item.spec->build == nullptr && done.insert(item.spec).second) {
      dump_case(*ref, item, folder);
    }
  }
  // Learning rates are f32 scalars of the model state: exact ones.
  using Kind = graph::OptimizerKind;
  dump_optimizer(*ref, {Kind::kSgd, 0.125, {.momentum = 0.9, .weight_decay = 0.01}}, folder);
  dump_optimizer(*ref, {Kind::kAdam, 0.125, {.epsilon = 1e-8, .weight_decay = 0.01}}, folder);
  dump_optimizer(*ref, {Kind::kNadam, 0.125, {.epsilon = 1e-7}}, folder);
  dump_optimizer(*ref, {Kind::kAdadelta, 1.0, {.epsilon = 1e-6, .rho = 0.9}}, folder);
}

}  // namespace
}  // namespace dlbench::conformance

int main(int argc, char** argv) {
  if (argc != 2 || argv[1][0] == '-') {
    std::fputs("usage: dump_op_cases FOLDER\n", stderr);
    return 2;
  }
  try {
    dlbench::conformance::dump_all(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "dump_op_cases: %s\n", error.what());
    return 1;
  }
  return 0;
}
