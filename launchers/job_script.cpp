// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "launchers/job_script.h"

#include "engine/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

namespace dlbench::launchers {
namespace {

constexpr const char* kContinue = " \\\n  ";

/// "results/dlbench" for "results/dlbench-$job_id.json"; "./" is left out.
std::string file_stem(const LaunchRequest& request) {
  return in_output_folder(request, request.job_name);
}

std::vector<std::string> container_words(const LaunchRequest& request, std::string_view scheduler) {
  if (request.container.empty()) {
    return {};
  }
  const std::string& runtime = request.container_runtime;
  if (runtime == "shifter") {
    return {"shifter", "--image=" + request.container};
  }
  if (runtime == "pyxis") {
    if (scheduler == "slurm") {
      return {};  // options of srun itself
    }
    throw core::Error(core::ErrorCode::kUsage,
                      "--container-runtime pyxis is a plug-in of Slurm; use apptainer");
  }
  std::vector<std::string> words = {runtime, "exec"};
  if (*request.gpus_per_node > 0) {
    words.push_back(request.preset.value_or(NodePreset{}).container_gpu_option);
  }
  words.push_back(request.container);
  return words;
}

void append(std::vector<std::string>& words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
}

std::vector<std::string> nsys_words(const LaunchRequest& request) {
  std::vector<std::string> words = {
      "nsys", "profile", "--trace=cuda,nvtx,osrt", "--force-overwrite=true"};
  if (request.captures_steps) {
    // By default nsys ends with the range, the program or its own session, which srun takes for the
    // end of the rank.
    append(words, {"--capture-range=cudaProfilerApi", "--capture-range-end=stop"});
  }
  return words;
}

// With a common name the ranks would overwrite each other's profile. nsys expands the variable.
std::string profile_suffix(std::string_view rank_variable) {
  return fmt::format("-rank%q{{{}}}", rank_variable);
}

std::vector<std::string> program_words(const LaunchRequest& request) {
  std::vector<std::string> words = {request.program};
  append(words, request.command);
  if (!request.is_warned && request.takes_timeout) {
    append(words, {"--timeout", std::to_string(working_s(request))});
  }
  return words;
}

std::string sed_record(const ScriptHead& head) {
  const std::string drop = head.secrets.empty() ? "" : fmt::format("/{}/d; ", head.secrets);
  return fmt::format("env | sed -n '{}/{}/p' | sort\n", drop, head.variables);
}

}  // namespace

std::string shell_quote(std::string_view text) {
  const bool safe = !text.empty() && std::all_of(text.begin(), text.end(), [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') ||
           std::string_view("_-./:=,+@%").find(letter) != std::string_view::npos;
  });
  if (safe) {
    return std::string(text);
  }
  std::string quoted = "'";
  for (const char letter : text) {
    if (letter == '\'') {
      quoted += R"('\'')";
    } else {
      quoted += letter;
    }
  }
  return quoted + "'";
}

std::string shell_words(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    line += (line.empty() ? "" : " ") + shell_quote(word);
  }
  return line;
}

std::string script_head(const LaunchRequest& request,
                        std::string_view scheduler,
                        const ScriptHead& head) {
  std::string text = "#!/bin/bash\n";
  const auto add = [&](const std::string& line) {
    if (!line.empty()) {
      text += head.sentinel + " " + line + "\n";
    }
  };
  std::for_each(head.directives.begin(), head.directives.end(), add);
  std::for_each(request.directives.begin(), request.directives.end(), add);
  text += "set -eo pipefail\n\necho \"host: $(hostname)\"\n" + sed_record(head);
  if (!head.extra_record.empty()) {
    text += head.extra_record + "\n";
  }
  text += fmt::format("\njob_id={}\n", head.job_id);
  if (!head.go_to.empty()) {
    text += head.go_to + "\n";
  }
  if (on_own_machine(request, scheduler)) {
    for (const auto& [name, value] : request.preset->environment) {
      text += fmt::format("export {}={}\n", name, shell_quote(value));
    }
  }
  return request.setup.empty() ? text + "\n" : text + request.setup + "\n\n";
}

std::string rank_lines(const LaunchRequest& request,
                       std::string_view scheduler,
                       std::string_view rank_variable) {
  // Unquoted where the shell has to insert the number: results/dlbench-"$job_id".json
  const std::string stem = shell_quote(file_stem(request) + "-") + R"("$job_id")";
  std::string text;
  if (const auto words = container_words(request, scheduler); !words.empty()) {
    text += kContinue + shell_words(words);
  }
  if (request.nsys) {
    text += kContinue + shell_words(nsys_words(request)) + " --output=" + stem +
            shell_quote(profile_suffix(rank_variable));
  }
  text += kContinue + shell_words(program_words(request));
  if (request.writes_report) {
    text += " --output " + stem + ".json";
  }
  return text + "\n";
}

std::vector<std::string> rank_words(const LaunchRequest& request, std::string_view rank_variable) {
  std::vector<std::string> words;
  if (request.nsys) {
    words = nsys_words(request);
    words.push_back("--output=" + file_stem(request) + profile_suffix(rank_variable));
  }
  append(words, program_words(request));
  if (request.writes_report) {
    append(words, {"--output", request.volume.empty() ? "-" : file_stem(request) + ".json"});
  }
  return words;
}

std::int64_t warning_s(const LaunchRequest& request) {
  constexpr std::int64_t kUsual = 60;
  return std::min(kUsual, request.time_s / 2);
}

std::int64_t working_s(const LaunchRequest& request) {
  constexpr std::int64_t kMargin = 120;
  return request.is_warned ? request.time_s - warning_s(request)
                           : std::max(request.time_s - kMargin, request.time_s / 2);
}

std::string clock_text(std::int64_t seconds) {
  constexpr std::int64_t kMinute = 60;
  constexpr std::int64_t kHour = 3600;
  return fmt::format(
      "{:02}:{:02}:{:02}", seconds / kHour, seconds % kHour / kMinute, seconds % kMinute);
}

std::string directive(std::string_view key, std::string_view value) {
  return value.empty() ? std::string() : fmt::format("{}={}", key, value);
}

std::string spaced_directive(std::string_view key, std::string_view value) {
  return value.empty() ? std::string() : fmt::format("{} {}", key, value);
}

bool on_own_machine(const LaunchRequest& request, std::string_view scheduler) {
  return request.preset.has_value() && request.preset->scheduler == scheduler;
}

std::string in_output_folder(const LaunchRequest& request, std::string_view file) {
  const std::string& folder = request.output_folder;
  return folder == "." ? std::string(file)
                       : fmt::format("{}{}{}", folder, folder.ends_with('/') ? "" : "/", file);
}

}  // namespace dlbench::launchers
