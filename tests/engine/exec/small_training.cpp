// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/exec/small_training.h"

#include "engine/core/rng.h"
#include "tests/engine/graph/networks.h"

namespace dlbench::exec::testing {
namespace {

graph::Graph forward_graph(const SmallTrainingOptions& options, graph::Mode mode) {
  return graph::mixed_precision(options.classifier
                                    ? graph::testing::small_classifier(mode, options.batch)
                                    : graph::testing::small_unet(mode, options.batch, options.size),
                                options.precision);
}

graph::Graph train_graph(const SmallTrainingOptions& options) {
  const graph::Graph step = graph::testing::training_step(
      forward_graph(options, graph::Mode::kTrain), options.optimizer, options.buckets);
  return options.loss_scaling.has_value() ? graph::scale_loss(step, *options.loss_scaling) : step;
}

}  // namespace

SmallTraining::SmallTraining(const std::string& backend_name, const SmallTrainingOptions& options)
    : options_(options),
      backend_(backend::create_backend(backend_name, {.threads = options.threads})),
      train_graph_(testing::train_graph(options)),
      state_(std::make_unique<ModelState>(*backend_, train_graph_, options.seed)) {
  const auto& inputs = train_graph_.inputs();
  const graph::Value& image = train_graph_.value(inputs.at(0));
  const graph::Value& target = train_graph_.value(inputs.at(1));
  image_ = core::HostTensor(image.dtype, image.shape);
  target_ = core::HostTensor(target.dtype, target.shape);
  core::RandomStream random(42, 0);
  const std::int64_t extent = image.shape[1];
  const std::int64_t channels = image.shape[3];
  for (std::int64_t n = 0; n < options.batch; ++n) {
    const std::int64_t corner = 1 + static_cast<std::int64_t>(random.below(3));
    for (std::int64_t row = 0; row < extent; ++row) {
      for (std::int64_t column = 0; column < extent; ++column) {
        const bool inside = row >= corner && row < corner + extent / 2 && column >= corner &&
                            column < corner + extent / 2;
        const std::int64_t pixel = (n * extent + row) * extent + column;
        const auto brightness = static_cast<std::uint32_t>(inside ? 100 + 30 * (n % 5) : 20);
        for (std::int64_t c = 0; c < channels; ++c) {
          image_.set(pixel * channels + c, brightness + random.below(20));
        }
        if (!options.classifier) {
          target_.set(pixel, inside ? 1.0 : 0.0);
        }
      }
    }
    if (options.classifier) {
      target_.set(n, static_cast<double>(n % 5));
    }
  }
}

std::unique_ptr<Executor> SmallTraining::executor(graph::Mode mode,
                                                  const ExecutorOptions& options) {
  return executor(mode, self_, options);
}

std::unique_ptr<Executor> SmallTraining::executor(graph::Mode mode,
                                                  comm::Communicator& communicator,
                                                  const ExecutorOptions& options) {
  auto made = std::make_unique<Executor>(
      *backend_,
      *state_,
      communicator,
      mode == graph::Mode::kTrain ? train_graph_ : forward_graph(options_, mode),
      options);
  bind(*made);
  return made;
}

void SmallTraining::bind(Executor& executor) const {
  executor.bind_input("image", image_.data(), image_.bytes());
  executor.bind_input(options_.classifier ? "label" : "mask", target_.data(), target_.bytes());
}

}  // namespace dlbench::exec::testing
