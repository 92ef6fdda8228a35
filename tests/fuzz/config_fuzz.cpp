// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Any config file: options set within their limits, or core::Error(kUsage).
#include "engine/core/error.h"
#include "harness/commands/option_set.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dlbench;
  const int file = memfd_create("config.json", 0);
  if (file < 0 || write(file, data, size) != static_cast<ssize_t>(size)) {
    std::abort();
  }
  std::string workload;
  std::string decode = "exact";
  std::int64_t prefetch = 2;
  std::optional<std::int64_t> steps;
  std::optional<double> min_time;
  double noise = 1.0;
  bool strict = false;
  harness::OptionSet options;
  options.add_text("workload", "NAME", "", workload);
  options.add_choice("decode", "", decode, {"exact", "scaled"});
  options.add_count("prefetch", "N", "", prefetch, {1, 1024});
  options.add_count("steps", "N", "", steps, {1, 1 << 20});
  options.add_seconds("min-time", "S", "", min_time);
  options.add_number("max-noise", "PCT", "", noise, 0.01, 100.0);
  options.add_flag("strict", "", strict);
  try {
    harness::read_config_file("/proc/self/fd/" + std::to_string(file), options);
  } catch (const core::Error& error) {
    if (error.code() != core::ErrorCode::kUsage) {
      std::abort();
    }
  }
  close(file);
  // Whatever was in the file, what is in force keeps to the limits.
  const bool sound = prefetch >= 1 && prefetch <= 1024 && noise >= 0.01 && noise <= 100.0 &&
                     (decode == "exact" || decode == "scaled") && steps.value_or(1) >= 1 &&
                     min_time.value_or(1.0) > 0.0;
  if (!sound) {
    std::abort();
  }
  (void)options.effective();
  return 0;
}
