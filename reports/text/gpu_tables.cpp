// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/text/gpu_tables.h"

#include "engine/core/log.h"
#include "reports/naming.h"
#include "reports/text/text_table.h"
#include "reports/trial_record.h"
#include "reports/value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace dlbench::reports {
namespace {

using Number = std::optional<double>;

constexpr auto kBytesText = [](double bytes) { return bytes_text(bytes); };

std::string count_cell(const ValueMap& values, const std::string& key) {
  const auto* count = held<std::int64_t>(values, key);
  return count == nullptr ? kNone : std::to_string(*count);
}

/// Returns at most 60 characters on one line: kernel names with all their template arguments exceed
/// the width of any terminal.
std::string name_cell(const ValueMap& values, const std::string& key) {
  constexpr std::size_t kMaxCharacters = 60;
  constexpr std::string_view kCut = "...";
  const auto* text = held<std::string>(values, key);
  if (text == nullptr || text->empty()) {
    return kNone;
  }
  std::string name = core::log::one_line(*text);
  std::size_t characters = 0;
  std::size_t end_if_cut = 0;
  for (std::size_t index = 0; index < name.size(); ++index) {
    if ((static_cast<unsigned char>(name[index]) & 0xC0U) == 0x80U) {
      continue;  // a character of UTF-8 goes on
    }
    if (characters == kMaxCharacters - kCut.size()) {
      end_if_cut = index;
    }
    ++characters;
  }
  return characters > kMaxCharacters ? name.substr(0, end_if_cut).append(kCut) : name;
}

Number part_of(const Number& part, const Number& whole) {
  return part.has_value() && whole > 0.0 ? Number(*part / *whole) : std::nullopt;
}

/// Returns null if the probe was not available.
const ValueMap* probe_of(const ValueMap& probes, const std::string& name) {
  const auto* probe = held<ValueMap>(probes, name);
  const bool* available = probe == nullptr ? nullptr : held<bool>(*probe, "available");
  return available != nullptr && *available ? probe : nullptr;
}

/// Returns " of rank 0" if a trial has other ranks, which the probes do not cover.
std::string whose(const RunRecord& record) {
  const bool several =
      std::ranges::any_of(record.trials, [](const TrialRecord& trial) { return trial.ranks > 1; });
  return several ? " of rank 0" : "";
}

/// Returns a line for each trial with a value in any cell: its name, and cells_of(its probes); or
/// one for a training.
template <typename Cells>
std::string table_of_trials(const RunRecord& record, TextTable table, const Cells& cells_of) {
  bool any = false;
  const auto add = [&](const std::string& name, const ValueMap& probes) {
    std::vector<std::string> cells = cells_of(probes);
    if (std::ranges::any_of(cells, [](const std::string& text) { return text != kNone; })) {
      cells.insert(cells.begin(), name);
      table.add(std::move(cells));
      any = true;
    }
  };
  for (const TrialRecord& trial : record.trials) {
    add(arm_name(trial), trial.probes);
  }
  if (!record.history.empty()) {
    add("training", record.probes);
  }
  return any ? table.text(2) : std::string();
}

/// Returns the cells of one probe; none if it was not available.
template <typename Cells>
auto cells_of_probe(const char* probe, const Cells& cells_of) {
  return [probe, cells_of](const ValueMap& probes) {
    const ValueMap* values = probe_of(probes, probe);
    return values == nullptr ? std::vector<std::string>() : cells_of(*values);
  };
}

/// Formats shares of the samples: "power_cap 100.0 %, hardware_thermal 2.5 %".
std::string reasons_cell(const ValueMap& nvml) {
  constexpr std::array<const char*, 5> kReasons = {
      "power_cap", "hardware_slowdown", "software_thermal", "hardware_thermal", "power_brake"};
  bool known = false;
  std::vector<std::string> reasons;
  for (const char* reason : kReasons) {
    const Number share = number_in(nvml, fmt::format("{}_share", reason));
    known = known || share.has_value();
    if (share > 0.0) {
      reasons.push_back(fmt::format("{} {}", reason, percent_text(*share)));
    }
  }
  if (reasons.empty()) {
    return known ? "nothing" : kNone;
  }
  return fmt::format("{}", fmt::join(reasons, ", "));
}

std::vector<std::string> sensor_cells(const ValueMap& nvml) {
  const auto with_unit = [&nvml](const char* key, const char* unit) {
    return cell(number_in(nvml, key),
                [unit](double value) { return fmt::format("{:.0f} {}", value, unit); });
  };
  return {with_unit("power_mean_watt", "W"),
          cell(number_in(nvml, "power_share_of_limit"), percent_text),
          cell(number_in(nvml, "joules_per_sample"), number_text),
          with_unit("sm_clock_mean_mhz", "MHz"),
          with_unit("temperature_max_celsius", "C"),
          cell(number_in(nvml, "memory_used_max_bytes"), kBytesText),
          cell(number_in(nvml, "throttled_share"), percent_text),
          reasons_cell(nvml)};
}

std::string sensors_table(const RunRecord& record) {
  return table_of_trials(record,
                         TextTable({"trial",
                                    "mean power",
                                    "of limit",
                                    "J/sample",
                                    "mean SM clock",
                                    "hottest",
                                    "most memory",
                                    "throttled",
                                    "clocks held back by"},
                                   {8}),
                         cells_of_probe("nvml", sensor_cells));
}

std::vector<std::string> activity_cells(const ValueMap& cupti) {
  const auto* idle = held<ValueMap>(cupti, "idle");
  const auto share = [&cupti](const char* key) { return number_in(cupti, key); };
  const auto idle_cell = [idle](const char* key) {
    return idle == nullptr ? kNone : cell(number_in(*idle, key), percent_text);
  };
  return {cell(share("busy_share"), percent_text),
          idle_cell("waiting_for_data_share"),
          idle_cell("launch_share"),
          idle_cell("synchronization_share"),
          idle_cell("queued_share"),
          cell(share("copy_share"), percent_text),
          cell(part_of(share("copy_beside_compute_share"), share("copy_share")), percent_text),
          cell(share("collective_share"), percent_text),
          cell(part_of(share("collective_beside_compute_share"), share("collective_share")),
               percent_text),
          count_cell(cupti, "dropped_records")};
}

std::string activity_table(const RunRecord& record) {
  return table_of_trials(record,
                         TextTable({"trial",
                                    "busy",
                                    "idle: data",
                                    "launch",
                                    "synchronization",
                                    "queued",
                                    "copies",
                                    "hidden",
                                    "NCCL",
                                    "hidden",
                                    "dropped"}),
                         cells_of_probe("cupti", activity_cells));
}

/// Returns the value counted over a repetition, else the mean of the samples of another one.
Number counted_or_sampled(const ValueMap& probes, const char* key) {
  if (const ValueMap* counted = probe_of(probes, "cupti_counters"); counted != nullptr) {
    if (const Number number = number_in(*counted, key); number.has_value()) {
      return number;
    }
  }
  const ValueMap* sampled = probe_of(probes, "cupti_sampling");
  const auto* counters = sampled == nullptr ? nullptr : held<ValueMap>(*sampled, "counters");
  const auto* samples = counters == nullptr ? nullptr : held<ValueMap>(*counters, key);
  return samples == nullptr ? std::nullopt : number_in(*samples, "mean");
}

std::vector<std::string> counter_cells(const ValueMap& probes) {
  const auto share = [&probes](const char* key) {
    return cell(counted_or_sampled(probes, key), percent_text);
  };
  const auto value = [&probes](const char* probe, const char* key, auto text_of) {
    const ValueMap* values = probe_of(probes, probe);
    return values == nullptr ? kNone : cell(number_in(*values, key), text_of);
  };
  return {share("sm_active_share"),
          share("warps_active_share"),
          share("tensor_active_share"),
          value("cupti_counters", "dram_read_bytes_per_step", kBytesText),
          value("cupti_counters", "dram_written_bytes_per_step", kBytesText),
          value("cupti_counters", "dram_share_of_measured_copy", percent_text),
          value("nvml_pcie", "received_bytes_per_step", kBytesText),
          value("nvml_pcie", "sent_bytes_per_step", kBytesText)};
}

std::string counters_table(const RunRecord& record) {
  return table_of_trials(record,
                         TextTable({"trial",
                                    "SMs active",
                                    "warps",
                                    "tensor pipes",
                                    "memory read",
                                    "written",
                                    "of a copy's rate",
                                    "PCIe received",
                                    "sent"}),
                         counter_cells);
}

/// Returns the kernels of a trial that are maps, longest first.
std::vector<const ValueMap*> kernels_of(const TrialRecord& trial) {
  std::vector<const ValueMap*> kernels;
  const ValueMap* cupti = probe_of(trial.probes, "cupti");
  const auto* list = cupti == nullptr ? nullptr : held<ValueList>(*cupti, "kernels");
  for (std::size_t index = 0; list != nullptr && index < list->size(); ++index) {
    if (const auto* kernel = std::get_if<ValueMap>(&(*list)[index].data); kernel != nullptr) {
      kernels.push_back(kernel);
    }
  }
  std::ranges::stable_sort(kernels, std::ranges::greater(), [](const ValueMap* kernel) {
    return number_in(*kernel, "total_s").value_or(0.0);
  });
  return kernels;
}

const TrialRecord* trial_of_kernels(const RunRecord& record) {
  const TrialRecord* chosen = nullptr;
  for (const TrialRecord& trial : record.trials) {
    const bool full_is_chosen = chosen != nullptr && chosen->kind == TrialKind::kFull;
    if (trial.trains() && (trial.kind == TrialKind::kFull || !full_is_chosen) &&
        !kernels_of(trial).empty()) {
      chosen = &trial;
    }
  }
  return chosen;
}

}  // namespace

std::string gpu_text(const RunRecord& record) {
  std::string text;
  if (const std::string sensors = sensors_table(record); !sensors.empty()) {
    text += fmt::format("\nGPU{}\n{}", whose(record), sensors);
  }
  if (const std::string activity = activity_table(record); !activity.empty()) {
    text += fmt::format(
        "\nWhat the GPU{} did, shares of recorded time (hidden: of copies and of NCCL's kernels, "
        "beside the network's)\n{}",
        whose(record),
        activity);
  }
  if (const std::string counters = counters_table(record); !counters.empty()) {
    text += fmt::format(
        "\nWhat the GPU{} counted, shares of its cycles and bytes of a step, in repetitions of "
        "their own\n{}",
        whose(record),
        counters);
  }
  return text;
}

std::string kernels_text(const RunRecord& record, std::size_t rows) {
  const TrialRecord* trial = trial_of_kernels(record);
  if (trial == nullptr) {
    return {};
  }
  const std::vector<const ValueMap*> kernels = kernels_of(*trial);
  TextTable table({"op", "phase", "calls", "per call", "share", "kernel"}, {1, 5});
  double rest_s = 0.0;
  for (std::size_t index = 0; index < kernels.size(); ++index) {
    const ValueMap& kernel = *kernels[index];
    const Number total_s = number_in(kernel, "total_s");
    if (index >= rows) {
      rest_s += total_s.value_or(0.0);
      continue;
    }
    table.add({name_cell(kernel, "op"),
               name_cell(kernel, "phase"),
               count_cell(kernel, "calls"),
               cell(part_of(total_s, number_in(kernel, "calls")), seconds_text),
               cell(number_in(kernel, "share"), percent_text),
               name_cell(kernel, "name")});
  }
  std::string text = fmt::format("\nKernels of {}{}\n{}",
                                 arm_name(*trial),
                                 trial->ranks > 1 ? " on rank 0" : "",
                                 table.text(2));
  if (kernels.size() > rows) {
    text += fmt::format("  and {} more: {} in all\n", kernels.size() - rows, seconds_text(rest_s));
  }
  return text;
}

}  // namespace dlbench::reports
