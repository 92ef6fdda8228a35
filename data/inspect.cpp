// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/inspect.h"

#include "data/for_each_sample.h"
#include "data/generators/generate.h"
#include "engine/core/error.h"
#include "engine/core/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <iterator>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace dlbench::data {
namespace {

namespace fs = std::filesystem;
using core::Error;
using core::ErrorCode;

const DatasetFormat& format_of(const fs::path& folder) {
  const std::vector<std::string> known = dataset_names();
  check_data_folder(folder, fmt::format("{}", fmt::join(known, "|")));
  std::vector<std::string> found;
  std::ranges::copy_if(known, std::back_inserter(found), [&folder](const std::string& name) {
    const DatasetFormat& format = find_dataset(name);
    return format.recognise != nullptr && format.recognise(folder);
  });
  if (found.empty()) {
    std::vector<std::string> layouts;
    std::ranges::transform(known, std::back_inserter(layouts), [](const std::string& name) {
      return fmt::format("{} ({})", find_dataset(name).layout, name);
    });
    throw Error(ErrorCode::kData,
                fmt::format("'{}' holds no data set that dlbench knows; wanted {}",
                            folder.string(),
                            fmt::join(layouts, ", or ")));
  }
  if (found.size() > 1) {
    core::log::warn(fmt::format("'{}' holds several data sets ({}); this is about the first",
                                folder.string(),
                                fmt::join(found, ", ")));
  }
  return find_dataset(found.front());
}

/// One thread's reader, destination rows and clocks.
struct Inspector {
  explicit Inspector(const Dataset& dataset)
      : reader(dataset.make_reader()), context(counters, {}) {
    for (const TensorSpec& spec : dataset.spec().tensors) {
      memory.emplace_back(spec.row_bytes());
    }
    for (auto& row : memory) {
      rows.emplace_back(row);
    }
  }

  /// Discards the times measured so far.
  void reset_clocks() {
    for (auto& stage : counters.stage_ns) {
      stage.store(0);
    }
  }

  std::unique_ptr<SampleReader> reader;
  WorkerCounters counters;
  LoadContext context;
  std::vector<std::vector<std::byte>> memory;
  std::vector<std::span<std::byte>> rows;
};

/// Sums over the samples that could be loaded.
struct SampleSums {
  std::array<double, kStages> stage_s{};
  std::int64_t samples = 0;
  std::int64_t masks = 0;
  std::int64_t empty_masks = 0;  ///< masks that mark nothing
  double pixels = 0.0;
};

bool is_mask(const TensorSpec& spec) {
  return spec.role == Role::kTarget && spec.dtype == core::DType::kU8;
}

void add_stages(const Inspector& inspector, SampleSums& sums) {
  for (std::size_t stage = 0; stage < kStages; ++stage) {
    sums.stage_s[stage] += static_cast<double>(inspector.counters.stage_ns[stage].load()) * 1e-9;
  }
}

void add_masks(const Dataset& dataset, const Inspector& inspector, SampleSums& sums) {
  for (std::size_t tensor = 0; tensor < inspector.memory.size(); ++tensor) {
    if (is_mask(dataset.spec().tensors[tensor])) {
      ++sums.masks;
      const bool marks = std::ranges::any_of(inspector.memory[tensor],
                                             [](std::byte pixel) { return pixel != std::byte{0}; });
      sums.empty_masks += marks ? 0 : 1;
    }
  }
}

void add_size(DatasetInspection& result, const SampleInfo& info) {
  const std::int64_t pixels = info.width * info.height;
  const bool first = result.max_width == 0;
  if (first || pixels < result.min_width * result.min_height) {
    result.min_width = info.width;
    result.min_height = info.height;
  }
  if (first || pixels > result.max_width * result.max_height) {
    result.max_width = info.width;
    result.max_height = info.height;
  }
}

void load_all(
    const Dataset& dataset, Split split, int threads, DatasetInspection& result, SampleSums& sums) {
  const int used = set_up_threads(threads, dataset.size());
  result.workers = std::max(result.workers, used);
  std::vector<std::unique_ptr<Inspector>> inspectors;
  inspectors.reserve(static_cast<std::size_t>(used));
  for (int thread = 0; thread < used; ++thread) {
    inspectors.push_back(std::make_unique<Inspector>(dataset));
  }
  std::mutex mutex;
  std::vector<std::pair<std::int64_t, std::string>> bad;
  const std::string what = fmt::format("inspecting {}", name(split));
  for_each_sample(dataset.size(), used, what, [&](std::int64_t index, int thread) {
    Inspector& inspector = *inspectors[static_cast<std::size_t>(thread)];
    inspector.reset_clocks();
    try {
      inspector.reader->load(index, inspector.context, inspector.rows);
      const SampleInfo info = dataset.describe(index);
      const std::lock_guard lock(mutex);
      add_size(result, info);
      add_stages(inspector, sums);
      add_masks(dataset, inspector, sums);
      sums.pixels += static_cast<double>(info.width * info.height);
      ++sums.samples;
    } catch (const Error& error) {
      const std::lock_guard lock(mutex);
      bad.emplace_back(index, error.what());
    }
  });
  std::ranges::sort(bad);  // threads met them in any order
  for (auto& [index, message] : bad) {
    result.problems.push_back(std::move(message));
  }
}

template <typename Files>
std::int64_t bytes_of(const Files& files) {
  std::int64_t sum = 0;
  for (const fs::path& file : files) {
    std::error_code failure;  // of one that is gone the reader says so
    const auto bytes = fs::file_size(file, failure);
    sum += failure ? 0 : static_cast<std::int64_t>(bytes);
  }
  return sum;
}

}  // namespace

DatasetInspection inspect(const fs::path& folder, const DatasetOptions& options, int threads) {
  const DatasetFormat& format = format_of(folder);
  DatasetInspection result;
  result.dataset = format.name;
  result.generated = generated_info(folder).has_value();
  DatasetOptions lenient = options;
  lenient.problems = &result.problems;
  SampleSums sums;
  std::set<fs::path> files;  // two splits may be the same files
  for (const Split split : {Split::kTrain, Split::kValid, Split::kTest}) {
    std::unique_ptr<Dataset> dataset;
    try {
      dataset = open_dataset(format.name, folder, split, lenient);
    } catch (const MissingSplit& error) {
      // Training works without a validation split, but not without its own.
      if (split == Split::kTrain) {
        result.problems.emplace_back(error.what());
      }
      continue;
    } catch (const Error& error) {
      result.problems.emplace_back(error.what());
      continue;
    }
    result.format = dataset->spec().format;
    const std::vector<fs::path> split_files = dataset->files();
    if (!split_files.empty() && files.contains(split_files.front())) {
      continue;
    }
    files.insert(split_files.begin(), split_files.end());
    load_all(*dataset, split, threads, result, sums);
    result.samples += dataset->size();
    result.splits.push_back({split, dataset->size(), bytes_of(split_files)});
  }
  if (sums.masks > 0 && sums.empty_masks == sums.masks) {
    result.problems.emplace_back(
        fmt::format("no mask of {} marks anything: what is at least half as bright as white does, "
                    "so a label of 1 or a dark colour does not; write 255 for what is to be found",
                    sums.masks));
  }
  // Without split folders, each split reports the problems of the same pairs.
  std::ranges::sort(result.problems);
  result.problems.erase(std::unique(result.problems.begin(), result.problems.end()),
                        result.problems.end());
  result.files = static_cast<std::int64_t>(files.size());
  result.bytes = bytes_of(files);
  if (sums.samples > 0) {
    const auto count = static_cast<double>(sums.samples);
    result.mean_pixels = sums.pixels / count;
    result.read_s = sums.stage_s[static_cast<std::size_t>(Stage::kRead)] / count;
    result.decode_s = sums.stage_s[static_cast<std::size_t>(Stage::kDecode)] / count;
    result.transform_s = sums.stage_s[static_cast<std::size_t>(Stage::kTransform)] / count;
  }
  return result;
}

}  // namespace dlbench::data
