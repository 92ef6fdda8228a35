// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/tuning.h"

#include "engine/core/atomic_file.h"
#include "engine/core/check.h"
#include "engine/core/clock.h"
#include "engine/core/error.h"
#include "engine/core/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <utility>

namespace dlbench::backend {
namespace {

constexpr const char* kHeader = "dlbench tuning cache 3";
constexpr std::uintmax_t kMaxBytes = std::uintmax_t{64} << 20U;
constexpr const char* kNotKept = "tuning is not kept for the next run";
constexpr const char* kAdvice = "DLBENCH_CACHE_DIR can name another folder";

std::size_t find_name(std::span<const std::string> names, const std::string& name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

/// Reads a cache file; empty if there is none yet, or if it is too large or of another version and
/// so will be overwritten.
std::map<std::string, std::string> read_cache(const std::string& path) {
  std::map<std::string, std::string> choices;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {  // opening a pipe would block
    return choices;
  }
  if (const std::uintmax_t bytes = std::filesystem::file_size(path, ignored);
      !ignored && bytes > kMaxBytes) {
    core::log::warn_once(
        fmt::format("tuning cache '{}' has {} bytes: it is written anew", path, bytes));
    return choices;
  }
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || line != kHeader) {
    return choices;
  }
  while (std::getline(file, line)) {
    const std::size_t tab = line.rfind('\t');
    if (tab != std::string::npos) {
      choices[line.substr(0, tab)] = line.substr(tab + 1);
    }
  }
  return choices;
}

}  // namespace

Choices::Choices(const LoweringOptions& options, std::string machine)
    : options_(options), machine_(std::move(machine)) {
  if (!options_.tuning_cache.empty()) {
    known_ = read_cache(options_.tuning_cache);
  }
}

std::size_t Choices::choose(const TuningKey& key,
                            std::span<const std::string> names,
                            const std::string& preferred,
                            const std::function<std::optional<std::size_t>()>& measure) {
  DLBENCH_CHECK(!names.empty()) << key.decision;
  const auto given = options_.decisions.find(key.decision);
  if (given != options_.decisions.end()) {
    const std::size_t index = find_name(names, given->second);
    if (index == names.size()) {
      throw core::Error(core::ErrorCode::kUnavailable,
                        "the decision '" + given->second + "' for " + key.decision +
                            " cannot be followed here: the processors or libraries of the ranks "
                            "differ (instruction sets, ONEDNN_MAX_CPU_ISA, versions); choose nodes "
                            "of one kind, with the same environment");
    }
    return index;
  }
  if (names.size() == 1) {
    return 0;
  }
  const std::size_t by_rule = find_name(names, preferred) % names.size();
  if (!options_.autotune || options_.deterministic) {
    return by_rule;
  }
  const std::string problem = key.problem + "\t" + machine_;
  const auto known = known_.find(problem);
  if (known != known_.end()) {
    const std::size_t index = find_name(names, known->second);
    if (index < names.size()) {
      return index;
    }
  }
  check();
  if (core::steady_seconds() > options_.tune_until_s) {
    core::log::warn_once(
        "comparing kernels had its share of --time-budget: those that were not compared are chosen "
        "by rule, and compared in the next run");
    return by_rule;
  }
  const std::optional<std::size_t> best = measure();
  if (best.has_value()) {
    known_[problem] = names[*best];
    measured_[problem] = names[*best];
  }
  return best.value_or(by_rule);
}

void Choices::check() const {
  if (options_.check) {
    options_.check();
  }
}

void Choices::save() const {
  if (options_.tuning_cache.empty() || measured_.empty()) {
    return;
  }
  try {
    const std::filesystem::path path(options_.tuning_cache);
    if (path.has_parent_path()) {
      std::filesystem::create_directories(path.parent_path());
    }
    ByProblem all = measured_;
    all.merge(read_cache(options_.tuning_cache));
    std::string text = std::string(kHeader) + '\n';
    for (const auto& [problem, choice] : all) {
      text.append(problem).append("\t").append(choice).append("\n");
    }
    core::write_file_atomically(options_.tuning_cache, text, kAdvice);
  } catch (const std::filesystem::filesystem_error& error) {
    core::log::warn_once(fmt::format("{}: cannot make folder '{}': {}; {}",
                                     kNotKept,
                                     error.path1().string(),
                                     error.code().message(),
                                     kAdvice));
  } catch (const core::Error& error) {
    core::log::warn_once(fmt::format("{}: {}", kNotKept, error.what()));
  }
}

}  // namespace dlbench::backend
