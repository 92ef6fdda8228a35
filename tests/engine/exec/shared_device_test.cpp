// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Training steps of ranks that share one device which runs later than it is told, against the same
// ranks on the ref backend. Ranks are threads.
#include "engine/backend/ref/ref_backend.h"
#include "engine/comm/compressed.h"
#include "engine/comm/host_communicator.h"
#include "engine/comm/host_staged.h"
#include "engine/exec/executor.h"
#include "tests/engine/comm/thread_ranks.h"
#include "tests/engine/exec/deferred_backend.h"
#include "tests/engine/graph/networks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace dlbench::exec {
namespace {

using testing::Copies;
using testing::DeferredBackend;

constexpr int kSharedSteps = 5;
constexpr std::int64_t kBatchPerRank = 2;

struct Outcome {
  std::vector<float> losses;
  TensorMap gradients;  ///< of the last step
  TensorMap parameters;
};

void fill(core::HostTensor& tensor, int rank, int step, int values) {
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    tensor.set(i, static_cast<double>((i * (step + 3) + rank * 7) % values));
  }
}

/// Steps of one rank on its own batches, told to the device one after the other.
Outcome train(backend::Backend& backend, comm::Communicator& communicator) {
  // A bucket for each gradient, so that several are on their way beside the backward pass.
  const graph::Graph step = graph::testing::training_step(
      graph::testing::small_classifier(graph::Mode::kTrain, kBatchPerRank),
      {.kind = graph::OptimizerKind::kSgd, .learning_rate = 0.05},
      {.first_cap_bytes = 1, .cap_bytes = 1});
  EXPECT_GT(std::ranges::count(step.nodes(), graph::OpKind::kAllReduceStart, &graph::Node::op), 2);
  ModelState state(backend, step, 3, &communicator);
  state.broadcast_all();
  state.set_scalar("loss_gradient", 1.0 / communicator.size());
  Executor executor(
      backend, state, communicator, step, {.replay = GraphReplay::kOn, .watch = {"loss"}});
  std::vector<core::HostTensor> images;  // all stay alive until the end
  std::vector<core::HostTensor> labels;
  const auto& inputs = step.inputs();
  for (int index = 0; index < kSharedSteps; ++index) {
    const graph::Value& image = step.value(inputs.at(0));
    const graph::Value& label = step.value(inputs.at(1));
    fill(images.emplace_back(image.dtype, image.shape), communicator.rank(), index, 251);
    fill(labels.emplace_back(label.dtype, label.shape), communicator.rank(), index, 5);
  }
  Outcome outcome;
  const auto keep = [&] { outcome.losses.push_back(executor.await_step()->watched.front()); };
  for (std::size_t index = 0; index < kSharedSteps; ++index) {
    if (executor.steps_in_flight() == StepRing::kInFlight) {
      keep();
    }
    executor.bind_input("image", images[index].data(), images[index].bytes());
    executor.bind_input("label", labels[index].data(), labels[index].bytes());
    executor.run();
    EXPECT_FALSE(executor.replays()) << "the host's part cannot be captured";
  }
  while (executor.steps_in_flight() > 0) {
    keep();
  }
  outcome.gradients = state.export_tensors({graph::Storage::kGradient});
  outcome.parameters = state.export_tensors({graph::Storage::kParameter});
  return outcome;
}

/// By rank; on the ref backend where `copies` is none; gradients sent as `wire`.
std::vector<Outcome> train_on(int size,
                              std::optional<Copies> copies,
                              std::optional<core::DType> wire = std::nullopt) {
  std::vector<Outcome> outcomes(static_cast<std::size_t>(size));
  comm::ThreadNode node(size);
  comm::run_ranks(size, [&](int rank) {
    std::unique_ptr<backend::Backend> backend;  // outlives the communicator
    std::unique_ptr<comm::Communicator> communicator =
        std::make_unique<comm::HostCommunicator>(comm::ranks_of_node(node, rank, size));
    if (copies.has_value()) {
      backend = std::make_unique<DeferredBackend>(*copies);
      communicator =
          std::make_unique<comm::HostStagedCommunicator>(std::move(communicator), *backend);
    } else {
      backend = std::make_unique<backend::ref::RefBackend>(backend::BackendOptions{.threads = 1});
    }
    if (wire.has_value()) {
      communicator =
          std::make_unique<comm::CompressedCommunicator>(std::move(communicator), *wire, *backend);
    }
    outcomes[static_cast<std::size_t>(rank)] = train(*backend, *communicator);
  });
  return outcomes;
}

void expect_same(const TensorMap& a, const TensorMap& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [name, tensor] : b) {
    EXPECT_EQ(std::memcmp(a.at(name).data(), tensor.data(), tensor.bytes()), 0) << name;
  }
}

TEST(SharedDevice, RanksTrainAsOnTheHost) {
  for (const int size : {2, 3}) {
    const std::vector<Outcome> wanted = train_on(size, std::nullopt);
    ASSERT_EQ(wanted[0].losses.size(), std::size_t{kSharedSteps});
    EXPECT_NE(wanted[0].losses, wanted[1].losses) << "the ranks have the same samples";
    for (const Copies copies : {Copies::kAtFirst, Copies::kAtLast}) {
      const std::vector<Outcome> shared = train_on(size, copies);
      for (std::size_t rank = 0; rank < wanted.size(); ++rank) {
        EXPECT_EQ(shared[rank].losses, wanted[rank].losses) << "rank " << rank << " of " << size;
        expect_same(shared[rank].gradients, wanted[rank].gradients);
        expect_same(shared[rank].parameters, wanted[rank].parameters);
      }
      expect_same(shared[1].parameters, shared[0].parameters);
    }
  }
}

TEST(SharedDevice, CompressedGradientsAreThoseOfTheHost) {
  const std::vector<Outcome> exact = train_on(2, std::nullopt);
  for (const core::DType wire : {core::DType::kBF16, core::DType::kF16}) {
    const std::vector<Outcome> wanted = train_on(2, std::nullopt, wire);
    EXPECT_NE(wanted[0].losses, exact[0].losses) << "nothing was rounded";
    expect_same(wanted[1].parameters, wanted[0].parameters);
    for (const Copies copies : {Copies::kAtFirst, Copies::kAtLast}) {
      const std::vector<Outcome> shared = train_on(2, copies, wire);
      for (std::size_t rank = 0; rank < wanted.size(); ++rank) {
        EXPECT_EQ(shared[rank].losses, wanted[rank].losses) << "rank " << rank;
        expect_same(shared[rank].gradients, wanted[rank].gradients);
        expect_same(shared[rank].parameters, wanted[rank].parameters);
      }
    }
  }
}

}  // namespace
}  // namespace dlbench::exec
