// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The executor with every backend of this build. Whether results are right is tested elsewhere;
// here: that steps train, share state, are timed and traced, and talk to the communicator.
#include "engine/exec/executor.h"

#include "engine/core/check.h"
#include "engine/core/error.h"
#include "engine/core/trace.h"
#include "engine/graph/graph_builder.h"
#include "engine/graph/layers.h"
#include "tests/engine/exec/slot_liveness.h"
#include "tests/engine/exec/small_training.h"
#include "tests/engine/graph/networks.h"
#include "tests/error_message.h"
#include "workloads/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::exec {
namespace {

using graph::Mode;
using graph::OptimizerKind;
using graph::Phase;
using ::testing::HasSubstr;
using testing::SmallTraining;

class ExecutorTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const std::string why = backend::backend_unavailable_reason(GetParam()); !why.empty()) {
      GTEST_SKIP() << why;
    }
  }
};

TEST_P(ExecutorTest, TheUnetLearnsItsBatch) {
  SmallTraining training(GetParam(), {});
  const auto train = training.executor(Mode::kTrain);
  train->run();
  const float first = train->read_scalar("loss");
  for (int step = 0; step < 80; ++step) {
    train->run();
  }
  EXPECT_GT(first, 0.3F);
  EXPECT_LT(train->read_scalar("loss"), 0.5F * first);
  EXPECT_EQ(training.state().scalar("step"), 81.0);
}

TEST_P(ExecutorTest, TheClassifierLearnsItsBatchWithEveryOptimizer) {
  const std::pair<OptimizerKind, double> optimizers[] = {{OptimizerKind::kSgd, 0.1},
                                                         {OptimizerKind::kAdam, 0.02},
                                                         {OptimizerKind::kNadam, 0.02},
                                                         {OptimizerKind::kAdadelta, 1.0}};
  for (const auto& [kind, learning_rate] : optimizers) {
    SmallTraining training(
        GetParam(),
        {.classifier = true,
         .batch = 10,
         .optimizer = {
             .kind = kind, .learning_rate = learning_rate, .attributes = {.epsilon = 1e-6}}});
    const auto train = training.executor(Mode::kTrain);
    train->run();
    const float first = train->read_scalar("loss");
    for (int step = 0; step < 150; ++step) {
      train->run();
    }
    EXPECT_LT(train->read_scalar("loss"), 0.7F * first) << graph::name(kind);
  }
}

TEST_P(ExecutorTest, TrainAndEvaluatePlansShareOneState) {
  SmallTraining training(GetParam(), {});
  const auto train = training.executor(Mode::kTrain);
  const auto evaluate = training.executor(Mode::kEvaluate);
  evaluate->run();
  const float untrained = evaluate->read_scalar("loss");
  for (int step = 0; step < 120; ++step) {
    train->run();
  }
  const core::HostTensor weights = training.state().read("enc.conv.weight");
  const core::HostTensor mean = training.state().read("enc.bn.running_mean");
  evaluate->run();
  EXPECT_LT(evaluate->read_scalar("loss"), 0.6F * untrained);
  const core::HostTensor after = training.state().read("enc.conv.weight");
  for (std::int64_t i = 0; i < weights.elements(); ++i) {
    ASSERT_EQ(after.at(i), weights.at(i)) << "evaluation must not train";
  }
  const core::HostTensor mean_after = training.state().read("enc.bn.running_mean");
  for (std::int64_t i = 0; i < mean.elements(); ++i) {
    ASSERT_EQ(mean_after.at(i), mean.at(i)) << "nor move running statistics";
  }
}

TEST_P(ExecutorTest, RestoringTheStateRepeatsTheSteps) {
  SmallTraining training(GetParam(), {});
  const auto train = training.executor(Mode::kTrain);
  training.state().save();
  const auto losses = [&] {
    std::vector<float> found;
    for (int step = 0; step < 5; ++step) {
      train->run();
      found.push_back(train->read_scalar("loss"));
    }
    return found;
  };
  const std::vector<float> first = losses();
  training.state().restore();
  const std::vector<float> second = losses();
  EXPECT_NE(first.front(), first.back());
  for (std::size_t step = 0; step < first.size(); ++step) {
    EXPECT_NEAR(second[step], first[step], 1e-5F) << step;
  }
}

TEST_P(ExecutorTest, DropoutDrawsANewMaskEachStepAndTheSameForTheSameSeed) {
  // A learning rate of zero leaves the mask as the only thing that changes the loss.
  const auto losses = [](std::uint64_t seed) {
    SmallTraining training(
        GetParam(), {.optimizer = {.kind = OptimizerKind::kSgd, .learning_rate = 0.0}, .seed = 5});
    training.state().set_scalar("seed", static_cast<double>(seed));
    const auto train = training.executor(Mode::kTrain);
    std::vector<float> found;
    for (int step = 0; step < 2; ++step) {
      train->run();
      found.push_back(train->read_scalar("loss"));
    }
    return found;
  };
  const auto first = losses(11);
  const auto again = losses(11);
  const auto other = losses(12);
  EXPECT_NE(first[0], first[1]);
  EXPECT_NEAR(first[0], again[0], 1e-6F);
  EXPECT_NEAR(first[1], again[1], 1e-6F);
  EXPECT_NE(first[0], other[0]);
}

TEST_P(ExecutorTest, BadInputsAreNamed) {
  SmallTraining training(GetParam(), {});
  const auto train = training.executor(Mode::kTrain);
  const std::vector<std::byte> bytes(4 * 16 * 16 * 3);
  const auto error_of = [&](std::string_view name, std::size_t count) {
    return tests::error_of([&] { train->bind_input(name, bytes.data(), count); },
                           core::ErrorCode::kShape);
  };
  EXPECT_THAT(error_of("picture", bytes.size()), HasSubstr("no input named 'picture'"));
  EXPECT_THAT(error_of("image", 100),
              HasSubstr("input 'image' has 100 bytes, the network wants 3072 for (4, 16, 16, 3)"));
  EXPECT_THAT(error_of("image", 4000), HasSubstr("has 4000 bytes, the network wants 3072"));
  EXPECT_EQ(error_of("image", bytes.size()), "no error");
}

TEST_P(ExecutorTest, RunningWithoutInputsIsAProgrammerError) {
  SmallTraining training(GetParam(), {});
  comm::SelfCommunicator self;
  Executor executor(
      training.backend(), training.state(), self, training.train_graph(), ExecutorOptions{});
  EXPECT_THROW(executor.run(), core::CheckFailure);
  EXPECT_THROW(executor.run_profiled(), core::CheckFailure);
  EXPECT_THROW((void)executor.read("nothing"), core::CheckFailure);
}

TEST_P(ExecutorTest, AnInputMayMoveBetweenSteps) {
  SmallTraining training(GetParam(), {});
  const auto evaluate = training.executor(Mode::kEvaluate);
  evaluate->run();
  const core::HostTensor lit = evaluate->read("prediction");
  const std::vector<std::byte> dark(4 * 16 * 16 * 3);
  evaluate->bind_input("image", dark.data(), dark.size());
  evaluate->run();
  const core::HostTensor unlit = evaluate->read("prediction");
  training.bind(*evaluate);
  evaluate->run();
  const core::HostTensor again = evaluate->read("prediction");
  double difference = 0.0;
  for (std::int64_t i = 0; i < lit.elements(); ++i) {
    ASSERT_EQ(again.at(i), lit.at(i));
    difference += std::abs(unlit.at(i) - lit.at(i));
  }
  EXPECT_GT(difference, 0.1);
}

TEST_P(ExecutorTest, ProfiledStepsComputeTheSameAndTimeEveryNode) {
  SmallTraining training(GetParam(), {});
  const auto train = training.executor(Mode::kTrain);
  training.state().save();
  train->run();
  const float loss = train->read_scalar("loss");
  training.state().restore();
  const auto begin = std::chrono::steady_clock::now();
  train->run_profiled();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  EXPECT_NEAR(train->read_scalar("loss"), loss, 1e-6F);
  ASSERT_EQ(train->node_seconds().size(), train->lowered().nodes.size());
  double sum = 0.0;
  for (const double node_s : train->node_seconds()) {
    EXPECT_GE(node_s, 0.0);
    sum += node_s;
  }
  EXPECT_GT(sum, 0.0);
  EXPECT_LE(sum, elapsed.count()) << "each node's own time, not the time since the first";
}

TEST_P(ExecutorTest, PhasesSumToTheStep) {
  SmallTraining training(GetParam(), {.batch = 8, .size = 32});
  const auto train = training.executor(Mode::kTrain);
  train->run();
  const std::optional<FinishedStep> first = train->await_step();
  ASSERT_TRUE(first.has_value());
  EXPECT_FALSE(first->idle_s.has_value());
  EXPECT_FALSE(first->total_s().has_value());
  // The best of some steps: another process may take the processor between two clock reads.
  double best = 0.0;
  for (int step = 0; step < 10; ++step) {
    const auto begin = std::chrono::steady_clock::now();
    train->run();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    const FinishedStep done = *train->await_step();
    const double sum = std::accumulate(done.phases.begin(), done.phases.end(), done.inputs_s);
    EXPECT_LE(sum, wall.count() + 1e-9);
    EXPECT_GE(done.idle_s, 0.0);
    EXPECT_DOUBLE_EQ(*done.total_s(), *done.idle_s + sum);
    best = std::max(best, sum / wall.count());
    for (const Phase phase : {Phase::kForward, Phase::kLoss, Phase::kBackward, Phase::kOptimizer}) {
      EXPECT_GT(done.phases[static_cast<std::size_t>(phase)], 0.0) << graph::name(phase);
    }
  }
  EXPECT_GT(best, 0.95);
}

TEST_P(ExecutorTest, TellsTheWatchedOutputOfEachStepInOrder) {
  SmallTraining training(GetParam(), {});
  const auto plain = training.executor(Mode::kTrain);
  training.state().save();
  std::vector<float> wanted;
  for (int step = 0; step < 5; ++step) {
    plain->run();
    wanted.push_back(plain->read_scalar("loss"));
  }
  training.state().restore();
  const auto watching = training.executor(Mode::kTrain, {.watch = {"loss"}});
  std::vector<float> seen;
  for (int step = 0; step < 5; ++step) {
    watching->run();
    EXPECT_EQ(watching->steps_in_flight(), 1U);
    seen.push_back(watching->poll_step()->watched.front());
    EXPECT_FALSE(watching->poll_step().has_value());
  }
  EXPECT_EQ(seen, wanted);
  EXPECT_NE(seen[0], seen[1]);
}

/// Keeps what the executor reports, in order.
class RecordingSink final : public core::trace::Sink {
 public:
  RecordingSink() { core::trace::set_sink(this); }
  ~RecordingSink() override { core::trace::set_sink(nullptr); }

  void begin(const core::trace::RegionInfo& region) noexcept override {
    open.push_back(region);
    begun.push_back(region);
  }
  void end(const core::trace::RegionInfo& region) noexcept override {
    nested = nested && !open.empty() && open.back().name == region.name;
    open.pop_back();
  }
  void name_thread(std::string_view /*name*/) noexcept override {}
  void map_captured_node(std::uint64_t /*node*/, std::int64_t /*op*/) noexcept override {}

  std::vector<core::trace::RegionInfo> open;
  std::vector<core::trace::RegionInfo> begun;
  bool nested = true;
};

TEST_P(ExecutorTest, TraceRegionsArriveInOrder) {
  SmallTraining training(GetParam(), {});
  const auto train = training.executor(Mode::kTrain);
  RecordingSink sink;
  train->run();
  EXPECT_TRUE(sink.nested);
  EXPECT_TRUE(sink.open.empty());
  const auto& nodes = train->lowered().nodes;
  std::size_t node = 0;
  std::string_view phase;
  for (const auto& region : sink.begun) {
    if (region.category == core::trace::Category::kPhase) {
      EXPECT_NE(region.name, phase);
      phase = region.name;
      continue;
    }
    ASSERT_EQ(region.category, core::trace::Category::kOp);
    ASSERT_LT(node, nodes.size());
    EXPECT_EQ(region.name, nodes[node].name);
    EXPECT_EQ(region.id, nodes[node].covers.empty() ? -1 : nodes[node].covers.front());
    EXPECT_EQ(phase, graph::name(nodes[node].phase));
    ++node;
  }
  EXPECT_EQ(node, nodes.size());
}

/// Pretends to be two ranks: the other one has gradients of the same size and sign.
class CountingCommunicator final : public comm::Communicator {
 public:
  struct Call {
    std::byte* data;
    std::size_t count;
    bool waited = false;
  };

  [[nodiscard]] std::string_view name() const override { return "counting"; }
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 2; }
  [[nodiscard]] comm::Ticket start_all_reduce(const comm::ReduceRequest& request,
                                              backend::Stream& /*stream*/) override {
    EXPECT_EQ(request.dtype, core::DType::kF32);
    EXPECT_EQ(request.op, comm::ReduceOp::kSum);
    calls.push_back({request.data, request.count});
    return static_cast<comm::Ticket>(calls.size()) - 1;
  }
  void wait(comm::Ticket ticket, backend::Stream& /*stream*/) override {
    EXPECT_FALSE(calls.at(static_cast<std::size_t>(ticket)).waited);
    calls.at(static_cast<std::size_t>(ticket)).waited = true;
  }
  void reduce_scatter(const comm::ReduceRequest& /*request*/,
                      backend::Stream& /*stream*/) override {}
  void all_gather(std::byte* /*data*/,
                  std::size_t /*count*/,
                  core::DType /*dtype*/,
                  backend::Stream& /*stream*/) override {}
  void broadcast(std::byte* /*data*/,
                 std::size_t /*bytes*/,
                 int /*root*/,
                 backend::Stream& /*stream*/) override {}

  std::vector<Call> calls;
};

TEST_P(ExecutorTest, EveryGradientIsHandedToTheCommunicatorOnce) {
  SmallTraining training(GetParam(), {.buckets = {.first_cap_bytes = 32, .cap_bytes = 200}});
  CountingCommunicator ranks;
  const auto train = training.executor(Mode::kTrain, ranks);
  train->run();
  ASSERT_GE(ranks.calls.size(), 3U);
  for (const auto& call : ranks.calls) {
    EXPECT_TRUE(call.waited);
  }
  const graph::Graph& graph = training.train_graph();
  for (const graph::ValueId id : graph.with_storage(graph::Storage::kGradient)) {
    const std::string& name = graph.value(id).name;
    const std::byte* begin = training.state().address(name);
    const std::byte* end = begin + training.state().value_bytes(name);
    const auto holders = std::count_if(ranks.calls.begin(), ranks.calls.end(), [&](const auto& c) {
      return c.data <= begin && end <= c.data + 4 * c.count;
    });
    EXPECT_EQ(holders, 1) << name;
  }
}

TEST_P(ExecutorTest, AllReducesAloneAreThoseOfAStep) {
  SmallTraining training(GetParam(), {.buckets = {.first_cap_bytes = 32, .cap_bytes = 200}});
  CountingCommunicator ranks;
  const auto train = training.executor(Mode::kTrain, ranks);
  train->run();
  const auto of_a_step = std::exchange(ranks.calls, {});
  EXPECT_EQ(train->all_reduce_alone(), std::nullopt) << "the communicator has the clock";
  ASSERT_EQ(ranks.calls.size(), of_a_step.size());
  for (std::size_t call = 0; call < of_a_step.size(); ++call) {
    EXPECT_EQ(ranks.calls[call].data, of_a_step[call].data);
    EXPECT_EQ(ranks.calls[call].count, of_a_step[call].count);
    EXPECT_TRUE(ranks.calls[call].waited);
  }
}

TEST_P(ExecutorTest, WithoutCommunicationNoneHappens) {
  SmallTraining training(GetParam(), {});
  CountingCommunicator ranks;
  const auto train = training.executor(Mode::kTrain, ranks);
  train->set_communication(false);
  train->run();
  EXPECT_TRUE(ranks.calls.empty());
}

TEST_P(ExecutorTest, KeptValuesCanBeRead) {
  SmallTraining training(GetParam(), {});
  const graph::ValueId relu = *training.train_graph().find("deep.relu");
  ExecutorOptions options;
  options.lowering.keep = {relu};
  const auto train = training.executor(Mode::kTrain, options);
  train->run();
  const core::HostTensor kept = train->read(relu);
  EXPECT_TRUE(kept.shape() == (core::Shape{4, 4, 8, 8}));
  double sum = 0.0;
  for (std::int64_t i = 0; i < kept.elements(); ++i) {
    ASSERT_GE(kept.at(i), 0.0);
    sum += kept.at(i);
  }
  EXPECT_GT(sum, 1.0);
}

/// a = relu(x), read by the last node alone, which by itself could take its memory.
graph::Graph chain_of_two(bool keep_first, graph::OpKind last) {
  graph::GraphBuilder builder(Mode::kEvaluate);
  const auto x = builder.add_input("x", core::DType::kF32, {2, 3, 8, 8});
  const auto a = graph::relu(builder, x, "a");
  if (keep_first) {
    builder.mark_output("a", a);
  }
  builder.mark_output("b",
                      last == graph::OpKind::kSigmoid ? graph::sigmoid(builder, a, "b")
                                                      : graph::add(builder, a, a, "b"));
  return std::move(builder).finish();
}

TEST_P(ExecutorTest, AnOutputReadByTheLastNodeKeepsItsContent) {
  const auto backend = backend::create_backend(GetParam(), {.threads = 1});
  comm::SelfCommunicator self;
  std::vector<float> x(2 * 3 * 8 * 8);
  std::iota(x.begin(), x.end(), -100.0F);
  for (const graph::OpKind last : {graph::OpKind::kSigmoid, graph::OpKind::kAdd}) {
    const graph::Graph graph = chain_of_two(true, last);
    ModelState state(*backend, graph, 1);
    Executor executor(*backend, state, self, graph, {});
    executor.bind_input("x", reinterpret_cast<const std::byte*>(x.data()), 4 * x.size());
    executor.run();
    const core::HostTensor a = executor.read("a");
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(a.at(static_cast<std::int64_t>(i)), std::max(x[i], 0.0F)) << graph::name(last);
    }
    // Where the backend can share, it does so as soon as nobody asks for the first value.
    const Executor sharing(*backend, state, self, chain_of_two(false, last), {});
    const bool can_share = !sharing.lowered().nodes.back().in_place.empty();
    EXPECT_EQ(sharing.plan().placements.size(), can_share ? 1U : 2U);
    EXPECT_EQ(executor.plan().placements.size(), 2U);
    EXPECT_TRUE(can_share || GetParam() == "ref");
  }
}

TEST_P(ExecutorTest, NoPlanOverwritesWhatIsStillRead) {
  for (const Mode mode : {Mode::kTrain, Mode::kEvaluate}) {
    for (const bool classifier : {false, true}) {
      SmallTraining training(GetParam(), {.classifier = classifier});
      const auto executor = training.executor(mode);
      EXPECT_EQ(testing::check_slots(executor->graph(), executor->lowered(), executor->plan()), "")
          << graph::name(mode);
    }
  }
}

TEST_P(ExecutorTest, NoPlanOfAWorkloadOverwritesWhatIsStillRead) {
  const auto backend = backend::create_backend(GetParam(), {.threads = 1});
  for (const std::string& name : workloads::workload_names()) {
    const workloads::Workload& workload = workloads::find_workload(name);
    for (const core::DType precision : {core::DType::kF32, core::DType::kBF16}) {
      if (!backend->supports(precision, nullptr)) {
        continue;
      }
      for (const std::int64_t batch : {1, 2}) {
        workloads::WorkloadParams params{.batch_size = batch,
                                         .image_size = workload.spec().verify_image_size};
        const graph::Graph forward =
            graph::mixed_precision(workload.build(params, Mode::kTrain).graph, precision);
        const graph::Graph step = graph::testing::training_step(forward, workload.spec().optimizer);
        const std::vector<graph::ValueId> keep{step.outputs().at("loss")};
        backend::LoweringOptions options;
        options.autotune = false;
        options.keep = keep;
        const auto lowered = backend->lower(step, options);
        const Plan plan = make_plan(step, *lowered, keep);
        EXPECT_EQ(testing::check_slots(step, *lowered, plan, keep), "")
            << name << " " << core::name(precision) << " batch " << batch;
        EXPECT_LT(static_cast<double>(plan.arena_bytes),
                  1.25 * static_cast<double>(plan.lower_bound_bytes))
            << name;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends,
                         ExecutorTest,
                         ::testing::ValuesIn(backend::backend_names()),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace dlbench::exec
