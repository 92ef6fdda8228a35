// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What tests/gpu asks of NCCL at one rank, asked of communicators whose answer is known.
#include "tests/engine/comm/lone_collectives.h"

#include "engine/comm/self.h"
#include "tests/engine/exec/deferred_backend.h"
#include "tests/engine/exec/doubling_communicator.h"

#include <gtest/gtest.h>

namespace dlbench::comm::testing {
namespace {

TEST(LoneCollectives, OfALoneRankLeaveTheDataAsItIs) {
  exec::testing::DeferredBackend device;
  SelfCommunicator self;
  EXPECT_EQ(changed_by_collectives(device, self), "");
  EXPECT_EQ(changed_by_recorded_all_reduce(device, self), "");
}

TEST(LoneCollectives, ThatChangeTheDataAreNamed) {
  exec::testing::DeferredBackend device;
  exec::testing::DoublingCommunicator doubling;
  EXPECT_EQ(changed_by_collectives(device, doubling),
            "all_reduce in f32, in memory of the communicator, changed the data");
  EXPECT_EQ(changed_by_recorded_all_reduce(device, doubling),
            "a launch of the recorded all_reduce changed the data (offset 1)");
}

}  // namespace
}  // namespace dlbench::comm::testing
