// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/text/origin_text.h"

#include "engine/core/log.h"
#include "reports/naming.h"
#include "reports/text/text_table.h"
#include "reports/value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <ranges>
#include <utility>
#include <vector>

namespace dlbench::reports {
namespace {

std::string origin_line(const std::string& label, const std::string& text) {
  return text.empty() ? "" : fmt::format("  {:<11} {}\n", label, core::log::one_line(text));
}

std::string times_text(const RunInfoRecord& run) {
  return run.started_at.empty()
             ? ""
             : fmt::format("{} to {}", run.started_at, run.finished_at.value_or("?"));
}

/// "2 x NVIDIA H200 (driver 580.1)"; alike ones together.
std::string gpus_text(const std::vector<GpuRecord>& gpus) {
  std::map<std::string, int> counts;
  for (const GpuRecord& gpu : gpus) {
    ++counts[fmt::format("{} (driver {})", gpu.name, gpu.driver)];
  }
  std::vector<std::string> texts;
  for (const auto& [text, count] : counts) {
    texts.push_back(fmt::format("{} x {}", count, text));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// All but the name.
std::string machine_text(const HostRecord& host) {
  std::vector<std::string> parts{host.cpu.model, count_text(host.cpu.usable_cores, "CPU")};
  if (host.cpu.threads.has_value() && *host.cpu.threads != host.cpu.usable_cores) {
    parts.back() += fmt::format(" of {}", *host.cpu.threads);
  }
  if (host.cpu.cpu_quota.has_value()) {
    parts.push_back(fmt::format("a quota of {:g} CPUs", *host.cpu.cpu_quota));
  }
  if (host.memory_bytes.has_value()) {
    parts.push_back(bytes_text(*host.memory_bytes));
  }
  parts.insert(parts.end(), {gpus_text(host.gpus), host.os, host.kernel});
  std::erase(parts, "");
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string names_text(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 8;
  const std::vector<std::string> shown(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kShown)));
  return fmt::format(
      "{}{}",
      fmt::join(shown, " "),
      names.size() > kShown ? fmt::format(" and {} more", names.size() - kShown) : "");
}

std::string hosts_text(const std::vector<HostRecord>& hosts) {
  std::vector<std::pair<std::string, std::vector<std::string>>> kinds;
  for (const HostRecord& host : hosts) {
    const std::string machine = machine_text(host);
    auto kind = std::ranges::find(kinds, machine, [](const auto& entry) { return entry.first; });
    if (kind == kinds.end()) {
      kind = kinds.insert(kinds.end(), {machine, {}});
    }
    kind->second.push_back(host.hostname);
  }
  constexpr std::size_t kShown = 8;
  std::string text;
  for (const auto& [machine, names] : kinds | std::views::take(kShown)) {
    text += origin_line(names.size() == 1 ? "host" : "hosts", names_text(names) + ": " + machine);
  }
  return kinds.size() > kShown
             ? text + origin_line("hosts", fmt::format("{} more kinds", kinds.size() - kShown))
             : text;
}

std::string software_text(const RunRecord& record) {
  std::vector<std::string> parts;
  for (const auto& [name, version] : record.system.libraries) {
    parts.push_back(name + " " + version);
  }
  if (const BuildRecord& build = record.tool.build; !build.compiler.empty()) {
    parts.push_back(fmt::format("built {}, {}", build.type, build.compiler));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string options_text(const ConfigRecord& config) {
  std::vector<std::string> parts;
  for (const auto& [name, source] : config.source) {
    const auto value = config.effective.find(name);
    if (source != "default" && value != config.effective.end()) {
      parts.push_back(fmt::format(
          "{}={}{}", name, text_of(value->second), source == "file" ? " (of a file)" : ""));
    }
  }
  return parts.empty() && !config.source.empty() ? "all are the defaults"
                                                 : fmt::format("{}", fmt::join(parts, ", "));
}

std::string data_text(const RunRecord& record) {
  if (!record.dataset.has_value()) {
    return "";
  }
  const DatasetRecord& data = *record.dataset;
  return fmt::format("{}{}, split {}",
                     data.path,
                     data.bytes.has_value() ? ", " + bytes_text(*data.bytes) : "",
                     data.split);
}

std::string scheduler_text(const std::optional<SchedulerRecord>& scheduler) {
  return scheduler.has_value() && !scheduler->job_id.empty()
             ? scheduler->name + " " + scheduler->job_id
             : "";
}

std::string absent_probes_text(const ValueMap& probes) {
  std::string text;
  for (const auto& [name, value] : probes) {
    const auto* const facts = std::get_if<ValueMap>(&value.data);
    const bool* const available = facts != nullptr ? held<bool>(*facts, "available") : nullptr;
    if (available != nullptr && !*available) {
      text += origin_line("no probe", name + ": " + text_in(*facts, "reason"));
    }
  }
  return text;
}

}  // namespace

std::string origin_text(const RunRecord& record) {
  return origin_line("command", fmt::format("{}", fmt::join(record.run.command, " "))) +
         origin_line("time", times_text(record.run)) +
         origin_line("job", scheduler_text(record.system.scheduler)) +
         hosts_text(record.system.hosts) + origin_line("software", software_text(record)) +
         origin_line("options", options_text(record.config)) +
         origin_line("data", data_text(record)) + absent_probes_text(record.probes);
}

}  // namespace dlbench::reports
