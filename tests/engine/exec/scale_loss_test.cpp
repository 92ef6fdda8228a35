// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Dynamic loss scaling on the reference backend: what a skipped step leaves alone, how the scale
// changes, what it is good for, and that ranks agree. Ranks are threads.
#include "engine/comm/host_communicator.h"
#include "engine/graph/passes.h"
#include "tests/engine/comm/thread_ranks.h"
#include "tests/engine/exec/small_training.h"
#include "tests/engine/exec/tensor_distance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::exec {
namespace {

using tests::relative_distance;

using graph::Mode;
using graph::OptimizerKind;
using graph::Storage;
using testing::SmallTraining;
using testing::SmallTrainingOptions;

constexpr double kTooLarge = 0x1p+100;  // every f16 gradient overflows

SmallTrainingOptions in_f16(const graph::LossScaling& scaling) {
  return {.classifier = true, .precision = core::DType::kF16, .loss_scaling = scaling};
}

TensorMap learned(const ModelState& state) {
  TensorMap tensors = state.export_tensors({Storage::kParameter, Storage::kOptimizerState});
  for (const char* scalar : {"step", "coefficients"}) {
    tensors.emplace(scalar, state.read(scalar));
  }
  return tensors;
}

/// The first tensor that is not the same bits in both; empty: none.
std::string first_difference(const TensorMap& a, const TensorMap& b) {
  for (const auto& [name, tensor] : a) {
    if (std::memcmp(tensor.data(), b.at(name).data(), tensor.bytes()) != 0) {
      return name;
    }
  }
  return "";
}

class SkippedStep : public ::testing::TestWithParam<OptimizerKind> {};

TEST_P(SkippedStep, ChangesNothingButTheScale) {
  SmallTrainingOptions options = in_f16({.initial = 256.0});
  options.optimizer.kind = GetParam();
  options.buckets = {.first_cap_bytes = 32, .cap_bytes = 200};
  SmallTraining training("ref", options);
  ModelState& state = training.state();
  const auto executor = training.executor(Mode::kTrain);
  executor->run();
  executor->run();
  EXPECT_EQ(state.scalar("good_steps"), 2.0);
  const TensorMap before = learned(state);

  state.set_scalar("loss_scale", kTooLarge);
  executor->run();
  EXPECT_EQ(first_difference(learned(state), before), "");
  EXPECT_EQ(state.scalar("loss_scale"), kTooLarge / 2);
  EXPECT_EQ(state.scalar("skipped_steps"), 1.0);
  EXPECT_EQ(state.scalar("good_steps"), 0.0);
  EXPECT_EQ(state.scalar("found_inf"), 0.0) << "the next step would be skipped too";

  state.set_scalar("loss_scale", 256.0);
  executor->run();
  EXPECT_NE(first_difference(learned(state), before), "");
  EXPECT_EQ(state.scalar("step"), 3.0);
  EXPECT_EQ(state.scalar("skipped_steps"), 1.0);
  EXPECT_EQ(state.find_not_finite(), "");
}

INSTANTIATE_TEST_SUITE_P(Optimizers,
                         SkippedStep,
                         ::testing::Values(OptimizerKind::kSgd,
                                           OptimizerKind::kAdam,
                                           OptimizerKind::kNadam,
                                           OptimizerKind::kAdadelta),
                         [](const auto& instance) {
                           return std::string(graph::name(instance.param));
                         });

// The planted error: the same scale with nobody who looks at the gradients.
TEST(ScaleLoss, WithoutItAnInfiniteGradientSpoilsTheModel) {
  SmallTraining training("ref", {.classifier = true, .precision = core::DType::kF16});
  training.state().set_scalar("loss_gradient", kTooLarge);
  training.executor(Mode::kTrain)->run();
  EXPECT_NE(training.state().find_not_finite(), "");
}

TEST(ScaleLoss, AScaleThatIsTooLargeFallsUntilTheModelLearnsAndGrowsAgain) {
  SmallTraining training(
      "ref", in_f16({.initial = 0x1p+40, .rule = {.growth = 4.0, .backoff = 0.25, .interval = 3}}));
  const auto executor = training.executor(Mode::kTrain);
  ModelState& state = training.state();
  double highest_good = 0.0;
  for (int step = 0; step < 40; ++step) {
    const double scale = state.scalar("loss_scale");
    const double skipped = state.scalar("skipped_steps");
    const double good = state.scalar("good_steps");
    executor->run();
    const bool bad = state.scalar("skipped_steps") > skipped;
    const bool grows = !bad && good == 2.0;
    EXPECT_EQ(state.scalar("loss_scale"), bad ? scale / 4 : grows ? scale * 4 : scale) << step;
    highest_good = bad ? highest_good : std::max(highest_good, scale);
  }
  EXPECT_GT(state.scalar("skipped_steps"), 8.0) << "2^40 is not too large";
  EXPECT_EQ(state.scalar("step") + state.scalar("skipped_steps"), 40.0);
  EXPECT_LT(highest_good, 0x1p+30);
  EXPECT_EQ(state.find_not_finite(), "");
}

// Powers of two commute with rounding: in f32, far from the ends of its range, every bit is equal.
TEST(ScaleLoss, InF32TheTrajectoryIsThatOfNoScaling) {
  for (const bool classifier : {true, false}) {
    const SmallTrainingOptions plain{.classifier = classifier, .size = 8};
    SmallTrainingOptions scaled = plain;
    scaled.loss_scaling = {.initial = 1024.0, .rule = {.interval = 3}};
    SmallTraining a("ref", plain);
    SmallTraining b("ref", scaled);
    const auto run_a = a.executor(Mode::kTrain);
    const auto run_b = b.executor(Mode::kTrain);
    for (int step = 0; step < 5; ++step) {
      run_a->run();
      run_b->run();
      EXPECT_EQ(run_a->read_scalar("loss"), run_b->read_scalar("loss")) << step;
    }
    EXPECT_EQ(first_difference(learned(a.state()), learned(b.state())), "");
    EXPECT_EQ(b.state().scalar("loss_scale"), 2048.0);
  }
}

/// Gradients of one step with a share of the batch so small that the seed is no f16.
TensorMap small_gradients(const SmallTrainingOptions& options) {
  SmallTraining training("ref", options);
  training.state().set_scalar("loss_gradient", 1e-7);
  training.executor(Mode::kTrain)->run();
  return training.state().export_tensors({Storage::kGradient});
}

TEST(ScaleLoss, KeepsGradientsThatF16WouldLose) {
  const TensorMap wanted = small_gradients({.classifier = true});
  EXPECT_LT(relative_distance(small_gradients(in_f16({})), wanted), 0.05);
  EXPECT_GT(relative_distance(small_gradients(in_f16({.initial = 1.0})), wanted), 0.5);
}

/// What the ranks have after one step in which the gradients of rank 1 alone overflow.
struct Agreement {
  std::vector<TensorMap> learned;
  std::vector<double> scale;
};

Agreement step_with_a_bad_rank(int ranks, bool communicate) {
  Agreement result{.learned = std::vector<TensorMap>(static_cast<std::size_t>(ranks)),
                   .scale = std::vector<double>(static_cast<std::size_t>(ranks))};
  comm::ThreadNode node(ranks);
  comm::run_ranks(ranks, [&](int rank) {
    comm::HostCommunicator communicator(comm::ranks_of_node(node, rank, ranks));
    const auto backend = backend::create_backend("ref", {.threads = 1});
    SmallTraining data("ref", in_f16({.initial = 256.0}));
    ModelState state(*backend, data.train_graph(), 1, &communicator);
    Executor executor(*backend, state, communicator, data.train_graph(), {});
    data.bind(executor);
    executor.run();
    executor.set_communication(communicate);
    state.set_scalar("loss_gradient", rank == 1 ? kTooLarge : 1.0);
    executor.run();
    executor.set_communication(true);
    state.set_scalar("loss_gradient", 1.0);
    executor.run();
    result.learned[static_cast<std::size_t>(rank)] = learned(state);
    result.scale[static_cast<std::size_t>(rank)] = state.scalar("loss_scale");
  });
  return result;
}

TEST(ScaleLoss, AllRanksSkipAStepThatIsBadOnOne) {
  for (const int ranks : {2, 3}) {
    const Agreement seen = step_with_a_bad_rank(ranks, true);
    for (std::size_t rank = 0; rank < seen.scale.size(); ++rank) {
      EXPECT_EQ(seen.scale[rank], 128.0) << "rank " << rank;
      EXPECT_EQ(seen.learned[rank].at("step").at(0), 2.0) << "rank " << rank;
      EXPECT_EQ(first_difference(seen.learned[rank], seen.learned[0]), "") << "rank " << rank;
    }
  }
}

// The planted error: gradients that are looked at without having been reduced.
TEST(ScaleLoss, WithoutReductionTheRanksDisagree) {
  const Agreement seen = step_with_a_bad_rank(2, false);
  EXPECT_NE(seen.scale[0], seen.scale[1]);
  EXPECT_NE(first_difference(seen.learned[0], seen.learned[1]), "");
}

}  // namespace
}  // namespace dlbench::exec
