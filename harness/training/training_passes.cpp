// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/training/training_passes.h"

#include "engine/core/error.h"
#include "engine/exec/executor.h"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace dlbench::harness {
namespace {

std::int64_t batch_size(const TrainingSetup& setup) {
  return workloads::choose_params(setup.workload.spec(), setup.params).batch_size;
}

PassSteps steps_of(graph::Mode mode,
                   const data::Dataset& dataset,
                   const data::LoaderOptions& options) {
  const data::Sampler sampler(data::sampler_options(dataset, options));
  return {.mode = mode,
          .samples = sampler.plan(0).local_samples,
          .last = sampler.plan(sampler.batches_per_epoch() - 1).local_samples};
}

std::int64_t buffer_bytes(const data::Dataset& dataset, data::LoaderOptions options) {
  options.batch_size = data::Sampler(data::sampler_options(dataset, options)).options().batch_size;
  return static_cast<std::int64_t>(data::loader_buffer_bytes(dataset.spec(), options));
}

std::int64_t input_places(const TrainingSetup& setup, graph::Mode mode, std::int64_t samples) {
  workloads::WorkloadParams params = setup.params;
  params.batch_size = samples;
  return static_cast<std::int64_t>(
      exec::input_staging_bytes(setup.workload.build(params, mode).graph));
}

}  // namespace

data::LoaderOptions training_loader(const TrainingSetup& setup, std::int64_t epochs) {
  data::LoaderOptions options = setup.loader;
  options.batch_size = batch_size(setup);
  options.drop_last = !setup.workload.spec().keep_last_batch;
  options.epochs = epochs;
  return options;
}

data::LoaderOptions validation_loader(const TrainingSetup& setup) {
  data::LoaderOptions options = setup.loader;
  options.batch_size = batch_size(setup);
  options.shuffle = false;
  options.drop_last = false;
  options.epochs = 1;
  return options;
}

void check_last_batch(const TrainingSetup& setup) {
  const data::LoaderOptions options = training_loader(setup, 1);
  const data::Sampler sampler(data::sampler_options(setup.training_data, options));
  const data::BatchPlan last = sampler.plan(sampler.batches_per_epoch() - 1);
  if (last.global_samples >= options.world) {
    return;
  }
  const std::int64_t samples = setup.training_data.size();
  const auto leaves_enough = [&](std::int64_t batch) {
    return samples % batch == 0 || samples % batch >= options.world;
  };
  std::int64_t batch = sampler.plan(0).global_samples - 1;
  while (batch >= options.world && !leaves_enough(batch)) {
    --batch;
  }
  throw core::Error(
      core::ErrorCode::kUsage,
      fmt::format("the last batch of an epoch has {} sample(s), less than one for each of {} "
                  "ranks; with --global-batch-size {} it has enough",
                  last.global_samples,
                  options.world,
                  batch < options.world ? samples : batch));
}

std::vector<PassSteps> passes_of_epoch(const TrainingSetup& setup) {
  std::vector<PassSteps> passes{
      steps_of(graph::Mode::kTrain, setup.training_data, training_loader(setup, 1))};
  if (setup.validation_data != nullptr) {
    passes.push_back(
        steps_of(graph::Mode::kEvaluate, *setup.validation_data, validation_loader(setup)));
  }
  return passes;
}

MemoryNeed need_of_training(const TrainingSetup& setup, MemoryNeed of_run) {
  MemoryNeed need = of_run;
  need.saved_state = 0;
  if (setup.validation_data != nullptr) {
    need.loader_buffers += buffer_bytes(*setup.validation_data, validation_loader(setup));
  }
  if (!need.on_device) {
    return need;
  }
  std::set<std::pair<graph::Mode, std::int64_t>> planned{{graph::Mode::kTrain, batch_size(setup)}};
  for (const PassSteps& pass : passes_of_epoch(setup)) {
    for (const std::int64_t samples : {pass.samples, pass.last}) {
      if (samples > 0 && planned.emplace(pass.mode, samples).second) {
        need.activations += input_places(setup, pass.mode, samples);
      }
    }
  }
  return need;
}

}  // namespace dlbench::harness
