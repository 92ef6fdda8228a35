// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A workload whose training takes milliseconds on any backend.
#pragma once

#include "engine/graph/layers.h"
#include "workloads/workload.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace dlbench::tests {

struct DenseOptions {
  workloads::ScheduleSpec schedule = workloads::StepDecay{.gamma = 0.9};
  float dropout = 0.1F;                   ///< 0: none, so that a loss depends on its sample alone
  float evaluated_scale = 1.0F / 255.0F;  ///< of pixels in evaluate mode; in training 1 / 255
  bool keep_last_batch = true;
  std::int64_t early_stop_patience = 2;  ///< in epochs; 0: none
};

/// One dense layer and a softmax on 28x28 images of mnist.
class DenseWorkload final : public workloads::Workload {
 public:
  explicit DenseWorkload(const DenseOptions& options = {}) : options_(options) {
    spec_.name = "dense";
    spec_.batch_size = 16;
    spec_.image_size = {.standard = 28, .multiple = 1, .min = 28, .max = 28};
    spec_.epochs = 2;
    spec_.optimizer = {.kind = graph::OptimizerKind::kSgd, .learning_rate = 0.01, .attributes = {}};
    spec_.schedule = options.schedule;
    spec_.early_stop_patience = options.early_stop_patience;
    spec_.keep_last_batch = options.keep_last_batch;
    spec_.dataset = "mnist";
    spec_.classes = 10;
    spec_.metrics = workloads::MetricKind::kClassification;
  }
  [[nodiscard]] const workloads::WorkloadSpec& spec() const override { return spec_; }

 protected:
  [[nodiscard]] workloads::BuiltWorkload build_graph(const workloads::WorkloadParams& params,
                                                     graph::Mode mode) const override {
    const std::int64_t n = params.batch_size;
    graph::GraphBuilder builder(mode);
    const graph::ValueId image = builder.add_input("image", core::DType::kU8, {n, 28, 28, 1});
    const graph::ValueId label = builder.add_input("label", core::DType::kI32, {n});
    graph::ValueId x = graph::normalize_image(
        builder,
        image,
        "input",
        {.scale = mode == graph::Mode::kTrain ? 1.0F / 255.0F : options_.evaluated_scale,
         .mean = {0.3F},
         .stddev = {0.3F}});
    x = graph::flatten(builder, x, "flatten");
    if (options_.dropout > 0.0F) {
      x = graph::dropout(builder, x, "dropout", options_.dropout);
    }
    x = graph::linear(
        builder, x, "fc", {.features_out = 10, .init = graph::WeightInit::kTorchDefault});
    x = graph::log_softmax(builder, x, "log_softmax");
    builder.mark_output("prediction", x);
    builder.mark_output("loss", graph::nll_loss(builder, x, label, "nll"));
    builder.mark_output("counts", graph::classification_counts(builder, x, label, "counts"));
    return {std::move(builder).finish(),
            {{.input = "image", .tensor = "image", .network_value = "image"},
             {.input = "label",
              .tensor = "label",
              .role = data::Role::kTarget,
              .network_value = "label"}},
            params};
  }

 private:
  DenseOptions options_;
  workloads::WorkloadSpec spec_;
};

}  // namespace dlbench::tests
