// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The own kernels of the CUDA backend without a GPU: their bodies run thread by thread on the host
// (host_launcher.h) against the ref backend, with the cases and tolerances of op conformance. On a
// device, multiplications and additions are contracted otherwise: the bounds of tolerance.h count
// rounded operations and hold for both.
#include "engine/backend/cuda/kernels/batch_norm.h"
#include "engine/backend/cuda/kernels/conversion.h"
#include "engine/backend/cuda/kernels/convert.h"
#include "engine/backend/host_stream.h"
#include "engine/conformance/runner.h"
#include "engine/graph/op_def.h"
#include "tests/engine/backend/cuda/kernels/emulated_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace dlbench::backend::cuda {
namespace {

using conformance::Case;
using conformance::CaseResult;
using conformance::Outcome;
using core::DType;
using graph::OpKind;

/// Chains, and the cases of ops with an own kernel.
std::vector<Case> own_cases() {
  std::vector<Case> cases;
  for (const Case& item : conformance::all_cases()) {
    if (item.spec->build != nullptr || emulated(item.spec->op)) {
      cases.push_back(item);
    }
  }
  return cases;
}

void expect_all_agree(const Emulation& how) {
  EmulatedBackend backend(how);
  ref::RefBackend oracle({.threads = 1});
  int passed = 0;
  for (const Case& item : own_cases()) {
    const CaseResult result = conformance::run_case(backend, oracle, item);
    EXPECT_EQ(result.outcome, Outcome::kPassed) << conformance::describe(result);
    passed += result.outcome == Outcome::kPassed ? 1 : 0;
  }
  EXPECT_GT(passed, 150) << "the list of cases has shrunk";
}

TEST(CudaKernels, AgreeWithRefOverPaddedChannels) { expect_all_agree({}); }

TEST(CudaKernels, AgreeWithRefWithoutPadding) { expect_all_agree({.channel_multiple = 1}); }

TEST(CudaKernels, AgreeWithRefAtAddressesForSingleAccesses) {
  expect_all_agree({.misaligned = true, .resident_blocks = 1});
}

// What compresses gradients on a device, against what does on the host: the same bits.
TEST(CudaKernels, ConvertGradientsAsTheHostDoes) {
  constexpr std::size_t kMax = 1003;
  std::vector<float> values(kMax);
  for (std::size_t i = 0; i < kMax; ++i) {
    values[i] =
        std::ldexp(static_cast<float>(i * 7919 % 4099) - 2048.5F, static_cast<int>(i % 50) - 30);
  }
  values[5] = std::numeric_limits<float>::infinity();
  for (const DType narrow : {DType::kF16, DType::kBF16}) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{8}, kMax}) {
      for (const std::size_t skipped : {std::size_t{0}, std::size_t{1}}) {  // else single accesses
        const std::size_t begin = std::min(skipped, count - 1);
        std::vector<std::uint16_t> bits(kMax, 7);
        std::vector<float> wide(kMax, 7.0F);
        auto host_bits = bits;
        auto host_wide = wide;
        const auto convert =
            [&](std::vector<std::uint16_t>& to, std::vector<float>& back, auto run) {
              run(Conversion{.from = reinterpret_cast<const std::byte*>(values.data() + begin),
                             .to = reinterpret_cast<std::byte*>(to.data() + begin),
                             .to_dtype = narrow,
                             .count = count - begin});
              run(Conversion{.from = reinterpret_cast<const std::byte*>(to.data() + begin),
                             .from_dtype = narrow,
                             .to = reinterpret_cast<std::byte*>(back.data() + begin),
                             .count = count - begin});
            };
        convert(bits, wide, [](const Conversion& c) {
          HostLauncher launcher;
          run_cast(launcher, cast_args(c));
        });
        convert(host_bits, host_wide, [](const Conversion& c) { HostStream().convert(c); });
        EXPECT_EQ(bits, host_bits) << core::name(narrow) << ", " << count << " from " << begin;
        EXPECT_EQ(wide, host_wide) << core::name(narrow) << ", " << count << " from " << begin;
      }
    }
  }
}

/// A case with its tensors of rank > 2 resized, and its per-channel operands with them.
conformance::OpCase resized(conformance::OpCase spec, const core::Shape& shape) {
  for (auto* operands : {&spec.inputs, &spec.updates}) {
    for (conformance::Operand& operand : *operands) {
      operand.shape =
          operand.shape.rank() > 2 ? shape : operand.shape.with(operand.shape.rank() - 1, shape[1]);
      if (operand.shape.rank() == 2) {
        operand.shape = operand.shape.with(0, shape[0]);
      }
    }
  }
  return spec;
}

/// Shapes for which a launch has more than one tile of channels, and more than one chunk of rows.
TEST(CudaKernels, AgreeWithRefOverSeveralTilesAndChunks) {
  EmulatedBackend backend({});
  ref::RefBackend oracle({.threads = 1});
  for (const char* op :
       {"batch_norm", "batch_norm_inference", "scale_channels", "global_avg_pool"}) {
    for (const core::Shape& shape : {core::Shape{1, 530, 7, 5}, core::Shape{3, 5, 83, 67}}) {
      for (Case item : conformance::select_cases({.op = op})) {
        if (item.index > 2) {
          break;  // one case in three dtypes
        }
        const conformance::OpCase spec = resized(*item.spec, shape);
        item.spec = &spec;
        const CaseResult result = conformance::run_case(backend, oracle, item);
        EXPECT_EQ(result.outcome, Outcome::kPassed)
            << conformance::describe(result) << " " << shape.to_string();
      }
    }
  }
}

TEST(CudaKernels, EveryOpOfTheGraphIsOwnedOrOfALibrary) {
  for (const graph::OpDef& def : graph::all_op_defs()) {
    const std::string name(def.name);
    const bool library =
        name.starts_with("conv") || name.starts_with("linear") || name.starts_with("all_reduce");
    EXPECT_NE(library, emulated(def.kind)) << name;
  }
}

struct Planted {
  std::string op;
  Fault fault;
};
class PlantedFault : public ::testing::TestWithParam<Planted> {};

TEST_P(PlantedFault, IsFound) {
  EmulatedBackend backend({.fault = GetParam().fault});
  ref::RefBackend oracle({.threads = 1});
  int found = 0;
  for (const Case& item : conformance::select_cases({.op = GetParam().op})) {
    if (item.dtype == DType::kF32 && item.spec->inputs.front().shape.elements() > 64) {
      const CaseResult result = conformance::run_case(backend, oracle, item);
      EXPECT_EQ(result.outcome, Outcome::kFailed) << conformance::describe(result);
      ++found;
    }
  }
  EXPECT_GT(found, 0) << "no case to plant into";
}

INSTANTIATE_TEST_SUITE_P(Families,
                         PlantedFault,
                         ::testing::Values(Planted{"relu", Fault::kLostThread},
                                           Planted{"sigmoid", Fault::kLostThread},
                                           Planted{"cast", Fault::kLostThread},
                                           Planted{"normalize_image", Fault::kLostThread},
                                           Planted{"dropout", Fault::kLostThread},
                                           Planted{"scale_channels", Fault::kLostThread},
                                           Planted{"batch_norm", Fault::kLostMerge},
                                           Planted{"batch_norm_inference", Fault::kLostThread},
                                           Planted{"max_pool", Fault::kLostThread},
                                           Planted{"upsample_nearest", Fault::kLostThread},
                                           Planted{"global_avg_pool", Fault::kLostMerge},
                                           Planted{"concat", Fault::kLostThread},
                                           Planted{"reshape", Fault::kLostThread},
                                           Planted{"dice_sums", Fault::kLostMerge},
                                           Planted{"log_softmax", Fault::kLostMerge},
                                           Planted{"nll_loss", Fault::kLostMerge},
                                           Planted{"segmentation_counts", Fault::kLostMerge}),
                         [](const auto& test) {
                           return test.param.op +
                                  (test.param.fault == Fault::kLostMerge ? "_merge" : "_thread");
                         });

TEST(BatchNormPivot, IsNotMovedByOneValue) {
  for (int row = 0; row < 4; ++row) {
    alignas(16) float x[4][4] = {
        {1, -1, 2, 3e38F}, {2, -2, 2, 3e38F}, {3, -3, 2, 3e38F}, {4, -4, 2, 3e38F}};
    x[row][0] = 1000.0F;
    x[row][1] = -1000.0F;
    float pivot[4];
    Pivot<float>{&x[0][0], 4, 4}.load(0, pivot);
    EXPECT_GE(pivot[0], 2.0F);
    EXPECT_LE(pivot[0], 3.5F);
    EXPECT_LE(pivot[1], -2.0F);
    EXPECT_GE(pivot[1], -3.5F);
    EXPECT_EQ(pivot[2], 2.0F);
    EXPECT_EQ(pivot[3], 3e38F);
  }
}

}  // namespace
}  // namespace dlbench::backend::cuda
