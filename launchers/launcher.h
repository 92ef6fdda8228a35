// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What a launcher is: one scheduler's way to write a job down, submit it and name it afterwards.
// And the registry: a launcher is one file of this folder with one LauncherRegistration at file
// scope.
#pragma once

#include "launchers/launch_request.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::launchers {

/// What `dlbench launch` must know of a scheduler beside its scripts.
struct LauncherSpec {
  std::string name;         ///< "slurm": as on the command line
  std::string description;  ///< one line
  /// Program and arguments that submit what script() returned, from their standard input.
  std::vector<std::string> submit_command;
  std::string partition_meaning;  ///< what --partition is called here
  bool counts_cores = false;      ///< CPUs per rank are physical cores, not hardware threads
  bool warns_ranks = false;       ///< SIGUSR1, launchers::warning_s() before the walltime is over
  bool takes_account = true;
  bool takes_memory = true;
  bool takes_volume = false;
  bool needs_container = false;  ///< and picks no container runtime
};

/// One scheduler. Immutable: thread safe.
class Launcher {
 public:
  Launcher() = default;
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;
  virtual ~Launcher() = default;

  [[nodiscard]] virtual const LauncherSpec& spec() const = 0;

  /// The batch script or manifest of a completed request: text that `submit_command` takes as it
  /// is. Every argument reaches dlbench byte for byte. Throws core::Error(kUsage) for what this
  /// scheduler cannot do.
  [[nodiscard]] virtual std::string script(const LaunchRequest& request) const = 0;

  /// The job's name in what `submit_command` printed, empty if it is not in there.
  [[nodiscard]] virtual std::string job_id(std::string_view printed) const = 0;
};

/// Adds a launcher at program start; a second one of the same name is a CheckFailure.
class LauncherRegistration {
 public:
  explicit LauncherRegistration(std::unique_ptr<const Launcher> launcher);
};

/// Names of all launchers, sorted.
[[nodiscard]] std::vector<std::string> launcher_names();

/// Throws core::Error(kUsage) with the nearest name.
[[nodiscard]] const Launcher& find_launcher(std::string_view name);

}  // namespace dlbench::launchers
