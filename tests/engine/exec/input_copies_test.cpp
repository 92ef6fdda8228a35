// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies of inputs to a device that makes them later than it is told.
#include "engine/comm/self.h"
#include "engine/exec/executor.h"
#include "tests/engine/exec/deferred_backend.h"
#include "tests/engine/graph/networks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace dlbench::exec {
namespace {

// Where the step is refused for which they were bound, no step waits for the copies.
TEST(InputCopies, AreWaitedForWhereNoStepHasTakenThem) {
  testing::DeferredBackend device(testing::Copies::kAtLast);
  const graph::Graph evaluate = graph::testing::small_classifier(graph::Mode::kEvaluate, 2);
  ModelState state(device, evaluate, 1);
  comm::SelfCommunicator self;
  Executor executor(device, state, self, evaluate, {.watch = {"loss"}});
  const auto loss_of = [&](bool overwritten) {
    for (const graph::ValueId id : evaluate.inputs()) {
      const graph::Value& input = evaluate.value(id);
      core::HostTensor batch(input.dtype, input.shape);
      for (std::int64_t i = 0; i < batch.elements(); ++i) {
        batch.set(i, static_cast<double>(i % 5));
      }
      executor.bind_input(input.name, batch.data(), batch.bytes());
      executor.synchronize();
      if (overwritten) {
        std::fill_n(batch.data(), batch.bytes(), std::byte{0});
      }
    }
    executor.run();
    return executor.await_step()->watched.front();
  };
  const float loss = loss_of(false);
  EXPECT_GT(loss, 0.0F);
  EXPECT_EQ(loss_of(true), loss);
}

}  // namespace
}  // namespace dlbench::exec
