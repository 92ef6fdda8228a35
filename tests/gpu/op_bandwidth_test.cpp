// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The accounting of gpu_bandwidth, on the reference backend and in small: which kernels are timed,
// which bytes they are said to move, and that wrong ones are found.
#include "tests/gpu/op_bandwidth.h"

#include "engine/backend/backend.h"
#include "engine/comm/self.h"
#include "engine/conformance/case_graph.h"
#include "engine/core/error.h"
#include "engine/exec/executor.h"
#include "tests/engine/backend/cuda/host_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace dlbench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr BandwidthSizes kSmall{.batch = 2, .channels = 8, .side = 32, .batches = 1, .calls = 1};
constexpr double kElements = 2 * 8 * 32 * 32;

/// Elements of the largest tensor that each kernel of the cases moves in f32, each counted as often
/// as it is read or written.
const std::map<std::string, double>& wanted() {
  static const std::map<std::string, double> tensors{
      {"add", 3},
      {"multiply", 3},
      {"relu", 2},
      {"relu/relu_backward", 3},
      {"sigmoid", 2},
      {"sigmoid/sigmoid_backward", 3},
      {"add_bias", 2},
      {"add_bias/add_bias_backward", 1},
      {"normalize_image",
       15.0 / 16},  // three bytes to three floats, for a quarter of the positions
      {"batch_norm", 3},
      {"batch_norm/batch_norm_backward", 5},
      {"batch_norm+relu/batch_norm", 3},
      {"batch_norm+relu/relu", 2},
      {"batch_norm+relu/relu_backward", 3},
      {"batch_norm+relu/batch_norm_backward", 5},
      {"batch_norm+relu+beside/batch_norm", 3},
      {"batch_norm+relu+beside/relu", 2},
      {"batch_norm+relu+beside/relu_backward", 3},
      {"batch_norm+relu+beside/batch_norm_backward", 5},
      {"batch_norm+relu+beside/add", 3},
      {"batch_norm+add/batch_norm", 3},
      {"batch_norm+add/add", 3},
      {"batch_norm+add/batch_norm_backward", 5},
      {"batch_norm+add+relu/batch_norm", 3},
      {"batch_norm+add+relu/add", 3},
      {"batch_norm+add+relu/relu", 2},
      {"batch_norm+add+relu/relu_backward", 3},
      {"batch_norm+add+relu/batch_norm_backward", 5},
      {"max_pool", 1.25 + 1.0 / 16},  // positions of a byte each
      {"max_pool/max_pool_backward", 1.25 + 1.0 / 16},
      {"upsample_nearest", 1.25},
      {"upsample_nearest/upsample_nearest_backward", 1.25},
      {"concat", 2},
      {"concat/slice", 1},
      {"add+add+add/add", 3},
      {"upsample_nearest+concat/upsample_nearest", 0.625},
      {"upsample_nearest+concat/concat", 2},
      {"upsample_nearest+concat/relu", 2},
      {"upsample_nearest+concat/relu_backward", 3},
      {"upsample_nearest+concat/slice", 1},
      {"upsample_nearest+concat/upsample_nearest_backward", 0.625},
      {"concat+beside/concat", 2},
      {"concat+beside/multiply", 1.5},
      {"concat+beside/relu", 2},
      {"concat+beside/relu_backward", 3},
      {"concat+beside/sigmoid", 1},
      {"concat+beside/sigmoid_backward", 1.5},
      {"concat+beside/slice", 1},
      {"concat+beside/add", 1.5},
      {"relu+reshape/relu", 2},
      {"relu+reshape/relu_backward", 3},
      {"relu+reshape/reshape", 2},
      {"global_avg_pool+scale_channels/global_avg_pool", 1},
      {"global_avg_pool+scale_channels/global_avg_pool_backward", 1},
      {"global_avg_pool+scale_channels/scale_channels", 2},
      {"global_avg_pool+scale_channels/scale_channels_backward_gate", 2},
      {"global_avg_pool+scale_channels/add", 3},
      {"scale_channels", 2},
      {"scale_channels/scale_channels_backward_gate", 2},
      {"dropout", 2},
      {"dropout/dropout_backward", 2},
      {"global_avg_pool", 1},
      {"global_avg_pool/global_avg_pool_backward", 1},
      {"dice/dice_sums", 1.25},  // a mask of bytes
      {"dice/dice_backward", 1.25},
      {"segmentation_counts", 1.25},
      {"unscale_gradients", 0.5 * 2},
      {"sgd", 0.5 * 5},
      {"adam", 0.5 * 7},
      {"nadam", 0.5 * 7},
      {"adadelta", 0.5 * 7},
  };
  return tensors;
}

/// The same in bf16, for kernels with operands of other types beside it.
const std::map<std::string, double>& wanted_of_mixed_types() {
  static const std::map<std::string, double> tensors{
      {"cast", 1 + 2},
      {"casts/cast", 0.5 * (2 + 1) / 4},  // of four parameters, one by one
      {"normalize_image+cast/normalize_image", 15.0 / 8},
      {"normalize_image+cast/cast", 3 * (4 + 2) / 8.0},
  };
  return tensors;
}

std::vector<conformance::OpCase> cases_in(core::DType dtype, const BandwidthSizes& sizes) {
  std::vector<conformance::OpCase> cases = bandwidth_cases(sizes);
  std::erase_if(cases, [dtype](const conformance::OpCase& spec) {
    return std::ranges::find(spec.dtypes, dtype) == spec.dtypes.end();
  });
  return cases;
}

TEST(OpBandwidth, CountsTheBytesThatEachKernelHasToMove) {
  const auto backend = backend::create_backend("ref", {.threads = 2});
  std::map<std::string, double> seen;
  for (const conformance::OpCase& spec : cases_in(core::DType::kF32, kSmall)) {
    for (const OpBandwidth& result : measure_case(*backend, spec, core::DType::kF32, kSmall)) {
      seen[result.name] = static_cast<double>(result.traffic.moved) / (4 * kElements);
      EXPECT_GT(result.seconds, 0.0) << result.name;
      EXPECT_GT(result.bytes_per_s(), 0.0) << result.name;
    }
  }
  for (const auto& [name, tensors] : wanted()) {
    ASSERT_TRUE(seen.contains(name)) << name << " is not timed";
    EXPECT_NEAR(seen.at(name), tensors, 0.02 * tensors) << name;
  }
  EXPECT_EQ(seen.size(), wanted().size());
}

TEST(OpBandwidth, ActivationsOf16BitsAreHalfAsManyBytes) {
  const auto backend = backend::create_backend("ref", {.threads = 2});
  std::set<std::string> seen;
  for (const conformance::OpCase& spec : cases_in(core::DType::kBF16, kSmall)) {
    for (const OpBandwidth& result : measure_case(*backend, spec, core::DType::kBF16, kSmall)) {
      seen.insert(result.name);
      EXPECT_EQ(result.dtype, "bf16");
      if (!result.name.starts_with("max_pool")) {  // its positions are bytes in any precision
        const auto& mixed = wanted_of_mixed_types();
        const double tensors =
            mixed.contains(result.name) ? mixed.at(result.name) : wanted().at(result.name);
        const double wanted_bytes = tensors * 2 * kElements;
        EXPECT_NEAR(static_cast<double>(result.traffic.moved), wanted_bytes, 0.03 * wanted_bytes)
            << result.name;
      }
    }
  }
  EXPECT_GT(seen.size(), 40U);
  for (const auto& [name, tensors] : wanted_of_mixed_types()) {
    EXPECT_TRUE(seen.contains(name)) << name << " is not timed";
  }
}

// With updates of its own and channels in blocks of 16, which these sizes fill.
TEST(OpBandwidth, TheCostModelFitsTheOperandsOfTheCpuBackend) {
  if (const std::string why = backend::backend_unavailable_reason("cpu"); !why.empty()) {
    GTEST_SKIP() << why;
  }
  const auto backend = backend::create_backend("cpu", {.threads = 1});
  const BandwidthSizes blocks{.batch = 1, .channels = 32, .side = 32, .batches = 1, .calls = 1};
  std::vector<std::string> refused;
  for (const conformance::OpCase& spec : cases_in(core::DType::kF32, blocks)) {
    try {
      EXPECT_FALSE(measure_case(*backend, spec, core::DType::kF32, blocks).empty()) << spec.note;
    } catch (const core::Error& error) {
      EXPECT_EQ(error.code(), core::ErrorCode::kUnavailable) << spec.note << ": " << error.what();
      refused.push_back(spec.note);
    }
  }
  EXPECT_THAT(refused, ElementsAre("unscale_gradients"));  // loss scaling: 16 bits on GPUs alone
}

// The kernels that a GPU would run, their fusions included, with the host in its place.
TEST(OpBandwidth, CountsTheBytesOfTheCudaLowering) {
  backend::cuda::HostDevice device;
  std::map<std::string, double> seen;
  std::map<std::string, double> seen_in_bf16;
  for (const conformance::OpCase& spec : bandwidth_cases(kSmall)) {
    for (const core::DType dtype : spec.dtypes) {
      for (const OpBandwidth& result : measure_case(device, spec, dtype, kSmall)) {
        const auto moved = static_cast<double>(result.traffic.moved);
        if (dtype == core::DType::kF32) {
          seen[result.name] = moved / (4 * kElements);
        } else if (dtype == core::DType::kBF16) {
          seen_in_bf16[result.name] = moved / (2 * kElements);
        }
      }
    }
  }
  for (const auto& [name, tensors] : wanted()) {
    if (name.find('+') == std::string::npos) {
      ASSERT_TRUE(seen.contains(name)) << name << " is not timed";
      EXPECT_NEAR(seen.at(name), tensors, 0.02 * tensors) << name;
    }
  }
  EXPECT_NEAR(seen.at("batch_norm+relu/batch_norm"), 3, 0.06);
  EXPECT_NEAR(seen.at("batch_norm+relu/batch_norm_backward"), 5, 0.1);
  EXPECT_NEAR(seen.at("batch_norm+add/batch_norm"), 4, 0.08);
  EXPECT_NEAR(seen.at("batch_norm+relu+beside/batch_norm_backward"), 6, 0.12);
  EXPECT_NEAR(seen.at("global_avg_pool+scale_channels/scale_channels"), 2, 0.04);
  EXPECT_NEAR(seen.at("relu+reshape/reshape"), 2, 0.04);
  EXPECT_NEAR(seen_in_bf16.at("casts/cast"), 1.5, 0.03);
  // Into rows of eight channels, five of them zero.
  EXPECT_NEAR(seen_in_bf16.at("normalize_image+cast/cast"), (3 * 4 + 8 * 2) / 8.0, 0.07);
  EXPECT_FALSE(seen.contains("batch_norm+relu/relu"));
  EXPECT_FALSE(seen.contains("batch_norm+add/add"));
}

TEST(OpBandwidth, PlantedWrongByteCountsAreFound) {
  const auto backend = backend::create_backend("ref", {.threads = 2});
  const conformance::CaseGraph graph =
      conformance::make_case_graph(bandwidth_cases(kSmall).front(), core::DType::kF32);
  const auto lowered = backend->lower(graph.graph, {});
  backend::LoweredNode& add = lowered->nodes.at(0);
  const auto right = static_cast<std::int64_t>(3 * 4 * kElements);
  ASSERT_EQ(add.cost.bytes, right);
  EXPECT_EQ(wrong_bytes(add, traffic_of(graph.graph, *lowered, add)), "");
  for (const std::int64_t wrong : {right / 3 * 2, right / 3 * 4, std::int64_t{0}}) {
    add.cost.bytes = wrong;
    EXPECT_THAT(wrong_bytes(add, traffic_of(graph.graph, *lowered, add)),
                HasSubstr(std::to_string(wrong)));
  }
}

}  // namespace
}  // namespace dlbench
