// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/communicator_list.h"

#include "engine/core/error.h"
#include "tests/engine/exec/deferred_backend.h"

#include <gtest/gtest.h>

namespace dlbench::comm {
namespace {

TEST(CommunicatorList, ADeviceWithoutACommunicatorOfItsKindIsRefused) {
  exec::testing::DeferredBackend device;
  LoneRank ranks;
  EXPECT_THROW(static_cast<void>(create_device_communicator(ranks, device)), core::Error);
}

TEST(CommunicatorList, ALoneRankNeedsNoCommunicatorOfItsDevice) {
  exec::testing::DeferredBackend device;
  LoneRank ranks;
  EXPECT_EQ(create_communicator(ranks, device)->name(), "self");
}

}  // namespace
}  // namespace dlbench::comm
