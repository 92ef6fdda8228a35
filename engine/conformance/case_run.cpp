// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/conformance/case_run.h"

#include "engine/core/check.h"

namespace dlbench::conformance {

CaseRun::CaseRun(backend::Backend& backend, const CaseGraph& graph, const CaseOptions& how)
    : case_(graph), state_(backend, graph.graph, 1) {
  exec::ExecutorOptions options;
  options.lowering.conv_algorithm = how.conv_algorithm;
  options.lowering.allow_tf32 = how.allow_tf32;
  options.lowering.autotune = false;
  executor_ =
      std::make_unique<exec::Executor>(backend, state_, communicator_, graph.graph, options);
}

void CaseRun::write(const std::string& name, const core::HostTensor& tensor) {
  const auto id = case_.graph.find(name);
  DLBENCH_CHECK(id.has_value()) << "the case has no operand " << name;
  if (case_.graph.value(*id).storage == graph::Storage::kInput) {
    executor_->bind_input(name, tensor.data(), tensor.bytes());
  } else {
    state_.write(name, tensor);
  }
}

void CaseRun::execute() {
  executor_->run();
  executor_->synchronize();
}

core::HostTensor CaseRun::read_output(const std::string& name) { return executor_->read(name); }

TensorsByName CaseRun::run(const TensorsByName& contents) {
  for (const auto& [name, tensor] : contents) {
    write(name, tensor);
  }
  execute();
  TensorsByName results;
  for (const std::string& name : case_.outputs) {
    results.emplace(name, read_output(name));
  }
  for (const std::string& name : case_.updated) {
    results.emplace(name, state_.read(name));
  }
  return results;
}

}  // namespace dlbench::conformance
