// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/info_text.h"

#include "engine/core/build_info.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/core/plugin.h"
#include "harness/cache_folder.h"
#include "harness/peaks/device_peaks.h"
#include "harness/peaks/peak_cache.h"
#include "probes/gpu/nvml_library.h"
#include "probes/node/system_info.h"
#include "probes/registry.h"
#include "reports/naming.h"
#include "reports/text/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dlbench::harness {
namespace {

using core::Error;

std::string line(std::string_view label, std::string_view text) {
  return fmt::format("  {:<12} {}\n", label, core::log::one_line(text));
}

std::string scheduler_text(const probes::SchedulerFacts& scheduler) {
  std::string text = scheduler.name + " job " + scheduler.job_id;
  if (scheduler.nodes.has_value()) {
    text += ", " + reports::count_text(*scheduler.nodes, "node");
  }
  if (scheduler.tasks.has_value()) {
    text += ", " + reports::count_text(*scheduler.tasks, "task");
  }
  return text;
}

std::string gpu_text(const probes::GpuIdentity& gpu) {
  if (gpu.name.empty()) {
    return "one that the driver does not hand out";
  }
  return gpu.name +
         (gpu.memory_bytes.has_value() ? ", " + reports::bytes_text(*gpu.memory_bytes) : "") +
         ", compute capability " + gpu.compute_capability + ", driver " + gpu.driver;
}

/// Returns why that kind of device cannot be used here; empty if it can, or none is needed.
std::string why_no_device(const std::string& kind, const std::vector<FoundBackend>& backends) {
  const auto found =
      std::find_if(backends.begin(), backends.end(), [&](const FoundBackend& backend) {
        return backend.name == kind;
      });
  return found != backends.end() ? found->reason : "";
}

/// Returns "memory 55.0 GB/s, 98.0 before"; empty if not much lower or if either is unknown.
std::string lower_figure(std::string_view name,
                         std::optional<double> before,
                         std::optional<double> fresh,
                         std::string_view unit) {
  constexpr double kMuchLower = 0.9;
  if (!before.has_value() || !fresh.has_value() || *fresh >= kMuchLower * *before) {
    return "";
  }
  return fmt::format("{} {:.1f} {}, {:.1f} before", name, *fresh / 1e9, unit, *before / 1e9);
}

}  // namespace

std::string build_text() {
  const core::BuildInfo& build = core::build_info();
  std::string on;
  std::string off;
  for (const auto& [feature, present] : build.features) {
    std::string& list = present ? on : off;
    list += (list.empty() ? "" : ", ") + feature;
  }
  return "dlbench " + build.version + "\n" + line("commit", build.git_commit) +
         line("build", build.build_type + ", " + build.compiler) +
         line("features", (on.empty() ? "none" : on) + (off.empty() ? "" : "; without " + off));
}

std::string host_text() {
  const probes::SystemFacts facts = probes::read_system_facts();
  const probes::CpuFacts& cpu = facts.cpu;
  std::string memory = reports::bytes_text(facts.memory.total_bytes) +
                       ", this process may still take " +
                       reports::bytes_text(facts.memory.usable_bytes);
  if (facts.memory.limit_bytes.has_value()) {
    memory += " (limit " + reports::bytes_text(*facts.memory.limit_bytes) + ")";
  }
  std::string text = "host " + facts.hostname + "\n" +
                     line("processor", cpu.model + ", " + cpu.isa) +
                     line("cores",
                          reports::count_text(cpu.sockets, "socket") + ", " +
                              reports::count_text(cpu.cores, "core") + ", " +
                              reports::count_text(cpu.threads, "thread") +
                              "; this process may use " + std::to_string(facts.usable_cpus)) +
                     line("memory", memory) + line("NUMA nodes", std::to_string(facts.numa_nodes)) +
                     line("system", facts.os + ", " + facts.kernel);
  for (const probes::GpuIdentity& gpu : probes::list_gpus(probes::kNvmlLibrary)) {
    text += line("GPU", gpu_text(gpu));
  }
  if (facts.scheduler.has_value()) {
    text += line("scheduler", scheduler_text(*facts.scheduler));
  }
  for (const auto& [name, value] : facts.environment) {
    text += line("environment", fmt::format("{}={}", name, value));
  }
  return text;
}

std::string available_probes_text(const std::vector<FoundBackend>& backends) {
  std::map<std::string, std::string> states;
  for (const std::string_view name : probes::kPluginProbes) {
    const std::string why = why_no_device("cuda", backends);
    states[std::string(name)] = "not here: " + (why.empty() ? "this build has no CUPTI" : why);
  }
  for (const std::string& name : probes::probe_names()) {
    const auto probe = probes::make_probe(name);
    std::string reason = probes::open_probe(*probe, {});
    if (reason.empty()) {
      reason = why_no_device(probe->spec().device, backends);
    }
    if (!reason.empty()) {
      states[name] = "not here: " + reason;
      continue;
    }
    const std::string library = probe->library();
    states[name] = probe->spec().description + (library.empty() ? "" : " (" + library + ")");
  }
  std::string text = "probes\n";
  for (const auto& [name, state] : states) {
    text += line(name, state);
  }
  return text;
}

std::string rank_plugins_text() {
  std::string text = "ranks\n";
  for (const auto& [family, plugin] :
       {std::pair("MPICH", "mpi_mpich"), std::pair("Open MPI", "mpi_openmpi")}) {
    const core::PluginStatus status = core::load_plugin(plugin);
    text += line(
        family,
        status.loaded ? "here: " + status.path.filename().string() : "not here: " + status.reason);
  }
  return text;
}

std::string cache_text(const std::vector<FoundBackend>& backends) {
  std::string text = "cache\n";
  try {
    const std::filesystem::path folder = cache_folder();
    text += line("folder", folder.string());
    const std::optional<MachinePeaks> peaks = load_peaks(folder, peak_key());
    text += peaks.has_value()
                ? peaks_text(*peaks)
                : line("peaks", "not measured on this machine: dlbench info --measure-peaks");
    for (const FoundBackend& backend : backends) {
      if (backend.device.kind != "cuda") {
        continue;
      }
      const std::string& name = backend.device.name;
      const std::optional<DevicePeaks> kept = load_device_peaks(folder, name, backend.libraries);
      text += kept.has_value() ? peaks_text(*kept)
                               : line("peaks",
                                      "not measured on " + name +
                                          " with these libraries: dlbench info --measure-peaks");
    }
    return text;
  } catch (const Error& error) {
    return text + line("not usable", error.what());
  }
}

std::string lower_peaks_text(const std::vector<reports::PeakRecord>& before,
                             const std::vector<reports::PeakRecord>& fresh) {
  std::vector<std::string> lower;
  for (const reports::PeakRecord& now : fresh) {
    for (const reports::PeakRecord& then : before) {
      if (then.precision == now.precision) {
        lower.push_back(lower_figure(now.precision, then.flop_per_s, now.flop_per_s, "GFLOP/s"));
      }
    }
  }
  if (!before.empty() && !fresh.empty()) {  // the bandwidth is that of all precisions
    lower.push_back(lower_figure(
        "memory", before.front().memory_bytes_per_s, fresh.front().memory_bytes_per_s, "GB/s"));
  }
  std::erase(lower, "");
  return lower.empty() ? ""
                       : fmt::format(
                             "lower than what was kept and is now replaced: {}. If something "
                             "slowed this machine, measure again when it is quiet",
                             fmt::join(lower, "; "));
}

}  // namespace dlbench::harness
