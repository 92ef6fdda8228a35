// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Whole training steps of the workloads on the cpu backend. Tolerances: relative L2 norm per
// tensor. f32 with direct convolutions sums in another order than the oracle: a ReLU that flips
// makes 4e-3 at this small size; Winograd loses another digit; bf16 has 8 bits.
#include "tests/engine/backend/step_comparison.h"

#include <gtest/gtest.h>

#include <memory>

namespace dlbench {
namespace {

std::unique_ptr<backend::Backend> cpu() { return backend::create_backend("cpu", {.threads = 2}); }

TEST(CpuStep, MnistCnnEqualsTheReference) { compare_with_reference(*cpu(), {"mnist_cnn", 6, 28}); }

TEST(CpuStep, ResunetppEqualsTheReference) { compare_with_reference(*cpu(), {"resunetpp", 2, 32}); }

TEST(CpuStep, ResunetppEvaluatesAsTheReference) {
  const StepCase test{
      .workload = "resunetpp", .batch = 2, .size = 32, .mode = graph::Mode::kEvaluate};
  const Tensors wanted = run_reference_step(test);
  const Tensors seen = run_step(*cpu(), test);
  EXPECT_LT(relative_distance(seen.at("prediction"), wanted.at("prediction")), 1e-4);
  EXPECT_LT(relative_distance(seen.at("loss"), wanted.at("loss")), 1e-4);
}

TEST(CpuStep, ResunetppWithWinogradIsClose) {
  compare_with_reference(*cpu(),
                         {.workload = "resunetpp",
                          .batch = 2,
                          .size = 32,
                          .algorithm = backend::ConvAlgorithm::kWinograd,
                          .tolerance = 1e-2});
}

TEST(CpuStep, AnUpConvolutionEqualsTheReference) {
  compare_up_convolution_with_reference(*cpu(), core::DType::kF32, 1e-5);
}

TEST(CpuStep, AnUpConvolutionInBf16IsClose) {
  const auto backend = cpu();
  std::string why;
  if (!backend->supports(core::DType::kBF16, &why)) {
    GTEST_SKIP() << why;
  }
  compare_up_convolution_with_reference(*backend, core::DType::kBF16, 1e-2);
}

void compare_bf16(const std::string& workload, std::int64_t size) {
  const auto backend = cpu();
  std::string why;
  if (!backend->supports(core::DType::kBF16, &why)) {
    GTEST_SKIP() << why;
  }
  compare_16_bit_with_reference(
      *backend, {.workload = workload, .batch = 4, .size = size, .precision = core::DType::kBF16});
}

TEST(CpuStep, ResunetppInBf16IsClose) { compare_bf16("resunetpp", 32); }

TEST(CpuStep, MnistCnnInBf16IsClose) { compare_bf16("mnist_cnn", 28); }

}  // namespace
}  // namespace dlbench
