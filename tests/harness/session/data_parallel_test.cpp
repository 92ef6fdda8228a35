// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// N ranks on the shards of a global batch are one rank on the whole batch. All ranks of a launch
// run these tests.
#include "data/generators/generate.h"
#include "engine/comm/rendezvous.h"
#include "engine/core/error.h"
#include "engine/exec/checkpoint.h"
#include "harness/session/make_step.h"
#include "harness/session/session.h"
#include "harness/training/step_pool.h"
#include "harness/training/trainer.h"
#include "harness/trials/step_pipeline.h"
#include "tests/engine/comm/mpi/ranks.h"
#include "tests/engine/exec/tensor_distance.h"
#include "tests/temporary_folder.h"
#include "workloads/workload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dlbench::harness {
namespace {

using tests::relative_distance;

constexpr std::int64_t kGlobalBatch = 26;  // divides by few numbers of ranks

comm::Rendezvous& ranks() { return comm::mpi::ranks(); }

SessionOptions options() {
  SessionOptions options;
  options.workload = "mnist_cnn";  // with dropout
  options.device = "cpu";
  options.global_batch_size = kGlobalBatch;
  options.threads = 1;
  options.workers = 1;
  options.conv_algorithm = backend::ConvAlgorithm::kDirect;
  return options;
}

double loss_of_step(StepPipeline& steps, const Session& session) {
  return *steps.step({.batch = &session.cached_batch()})->loss;
}

std::vector<double> losses(Session& session, int steps) {
  std::vector<double> result;
  StepPipeline pipeline(session);
  pipeline.reset();
  session.state().restore();
  for (int step = 0; step < steps; ++step) {
    const double share = static_cast<double>(session.plan().batch().local) /
                         static_cast<double>(session.plan().batch().global);
    double loss = 0.0;
    const double mine = loss_of_step(pipeline, session) * share;
    for (const double part : session.plan().ranks().all_gather(mine)) {
      loss += part;
    }
    result.push_back(loss);
  }
  return result;
}

exec::TensorMap gradients(Session& session) {
  return session.state().export_tensors({graph::Storage::kGradient});
}

// A sum that depends on the place of every element.
double weighed(std::span<const float> values) {
  double sum = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += static_cast<double>(values[i]) * static_cast<double>(i + 1);
  }
  return sum;
}

// What one rank has on the whole batch; every rank computes it for itself.
struct Reference {
  explicit Reference(int steps) : plan(options(), alone), session(plan) {
    loss = losses(session, steps);
  }
  comm::LoneRank alone;
  SessionPlan plan;
  Session session;
  std::vector<double> loss;
};

TEST(DataParallel, GradientsAreThoseOfTheWholeBatch) {
  SessionPlan plan(options(), ranks());
  Session session(plan);
  const std::vector<double> loss = losses(session, 1);
  Reference reference(1);
  EXPECT_NEAR(loss.front(), reference.loss.front(), 1e-5 * reference.loss.front());
  // f32 sums in another order: a few units in the last place of the largest terms. A gradient that
  // was not averaged, or a dropout mask of other samples, is off by 0.1 and more.
  EXPECT_LT(relative_distance(gradients(session), gradients(reference.session)), 1e-5);
}

TEST(DataParallel, TheLossCurveIsThatOfOneRank) {
  SessionPlan plan(options(), ranks());
  Session session(plan);
  const std::vector<double> loss = losses(session, 5);
  const std::vector<double> again = losses(session, 5);
  Reference reference(5);
  for (std::size_t step = 0; step < loss.size(); ++step) {
    EXPECT_EQ(loss[step], again[step]) << "step " << step << " is another one in a second run";
    EXPECT_NEAR(loss[step], reference.loss[step], 2e-3 * reference.loss[step]) << "step " << step;
  }
}

TEST(DataParallel, SmallBucketsAndNoOverlapChangeNothing) {
  SessionOptions other = options();
  other.buckets = {.first_cap_bytes = 1000, .cap_bytes = 100'000, .overlap = false};
  SessionPlan plan(options(), ranks());
  Session session(plan);
  SessionPlan other_plan(other, ranks());
  Session other_session(other_plan);
  EXPECT_EQ(losses(session, 3), losses(other_session, 3));
}

TEST(DataParallel, CompressionCostsWhatItSays) {
  SessionPlan exact_plan(options(), ranks());
  Session exact(exact_plan);
  static_cast<void>(losses(exact, 1));
  SessionOptions compressed = options();
  compressed.compression = core::DType::kBF16;
  SessionPlan plan(compressed, ranks());
  Session session(plan);
  static_cast<void>(losses(session, 1));
  const double seen = relative_distance(gradients(session), gradients(exact));
  const std::optional<double> said = session.measure_compression_error();
  if (ranks().size() == 1) {
    EXPECT_FALSE(said.has_value());
    EXPECT_EQ(seen, 0.0);
    return;
  }
  // bf16 keeps 8 bits: a relative rounding error of 2^-9 at most, about half of that on average.
  EXPECT_GT(*said, 1e-4);
  EXPECT_LT(*said, 4e-3);
  EXPECT_GT(seen, 1e-4);
  EXPECT_LT(seen, 8e-3);
}

// One rank that loads, broadcasts and updates for all does the same arithmetic.
TEST(DataParallel, ASingleRootHasTheLossCurveOfDdp) {
  SessionOptions single = options();
  single.strategy = Strategy::kDataParallel;
  SessionPlan plan(single, ranks());
  Session session(plan);
  SessionPlan ddp_plan(options(), ranks());
  Session ddp(ddp_plan);
  const std::vector<double> loss = losses(session, 5);
  const std::vector<double> expected = losses(ddp, 5);
  for (std::size_t step = 0; step < loss.size(); ++step) {
    EXPECT_NEAR(loss[step], expected[step], 1e-5 * expected[step]) << "step " << step;
  }
  EXPECT_NE(loss.front(), loss.back()) << "nothing is learnt";
}

// The other ranks would keep the scale they began with.
TEST(DataParallel, ASingleRootHasNoLossScaling) {
  SessionOptions single = options();
  single.device = "ref";
  single.precision = "fp16";
  const SessionPlan ddp(single, ranks());
  EXPECT_TRUE(ddp.training_graph().find("loss_scale").has_value());
  single.strategy = Strategy::kDataParallel;
  try {
    const SessionPlan plan(single, ranks());
    EXPECT_EQ(ranks().size(), 1);
  } catch (const core::Error& error) {
    EXPECT_EQ(error.code(), core::ErrorCode::kUnavailable) << error.what();
    EXPECT_GT(ranks().size(), 1) << error.what();
  }
}

/// Two epochs on 45 images, validation included: the last batches do not divide.
TrainingResult train_on(comm::Rendezvous& group, const std::string& data) {
  SessionOptions session = options();
  session.data = data;
  SessionPlan plan(session, group);
  const auto validation =
      data::open_dataset(plan.workload().spec().dataset, data, data::Split::kTest);
  const auto communicator = make_communicator(plan);
  return train({.workload = plan.workload(),
                .params = plan.built().params,
                .backend = plan.backend(),
                .lowering = plan.lowering(),
                .training_data = plan.dataset(),
                .validation_data = validation.get(),
                .loader = plan.loader_options(),
                .epochs = 2,
                .ranks = {.rendezvous = &group, .communicator = communicator.get()}},
               {});
}

TEST(DataParallel, TrainingHasTheHistoryOfOneRank) {
  std::optional<tests::TemporaryFolder> folder;
  std::string mnist;
  if (ranks().rank() == 0) {
    mnist = folder.emplace().file("data");
    data::generate("mnist", {.out = mnist, .samples = 45, .seed = 3});
  }
  mnist = ranks().broadcast_text(mnist);
  const TrainingResult shared = train_on(ranks(), mnist);
  comm::LoneRank lone;
  const TrainingResult alone = train_on(lone, mnist);
  ASSERT_EQ(shared.history.size(), 2U);
  for (std::size_t epoch = 0; epoch < 2; ++epoch) {
    const reports::EpochRecord& one = alone.history[epoch];
    const reports::EpochRecord& all = shared.history[epoch];
    EXPECT_NEAR(*all.train_loss, *one.train_loss, 2e-3 * *one.train_loss);
    EXPECT_NEAR(*all.valid_loss, *one.valid_loss, 2e-3 * *one.valid_loss);
    EXPECT_NEAR(all.metrics.at("accuracy"), one.metrics.at("accuracy"), 0.03) << "one image";
    EXPECT_NEAR(*all.samples_per_second * all.seconds, 45.0, 1e-6);
  }
  ranks().barrier();  // the folder goes with rank 0
}

// ResUNet++ with one loss for all ranks. Its gradients are those of the whole batch up to batch
// norm, which is per rank: synchronize_loss_test.cpp has a network without.
TEST(DataParallel, ASynchronizedDiceIsThatOfAllPredictions) {
  if (ranks().size() == 1) {
    GTEST_SKIP() << "one rank has all predictions";
  }
  SessionOptions segmentation = options();
  segmentation.workload = "resunetpp";
  segmentation.image_size = 16;
  segmentation.global_batch_size = 7;
  segmentation.sync_loss = true;
  segmentation.compression = core::DType::kBF16;  // of gradients, never of the loss's sums
  SessionPlan plan(segmentation, ranks());
  Session session(plan);
  StepPipeline pipeline(session);
  pipeline.reset();
  const double loss = loss_of_step(pipeline, session);
  const core::HostTensor prediction = session.step().read(workloads::kPredictionOutput);
  const data::BatchTensor& mask = session.cached_batch().tensor("mask");
  double intersection = 0.0;
  double sum = 0.0;
  for (std::int64_t pixel = 0; pixel < prediction.elements(); ++pixel) {
    const double truth = std::to_integer<int>(mask.data()[pixel]);
    intersection += truth * prediction.at(pixel);
    sum += truth + prediction.at(pixel);
  }
  const auto over_ranks = [](double own) {
    const std::vector<double> all = ranks().all_gather(own);
    return std::accumulate(all.begin(), all.end(), 0.0);
  };
  const double expected = 1.0 - (2.0 * over_ranks(intersection) + 1.0) / (over_ranks(sum) + 1.0);
  EXPECT_NEAR(loss, expected, 1e-5);
  for (const double other : ranks().all_gather(loss)) {
    EXPECT_EQ(other, loss);
  }
}

/// Mean loss over the samples of one pass without training.
double loss_of_pass(StepPool& steps, data::PrefetchLoader& loader, comm::Rendezvous& group) {
  double sum = 0.0;
  std::int64_t samples = 0;
  for (std::int64_t number = 0; number < loader.sampler().batches_per_epoch(); ++number) {
    const data::BatchLease batch = loader.next();
    samples += batch->global_samples;
    if (batch->samples == 0) {
      steps.run_without_samples();
      continue;
    }
    sum += steps.run(graph::Mode::kEvaluate, *batch).front().loss *
           static_cast<double>(batch->samples);
  }
  const std::vector<double> sums = group.all_gather(sum);
  return std::accumulate(sums.begin(), sums.end(), 0.0) / static_cast<double>(samples);
}

/// Mean loss over the batches of one pass without training; the last batch has one sample, so that
/// all ranks but one have none of it.
double validation_loss(comm::Rendezvous& group) {
  SessionOptions segmentation = options();
  segmentation.workload = "resunetpp";
  segmentation.image_size = 16;
  segmentation.sync_loss = true;
  segmentation.compression = core::DType::kBF16;  // of gradients: the loss's sums stay exact
  SessionPlan plan(segmentation, group);
  const auto communicator = make_communicator(plan);
  StepPool steps({.workload = plan.workload(),
                  .params = plan.built().params,
                  .precision = plan.compute_dtype(),
                  .backend = plan.backend(),
                  .lowering = plan.lowering(),
                  .seed = segmentation.seed,
                  .ranks = {.rendezvous = &group,
                            .communicator = communicator.get(),
                            .reduction = plan.reduction()}});
  data::LoaderOptions options = plan.loader_options();
  options.global_batch_size = plan.dataset().size() - 1;
  options.batch_size = options.global_batch_size;
  options.shuffle = false;
  options.drop_last = false;
  options.epochs = 1;
  data::PrefetchLoader loader(plan.dataset(), options);
  const data::Sampler& sampler = loader.sampler();
  EXPECT_EQ(sampler.plan(sampler.batches_per_epoch() - 1).global_samples, 1);
  if (group.size() > 1) {
    for (std::int64_t batch = 0; batch < sampler.batches_per_epoch(); ++batch) {
      steps.prepare(graph::Mode::kEvaluate, sampler.plan(batch).local_samples);
    }
  }
  return loss_of_pass(steps, loader, group);
}

TEST(DataParallel, ASynchronizedDiceValidatesAsOneRankDoes) {
  const double shared = validation_loss(ranks());
  comm::LoneRank lone;
  EXPECT_NEAR(shared, validation_loss(lone), 1e-5);
}

TEST(DataParallel, RunningStatisticsAreRank0sUnlessSwitchedOff) {
  if (ranks().size() == 1) {
    GTEST_SKIP() << "one rank has rank 0's";
  }
  for (const bool on : {true, false}) {
    SessionOptions segmentation = options();
    segmentation.workload = "resunetpp";
    segmentation.image_size = 16;
    segmentation.broadcast_buffers = on;
    SessionPlan plan(segmentation, ranks());
    Session session(plan);
    // So far apart that what the ranks' own batches add in a step is little beside it.
    constexpr float kApart = 1e6F;
    for (const auto& [name, tensor] : session.state().export_tensors({graph::Storage::kBuffer})) {
      core::HostTensor far(tensor.dtype(), tensor.shape());
      std::ranges::fill(far.as<float>(), kApart * static_cast<float>(ranks().rank() + 1));
      session.state().write(name, far);
    }
    session.state().save();  // where losses() begins
    static_cast<void>(losses(session, 1));
    double furthest = 0.0;
    for (const auto& [name, tensor] : session.state().export_tensors({graph::Storage::kBuffer})) {
      const std::vector<double> all = ranks().all_gather(static_cast<double>(tensor.at(0)));
      const auto [least, most] = std::ranges::minmax(all);
      furthest = std::max(furthest, most - least);
    }
    EXPECT_EQ(furthest < 0.1 * kApart, on) << furthest;
  }
}

// And so does the checkpoint: the validation loss that chose it is that of its content. Without
// broadcasts every rank trains with statistics of its own.
TEST(DataParallel, AValidationIsOfRank0sRunningStatistics) {
  SessionOptions segmentation = options();
  segmentation.workload = "resunetpp";
  segmentation.image_size = 16;
  segmentation.global_batch_size = 6;
  segmentation.sync_loss = true;
  segmentation.broadcast_buffers = false;
  std::optional<tests::TemporaryFolder> folder;
  std::string checkpoint;
  if (ranks().rank() == 0) {
    checkpoint = folder.emplace().file("checkpoint");
  }
  checkpoint = ranks().broadcast_text(checkpoint);
  SessionPlan plan(segmentation, ranks());
  const auto communicator = make_communicator(plan);
  const TrainingResult shared = train({.workload = plan.workload(),
                                       .params = plan.built().params,
                                       .backend = plan.backend(),
                                       .lowering = plan.lowering(),
                                       .training_data = plan.dataset(),
                                       .validation_data = &plan.dataset(),
                                       .loader = plan.loader_options(),
                                       .epochs = 1,
                                       .learning_rate = 1e-2,  // so that much depends on them
                                       .checkpoint = checkpoint,
                                       .ranks = {.rendezvous = &ranks(),
                                                 .communicator = communicator.get(),
                                                 .reduction = plan.reduction(),
                                                 .broadcast_buffers = false}},
                                      {});
  ranks().barrier();  // it is written
  comm::LoneRank lone;
  SessionPlan alone(segmentation, lone);
  StepPool steps({.workload = alone.workload(),
                  .params = alone.built().params,
                  .backend = alone.backend(),
                  .lowering = alone.lowering()});
  exec::load_checkpoint(steps.state(), checkpoint);
  data::LoaderOptions options = alone.loader_options();
  options.batch_size = *segmentation.global_batch_size;
  options.shuffle = false;
  options.drop_last = false;
  options.epochs = 1;
  data::PrefetchLoader loader(alone.dataset(), options);
  EXPECT_NEAR(*shared.history.at(0).valid_loss, loss_of_pass(steps, loader, lone), 1e-5);
  ranks().barrier();  // the folder goes with rank 0
}

TEST(DataParallel, ASingleRootGetsThePredictionsOfAllRanks) {
  if (ranks().size() == 1) {
    GTEST_SKIP() << "one rank has all predictions";
  }
  SessionOptions single = options();
  single.strategy = Strategy::kDataParallel;
  SessionPlan plan(single, ranks());
  Session session(plan);
  static_cast<void>(losses(session, 1));
  const core::HostTensor own = session.step().read(workloads::kPredictionOutput);
  const std::vector<double> sent = ranks().all_gather(weighed(own.as<float>()));
  if (ranks().rank() != 0) {
    return;
  }
  const std::span<const std::byte> all = session.gathered_predictions();
  const std::size_t classes = all.size() / sizeof(float) / kGlobalBatch;
  for (int rank = 0; rank < ranks().size(); ++rank) {
    const BatchShare share = share_batch(0, kGlobalBatch, rank, ranks().size());
    const std::span<const float> part(reinterpret_cast<const float*>(all.data()) +
                                          static_cast<std::size_t>(share.first) * classes,
                                      static_cast<std::size_t>(share.local) * classes);
    EXPECT_EQ(weighed(part), sent.at(static_cast<std::size_t>(rank))) << "of rank " << rank;
  }
}

// The planted error: without communication the gradients are those of the own shard.
TEST(DataParallel, WithoutCommunicationTheGradientsDiffer) {
  if (ranks().size() == 1) {
    GTEST_SKIP() << "one rank has nothing to leave out";
  }
  SessionPlan plan(options(), ranks());
  Session session(plan);
  session.step().set_communication(false);
  static_cast<void>(losses(session, 1));
  Reference reference(1);
  EXPECT_GT(relative_distance(gradients(session), gradients(reference.session)), 0.1);
}

}  // namespace
}  // namespace dlbench::harness
