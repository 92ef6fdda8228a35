// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/exec/model_state.h"

#include "engine/core/check.h"
#include "engine/core/error.h"
#include "engine/graph/layers.h"
#include "tests/engine/graph/networks.h"
#include "tests/error_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::exec {
namespace {

using graph::Graph;
using graph::Mode;
using graph::Storage;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Graph training_graph() {
  return graph::testing::training_step(graph::testing::small_unet(Mode::kTrain, 2, 8),
                                       {.kind = graph::OptimizerKind::kAdam});
}

bool same_content(const core::HostTensor& a, const core::HostTensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         std::memcmp(a.data(), b.data(), a.bytes()) == 0;
}

std::string error_of(const std::function<void()>& action) {
  return tests::error_of(action, core::ErrorCode::kData);
}

const std::vector<Storage> kLearned{Storage::kParameter, Storage::kBuffer};

class ModelStateTest : public ::testing::Test {
 protected:
  ModelStateTest() : graph_(training_graph()), state_(*backend_, graph_, 7) {}

  [[nodiscard]] std::vector<std::string> names(Storage storage) const {
    std::vector<std::string> found;
    for (const graph::ValueId id : graph_.with_storage(storage)) {
      found.push_back(graph_.value(id).name);
    }
    return found;
  }

  std::unique_ptr<backend::Backend> backend_ = backend::create_backend("ref", {.threads = 1});
  Graph graph_;
  ModelState state_;
};

TEST_F(ModelStateTest, OneSeedGivesOneContent) {
  ModelState same(*backend_, graph_, 7);
  ModelState other(*backend_, graph_, 8);
  int differ = 0;
  for (const std::string& name : names(Storage::kParameter)) {
    EXPECT_TRUE(same_content(state_.read(name), same.read(name))) << name;
    differ += same_content(state_.read(name), other.read(name)) ? 0 : 1;
  }
  EXPECT_EQ(differ, 5) << "every weight is drawn, biases and batch norm are constant";
}

TEST_F(ModelStateTest, AValueDoesNotDependOnTheOthers) {
  // The same names in another network, in another order, with a new layer in front.
  graph::GraphBuilder builder(Mode::kTrain);
  const graph::ValueId x = builder.add_input("x", core::DType::kF32, {2, 3, 8, 8});
  (void)graph::conv2d(builder, x, "new_layer", {.channels_out = 7});
  const graph::ValueId deep = graph::conv2d(builder, x, "enc.conv", {.channels_out = 4});
  (void)graph::conv2d(builder, deep, "deep.conv", {.channels_out = 4, .dilation = 2});
  ModelState other(*backend_, builder.graph(), 7);
  for (const char* name : {"enc.conv.weight", "deep.conv.weight"}) {
    EXPECT_TRUE(same_content(state_.read(name), other.read(name))) << name;
  }
  EXPECT_FALSE(same_content(state_.read("enc.conv.weight"), state_.read("deep.conv.weight")));
}

TEST_F(ModelStateTest, ValuesOfOneShapeAreDrawnApart) {
  graph::GraphBuilder builder(Mode::kTrain);
  const graph::ValueId x = builder.add_input("x", core::DType::kF32, {2, 3, 8, 8});
  (void)graph::conv2d(builder, x, "one", {.channels_out = 7});
  (void)graph::conv2d(builder, x, "two", {.channels_out = 7});
  const ModelState state(*backend_, builder.graph(), 7);
  EXPECT_FALSE(same_content(state.read("one.weight"), state.read("two.weight")));
}

TEST_F(ModelStateTest, TrainingAndEvaluationShareTheirNames) {
  const Graph evaluate = graph::testing::small_unet(Mode::kEvaluate, 5, 16);
  for (const Storage storage : {Storage::kParameter, Storage::kBuffer}) {
    for (const graph::ValueId id : evaluate.with_storage(storage)) {
      EXPECT_TRUE(state_.contains(evaluate.value(id).name)) << evaluate.value(id).name;
    }
  }
}

TEST_F(ModelStateTest, StartsAsTheLayersSay) {
  EXPECT_EQ(state_.read("enc.bn.weight").at(3), 1.0);
  EXPECT_EQ(state_.read("enc.bn.bias").at(3), 0.0);
  EXPECT_EQ(state_.read("enc.bn.running_var").at(3), 1.0);
  EXPECT_EQ(state_.read("enc.bn.running_mean").at(3), 0.0);
  EXPECT_EQ(state_.read("enc.conv.bias").at(0), 0.0);
  EXPECT_EQ(state_.read("adam/v/enc.conv.weight").at(5), 0.0);
  EXPECT_EQ(state_.read("grad/enc.conv.weight").at(5), 0.0);
  EXPECT_EQ(state_.read("coefficients").at(7), 1.0);
  EXPECT_EQ(state_.scalar("step"), 0.0);
  EXPECT_EQ(state_.scalar("loss_gradient"), 1.0);
}

struct Moments {
  double mean = 0.0;
  double stddev = 0.0;
  double largest = 0.0;
};

Moments moments(const core::HostTensor& tensor) {
  Moments m;
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    m.mean += tensor.at(i) / static_cast<double>(tensor.elements());
    m.largest = std::max(m.largest, std::abs(tensor.at(i)));
  }
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    m.stddev += std::pow(tensor.at(i) - m.mean, 2.0) / static_cast<double>(tensor.elements());
  }
  m.stddev = std::sqrt(m.stddev);
  return m;
}

TEST_F(ModelStateTest, DistributionsHaveTheirMomentsAndBounds) {
  graph::GraphBuilder builder(Mode::kTrain);
  const graph::ValueId x = builder.add_input("x", core::DType::kF32, {1, 64, 8, 8});
  using graph::WeightInit;
  (void)graph::conv2d(builder, x, "glorot", {.channels_out = 128});
  (void)graph::conv2d(builder, x, "he", {.channels_out = 128, .init = WeightInit::kHeNormal});
  (void)graph::conv2d(
      builder, x, "torch", {.channels_out = 128, .init = WeightInit::kTorchDefault});
  ModelState state(*backend_, builder.graph(), 3);
  constexpr double kFanIn = 64.0 * 9.0;
  constexpr double kFanOut = 128.0 * 9.0;
  constexpr double kElements = 128.0 * kFanIn;

  const Moments glorot = moments(state.read("glorot.weight"));
  const double glorot_bound = std::sqrt(6.0 / (kFanIn + kFanOut));
  EXPECT_LE(glorot.largest, glorot_bound);
  EXPECT_GT(glorot.largest, 0.999 * glorot_bound);
  EXPECT_NEAR(glorot.stddev, glorot_bound / std::sqrt(3.0), 0.01 * glorot_bound);

  const Moments he = moments(state.read("he.weight"));
  const double he_stddev = std::sqrt(2.0 / kFanIn);
  EXPECT_NEAR(he.stddev, he_stddev, 0.01 * he_stddev) << "the cut must not shrink the variance";
  EXPECT_LE(he.largest, 2.0 * he_stddev / 0.8796 + 1e-6);
  EXPECT_GT(he.largest, 2.2 * he_stddev);

  const Moments torch = moments(state.read("torch.weight"));
  EXPECT_LE(torch.largest, 1.0 / std::sqrt(kFanIn));
  EXPECT_NEAR(torch.stddev, 1.0 / std::sqrt(3.0 * kFanIn), 0.01 / std::sqrt(kFanIn));
  EXPECT_GT(moments(state.read("torch.bias")).largest, 0.9 / std::sqrt(kFanIn));
  for (const Moments& m : {glorot, he, torch}) {
    EXPECT_LT(std::abs(m.mean), 5.0 * m.stddev / std::sqrt(kElements));
  }
}

// Offsets of `kind` + parameter name in the arena that holds them.
void expect_equal_offsets(const ModelState& state,
                          const std::vector<std::string>& parameters,
                          const std::string& kind) {
  for (const std::string& parameter : parameters) {
    EXPECT_EQ(state.address(kind + parameter) - state.address(kind + parameters.front()),
              state.address(parameter) - state.address(parameters.front()))
        << kind << parameter;
    EXPECT_EQ(state.value_bytes(kind + parameter), state.value_bytes(parameter));
  }
}

TEST_F(ModelStateTest, ParametersGradientsAndOptimizerStateHaveEqualOffsets) {
  for (const char* kind : {"grad/", "adam/m/", "adam/v/"}) {
    expect_equal_offsets(state_, names(Storage::kParameter), kind);
  }
  for (const std::string& name : names(Storage::kParameter)) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(state_.address(name)) % 64, 0U) << name;
  }
}

TEST_F(ModelStateTest, AParameterWithoutGradientLeavesAGap) {
  graph::GraphBuilder builder(Mode::kTrain);
  const graph::ValueId x = builder.add_input("x", core::DType::kF32, {2, 40});
  const graph::ValueId label = builder.add_input("label", core::DType::kI32, {2});
  const graph::ValueId a = graph::linear(builder, x, "a", {.features_out = 30});
  (void)graph::linear(builder, a, "unused", {.features_out = 20});
  const graph::ValueId b = graph::linear(builder, a, "b", {.features_out = 10});
  const graph::ValueId logp = graph::log_softmax(builder, b, "logp");
  builder.mark_output("loss", graph::nll_loss(builder, logp, label, "loss"));
  const Graph graph = graph::testing::training_step(std::move(builder).finish(),
                                                    {.kind = graph::OptimizerKind::kAdadelta});
  ModelState state(*backend_, graph, 1);
  ASSERT_TRUE(state.contains("unused.weight"));
  ASSERT_FALSE(state.contains("grad/unused.weight"));
  for (const char* kind : {"grad/", "adadelta/square/", "adadelta/delta/"}) {
    expect_equal_offsets(state, {"a.weight", "a.bias", "b.weight", "b.bias"}, kind);
  }
}

TEST_F(ModelStateTest, ABucketIsOneRange) {
  const Graph graph = graph::testing::training_step(graph::testing::small_unet(Mode::kTrain, 2, 8),
                                                    {.kind = graph::OptimizerKind::kSgd},
                                                    {.first_cap_bytes = 32, .cap_bytes = 200});
  ModelState state(*backend_, graph, 1);
  for (const graph::Node& node : graph.nodes()) {
    if (node.op != graph::OpKind::kAllReduceStart) {
      continue;
    }
    const std::byte* end = nullptr;
    for (const graph::ValueId gradient : node.inputs) {
      const std::string& name = graph.value(gradient).name;
      if (end != nullptr) {
        EXPECT_GE(state.address(name), end) << name;
        EXPECT_LT(state.address(name), end + 64) << name;
      }
      end = state.address(name) + state.value_bytes(name);
    }
  }
}

TEST_F(ModelStateTest, SaveAndRestoreBringBackEverything) {
  state_.save();
  const TensorMap before = state_.export_tensors({Storage::kParameter,
                                                  Storage::kGradient,
                                                  Storage::kOptimizerState,
                                                  Storage::kBuffer,
                                                  Storage::kScalar});
  EXPECT_EQ(before.size(),
            graph_.with_storage(Storage::kParameter).size() * 4 + names(Storage::kBuffer).size() +
                names(Storage::kScalar).size());
  for (const auto& [name, tensor] : before) {
    core::HostTensor changed(tensor.dtype(), tensor.shape());
    for (std::int64_t i = 0; i < changed.elements(); ++i) {
      changed.set(i, 99.0);
    }
    state_.write(name, changed);
    EXPECT_FALSE(same_content(state_.read(name), tensor)) << name;
  }
  state_.restore();
  for (const auto& [name, tensor] : before) {
    EXPECT_TRUE(same_content(state_.read(name), tensor)) << name;
  }
}

TEST_F(ModelStateTest, RestoreBeforeSaveIsAProgrammerError) {
  EXPECT_THROW(state_.restore(), core::CheckFailure);
}

TEST_F(ModelStateTest, ImportsWhatItExports) {
  ModelState other(*backend_, graph_, 99);
  other.import_tensors(state_.export_tensors(kLearned), kLearned);
  for (const std::string& name : names(Storage::kParameter)) {
    EXPECT_TRUE(same_content(state_.read(name), other.read(name))) << name;
  }
}

TEST_F(ModelStateTest, ImportErrorsAreNamedAndChangeNothing) {
  const core::HostTensor before = state_.read("enc.conv.weight");
  const auto import_changed = [this](const std::function<void(TensorMap&)>& change) {
    return error_of([&] {
      ModelState source(*backend_, graph_, 99);
      TensorMap tensors = source.export_tensors(kLearned);
      change(tensors);
      state_.import_tensors(tensors, kLearned);
    });
  };
  EXPECT_THAT(import_changed([](TensorMap& t) { t["zzz"] = core::HostTensor(); }),
              HasSubstr("no value named 'zzz'"));
  EXPECT_THAT(
      import_changed([](TensorMap& t) {
        t.at("head.weight") = core::HostTensor(core::DType::kF32, {1, 8, 3, 3});
      }),
      HasSubstr("tensor 'head.weight' is f32 (1, 8, 3, 3), the model wants f32 (1, 8, 1, 1)"));
  EXPECT_THAT(import_changed([](TensorMap& t) {
                t.at("head.bias") = core::HostTensor(core::DType::kF64, {1});
              }),
              HasSubstr("'head.bias' is f64 (1), the model wants f32 (1)"));
  EXPECT_THAT(import_changed([](TensorMap& t) {
                t.erase("head.bias");
                t.erase("enc.bn.running_var");
              }),
              AllOf(HasSubstr("missing for this model: enc.bn.running_var, head.bias"),
                    Not(HasSubstr("more"))));
  EXPECT_THAT(import_changed([](TensorMap& t) { t.clear(); }),
              AllOf(HasSubstr("missing for this model: "), HasSubstr(" more")));
  EXPECT_TRUE(same_content(state_.read("enc.conv.weight"), before));
}

TEST_F(ModelStateTest, ImportsNothingOfAnotherKind) {
  for (const Storage kind : {Storage::kScalar, Storage::kOptimizerState, Storage::kGradient}) {
    TensorMap tensors = state_.export_tensors(kLearned);
    const std::string name = names(kind).front();
    tensors.emplace(name, state_.read(name));
    EXPECT_THAT(error_of([&] { state_.import_tensors(tensors, kLearned); }),
                AllOf(HasSubstr("'" + name + "' does not belong here"),
                      HasSubstr(std::string(graph::name(kind)))));
  }
}

TEST_F(ModelStateTest, UnknownNames) {
  EXPECT_EQ(state_.address("nothing"), nullptr);
  EXPECT_FALSE(state_.contains("nothing"));
  EXPECT_THAT(error_of([this] { (void)state_.read("nothing"); }), HasSubstr("'nothing'"));
  EXPECT_THAT(error_of([this] { state_.set_scalar("nothing", 1.0); }), HasSubstr("'nothing'"));
}

TEST_F(ModelStateTest, ScalarsAreTensors) {
  state_.set_scalar("learning_rate", 0.125);
  EXPECT_EQ(state_.scalar("learning_rate"), 0.125);
  EXPECT_THAT(
      error_of([&] { state_.write("head.bias", core::HostTensor(core::DType::kF32, {2})); }),
      HasSubstr("tensor 'head.bias' is f32 (2), the model wants f32 (1)"));
  EXPECT_EQ(state_.read("learning_rate").dtype(), core::DType::kF32);
  state_.set_scalar("first_sample", 4096.0);
  EXPECT_EQ(state_.read("first_sample").as<std::int64_t>()[0], 4096);
}

TEST_F(ModelStateTest, TheSeedKeepsAllItsBits) {
  constexpr std::uint64_t kSeed = 0xFEDCBA9876543211U;
  ModelState state(*backend_, graph_, kSeed);
  EXPECT_EQ(static_cast<std::uint64_t>(state.read("seed").as<std::int64_t>()[0]), kSeed);
}

TEST_F(ModelStateTest, BytesSumTheArenas) {
  EXPECT_GE(state_.bytes(Storage::kParameter),
            4U * static_cast<std::size_t>(graph::totals(graph_).trainable_parameters));
  EXPECT_EQ(state_.bytes(Storage::kOptimizerState), 2 * state_.bytes(Storage::kParameter));
  EXPECT_EQ(state_.bytes(Storage::kGradient), state_.bytes(Storage::kParameter));
}

TEST_F(ModelStateTest, FindsOneValueThatIsNotFinite) {
  EXPECT_EQ(state_.find_not_finite(), "");
  for (const Storage storage : {Storage::kParameter, Storage::kBuffer}) {
    const std::string name = names(storage).back();
    const core::HostTensor before = state_.read(name);
    for (const float planted : {std::nanf(""), -INFINITY}) {
      core::HostTensor broken = state_.read(name);
      broken.as<float>().back() = planted;
      state_.write(name, broken);
      EXPECT_EQ(state_.find_not_finite(), name);
    }
    state_.write(name, before);
  }
  const std::string gradient = names(Storage::kGradient).front();
  core::HostTensor broken = state_.read(gradient);
  broken.as<float>().front() = INFINITY;
  state_.write(gradient, broken);
  EXPECT_EQ(state_.find_not_finite(), "") << "a gradient that overflows is the optimizer's matter";
}

}  // namespace
}  // namespace dlbench::exec
