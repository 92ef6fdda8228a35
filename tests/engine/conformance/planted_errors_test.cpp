// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The checkers are checked: each planted error must be found, and named with a line that reruns it.
#include "engine/conformance/runner.h"
#include "engine/core/dtype.h"
#include "tests/engine/conformance/planted_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dlbench::conformance {
namespace {

using core::HostTensor;
using graph::OpKind;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

void zero(HostTensor& t) {
  for (std::int64_t i = 0; i < t.elements(); ++i) {
    t.set(i, 0);
  }
}

void scale(HostTensor& t, double factor) {
  for (std::int64_t i = 0; i < t.elements(); ++i) {
    t.set(i, factor * t.at(i));
  }
}

/// The outcomes of all f32 cases of one op on a backend with an error.
std::vector<CaseResult> run_planted(PlantedBackend& planted, const std::string& op) {
  backend::ref::RefBackend oracle({.threads = 1});
  std::vector<CaseResult> results;
  for (const Case& item : select_cases({.op = op})) {
    if (item.dtype == core::DType::kF32) {
      results.push_back(run_case(planted, oracle, item));
    }
  }
  return results;
}

void expect_all_fail(PlantedBackend& planted, const std::string& op) {
  for (const CaseResult& result : run_planted(planted, op)) {
    EXPECT_EQ(name(result.outcome), "FAILED") << describe(result);
  }
}

TEST(PlantedErrors, AnOutputOfZerosFails) {
  PlantedBackend planted(OpKind::kSigmoid, zero);
  expect_all_fail(planted, "sigmoid");
}

TEST(PlantedErrors, ASmallBiasFails) {
  PlantedBackend planted(OpKind::kLinear, [](HostTensor& t) {
    for (std::int64_t i = 0; i < t.elements(); ++i) {
      t.set(i, t.at(i) + 1e-3);
    }
  });
  expect_all_fail(planted, "linear");
}

TEST(PlantedErrors, AGradientOffByATenthOfAPerCentFails) {
  PlantedBackend planted(OpKind::kConvBackwardWeights, [](HostTensor& t) { scale(t, 1.001); });
  expect_all_fail(planted, "conv");
}

TEST(PlantedErrors, OneElementNeverWrittenFails) {
  PlantedBackend planted(OpKind::kUpsampleNearest,
                         [](HostTensor& t) { t.set(t.elements() - 1, 1e30); });
  expect_all_fail(planted, "upsample_nearest");
}

TEST(PlantedErrors, NaNFails) {
  PlantedBackend planted(OpKind::kBatchNorm, [](HostTensor& t) { t.set(0, NAN); });
  expect_all_fail(planted, "batch_norm");
}

TEST(PlantedErrors, AWrongOptimizerStepFails) {
  PlantedBackend planted(OpKind::kNadam, [](HostTensor& t) { scale(t, 1 + 1e-4); });
  expect_all_fail(planted, "nadam");
}

TEST(PlantedErrors, BF16CutOffInsteadOfRoundedFails) {
  PlantedBackend planted(OpKind::kAdd, [](HostTensor& t) {
    for (std::int64_t i = 0; i < t.elements(); ++i) {
      // The next number towards zero, as a conversion that drops the low bits gives in every
      // second case.
      std::uint16_t& bits = t.as<std::uint16_t>()[static_cast<std::size_t>(i)];
      if (i % 2 == 0 && (bits & 0x7fffU) != 0) {
        --bits;
      }
    }
  });
  backend::ref::RefBackend oracle({.threads = 1});
  const Case item = select_cases({.op = "add", .index = 1}).front();
  ASSERT_EQ(item.dtype, core::DType::kBF16);
  const CaseResult result = run_case(planted, oracle, item);
  EXPECT_EQ(result.outcome, Outcome::kFailed);
  EXPECT_THAT(result.detail, HasSubstr("leans to one side"));
}

TEST(PlantedErrors, AnOracleOfZerosIsMistrusted) {
  PlantedBackend oracle(OpKind::kAdd, zero);
  backend::ref::RefBackend backend({.threads = 1});
  const CaseResult result = run_case(backend, oracle, select_cases({.op = "add"}).front());
  EXPECT_EQ(result.outcome, Outcome::kMistrusted);
  EXPECT_THAT(describe(result), HasSubstr("100% of the oracle's result is zero"));
}

TEST(PlantedErrors, AFailureNamesTheLineThatRunsItAgain) {
  PlantedBackend planted(OpKind::kConv, zero);
  backend::ref::RefBackend oracle({.threads = 1});
  const Case item = select_cases({.op = "conv", .index = 3}).front();
  const std::string line = describe(run_case(planted, oracle, item));
  EXPECT_THAT(line, StartsWith("FAILED conv case 3 (pointwise, f32): conv element "));
  EXPECT_THAT(line, EndsWith("; rerun: dlbench verify --op conv --case 3 --backend planted"));
}

TEST(PlantedErrors, CentralDifferencesFindAWrongRule) {
  struct Plant {
    OpKind op;
    std::string forward;
    Spoil spoil;
  };
  const std::vector<Plant> plants{
      {OpKind::kSigmoidBackward, "sigmoid", [](HostTensor& t) { scale(t, 1.0001); }},
      {OpKind::kBatchNormBackward, "batch_norm", [](HostTensor& t) { scale(t, -1); }},
      {OpKind::kLinearBackwardData, "linear", zero},
      {OpKind::kMaxPoolBackward, "max_pool", [](HostTensor& t) { scale(t, 0.5); }},
  };
  for (const Plant& plant : plants) {
    PlantedBackend planted(plant.op, plant.spoil);
    const auto results = run_gradient_checks(planted, {.op = plant.forward});
    ASSERT_FALSE(results.empty());
    for (const CaseResult& result : results) {
      EXPECT_EQ(name(result.outcome), "FAILED") << describe(result);
    }
  }
}

TEST(PlantedErrors, CentralDifferencesFindAWrongForward) {
  PlantedBackend planted(OpKind::kSigmoid, [](HostTensor& t) { scale(t, 1.001); });
  for (const CaseResult& result : run_gradient_checks(planted, {.op = "sigmoid"})) {
    EXPECT_EQ(name(result.outcome), "FAILED") << describe(result);
  }
}

TEST(Refusals, InAPrecisionOfTheBackendFailTheCase) {
  RefusingBackend backend(core::ErrorCode::kUnavailable);
  const auto results = run_cases(backend, {.op = "conv", .index = 0});
  ASSERT_EQ(results.size(), 1U);
  EXPECT_THAT(describe(results[0]),
              StartsWith("REFUSED conv case 0 (single pixel, channel and sample, f32): not on this "
                         "device; rerun: "));
}

TEST(Refusals, InAPrecisionThatTheBackendLacksAreUnimplemented) {
  RefusingBackend backend(core::ErrorCode::kUnavailable, core::DType::kF16);
  const auto of_f16 = run_cases(backend, {.op = "conv", .index = 2});
  ASSERT_EQ(of_f16.size(), 1U);
  EXPECT_EQ(describe(of_f16[0]),
            "unimplemented conv case 2 (single pixel, channel and sample, f16): not that one");
  // In f32, for a precision that the backend lacks.
  const auto serving = run_cases(backend, {.op = "update_loss_scale", .index = 0});
  ASSERT_EQ(serving.size(), 1U);
  EXPECT_EQ(describe(serving[0]),
            "unimplemented update_loss_scale case 0 (a good step, f32): not on this device");
}

TEST(Refusals, OfADeviceThatFailsTheRunEnds) {
  RefusingBackend backend(core::ErrorCode::kRun);
  try {
    (void)run_cases(backend, {.op = "conv"});
    FAIL();
  } catch (const core::Error& error) {
    EXPECT_EQ(error.code(), core::ErrorCode::kRun);
    EXPECT_STREQ(error.what(), "conv case 0: not on this device");
  }
}

TEST(Refusals, AnyOtherErrorFailsTheCase) {
  RefusingBackend backend(core::ErrorCode::kLibrary);
  const auto results = run_cases(backend, {.op = "conv", .index = 0});
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].outcome, Outcome::kFailed);
  EXPECT_THAT(describe(results[0]), HasSubstr("not on this device; rerun: "));
}

}  // namespace
}  // namespace dlbench::conformance
