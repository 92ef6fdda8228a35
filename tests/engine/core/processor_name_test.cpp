// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/processor_name.h"

#include <gtest/gtest.h>

namespace dlbench::core {
namespace {

TEST(ProcessorName, IsThatOfTheFirstProcessor) {
  EXPECT_EQ(processor_name("processor\t: 0\nmodel name\t: Example CPU 9000 \n\n"
                           "processor\t: 1\nmodel name\t: Another\n"),
            "Example CPU 9000");
  EXPECT_EQ(processor_name("model name\t:\nmodel name : B\n"), "B") << "the first one has none";
}

TEST(ProcessorName, OfArmComesFromTheNumbersOfItsCores) {
  constexpr const char* kGrace =
      "processor\t: 0\nBogoMIPS\t: 2000.00\nFeatures\t: fp asimd sve sve2\n"
      "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x0\nCPU part\t: 0xd4f\n"
      "CPU revision\t: 0\n";
  EXPECT_EQ(processor_name(kGrace), "Neoverse-V2");
  EXPECT_EQ(processor_name("CPU implementer\t: 0x46\nCPU part\t: 0x001\n"), "A64FX");
  EXPECT_EQ(processor_name("CPU implementer\t: 0x41\nCPU part\t: 0xd08\n"), "Arm core 0x41/0xd08");
}

TEST(ProcessorName, IsEmptyWhereTheKernelDoesNotSay) {
  EXPECT_EQ(processor_name("processor : 0\nflags : avx2\n"), "");
  EXPECT_EQ(processor_name(""), "");
}

}  // namespace
}  // namespace dlbench::core
