// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/session/root_inputs.h"

#include "engine/core/check.h"

#include <cstring>
#include <utility>

namespace dlbench::harness {

RootInputs::RootInputs(const std::vector<workloads::InputBinding>& inputs,
                       const data::Batch& like,
                       const std::vector<std::size_t>& first_samples,
                       comm::Communicator& communicator,
                       backend::Backend& backend)
    : communicator_(communicator), stream_(backend.create_stream()) {
  for (const workloads::InputBinding& binding : inputs) {
    const std::size_t row_bytes = like.tensor(binding.tensor).spec().row_bytes();
    Input input{.binding = binding, .memory = nullptr, .bounds = {}};
    for (const std::size_t first : first_samples) {
      input.bounds.push_back(first * row_bytes);
    }
    input.memory = communicator.allocate(backend, input.bounds.back());
    inputs_.push_back(std::move(input));
  }
}

void RootInputs::scatter(const data::Batch& batch, exec::Executor& step) {
  const auto rank = static_cast<std::size_t>(communicator_.rank());
  for (Input& input : inputs_) {
    std::byte* data = input.memory->data();
    if (rank == 0) {
      std::memcpy(data, batch.tensor(input.binding.tensor).data(), input.bounds.back());
    }
    communicator_.scatter(data, input.bounds, 0, *stream_);
    step.bind_input(input.binding.input,
                    data + input.bounds[rank],
                    input.bounds[rank + 1] - input.bounds[rank]);
  }
}

RootOutputs::RootOutputs(exec::Executor& step,
                         const std::vector<std::size_t>& first_samples,
                         comm::Communicator& communicator,
                         backend::Backend& backend)
    : step_(step), communicator_(communicator), stream_(backend.create_stream()) {
  const graph::Graph& graph = step.graph();
  const graph::Value& own =
      graph.value(graph.outputs().at(std::string(workloads::kPredictionOutput)));
  const auto rank = static_cast<std::size_t>(communicator.rank());
  const std::size_t rows = first_samples[rank + 1] - first_samples[rank];
  const std::size_t bytes =
      static_cast<std::size_t>(own.shape.elements()) * core::size_of(own.dtype);
  DLBENCH_CHECK(bytes % rows == 0) << bytes << " bytes of " << rows << " samples";
  for (const std::size_t first : first_samples) {
    bounds_.push_back(first * (bytes / rows));
  }
  memory_ = communicator.allocate(backend, bounds_.back());
}

void RootOutputs::gather() {
  const core::HostTensor own = step_.read(workloads::kPredictionOutput);
  std::memcpy(memory_->data() + bounds_[static_cast<std::size_t>(communicator_.rank())],
              own.data(),
              own.bytes());
  communicator_.gather(memory_->data(), bounds_, 0, *stream_);
}

}  // namespace dlbench::harness
