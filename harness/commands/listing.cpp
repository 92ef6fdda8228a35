// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/listing.h"

#include "data/dataset.h"
#include "engine/backend/backend.h"
#include "engine/backend/cuda_loader.h"
#include "engine/core/build_info.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/graph/passes.h"
#include "harness/session/open_device.h"
#include "probes/node/placement.h"
#include "probes/registry.h"
#include "reports/text/text_table.h"
#include "workloads/sweep.h"
#include "workloads/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

using workloads::Workload;
using workloads::WorkloadSpec;

/// 4062993 -> "4,062,993".
std::string grouped(std::int64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t index = 0; index < digits.size(); ++index) {
    if (index > 0 && (digits.size() - index) % 3 == 0) {
      text += ',';
    }
    text += digits[index];
  }
  return text;
}

std::string describe(const Workload& workload) {
  const WorkloadSpec& spec = workload.spec();
  const graph::GraphTotals totals =
      graph::totals(workload.build({.batch_size = 1}, graph::Mode::kTrain).graph);
  const workloads::ImageSizeRule& size = spec.image_size;
  const std::string sizes = size.min == size.max
                                ? std::to_string(size.standard)
                                : fmt::format("{} (multiples of {})", size.standard, size.multiple);
  return fmt::format("  {:<12} {}: {}\n", spec.name, spec.task, spec.description) +
         fmt::format("  {:<12} {} parameters, {}MAC forward per sample\n",
                     "",
                     grouped(totals.trainable_parameters),
                     reports::decimal_text(static_cast<double>(totals.forward_macs))) +
         fmt::format("  {:<12} batch {}, image {}, {} epochs, {} {:g}, rate {}\n",
                     "",
                     spec.batch_size,
                     sizes,
                     spec.epochs,
                     graph::name(spec.optimizer.kind),
                     spec.optimizer.learning_rate,
                     workloads::to_string(spec.schedule)) +
         fmt::format("  {:<12} loss: {}; data: {}\n", "", spec.loss, spec.dataset) +
         fmt::format("  {:<12} {}\n", "", spec.citation);
}

}  // namespace

std::string list_workloads() {
  std::string text = "workloads\n";
  for (const std::string& name : workloads::workload_names()) {
    text += describe(workloads::find_workload(name));
  }
  return text;
}

std::string list_sweeps() {
  std::string text = "sweeps\n";
  for (const std::string& name : workloads::sweep_names()) {
    const workloads::SweepSpec& spec = workloads::find_sweep(name);
    std::vector<std::string_view> rules;
    for (const workloads::BatchRule rule : spec.rules) {
      rules.push_back(workloads::name(rule));
    }
    text += fmt::format("  {:<20} {}\n", name, spec.description);
    text += fmt::format("  {:<20} {}, {}, trials {}\n",
                        "",
                        spec.workload,
                        fmt::join(rules, " and "),
                        fmt::join(spec.trials, ", "));
    for (const workloads::SweepVariant& variant : workloads::expand(spec)) {
      if (!variant.name.empty()) {
        text += fmt::format("  {:<20}   {}\n", "", variant.name);
      }
    }
    text += fmt::format("  {:<20} {}\n", "", spec.citation);
  }
  return text;
}

std::string list_datasets() {
  std::string text = "data sets\n";
  for (const std::string& name : data::dataset_names()) {
    const data::DatasetFormat& format = data::find_dataset(name);
    text += fmt::format("  {:<12} {}\n", name, format.summary);
    if (!format.default_folder.empty()) {
      text += fmt::format("  {:<12} usual folder: {}\n", "", format.default_folder.string());
    }
  }
  return text;
}

namespace {

/// Describes the essentials of a device: a processor's threads, or a GPU's own memory.
std::string device_text(const backend::DeviceInfo& device) {
  std::string text = device.name;
  if (device.threads > 0) {
    text += fmt::format(", {} threads", device.threads);
  }
  if (device.memory_bytes > 0) {
    text += ", " + reports::bytes_text(device.memory_bytes);
  }
  return text + ", " + device.isa;
}

/// Lists NVIDIA's libraries: the files that were loaded, would be, or were not found.
std::string list_cuda_libraries() {
  std::string text;
  for (const backend::CudaLibrary& library :
       backend::cuda_libraries(backend::default_cuda_setup())) {
    text += fmt::format("  {:<12}   {}\n",
                        "",
                        library.path.empty() ? library.file + " not found" : library.path.string());
  }
  return text;
}

/// Opens a backend with its first usable device, as a lone run does.
FoundBackend find_backend(const std::string& name) {
  FoundBackend backend{
      .name = name, .reason = {}, .passed_over = {}, .device = {}, .libraries = {}};
  std::vector<std::string> reasons;
  for (const std::optional<int> index : device_indices(name)) {
    try {
      const auto made = backend::create_backend(
          name, {.threads = probes::usable_physical_cores(), .device_index = index.value_or(-1)});
      backend.device = made->device();
      backend.libraries = made->libraries();
      backend.passed_over = fmt::format("{}", fmt::join(reasons, "; "));
      return backend;
    } catch (const core::Error& error) {
      reasons.emplace_back(error.what());
    }
  }
  backend.reason = fmt::format("{}", fmt::join(reasons, "; "));
  return backend;
}

}  // namespace

std::vector<FoundBackend> find_backends() {
  backend::register_cuda();
  std::vector<std::string> names = backend::backend_names();
  if (std::find(names.begin(), names.end(), "cpu") == names.end()) {
    names.emplace_back("cpu");  // named also where a build lacks it
  }
  std::vector<FoundBackend> found;
  for (const std::string& name : names) {
    found.push_back(find_backend(name));
  }
  return found;
}

std::string backends_text(const std::vector<FoundBackend>& backends) {
  std::string text = "backends\n";
  for (const FoundBackend& backend : backends) {
    text += fmt::format(
        "  {:<12} {}\n",
        backend.name,
        backend.reason.empty() ? device_text(backend.device) : "not here: " + backend.reason);
    if (!backend.passed_over.empty()) {
      text += fmt::format("  {:<12}   passed over: {}\n", "", backend.passed_over);
    }
    for (const auto& [library, version] : backend.libraries) {
      text += fmt::format("  {:<12}   {} {}\n", "", library, version);
    }
    if (backend.name == "cuda") {
      if (const std::string& built_for = core::build_info().cuda_architectures;
          !built_for.empty()) {
        text += fmt::format("  {:<12}   built for architectures {}\n", "", built_for);
      }
      text += list_cuda_libraries();
    }
  }
  return text;
}

std::string list_backends() { return backends_text(find_backends()); }

std::string list_probes() {
  std::string text = "probes\n";
  const std::vector<std::string> here = probes::probe_names();
  for (const std::string& name : here) {
    const auto probe = probes::make_probe(name);
    text += fmt::format("  {:<16} {}\n", name, probe->spec().description);
    for (const probes::ValueSpec& value : probe->spec().values) {
      const std::string unit = value.unit.empty() ? "" : fmt::format(" [{}]", value.unit);
      text += fmt::format("  {:<16}   {}{}: {}\n", "", value.name, unit, value.description);
    }
  }
  for (const std::string_view name : probes::kPluginProbes) {
    if (std::find(here.begin(), here.end(), name) == here.end()) {
      text += fmt::format("  {:<16} of the CUDA plug-in, which is not loaded; see dlbench info\n",
                          name);
    }
  }
  return text;
}

std::string describe_inspection(const std::string& folder,
                                const data::DatasetInspection& inspection) {
  const std::string format =  // empty: no part of it could be opened
      inspection.format.empty() ? "" : fmt::format(" ({})", inspection.format);
  std::string text = fmt::format("{}: {}{}{}\n",
                                 folder,
                                 inspection.dataset,
                                 format,
                                 inspection.generated ? ", generated by dlbench" : "");
  for (const data::SplitInspection& split : inspection.splits) {
    text += fmt::format("  {:<8} {:>9} samples {:>12}\n",
                        data::name(split.split),
                        grouped(split.samples),
                        reports::bytes_text(split.bytes));
  }
  text += fmt::format("  {:<8} {:>9} samples {:>12} in {} files\n",
                      "all",
                      grouped(inspection.samples),
                      reports::bytes_text(inspection.bytes),
                      grouped(inspection.files));
  if (inspection.mean_pixels > 0.0) {  // else no image could be read
    text += fmt::format(
        "  images from {} x {} to {} x {} (width x height, by area), mean {:.3f} Mpixel\n",
        inspection.min_width,
        inspection.min_height,
        inspection.max_width,
        inspection.max_height,
        inspection.mean_pixels * 1e-6);
  }
  if (inspection.read_s > 0.0) {
    text += fmt::format(
        "  one worker{}, per sample: read {:.3f} ms, decode {:.3f} ms, transform {:.3f} ms\n",
        inspection.workers > 1 ? fmt::format(" of {}", inspection.workers) : "",
        inspection.read_s * 1e3,
        inspection.decode_s * 1e3,
        inspection.transform_s * 1e3);
  }
  if (inspection.problems.empty()) {
    return text + "  no problems found\n";
  }
  const std::size_t count = inspection.problems.size();
  text += fmt::format("  {} {}:\n", count, count == 1 ? "problem" : "problems");
  for (const std::string& problem : inspection.problems) {
    text += "    " + core::log::one_line(problem) + "\n";  // names of files may have line breaks
  }
  return text;
}

}  // namespace dlbench::harness
