// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/root_inputs.h"

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

}  // namespace dlbench::harness
