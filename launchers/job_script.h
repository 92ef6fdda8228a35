// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The parts that batch scripts of all schedulers share: quoting, the head with its directives, the
// record of host and variables, and the line that runs dlbench on each rank.
#pragma once

#include "launchers/launch_request.h"

#include <string>
#include <string_view>
#include <vector>

namespace dlbench::launchers {

/// `text` as one word of a POSIX shell: as it is if that is safe, else in single quotes.
[[nodiscard]] std::string shell_quote(std::string_view text);

/// Quoted words, separated by blanks.
[[nodiscard]] std::string shell_words(const std::vector<std::string>& words);

/// The part of a scheduler that differs in how a script starts.
struct ScriptHead {
  std::string sentinel;                 ///< "#SBATCH"
  std::vector<std::string> directives;  ///< "--nodes=2"; empty ones are left out
  std::string variables;                ///< sed pattern of the scheduler's own: "^SLURM_"
  std::string secrets;       ///< sed pattern of those that must not be shown; empty: none
  std::string job_id;        ///< shell text that gives the job's number: "$SLURM_JOB_ID"
  std::string go_to;         ///< shell text that changes to the folder of submission; empty: there
  std::string extra_record;  ///< a further line of shell text for the record; empty: none
};

/// Everything above the line that starts the ranks: directives, `set -euo pipefail`, host and
/// sorted scheduler variables, `job_id`, the folder, the environment of the preset (if it is this
/// scheduler's machine), the user's setup.
[[nodiscard]] std::string script_head(const LaunchRequest& request,
                                      std::string_view scheduler,
                                      const ScriptHead& head);

/// What a launcher runs on each rank, as lines to append to its own words: container runtime, nsys,
/// dlbench with its arguments. `rank_variable`: the launcher's environment variable that numbers
/// the ranks, for one profile each. Starts with a line continuation and ends with a newline. Files
/// are called after $job_id, which script_head() sets.
[[nodiscard]] std::string rank_lines(const LaunchRequest& request,
                                     std::string_view scheduler,
                                     std::string_view rank_variable);

/// The same as words that no shell reads, for a manifest: without a container runtime, and files
/// are called after the job's name.
[[nodiscard]] std::vector<std::string> rank_words(const LaunchRequest& request,
                                                  std::string_view rank_variable);

/// Seconds before the end of the walltime at which a scheduler that can shall warn: a minute, or
/// half of a walltime below two.
[[nodiscard]] std::int64_t warning_s(const LaunchRequest& request);

/// Seconds of the walltime until the ranks are told to end: by that warning, or, where the
/// scheduler gives none, by a --timeout of dlbench's own, two minutes shorter (at least half the
/// walltime).
[[nodiscard]] std::int64_t working_s(const LaunchRequest& request);

/// "HH:MM:SS", with hours above 24 for days.
[[nodiscard]] std::string clock_text(std::int64_t seconds);

/// "key=value", or empty without a value: for lists of directives.
[[nodiscard]] std::string directive(std::string_view key, std::string_view value);
/// The same as "key value".
[[nodiscard]] std::string spaced_directive(std::string_view key, std::string_view value);

/// Whether the preset is of a machine with this scheduler, so that its own lines apply.
[[nodiscard]] bool on_own_machine(const LaunchRequest& request, std::string_view scheduler);

/// The log, report or profile of the job: the output folder and a name.
[[nodiscard]] std::string in_output_folder(const LaunchRequest& request, std::string_view file);

}  // namespace dlbench::launchers
