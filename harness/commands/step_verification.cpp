// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/step_verification.h"

#include "engine/backend/backend.h"
#include "engine/core/atomic_file.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/exec/executor.h"
#include "engine/exec/safetensors.h"
#include "harness/commands/output_files.h"
#include "harness/session/locate_data.h"
#include "harness/session/memory_need.h"
#include "harness/session/open_device.h"
#include "harness/trials/device_fault_watch.h"
#include "harness/verification/compare_steps.h"
#include "harness/verification/step_inputs.h"
#include "harness/verification/step_record.h"
#include "reports/naming.h"
#include "reports/text/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

using exec::TensorMap;
using workloads::BuiltWorkload;
using workloads::WorkloadSpec;

constexpr std::string_view kReference = "ref";
constexpr std::size_t kWorstTensors = 10;
/// Host copies of the state: before and after the first step on both backends, and a later one on
/// the tested backend.
constexpr int kRecordedStates = 4;

workloads::WorkloadParams sizes(const WorkloadSpec& spec, workloads::WorkloadParams params) {
  if (params.batch_size == 0) {
    params.batch_size = spec.verify_batch_size;
  }
  if (params.image_size == 0) {
    params.image_size = spec.verify_image_size;
  }
  return params;
}

StepInputs inputs_of(const VerifyOptions& options,
                     const WorkloadSpec& spec,
                     const BuiltWorkload& built) {
  if (!options.data.has_value()) {
    return draw_step_inputs(spec, built, options.seed);
  }
  const auto dataset = data::open_dataset(
      spec.dataset, *options.data, data::Split::kTrain, {.image_size = built.params.image_size});
  return load_step_inputs(*dataset, built, options.seed);
}

/// Prints one line per part of the step: the number of tensors, and the worst of them.
void print_parts(std::ostream& out, const std::vector<TensorError>& errors) {
  struct Row {
    std::size_t tensors = 0;
    std::size_t failed = 0;
    const TensorError* worst = nullptr;
  };
  std::map<StepPart, Row> rows;
  for (const TensorError& error : errors) {
    Row& row = rows[error.part];
    ++row.tensors;
    row.failed += error.passed() ? 0 : 1;
    if (row.worst == nullptr || !(error.error <= row.worst->error)) {  // a NaN is the worst
      row.worst = &error;
    }
  }
  reports::TextTable table(
      {"part", "tensors", "failed", "worst error", "tolerance", "worst tensor"}, {5});
  for (const auto& [part, row] : rows) {
    table.add({std::string(harness::name(part)),
               std::to_string(row.tensors),
               std::to_string(row.failed),
               fmt::format("{:.2e}", row.worst->error),
               fmt::format("{:.1e}", row.worst->tolerance),
               row.worst->tensor});
  }
  out << table.text();
}

/// Prints the tensors closest to their tolerance, or beyond it.
void print_worst(std::ostream& out, const std::vector<TensorError>& errors) {
  std::vector<const TensorError*> order;
  for (const TensorError& error : errors) {
    if (error.tolerance > 0.0 || !error.passed()) {
      order.push_back(&error);
    }
  }
  const auto badness = [](const TensorError* error) {
    const double ratio = error->error / error->tolerance;
    return ratio >= 0.0 ? ratio : std::numeric_limits<double>::infinity();  // NaN first
  };
  const std::size_t count = std::min(kWorstTensors, order.size());
  std::partial_sort(order.begin(),
                    order.begin() + static_cast<std::ptrdiff_t>(count),
                    order.end(),
                    [&](const auto* a, const auto* b) { return badness(a) > badness(b); });
  order.resize(count);
  reports::TextTable table(
      {"nearest to the limit", "shape", "error", "tolerance", "max difference", ""}, {1, 5});
  for (const TensorError* error : order) {
    table.add({error->tensor,
               error->shape.to_string(),
               fmt::format("{:.2e}", error->error),
               fmt::format("{:.1e}", error->tolerance),
               fmt::format("{:.2e}", error->max_difference),
               error->passed() ? "" : "FAILED"});
  }
  out << table.text();
}

std::map<std::string, std::string> metadata_of(const VerifyOptions& options,
                                               const BuiltWorkload& built) {
  return {{"tool", "dlbench verify"},
          {"workload", options.workload},
          {"backend", options.backend},
          {"precision", options.precision},
          {"conv_algorithm",
           std::string(core::name_in(backend::kConvAlgorithms, options.conv_algorithm))},
          {"batch_size", std::to_string(built.params.batch_size)},
          {"image_size", std::to_string(built.params.image_size)},
          {"seed", std::to_string(options.seed)}};
}

/// Call before anything big is made. The steps run one after the other; then both are compared.
void check_memory(backend::Backend& backend,
                  const WorkloadSpec& spec,
                  const workloads::WorkloadParams& params,
                  core::DType precision,
                  const backend::LoweringOptions& lowering) {
  const workloads::Workload& workload = workloads::find_workload(spec.name);
  const bool smaller_images = spec.image_size.min < params.image_size;
  const auto need_at = [&](std::int64_t batch_size) {
    workloads::WorkloadParams at = params;
    at.batch_size = batch_size;
    const BuiltWorkload built = workload.build(at, graph::Mode::kTrain);
    const graph::Graph graph = workloads::training_graph(spec, built, precision);
    MemoryNeed need = need_of_step(backend, graph, lowering);
    need.saved_state *= kRecordedStates;
    need.loader_buffers = static_cast<std::int64_t>(exec::input_staging_bytes(graph));
    return need;
  };
  check_room(read_memory_room(backend, {}),
             params.batch_size,
             {.smaller_images = smaller_images},
             need_at);
}

/// Returns the number of steps after the first: if the device replays, enough for the last to be.
int later_steps(const VerifyOptions& options, const backend::Backend& backend) {
  return options.steps > 0 ? options.steps - 1 : (backend.reads_host_memory() ? 1 : 3);
}

/// Runs the first step and `more` steps after it, if any.
StepRecord timed_steps(backend::Backend& backend,
                       const StepSetup& setup,
                       int more,
                       std::ostream& out) {
  core::log::progress(
      fmt::format("verify: {} on {} ...", reports::count_text(1 + more, "step"), backend.name()));
  const auto start = std::chrono::steady_clock::now();
  StepRecord record;
  if (more > 0) {
    record = record_steps(backend, setup, more);
  } else {
    record.first = record_step(backend, setup);
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  core::log::progress("");
  out << fmt::format("  {:<5} {:>8.2f} s for {}{} with set-up, loss {:.7f}\n",
                     backend.name(),
                     elapsed.count(),
                     reports::count_text(1 + more, "step"),
                     record.replayed ? " (the last replayed)" : "",
                     record.first.at("loss").at(0));
  return record;
}

}  // namespace

int run_verify(const VerifyOptions& options, std::ostream& out) {
  const workloads::Workload& workload = workloads::find_workload(options.workload);
  const WorkloadSpec& spec = workload.spec();
  const BuiltWorkload built = workload.build(sizes(spec, options.params), graph::Mode::kTrain);
  const auto backend = open_backend(options.backend, options.threads);
  const core::DType precision = compute_dtype(options.precision, *backend);
  const std::int64_t positions =
      built.params.batch_size * built.params.image_size * built.params.image_size;
  if (const std::int64_t fewest = fewest_positions(precision, spec.verify_rounding);
      positions < fewest) {
    throw core::Error(core::ErrorCode::kUsage,
                      fmt::format("{} samples of {} x {} are too few in {}: rounding then changes "
                                  "gradients as much as an error would; wanted {} pixels, a larger "
                                  "--batch-size or --image-size",
                                  built.params.batch_size,
                                  built.params.image_size,
                                  built.params.image_size,
                                  options.precision,
                                  fewest));
  }
  backend::LoweringOptions lowering;
  lowering.conv_algorithm = options.conv_algorithm;
  lowering.allow_tf32 = options.precision == "tf32";
  // In a 16-bit float, ref is compared with itself in f32, which shows the cost of the precision.
  const bool is_reference = options.backend == kReference && precision == core::DType::kF32;
  const auto reference = backend::create_backend(kReference, {.threads = options.threads});
  check_memory(*backend, spec, built.params, precision, lowering);
  if (!is_reference) {
    check_memory(*reference, spec, built.params, core::DType::kF32, lowering);
  }
  if (options.dump.has_value()) {
    if (options.data.has_value()) {
      check_apart({{"--dump", options.dump->string()}}, data_files(spec.dataset, *options.data));
    }
    core::check_writable(options.dump->string(), "choose another place with --dump");
  }
  const StepInputs inputs = inputs_of(options, spec, built);
  StepSetup setup{.spec = spec,
                  .built = built,
                  .inputs = inputs,
                  .seed = options.seed,
                  .precision = precision,
                  .init = options.init,
                  .lowering = lowering};

  const backend::DeviceInfo device = backend->device();
  const std::string place =
      device.address.empty() ? "" : fmt::format(" on {} at {}", device.name, device.address);
  out << fmt::format("verify: {}{}, batch {}, image size {}, {}, {} convolution, seed {}\n",
                     spec.name,
                     place,
                     built.params.batch_size,
                     built.params.image_size,
                     options.precision,
                     core::name_in(backend::kConvAlgorithms, options.conv_algorithm),
                     options.seed);
  StepRecord tested;
  const int more = later_steps(options, *backend);
  DeviceFaultWatch(device).run_watched("verify",
                                       [&] { tested = timed_steps(*backend, setup, more, out); });
  if (options.dump.has_value()) {
    exec::write_safetensors(*options.dump, tested.first, metadata_of(options, built));
  }
  // The reference always computes in f32: a reduced precision is judged by its cost.
  setup.precision = core::DType::kF32;
  TensorMap wanted;
  if (!is_reference) {
    wanted = timed_steps(*reference, setup, 0, out).first;
  }
  const auto tolerances =
      StepTolerances::of(precision, positions, spec.verify_rounding, setup.lowering.allow_tf32);
  std::vector<TensorError> errors =
      compare_steps(tested.first, is_reference ? tested.first : wanted, spec.optimizer, tolerances);
  if (is_reference) {
    std::erase_if(errors, [](const TensorError& error) { return error.part != StepPart::kUpdate; });
    out << "verify: this is the reference itself; compared are the optimizer's updates alone, with "
           "their rule in float64\n";
  }
  if (more > 0) {
    const std::vector<TensorError> later =
        compare_later_update(tested.later, 1 + more, spec.optimizer, tolerances);
    errors.insert(errors.end(), later.begin(), later.end());
  }
  print_parts(out, errors);
  print_worst(out, errors);
  const auto failed = std::count_if(
      errors.begin(), errors.end(), [](const TensorError& error) { return !error.passed(); });
  out << (failed == 0 ? fmt::format("verify: passed, {} comparisons\n", errors.size())
                      : fmt::format("verify: FAILED, {} of {} comparisons outside tolerance\n",
                                    failed,
                                    errors.size()));
  return failed == 0 ? 0 : core::exit_code(core::ErrorCode::kGate);
}

}  // namespace dlbench::harness
