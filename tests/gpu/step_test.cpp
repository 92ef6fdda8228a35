// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Whole training steps on the GPU: against the reference, and recorded steps against those run node
// by node.
#include "engine/comm/self.h"
#include "engine/exec/executor.h"
#include "tests/engine/backend/step_comparison.h"
#include "workloads/workload.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace dlbench {
namespace {

class GpuStep : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const std::string why = backend::backend_unavailable_reason("cuda"); !why.empty()) {
      GTEST_SKIP() << why;
    }
    device_ = backend::create_backend("cuda", {});
  }
  [[nodiscard]] static std::int64_t size() { return GetParam() == "resunetpp" ? 32 : 28; }

  std::unique_ptr<backend::Backend> device_;
};

TEST_P(GpuStep, EqualsTheReference) { compare_with_reference(*device_, {GetParam(), 4, size()}); }

TEST_P(GpuStep, InBf16IsClose) {
  std::string why;
  if (!device_->supports(core::DType::kBF16, &why)) {
    GTEST_SKIP() << why;
  }
  compare_16_bit_with_reference(
      *device_,
      {.workload = GetParam(), .batch = 4, .size = size(), .precision = core::DType::kBF16});
}

TEST_P(GpuStep, InF16IsClose) {
  compare_16_bit_with_reference(
      *device_,
      {.workload = GetParam(), .batch = 4, .size = size(), .precision = core::DType::kF16});
}

TEST_P(GpuStep, AReplayedStepGivesTheSameLosses) {
  const auto& workload = workloads::find_workload(GetParam());
  const auto built = workload.build({.batch_size = 4, .image_size = size()}, graph::Mode::kTrain);
  const graph::Graph graph = workloads::training_graph(workload.spec(), built, core::DType::kF32);
  std::vector<std::vector<float>> losses(2);
  for (const bool replay : {false, true}) {
    exec::ModelState state(*device_, graph, 1);
    comm::SelfCommunicator self;
    exec::ExecutorOptions options{.replay =
                                      replay ? exec::GraphReplay::kOn : exec::GraphReplay::kOff};
    options.lowering.autotune = false;
    options.lowering.deterministic = true;
    exec::Executor executor(*device_, state, self, graph, options);
    std::vector<core::HostTensor> inputs;
    for (const graph::ValueId id : graph.inputs()) {
      inputs.emplace_back(graph.value(id).dtype, graph.value(id).shape);
      for (std::int64_t i = 0; i < inputs.back().elements(); ++i) {
        inputs.back().set(i, static_cast<double>(i % 2));
      }
      executor.bind_input(graph.value(id).name, inputs.back().data(), inputs.back().bytes());
    }
    for (int step = 0; step < 6; ++step) {
      executor.run();
      losses[replay ? 1 : 0].push_back(executor.read_scalar("loss"));
    }
    EXPECT_EQ(executor.replays(), replay);
  }
  EXPECT_EQ(losses[0], losses[1]);
}

/// Each gradient of three layers by itself: a convolution over three channels, which 16 bits pad to
/// eight, a transposed one, and a head of one channel.
TEST(GpuLayers, OfAnUpConvolutionEqualTheReferenceIn16Bits) {
  if (const std::string why = backend::backend_unavailable_reason("cuda"); !why.empty()) {
    GTEST_SKIP() << why;
  }
  const auto device = backend::create_backend("cuda", {});
  for (const core::DType precision : {core::DType::kBF16, core::DType::kF16}) {
    if (device->supports(precision, nullptr)) {
      compare_up_convolution_with_reference(*device, precision, 2e-2);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Workloads,
                         GpuStep,
                         ::testing::ValuesIn(workloads::workload_names()),
                         [](const auto& param_info) { return param_info.param; });

}  // namespace
}  // namespace dlbench
