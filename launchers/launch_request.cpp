// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "launchers/launch_request.h"

#include "engine/core/error.h"
#include "engine/core/parse_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <string_view>

namespace dlbench::launchers {
namespace {

using core::Error;
using core::ErrorCode;

constexpr std::int64_t kMinute = 60;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;

[[noreturn]] void refuse_time(const std::string& text) {
  throw Error(ErrorCode::kUsage,
              fmt::format("--time '{}' is no time; write 30min, 2h, 1d or HH:MM:SS (a bare number "
                          "means minutes to one scheduler and seconds to another)",
                          text));
}

/// Parses at most 6 digits: no sign, no overflow.
std::optional<std::int64_t> digits(std::string_view text) {
  constexpr std::size_t kMaxDigits = 6;
  return text.size() <= kMaxDigits && !text.starts_with('-')
             ? core::parse_number<std::int64_t>(text)
             : std::nullopt;
}

std::optional<std::int64_t> with_unit(std::string_view text) {
  struct Unit {
    std::string_view name;
    std::int64_t seconds;
  };
  constexpr std::array<Unit, 5> kUnits{
      {{"min", kMinute}, {"m", kMinute}, {"h", kHour}, {"d", kDay}, {"s", 1}}};
  for (const Unit& unit : kUnits) {
    if (text.ends_with(unit.name)) {
      const auto count = digits(text.substr(0, text.size() - unit.name.size()));
      return count.has_value() ? std::optional(*count * unit.seconds) : std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> clock_time(std::string_view text) {
  std::int64_t seconds = 0;
  if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
    const auto days = digits(text.substr(0, dash));
    if (!days.has_value()) {
      return std::nullopt;
    }
    seconds = *days * kDay;
    text.remove_prefix(dash + 1);
  }
  const std::size_t first = text.find(':');
  const std::size_t second = text.find(':', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) {
    return std::nullopt;
  }
  const auto hours = digits(text.substr(0, first));
  const auto minutes = digits(text.substr(first + 1, second - first - 1));
  const auto rest = digits(text.substr(second + 1));
  if (!hours.has_value() || minutes.value_or(kMinute) >= kMinute ||
      rest.value_or(kMinute) >= kMinute) {
    return std::nullopt;
  }
  return seconds + *hours * kHour + *minutes * kMinute + *rest;
}

// Checks text of a directive, where a blank or a quote would start a new word for the scheduler.
void check_word(const char* option, const std::string& text) {
  constexpr std::string_view kAllowed = "_-./:@+%=,~";
  const bool plain = std::all_of(text.begin(), text.end(), [&](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
           kAllowed.find(letter) != std::string_view::npos;
  });
  if (!plain) {
    throw Error(
        ErrorCode::kUsage,
        // Does not list % and ~, which file names must not contain either: see below.
        fmt::format("{} '{}' has a character that schedulers do not take in it; use letters, "
                    "digits and any of _-./:@+=,",
                    option,
                    text));
  }
}

// Checks text that also goes into the names of log, report and profiles: Slurm, LSF and nsys each
// replace other patterns in it, and the report would not lie next to the log.
void check_file_word(const char* option, const std::string& text) {
  check_word(option, text);
  if (text.find('%') != std::string::npos) {
    throw Error(ErrorCode::kUsage,
                fmt::format("{} '{}' has a %, which schedulers and nsys replace in names of files; "
                            "choose a name without it",
                            option,
                            text));
  }
}

// Log, report and profiles are named after it, and schedulers and shells take it as a separate
// word: a slash would name a folder that nobody makes, a leading dash an option.
void check_job_name(const std::string& name) {
  check_file_word("--job-name", name);
  if (name.find('/') != std::string::npos) {
    throw Error(ErrorCode::kUsage,
                fmt::format("--job-name '{}' has a slash, but names files in --output-dir; give a "
                            "name without it, and the folder with --output-dir",
                            name));
  }
  if (name.starts_with('-')) {
    throw Error(ErrorCode::kUsage,
                fmt::format("--job-name '{}' begins with '-', as options do; begin it with a "
                            "letter or digit",
                            name));
  }
}

void check_words(const LaunchRequest& request) {
  check_job_name(request.job_name);
  check_word("--account", request.account);
  check_word("--partition", request.partition);
  check_word("--container", request.container);
  check_word("--volume", request.volume);
  check_file_word("--output-dir", request.output_folder);
  if (request.output_folder.starts_with('~')) {
    throw Error(ErrorCode::kUsage,
                fmt::format("--output-dir '{}': in quotes, as in a job script, no shell replaces "
                            "the ~; write $HOME",
                            request.output_folder));
  }
  for (const std::string& line : request.directives) {
    if (line.find_first_of("\r\n") != std::string::npos) {
      throw Error(ErrorCode::kUsage, "--directives holds a line break; separate them by ';'");
    }
  }
}

// Schedulers and MPI count ranks in an int.
void check_total(const LaunchRequest& request) {
  constexpr std::int64_t kMax = std::numeric_limits<int>::max();
  const std::int64_t total = std::int64_t{request.nodes} * *request.ranks_per_node;
  if (total > kMax) {
    throw Error(
        ErrorCode::kUsage,
        fmt::format("{} nodes with {} ranks each are {} ranks, more than the {} that MPI can "
                    "count; give fewer --nodes or --ranks-per-node",
                    request.nodes,
                    *request.ranks_per_node,
                    total,
                    kMax));
  }
}

int cpus_per_core(const LaunchRequest& request, const NodePreset& preset) {
  return request.counts_cores ? 1 : preset.cpus_per_core;
}

void check_fits(const LaunchRequest& request, const NodePreset& preset) {
  const auto refuse = [&preset](const char* option, int asked, int there, const char* what) {
    throw Error(
        ErrorCode::kUsage,
        fmt::format(
            "{} {} is more than the {} {} of a {} node", option, asked, there, what, preset.name));
  };
  if (*request.gpus_per_node > preset.gpus) {
    refuse("--gpus-per-node", *request.gpus_per_node, preset.gpus, "GPUs");
  }
  const int cpus = preset.cores * cpus_per_core(request, preset);
  if (*request.ranks_per_node * *request.cpus_per_rank > cpus) {
    refuse("--ranks-per-node x --cpus-per-task",
           *request.ranks_per_node * *request.cpus_per_rank,
           cpus,
           request.counts_cores ? "cores" : "CPUs");
  }
}

}  // namespace

std::int64_t parse_walltime(const std::string& text) {
  auto seconds = text.empty() ? std::nullopt : with_unit(text);
  if (!seconds.has_value() && !text.empty()) {
    seconds = clock_time(text);
  }
  if (!seconds.has_value() || *seconds < kMinute) {
    if (seconds.has_value()) {
      throw Error(ErrorCode::kUsage, fmt::format("--time '{}' is below one minute", text));
    }
    refuse_time(text);
  }
  return *seconds;
}

void complete_request(LaunchRequest& request) {
  check_words(request);
  if (request.container.empty() && !request.container_runtime.empty()) {
    throw Error(
        ErrorCode::kUsage,
        fmt::format("--container-runtime {} needs --container IMAGE", request.container_runtime));
  }
  if (request.container_runtime.empty()) {
    request.container_runtime = "apptainer";
    if (request.preset.has_value() && !request.preset->container_runtime.empty()) {
      request.container_runtime = request.preset->container_runtime;
    }
  }
  const NodePreset* preset = request.preset.has_value() ? &*request.preset : nullptr;
  if (!request.gpus_per_node.has_value()) {
    request.gpus_per_node = preset != nullptr ? preset->gpus : 0;
  }
  if (!request.ranks_per_node.has_value()) {
    const int without_gpus = preset != nullptr ? preset->ranks : 1;
    request.ranks_per_node = *request.gpus_per_node > 0 ? *request.gpus_per_node : without_gpus;
  }
  check_total(request);
  if (preset == nullptr) {
    return;
  }
  if (!request.cpus_per_rank.has_value()) {
    const int whole_node = std::max(1, preset->cores / *request.ranks_per_node);
    request.cpus_per_rank =
        std::min(whole_node, preset->cores_per_rank) * cpus_per_core(request, *preset);
  }
  check_fits(request, *preset);
}

std::string missing_cpus_hint(const LaunchRequest& request) {
  const bool in_directives = std::any_of(
      request.directives.begin(), request.directives.end(), [](const std::string& line) {
        return line.find("cpu") != std::string::npos || line.find("core") != std::string::npos;
      });
  if (*request.gpus_per_node == 0 || request.cpus_per_rank.has_value() || in_directives) {
    return {};
  }
  return fmt::format(
      "--gpus-per-node {} without --cpus-per-task: each rank gets the site's default, often one "
      "CPU for its whole loader; give --cpus-per-task, such as the CPUs of a node through its {} "
      "rank(s)",
      *request.gpus_per_node,
      *request.ranks_per_node);
}

int total_ranks(const LaunchRequest& request) { return request.nodes * *request.ranks_per_node; }

}  // namespace dlbench::launchers
