// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Gradients of a whole network against central differences, in float64 on the reference backend:
// shows that the rules of single ops (checked in engine/conformance) are put together rightly,
// through fan-out, concat, a shared parameter, batch statistics and a batch-wide loss.
#include "engine/comm/self.h"
#include "engine/core/rng.h"
#include "engine/exec/executor.h"
#include "engine/graph/layers.h"
#include "engine/graph/passes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::exec {
namespace {

using graph::GraphBuilder;
using graph::ValueId;

constexpr std::int64_t kBatch = 2;
constexpr std::int64_t kSize = 8;
constexpr double kStep = 1e-5;
// A float64 loss of about 1 has a rounding error of some 1e-16, over 2e-5: 1e-11; the differences'
// own error is of order step^2, 1e-10 times a third derivative. Measured: 2e-8.
constexpr double kTolerance = 1e-6;

ValueId bn(GraphBuilder& builder, ValueId x, const std::string& name) {
  return graph::batch_norm(builder, x, name, {.momentum = 0.99F, .epsilon = 1e-3F});
}

// The parts of ResUNet++ in small: residual unit with a strided shortcut, squeeze and excite, a
// dilated pair as in ASPP, attention gate, upsampling and concat, sigmoid and Dice.
graph::Graph residual_unet() {
  GraphBuilder builder(graph::Mode::kTrain);
  const ValueId x = builder.add_input("image", core::DType::kF64, {kBatch, 3, kSize, kSize});
  const ValueId mask = builder.add_input("mask", core::DType::kU8, {kBatch, kSize, kSize});
  const ValueId stem = graph::conv2d(builder, x, "stem", {.channels_out = 3});
  const ValueId skip = graph::relu(builder, bn(builder, stem, "stem_bn"), "skip");

  const ValueId conv1 = graph::conv2d(builder, skip, "conv1", {.channels_out = 4, .stride = 2});
  const ValueId act1 = graph::relu(builder, bn(builder, conv1, "bn1"), "act1");
  const ValueId conv2 = graph::conv2d(builder, act1, "conv2", {.channels_out = 4});
  const ValueId shortcut =
      bn(builder,
         graph::conv2d(builder, skip, "shortcut", {.channels_out = 4, .kernel = 1, .stride = 2}),
         "shortcut_bn");
  const ValueId residual = graph::add(builder, conv2, shortcut, "residual");
  const ValueId gate =
      graph::sigmoid(builder,
                     graph::linear(builder,
                                   graph::global_avg_pool(builder, residual, "squeeze"),
                                   "excite",
                                   {.features_out = 4, .bias = false}),
                     "gate");
  const ValueId scaled = graph::scale_channels(builder, residual, gate, "scaled");

  const ValueId near = graph::conv2d(builder, scaled, "near", {.channels_out = 4, .dilation = 1});
  const ValueId far = graph::conv2d(builder, scaled, "far", {.channels_out = 4, .dilation = 2});
  const ValueId aspp = graph::add(builder, near, far, "aspp");

  const ValueId pooled = graph::max_pool2d(builder, skip, "pooled", 2);
  const ValueId attention = graph::conv2d(builder, pooled, "attend", {.channels_out = 4});
  const ValueId attended =
      graph::multiply(builder, graph::sigmoid(builder, attention, "attention"), aspp, "attended");
  const ValueId up = graph::upsample2d(builder, attended, "up", 2);
  const ValueId joined = graph::concat(builder, {up, skip}, "joined");
  const ValueId dropped = graph::dropout(builder, joined, "dropped", 0.2F);
  const ValueId head = graph::conv2d(builder, dropped, "head", {.channels_out = 1, .kernel = 1});
  const ValueId prediction = graph::sigmoid(builder, head, "prediction");
  builder.mark_output("loss", graph::dice_loss(builder, prediction, mask, "loss", 1.0F));
  return std::move(builder).finish();
}

// Two linear layers over one weight, log-softmax and NLL.
graph::Graph tied_classifier() {
  GraphBuilder builder(graph::Mode::kTrain);
  const ValueId x = builder.add_input("image", core::DType::kF64, {kBatch, 3, kSize, kSize});
  const ValueId label = builder.add_input("label", core::DType::kI32, {kBatch});
  const ValueId flat = graph::flatten(
      builder, graph::conv2d(builder, x, "conv", {.channels_out = 1, .stride = 2}), "flat");
  const ValueId weight = builder.add_state(
      graph::Storage::kParameter,
      "tied",
      core::DType::kF64,
      {16, 16},
      {.kind = graph::Initializer::Kind::kGlorotUniform, .fan_in = 16, .fan_out = 16});
  const ValueId once =
      builder.add({.op = graph::OpKind::kLinear, .name = "once", .inputs = {flat, weight}});
  const ValueId twice = builder.add({.op = graph::OpKind::kLinear,
                                     .name = "twice",
                                     .inputs = {graph::relu(builder, once, "relu"), weight}});
  const ValueId logp = graph::log_softmax(builder, twice, "logp");
  builder.mark_output("loss", graph::nll_loss(builder, logp, label, "loss"));
  return std::move(builder).finish();
}

class NetworkGradient {
 public:
  explicit NetworkGradient(const graph::Graph& forward)
      : graph_(graph::differentiate(forward, forward.outputs().at("loss"))),
        state_(*backend_, graph_, 3),
        step_(*backend_, state_, self_, graph_, {}) {
    core::RandomStream random(17, 0);
    for (const ValueId id : graph_.inputs()) {
      const graph::Value& value = graph_.value(id);
      core::HostTensor tensor(value.dtype, value.shape);
      for (std::int64_t i = 0; i < tensor.elements(); ++i) {
        tensor.set(
            i, core::is_float(value.dtype) ? random.normal() : static_cast<float>(random.below(2)));
      }
      inputs_.push_back(std::move(tensor));
      step_.bind_input(value.name, inputs_.back().data(), inputs_.back().bytes());
    }
    // Away from the values at which layers start: a zero bias hides its neighbour's error.
    for (const ValueId id : graph_.with_storage(graph::Storage::kParameter)) {
      core::HostTensor tensor = state_.read(graph_.value(id).name);
      for (std::int64_t i = 0; i < tensor.elements(); ++i) {
        tensor.set(i, tensor.at(i) + 0.2 * random.normal());
      }
      state_.write(graph_.value(id).name, tensor);
    }
  }

  /// The largest |analytic - numeric| of some elements of every parameter, relative to the largest
  /// gradient of that parameter; names the parameter. `tampered`: its gradient is taken 1 % too
  /// large.
  std::pair<double, std::string> worst(const std::string& tampered = {}) {
    std::pair<double, std::string> found{0.0, ""};
    for (const ValueId id : graph_.with_storage(graph::Storage::kParameter)) {
      const std::string& name = graph_.value(id).name;
      (void)loss();  // the steps of the last parameter have overwritten all gradients
      const core::HostTensor gradient = state_.read("grad/" + name);
      double largest = 1e-4;
      for (std::int64_t i = 0; i < gradient.elements(); ++i) {
        largest = std::max(largest, std::abs(gradient.at(i)));
      }
      const std::int64_t stride = std::max<std::int64_t>(1, gradient.elements() / 12);
      for (std::int64_t i = 0; i < gradient.elements(); i += stride) {
        const double analytic = gradient.at(i) * (name == tampered ? 1.01 : 1.0);
        const double error = std::abs(analytic - numeric(name, i)) / largest;
        if (error > found.first || !std::isfinite(error)) {
          found = {error, name};
        }
        ++checked_;
      }
    }
    return found;
  }

  [[nodiscard]] int checked() const { return checked_; }

 private:
  double loss() {
    step_.run();
    return step_.read("loss").at(0);
  }

  double numeric(const std::string& name, std::int64_t index) {
    core::HostTensor tensor = state_.read(name);
    const double value = tensor.at(index);
    const auto loss_at = [&](double at) {
      tensor.set(index, at);
      state_.write(name, tensor);
      return loss();
    };
    const double difference = loss_at(value + kStep) - loss_at(value - kStep);
    tensor.set(index, value);
    state_.write(name, tensor);
    return difference / (2.0 * kStep);
  }

  std::unique_ptr<backend::Backend> backend_ = backend::create_backend("ref", {.threads = 1});
  comm::SelfCommunicator self_;
  graph::Graph graph_;
  ModelState state_;
  Executor step_;
  std::vector<core::HostTensor> inputs_;
  int checked_ = 0;
};

TEST(NetworkGradients, OfAResidualUnetMatchCentralDifferences) {
  NetworkGradient network(residual_unet());
  const auto [error, parameter] = network.worst();
  EXPECT_LT(error, kTolerance) << parameter;
  EXPECT_GT(network.checked(), 150);
}

TEST(NetworkGradients, OfAParameterUsedTwiceMatchCentralDifferences) {
  NetworkGradient network(tied_classifier());
  const auto [error, parameter] = network.worst();
  EXPECT_LT(error, kTolerance) << parameter;
}

TEST(NetworkGradients, ThatAreOnePercentTooLargeAreCaught) {
  NetworkGradient network(residual_unet());
  const auto [error, parameter] = network.worst("conv1.weight");
  EXPECT_GT(error, 1e-3);
  EXPECT_EQ(parameter, "conv1.weight");
}

}  // namespace
}  // namespace dlbench::exec
