// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a workload is: a description with its hyper-parameters, and a function that builds the
// forward graph. And the registry: a workload is one file in a folder below this one, with one
// WorkloadRegistration at file scope.
#pragma once

#include "data/dataset.h"
#include "engine/core/dtype.h"
#include "engine/graph/graph.h"
#include "engine/graph/passes.h"
#include "workloads/learning_rate.h"
#include "workloads/metrics.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::workloads {

/// Largest batch of a step on one rank. A larger one is a typing error, and would overflow the
/// element counts of a tensor.
inline constexpr std::int64_t kMaxBatchSize = 1 << 20;

/// How the loss of a batch follows from its samples: decides whether it may be averaged over ranks
/// or batches.
enum class LossReduction : std::uint8_t {
  kMean,
  kBatchRatio,  ///< a ratio of sums over the batch (Dice): not the mean of the ranks' ratios
};

/// The image sizes (sides) that a network accepts: multiples of `multiple` in [min, max].
struct ImageSizeRule {
  std::int64_t standard = 0;
  std::int64_t multiple = 1;
  std::int64_t min = 0;
  std::int64_t max = 0;
};

/// Everything known about a workload without building it.
struct WorkloadSpec {
  std::string name;         ///< "resunetpp": as on the command line
  std::string task;         ///< "segmentation", "classification"
  std::string description;  ///< one line for `dlbench list`
  std::string citation;     ///< who published model and recipe
  std::int64_t batch_size = 1;
  ImageSizeRule image_size;
  std::int64_t epochs = 1;
  graph::OptimizerSpec optimizer;
  ScheduleSpec schedule;
  /// Training ends after this many epochs without a lower validation loss; 0: never.
  std::int64_t early_stop_patience = 0;
  /// Train on the partial batch at the end of an epoch, which needs a plan of its own.
  bool keep_last_batch = false;
  std::string dataset;  ///< name of its format in data/: "kvasir-seg"
  data::Split validation_split = data::Split::kValid;
  std::int64_t classes = 0;  ///< labels lie in [0, classes); 0: no labels
  std::string loss;          ///< in words, for reports
  LossReduction loss_reduction = LossReduction::kMean;
  MetricKind metrics = MetricKind::kClassification;
  /// Sizes at which `dlbench verify` is quick and every layer still has an effect.
  std::int64_t verify_batch_size = 1;
  std::int64_t verify_image_size = 0;
  /// How far rounding moves the gradients of a step, relative to ResUNet++ (1). Scales the limits
  /// of `dlbench verify`; the limit for all gradients together in f32 is scaled by its square.
  double verify_rounding = 1.0;
};

/// The sizes that a user may choose.
struct WorkloadParams {
  std::int64_t batch_size = 0;  ///< 0: the workload's
  std::int64_t image_size = 0;  ///< 0: the workload's
};

/// One graph input, and the batch tensor that the caller binds to it.
struct InputBinding {
  std::string input;   ///< of the graph: "image"
  std::string tensor;  ///< of the data set: "image"
  data::Role role = data::Role::kInput;
  /// Name of the value that the network sees after cast and normalisation; for targets the input.
  std::string network_value;
};

/// A forward graph with its loss. Outputs by name: kLossOutput, kPredictionOutput, kCountsOutput.
struct BuiltWorkload {
  graph::Graph graph;
  std::vector<InputBinding> inputs;
  WorkloadParams params;  ///< all chosen: no zeros
};

inline constexpr std::string_view kLossOutput = "loss";              ///< f32 scalar
inline constexpr std::string_view kPredictionOutput = "prediction";  ///< of the network
inline constexpr std::string_view kCountsOutput = "counts";          ///< f32, see metrics.h

/// A model with its recipe. Immutable: thread safe.
class Workload {
 public:
  Workload() = default;
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;
  virtual ~Workload() = default;

  [[nodiscard]] virtual const WorkloadSpec& spec() const = 0;

  /// Builds the forward graph of one batch, including loss and counts. Evaluate mode has the same
  /// parameters under the same names. Throws Error(kUsage) for sizes the network does not accept.
  [[nodiscard]] BuiltWorkload build(const WorkloadParams& params, graph::Mode mode) const;

 protected:
  /// Implements build(), with all parameters chosen and checked.
  [[nodiscard]] virtual BuiltWorkload build_graph(const WorkloadParams& params,
                                                  graph::Mode mode) const = 0;

 private:
  /// Calls build_graph(), and reports mismatched shapes as an error of the chosen sizes.
  [[nodiscard]] BuiltWorkload build_chosen(const WorkloadParams& chosen, graph::Mode mode) const;
};

/// Fills in the workload's own sizes where `params` has zeros. Throws Error(kUsage) with a message
/// that says which sizes the network accepts.
[[nodiscard]] WorkloadParams choose_params(const WorkloadSpec& spec, const WorkloadParams& params);

/// How ranks share the work of a step.
struct ReductionOptions {
  graph::BucketOptions buckets{};
  /// All-reduce the sums of a loss that is a batch ratio; graph::synchronize_loss().
  bool sync_loss = false;
};

/// Builds the whole training step: mixed precision, backward nodes, all-reduces, the optimizer, and
/// in f16 dynamic loss scaling. `precision` is that of the contractions: f32, bf16 or f16.
[[nodiscard]] graph::Graph training_graph(const WorkloadSpec& spec,
                                          const BuiltWorkload& built,
                                          core::DType precision,
                                          const ReductionOptions& reduction = {});

/// Builds the forward pass alone, with the same precision and loss.
[[nodiscard]] graph::Graph evaluation_graph(const BuiltWorkload& built,
                                            core::DType precision,
                                            const ReductionOptions& reduction = {});

/// Adds a workload at program start; a second one of the same name is a CheckFailure.
class WorkloadRegistration {
 public:
  explicit WorkloadRegistration(std::unique_ptr<const Workload> workload);
};

/// Returns the names of all workloads, sorted.
[[nodiscard]] std::vector<std::string> workload_names();

/// Returns the workload of that name. Throws Error(kUsage) that suggests the nearest name.
[[nodiscard]] const Workload& find_workload(std::string_view name);

}  // namespace dlbench::workloads
