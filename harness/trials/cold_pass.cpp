// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/cold_pass.h"

#include "engine/core/disk_reads.h"
#include "engine/core/error.h"

#include <fmt/format.h>

namespace dlbench::harness {

std::int64_t cold_pass_steps(const data::Sampler& sampler, std::int64_t prefetch) {
  const std::int64_t untimed = (prefetch + 1) + prefetch;
  const std::int64_t steps = sampler.batches_per_epoch() - untimed;
  if (steps < 1) {
    const data::SamplerOptions& options = sampler.options();
    throw core::Error(
        core::ErrorCode::kUsage,
        fmt::format("--cache cold: {} samples are {} batches of {}, and a repetition reads {} at "
                    "least ({} before and after the clock with --prefetch {}), so it would read "
                    "pages twice; wanted: {} samples, or a smaller --batch-size or --prefetch",
                    options.dataset_size,
                    sampler.batches_per_epoch(),
                    options.global_batch_size,
                    untimed + 1,
                    untimed,
                    prefetch,
                    (untimed + 1) * options.global_batch_size));
  }
  return steps;
}

ReadBytes read_so_far(const std::optional<data::LoaderStats>& loader) {
  return {.loader = loader.has_value() ? loader->bytes_read_ever : 0,
          .storage = core::process_disk_read_bytes()};
}

ReadBytes operator-(const ReadBytes& end, const ReadBytes& begin) {
  ReadBytes read{.loader = end.loader - begin.loader, .storage = std::nullopt};
  if (end.storage.has_value() && begin.storage.has_value()) {
    read.storage = *end.storage - *begin.storage;
  }
  return read;
}

std::string doubt_of_cold(const ReadBytes& read) {
  constexpr double kMin = 0.9;
  if (read.loader == 0) {
    return "";
  }
  if (!read.storage.has_value()) {
    return fmt::format(
        "the loader read {} bytes from files; /proc/self/io does not tell how many "
        "of them came from storage",
        read.loader);
  }
  if (static_cast<double>(*read.storage) >= kMin * static_cast<double>(read.loader)) {
    return "";
  }
  return fmt::format(
      "the loader read {} bytes from files, the process {} from storage "
      "(read_bytes of /proc/self/io): the rest was in memory",
      read.loader,
      *read.storage);
}

}  // namespace dlbench::harness
