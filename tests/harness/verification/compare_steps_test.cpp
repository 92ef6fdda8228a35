// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/verification/compare_steps.h"

#include "engine/core/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

using exec::TensorMap;
using testing::Contains;
using testing::Not;

core::HostTensor values(const core::Shape& shape, double first, double step) {
  core::HostTensor tensor(core::DType::kF32, shape);
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    tensor.set(i, first + step * static_cast<double>(i));
  }
  return tensor;
}

constexpr double kRate = 0.125;
constexpr std::int64_t kManyPositions = 1 << 20;

graph::OptimizerSpec sgd() {
  return {.kind = graph::OptimizerKind::kSgd, .learning_rate = kRate, .attributes = {}};
}

/// A step of a model with a weight, a bias whose gradient is noise, and running statistics.
TensorMap record() {
  TensorMap step;
  step.emplace("input/image", values({2, 3}, 0.0, 0.1));
  step.emplace("loss", values({}, 0.7, 0.0));
  step.emplace("output/prediction", values({2, 2}, 0.1, 0.2));
  step.emplace("before/w", values({10}, 1.0, 0.25));
  step.emplace("before/b", values({10}, 0.0, 0.0));
  step.emplace("before/n.running_mean", values({4}, 0.0, 0.0));
  step.emplace("before/n.running_var", values({4}, 1.0, 0.0));
  step.emplace("grad/w", values({10}, -1.0, 0.5));
  step.emplace("grad/b", values({10}, 1e-9, 0.0));
  for (const std::string name : {"w", "b"}) {
    core::HostTensor after = step.at("before/" + name).clone();
    for (std::int64_t i = 0; i < after.elements(); ++i) {
      after.set(i, after.at(i) - kRate * step.at("grad/" + name).at(i));
    }
    step.emplace("after/" + name, std::move(after));
  }
  step.emplace("after/n.running_mean", values({4}, 0.01, 0.002));
  step.emplace("after/n.running_var", values({4}, 0.99, 0.003));
  return step;
}

/// Names of the tensors that fail when `tested` is compared with record().
std::vector<std::string> failures(const TensorMap& tested) {
  std::vector<std::string> names;
  for (const TensorError& error : compare_steps(
           tested, record(), sgd(), StepTolerances::of(core::DType::kF32, kManyPositions, 1.0))) {
    if (!error.passed()) {
      names.push_back(error.tensor);
    }
  }
  return names;
}

void change(TensorMap& step, const std::string& name, std::int64_t index, double value) {
  step.at(name).set(index, value);
}

using Names = std::vector<std::string>;

TEST(CompareSteps, EqualStepsPassEverywhere) {
  const auto errors = compare_steps(
      record(), record(), sgd(), StepTolerances::of(core::DType::kF32, kManyPositions, 1.0));
  EXPECT_EQ(errors.size(), 1U + 4U + 1U + 1U + 1U + 2U + 4U);
  EXPECT_TRUE(std::all_of(
      errors.begin(), errors.end(), [](const TensorError& error) { return error.passed(); }));
}

TEST(CompareSteps, AWrongGradientFailsWithItsUpdate) {
  TensorMap tested = record();
  change(tested, "grad/w", 3, 1.0);
  EXPECT_EQ(failures(tested), (Names{"all gradients", "grad/w", "after/w"}));
}

TEST(CompareSteps, NoiseInAVanishingGradientPasses) {
  TensorMap tested = record();
  change(tested, "grad/b", 0, -1e-6);
  change(tested, "after/b", 0, 1e-6 * kRate);
  EXPECT_EQ(failures(tested), Names{});
}

TEST(CompareSteps, AVanishingGradientMayNotBecomeReal) {
  TensorMap tested = record();
  change(tested, "grad/b", 0, 0.05);
  change(tested, "after/b", 0, -0.05 * kRate);
  EXPECT_EQ(failures(tested), (Names{"grad/b"}));
}

TEST(CompareSteps, AWrongUpdateFails) {
  TensorMap tested = record();
  change(tested, "after/w", 9, tested.at("after/w").at(9) + 0.002);
  EXPECT_EQ(failures(tested), Names{"after/w"});
}

TEST(CompareSteps, TheUpdateIsJudgedByTheRuleOfTheOptimizer) {
  // What SGD did is not what Nadam would have done.
  const graph::OptimizerSpec nadam{
      .kind = graph::OptimizerKind::kNadam, .learning_rate = kRate, .attributes = {}};
  std::vector<std::string> failed;
  for (const TensorError& error : compare_steps(
           record(), record(), nadam, StepTolerances::of(core::DType::kF32, kManyPositions, 1.0))) {
    if (!error.passed()) {
      failed.push_back(error.tensor);
    }
  }
  EXPECT_EQ(failed, (Names{"after/b", "after/w"}));
}

// Of a step that is smaller than what f32 resolves beside the parameter only rounding is left.
TEST(CompareSteps, AnUpdateBelowTheLastPlacePasses) {
  TensorMap tested = record();
  tested.at("grad/w") = values({10}, 1e-9, 0.0);
  tested.at("after/w") = tested.at("before/w").clone();
  EXPECT_THAT(failures(tested), Not(Contains("after/w")));
  tested.at("grad/w") = values({10}, 1e-3, 0.0);
  EXPECT_THAT(failures(tested), Contains("after/w"));
}

TEST(CompareSteps, StatisticsAreJudgedByWhatTheStepAdded) {
  TensorMap tested = record();
  // 1e-5 of the value, but 1e-3 of what was added to it.
  change(tested, "after/n.running_var", 0, 0.99 + 1e-5);
  EXPECT_EQ(failures(tested), Names{"after/n.running_var"});
}

TEST(CompareSteps, AChangedInitialStateFails) {
  TensorMap tested = record();
  change(tested, "before/n.running_mean", 1, 1e-20);
  EXPECT_EQ(failures(tested), Names{"before/n.running_mean"});
}

TEST(CompareSteps, NanFails) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::string name : {"loss", "output/prediction", "after/n.running_var"}) {
    TensorMap tested = record();
    change(tested, name, 0, nan);
    EXPECT_EQ(failures(tested), Names{name});
  }
  TensorMap tested = record();
  change(tested, "grad/b", 4, nan);
  EXPECT_EQ(failures(tested), (Names{"all gradients", "grad/b", "after/b"}));
}

// Whatever the precision allows: zeros are no rounding.
TEST(CompareSteps, AGradientThatIsNeverComputedFails) {
  TensorMap tested = record();
  tested.at("grad/w") = values({10}, 0.0, 0.0);
  tested.at("grad/b") = values({10}, 0.0, 0.0);  // noise in the reference
  for (const core::DType precision : {core::DType::kF32, core::DType::kBF16}) {
    for (const std::int64_t positions : {std::int64_t{1}, kManyPositions}) {
      for (const TensorError& error :
           compare_steps(tested, record(), sgd(), StepTolerances::of(precision, positions, 1.0))) {
        if (error.part == StepPart::kGradient) {
          EXPECT_EQ(error.passed(), error.tensor == "grad/b") << error.tensor;
        }
      }
    }
  }
}

/// A gradient of 2000 values beside one of as many that are about a quarter of them.
TensorMap two_gradients() {
  TensorMap step = record();
  for (const auto& [name, value] :
       {std::pair<std::string, double>{"large", 0.9}, {"small", 0.25}}) {
    step.emplace("before/" + name, values({2000}, 1.0, 0.0));
    step.emplace("grad/" + name, values({2000}, value, 1e-6));
    step.emplace("after/" + name, values({2000}, 1.0 - kRate * value, -kRate * 1e-6));
  }
  return step;
}

void scale(TensorMap& step, const std::string& name, double factor) {
  core::HostTensor& tensor = step.at("grad/" + name);
  core::HostTensor& after = step.at("after/" + name);
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    tensor.set(i, factor * tensor.at(i));
    after.set(i, step.at("before/" + name).at(i) - kRate * tensor.at(i));
  }
}

// What noise in 16 bits leaves of a gradient: about where it points, and how long it is.
TEST(CompareSteps, In16BitsDirectionAndLengthOfGradientsAreLookedAt) {
  const auto failures_in = [](const TensorMap& tested, core::DType precision, bool tf32) {
    Names names;
    for (const TensorError& error :
         compare_steps(tested,
                       two_gradients(),
                       sgd(),
                       StepTolerances::of(precision, kManyPositions, 1.0, tf32))) {
      if (!error.passed()) {
        names.push_back(error.tensor);
      }
    }
    return names;
  };
  for (const auto& [precision, tf32] : {std::pair{core::DType::kBF16, false},
                                        std::pair{core::DType::kF16, false},
                                        std::pair{core::DType::kF32, true}}) {
    const auto failed = [&, precision = precision, tf32 = tf32](
                            const std::vector<std::pair<std::string, double>>& factors) {
      TensorMap tested = two_gradients();
      for (const auto& [name, factor] : factors) {
        scale(tested, name, factor);
      }
      return failures_in(tested, precision, tf32);
    };
    EXPECT_EQ(failed({{"small", 1.05}}), Names{});
    EXPECT_EQ(failed({{"small", 0.5}}), Names{"length of grad/small"});
    EXPECT_EQ(failed({{"small", 0.1}}), Names{"length of grad/small"});
    EXPECT_EQ(failed({{"large", 1.2}, {"small", 1.2}, {"w", 1.2}}),
              Names{"length of all gradients"});
    EXPECT_EQ(failed({{"large", 0.8}, {"small", 0.8}, {"w", 0.8}}),
              Names{"length of all gradients"});
  }
  TensorMap flipped = two_gradients();
  scale(flipped, "small", -1.0);
  EXPECT_EQ(failures_in(flipped, core::DType::kBF16, false), Names{"direction of grad/small"});
}

TEST(CompareSteps, FewPositionsIn16BitsAreRefusedOrMayDifferMore) {
  EXPECT_EQ(fewest_positions(core::DType::kF32, 1.0), 1);
  EXPECT_EQ(fewest_positions(core::DType::kBF16, 1.0), 8192);
  EXPECT_EQ(fewest_positions(core::DType::kF16, 0.25), 512);
  const auto few = StepTolerances::of(core::DType::kBF16, 2048, 0.25);
  const auto many = StepTolerances::of(core::DType::kBF16, 8192, 0.25);
  EXPECT_DOUBLE_EQ(few.gradients_together, 2.0 * many.gradients_together);
  EXPECT_DOUBLE_EQ(few.gradient, 2.0 * many.gradient);
  EXPECT_TRUE(many.each_long.has_value());
  EXPECT_FALSE(few.each_long.has_value());
  const auto widest = StepTolerances::of(core::DType::kBF16, 2048, 1.0);
  EXPECT_LT(widest.gradient, 1.0) << "that would be one that is missing";
}

TEST(CompareSteps, FewPositionsMayDifferMore) {
  const auto few = StepTolerances::of(core::DType::kF32, 512, 1.0);
  const auto many = StepTolerances::of(core::DType::kF32, kManyPositions, 1.0);
  EXPECT_DOUBLE_EQ(few.gradients_together, 4.0 * many.gradients_together);
  EXPECT_DOUBLE_EQ(few.loss, many.loss);
  EXPECT_EQ(many.gradient, StepTolerances::of(core::DType::kF32, 8192, 1.0).gradient);
}

TEST(CompareSteps, LimitsAreAsWideAsTheWorkloadsRounding) {
  const auto wide = StepTolerances::of(core::DType::kBF16, kManyPositions, 1.0);
  const auto narrow = StepTolerances::of(core::DType::kBF16, kManyPositions, 0.25);
  EXPECT_DOUBLE_EQ(narrow.gradients_together, 0.25 * wide.gradients_together);
  EXPECT_DOUBLE_EQ(narrow.gradient, 0.25 * wide.gradient);
  EXPECT_DOUBLE_EQ(narrow.prediction, 0.25 * wide.prediction);
  EXPECT_DOUBLE_EQ(narrow.update, wide.update);
  const auto wide_f32 = StepTolerances::of(core::DType::kF32, kManyPositions, 1.0);
  const auto narrow_f32 = StepTolerances::of(core::DType::kF32, kManyPositions, 0.25);
  EXPECT_DOUBLE_EQ(narrow_f32.gradient, 0.25 * wide_f32.gradient);
  EXPECT_LT(narrow_f32.gradients_together, 2e-3) << "tf32 would pass";
}

TEST(CompareSteps, AMissingTensorOrAnotherShapeIsAProgrammerError) {
  const StepTolerances tolerances = StepTolerances::of(core::DType::kF32, kManyPositions, 1.0);
  TensorMap missing = record();
  missing.erase("grad/w");
  EXPECT_THROW((void)compare_steps(missing, record(), sgd(), tolerances), core::CheckFailure);
  TensorMap reshaped = record();
  reshaped.insert_or_assign("grad/w", values({2, 5}, -1.0, 0.5));
  EXPECT_THROW((void)compare_steps(reshaped, record(), sgd(), tolerances), core::CheckFailure);
}

/// What a backend may do to one element with its gradient: parameter, first state, second state.
using Update = void (*)(double gradient, std::array<double, 3>& element);

graph::OptimizerSpec nadam() {
  return {.kind = graph::OptimizerKind::kNadam, .learning_rate = kRate, .attributes = {}};
}

/// The fourth step of one parameter as `update` has it, in f32.
TensorMap fourth_step(Update update) {
  TensorMap later;
  const std::array<std::string, 3> names{"w", "nadam/m/w", "nadam/v/w"};
  later.emplace("grad/w", values({10}, -1.0, 0.3));
  later.emplace("before/w", values({10}, 1.0, 0.25));
  later.emplace("before/nadam/m/w", values({10}, 0.2, -0.07));
  later.emplace("before/nadam/v/w", values({10}, 0.002, 0.0004));
  for (const std::string& name : names) {
    later.emplace("after/" + name, later.at("before/" + name).clone());
  }
  for (std::int64_t i = 0; i < 10; ++i) {
    std::array<double, 3> element{};
    for (std::size_t k = 0; k < names.size(); ++k) {
      element.at(k) = later.at("before/" + names.at(k)).at(i);
    }
    update(later.at("grad/w").at(i), element);
    for (std::size_t k = 0; k < names.size(); ++k) {
      later.at("after/" + names.at(k)).set(i, element.at(k));
    }
  }
  return later;
}

std::vector<TensorError> later_errors(const TensorMap& later) {
  const auto tolerances = StepTolerances::of(core::DType::kF32, kManyPositions, 1.0);
  return compare_later_update(later, 4, nadam(), tolerances);
}

Names later_failures(const TensorMap& later) {
  Names names;
  for (const TensorError& error : later_errors(later)) {
    if (!error.passed()) {
      names.push_back(error.tensor);
    }
  }
  return names;
}

/// Written out from the formulas of Keras' Nadam: u_t = 0.9 (1 - 0.5 * 0.96^t).
template <int kStep, bool kKeepsMoments = true>
void nadam_of_step(double gradient, std::array<double, 3>& element) {
  const auto momentum = [](int t) { return 0.9 * (1.0 - 0.5 * std::pow(0.96, t)); };
  double product = 1.0;
  for (int t = 1; t <= kStep; ++t) {
    product *= momentum(t);
  }
  auto& [parameter, first, second] = element;
  const double m = 0.9 * (kKeepsMoments ? first : 0.0) + 0.1 * gradient;
  const double v = 0.999 * (kKeepsMoments ? second : 0.0) + 0.001 * gradient * gradient;
  const double m_hat = momentum(kStep + 1) * m / (1.0 - product * momentum(kStep + 1)) +
                       (1.0 - momentum(kStep)) * gradient / (1.0 - product);
  const double v_hat = v / (1.0 - std::pow(0.999, kStep));
  parameter -= kRate * m_hat / (std::sqrt(v_hat) + 1e-7);
  first = m;
  second = v;
}

TEST(CompareLaterUpdate, TheRuleFromTheStateOfTheStepBeforePasses) {
  const TensorMap later = fourth_step(&nadam_of_step<4>);
  EXPECT_EQ(later_errors(later).size(), 3U);
  EXPECT_EQ(later_failures(later), Names{});
}

TEST(CompareLaterUpdate, AStepThatCountsWrongFails) {
  EXPECT_EQ(later_failures(fourth_step(&nadam_of_step<1>)), Names{"after/w (step 4)"});
  EXPECT_EQ(later_failures(fourth_step(&nadam_of_step<5>)), Names{"after/w (step 4)"});
}

/// In f32 1 - 0.999 is off by 1.3e-5.
void nadam_with_its_beta_in_f32(double gradient, std::array<double, 3>& element) {
  const double second = element[2];
  nadam_of_step<4>(gradient, element);
  element[2] = second + static_cast<double>(1.0F - 0.999F) * (gradient * gradient - second);
}

TEST(CompareLaterUpdate, StateThatIsLessExactThanF32Fails) {
  EXPECT_EQ(later_failures(fourth_step(&nadam_with_its_beta_in_f32)),
            Names{"after/nadam/v/w (step 4)"});
  TensorMap short_state = fourth_step(&nadam_of_step<4>);
  core::HostTensor& first = short_state.at("after/nadam/m/w");
  first = first.to(core::DType::kF16).to(core::DType::kF32);
  EXPECT_EQ(later_failures(short_state), Names{"after/nadam/m/w (step 4)"});
}

// What is left of two that cancel each other has the rounding of what they were.
TEST(CompareLaterUpdate, StateThatAGradientCancelsPasses) {
  TensorMap later = fourth_step(&nadam_of_step<4>);
  for (std::int64_t i = 0; i < 10; ++i) {
    const double first = later.at("before/nadam/m/w").at(i);
    std::array<double, 3> element{later.at("before/w").at(i), first, 0.01};
    later.at("before/nadam/v/w").set(i, element[2]);
    later.at("grad/w").set(i, -9.0 * first);
    nadam_of_step<4>(later.at("grad/w").at(i), element);
    later.at("after/w").set(i, element[0]);
    later.at("after/nadam/m/w").set(i, 3e-8 * first);  // half a last place
    later.at("after/nadam/v/w").set(i, element[2]);
  }
  EXPECT_EQ(later_failures(later), Names{});
}

TEST(CompareLaterUpdate, StateThatIsNotReadOrNotWrittenFails) {
  EXPECT_EQ(later_failures(fourth_step(&nadam_of_step<4, false>)),
            (Names{"after/w (step 4)", "after/nadam/m/w (step 4)", "after/nadam/v/w (step 4)"}));
  TensorMap kept = fourth_step(&nadam_of_step<4>);
  kept.at("after/nadam/v/w") = kept.at("before/nadam/v/w").clone();
  EXPECT_EQ(later_failures(kept), Names{"after/nadam/v/w (step 4)"});
}

}  // namespace
}  // namespace dlbench::harness
