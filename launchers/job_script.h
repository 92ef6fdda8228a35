// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The parts that batch scripts of all schedulers share: quoting, the script head with its
// directives, the record of host and variables, and the line that runs dlbench on each rank.
#pragma once

#include "launchers/launch_request.h"

#include <string>
#include <string_view>
#include <vector>

namespace dlbench::launchers {

/// Quotes `text` as one word of a POSIX shell: unchanged if that is safe, else in single quotes.
[[nodiscard]] std::string shell_quote(std::string_view text);

/// Quotes all words and joins them with blanks.
[[nodiscard]] std::string shell_words(const std::vector<std::string>& words);

/// The scheduler-specific parts of a script's head.
struct ScriptHead {
  std::string sentinel;                 ///< "#SBATCH"
  std::vector<std::string> directives;  ///< "--nodes=2"; empty ones are left out
  std::string variables;                ///< sed pattern of the scheduler's own variables: "^SLURM_"
  std::string secrets;       ///< sed pattern of variables that must not be shown; empty: none
  std::string job_id;        ///< shell text that expands to the job's number: "$SLURM_JOB_ID"
  std::string go_to;         ///< shell text that enters the submission folder; empty: already there
  std::string extra_record;  ///< one more line of shell text for the record; empty: none
};

/// Returns everything above the line that starts the ranks: directives, `set -euo pipefail`, host
/// and sorted scheduler variables, `job_id`, the folder, the environment of the preset (if the
/// preset's machine uses this scheduler), and the user's setup.
[[nodiscard]] std::string script_head(const LaunchRequest& request,
                                      std::string_view scheduler,
                                      const ScriptHead& head);

/// Returns what a launcher runs on each rank, as lines to append to the launcher's own words:
/// container runtime, nsys, dlbench with its arguments. `rank_variable` is the launcher's
/// environment variable with the rank number, which gives each rank its own profile. Starts with a
/// line continuation and ends with a newline. File names contain $job_id, which script_head() sets.
[[nodiscard]] std::string rank_lines(const LaunchRequest& request,
                                     std::string_view scheduler,
                                     std::string_view rank_variable);

/// Returns the command of rank_lines() as unquoted words for a manifest, which no shell reads:
/// without a container runtime, and with the job's name in the file names.
[[nodiscard]] std::vector<std::string> rank_words(const LaunchRequest& request,
                                                  std::string_view rank_variable);

/// Returns how many seconds before the end of the walltime a scheduler that can warn shall do so:
/// 60, or half of a walltime below two minutes.
[[nodiscard]] std::int64_t warning_s(const LaunchRequest& request);

/// Returns the seconds of walltime until the ranks are told to end: up to the scheduler's warning,
/// or, if the scheduler cannot warn, up to dlbench's own --timeout, which is two minutes shorter
/// than the walltime (but at least half of it).
[[nodiscard]] std::int64_t working_s(const LaunchRequest& request);

/// Formats as "HH:MM:SS"; days become hours above 24.
[[nodiscard]] std::string clock_text(std::int64_t seconds);

/// Returns "key=value", or an empty text without a value: for lists of directives.
[[nodiscard]] std::string directive(std::string_view key, std::string_view value);
/// Like directive(), but returns "key value".
[[nodiscard]] std::string spaced_directive(std::string_view key, std::string_view value);

/// Returns whether the preset's machine uses this scheduler, so that the preset's own lines apply.
[[nodiscard]] bool on_own_machine(const LaunchRequest& request, std::string_view scheduler);

/// Returns the path of the job's log, report or profile: the output folder and `file`.
[[nodiscard]] std::string in_output_folder(const LaunchRequest& request, std::string_view file);

}  // namespace dlbench::launchers
