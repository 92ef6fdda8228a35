// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Executes the graph of a case on a backend.
#pragma once

#include "engine/backend/backend.h"
#include "engine/comm/self.h"
#include "engine/conformance/case_graph.h"
#include "engine/exec/executor.h"
#include "engine/exec/model_state.h"

#include <memory>
#include <string>

namespace dlbench::conformance {

/// How the tested backend computes.
struct CaseOptions {
  backend::ConvAlgorithm conv_algorithm = backend::ConvAlgorithm::kDirect;
  /// Contractions of f32 may round their operands to tf32.
  bool allow_tf32 = false;
};

/// One lowered case. Backend and graph must outlive it.
class CaseRun {
 public:
  /// Throws core::Error(kUnavailable) if the backend cannot run the case.
  CaseRun(backend::Backend& backend, const CaseGraph& graph, const CaseOptions& how = {});

  /// Runs from `contents` (every input and state value of the case) and returns the outputs and
  /// the updated state, by name.
  [[nodiscard]] TensorsByName run(const TensorsByName& contents);

  /// The parts of run(), for many runs that differ little. Inputs are bound, not copied: their
  /// tensors must stay valid, and later changes take effect at the next execute(). State is copied.
  void write(const std::string& name, const core::HostTensor& tensor);
  void execute();
  [[nodiscard]] core::HostTensor read_output(const std::string& name);
  [[nodiscard]] const exec::Executor& executor() const { return *executor_; }

 private:
  const CaseGraph& case_;
  comm::SelfCommunicator communicator_;
  exec::ModelState state_;
  std::unique_ptr<exec::Executor> executor_;
};

}  // namespace dlbench::conformance
