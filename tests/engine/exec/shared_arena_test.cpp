// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A step computes in the arena of another where everything of it has room there, scratch memory of
// kernels too.
#include "engine/comm/self.h"
#include "engine/exec/executor.h"
#include "tests/engine/exec/deferred_backend.h"
#include "tests/engine/graph/networks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

namespace dlbench::exec {
namespace {

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::Lt;

constexpr std::int64_t kWorkspace = std::int64_t{1} << 20;

TEST(SharedArena, IsTakenWhereScratchMemoryHasRoomToo) {
  testing::DeferredBackend device;
  const graph::Graph evaluate = graph::testing::small_classifier(graph::Mode::kEvaluate, 2);
  ModelState state(device, evaluate, 1);
  comm::SelfCommunicator self;
  const auto bytes_of = [&](const Executor* lender, bool tuned) {
    const std::int64_t before = device.allocated_bytes();
    const Executor step(device,
                        state,
                        self,
                        evaluate,
                        {.lowering = {.autotune = tuned}, .shares_arena_with = lender});
    return device.allocated_bytes() - before;
  };
  testing::DeferredBackend::set_tuned_workspace(kWorkspace);
  const Executor small(device, state, self, evaluate, {.lowering = {.autotune = false}});
  const Executor large(device, state, self, evaluate, {.lowering = {.autotune = true}});
  const std::int64_t alone = bytes_of(nullptr, false);
  const std::int64_t shared = bytes_of(&small, false);
  EXPECT_THAT(alone - shared,
              AllOf(Ge(static_cast<std::int64_t>(small.plan().peak_bytes)), Lt(kWorkspace)));
  EXPECT_EQ(bytes_of(&large, false), shared);
  EXPECT_EQ(bytes_of(&large, true), shared);
  EXPECT_EQ(bytes_of(&small, true), bytes_of(nullptr, true));
  testing::DeferredBackend::set_tuned_workspace(0);
}

}  // namespace
}  // namespace dlbench::exec
