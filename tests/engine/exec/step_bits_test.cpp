// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What tests/gpu asks of a GPU, asked of the device that runs later than it is told: replayed steps
// of a workload end in the same bits as steps run node by node.
#include "tests/engine/backend/step_bits.h"

#include "tests/engine/exec/deferred_backend.h"

#include <gtest/gtest.h>

namespace dlbench {
namespace {

/// In f16 the first steps overflow, and are skipped.
StepBitsCase small(core::DType precision, exec::GraphReplay replay) {
  return {.workload = "mnist_cnn",
          .batch = 1,
          .precision = precision,
          .replay = replay,
          .steps = precision == core::DType::kF16 ? 6 : 4};
}

TEST(StepBits, OfReplayedStepsAreThoseOfStepsNodeByNode) {
  exec::testing::DeferredBackend device;
  for (const core::DType precision : {core::DType::kF32, core::DType::kF16}) {
    const StepBits wanted = run_step_bits(device, small(precision, exec::GraphReplay::kOff));
    const StepBits seen = run_step_bits(device, small(precision, exec::GraphReplay::kOn));
    EXPECT_FALSE(wanted.replayed);
    EXPECT_TRUE(seen.replayed);
    EXPECT_GE(wanted.losses.size(), 4U);
    EXPECT_GE(wanted.steps_made, 2) << core::name(precision);
    EXPECT_NE(wanted.losses.front(), wanted.losses.back());
    EXPECT_EQ(difference(wanted, seen), "") << core::name(precision);
  }
}

TEST(StepBits, NameWhatDiffers) {
  exec::testing::DeferredBackend device;
  const StepBitsCase test = small(core::DType::kF32, exec::GraphReplay::kOff);
  const StepBits a = run_step_bits(device, test);
  StepBits b = run_step_bits(device, test);
  EXPECT_EQ(difference(a, b), "");
  auto& [name, tensor] = *b.state.begin();
  tensor.data()[0] ^= std::byte{1};
  b.losses[3] += 1.0F;
  const std::string found = difference(a, b);
  EXPECT_NE(found.find("loss of step 3"), std::string::npos) << found;
  EXPECT_NE(found.find(name + " differs"), std::string::npos) << found;
}

}  // namespace
}  // namespace dlbench
