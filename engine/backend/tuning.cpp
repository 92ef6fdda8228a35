// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/tuning.h"

#include "engine/core/check.h"
#include "engine/core/error.h"
#include "engine/core/log.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

namespace dlbench::backend {
namespace {

constexpr const char* kHeader = "dlbench tuning cache 2";

std::size_t find_name(std::span<const std::string> names, const std::string& name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

}  // namespace

Choices::Choices(const LoweringOptions& options, std::string machine)
    : options_(options), machine_(std::move(machine)) {
  load();
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
                            " cannot be followed on this machine; tune again here");
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
  const std::optional<std::size_t> best = measure();
  if (best.has_value()) {
    known_[problem] = names[*best];
    changed_ = true;
  }
  return best.value_or(by_rule);
}

void Choices::check() const {
  if (options_.check) {
    options_.check();
  }
}

void Choices::load() {
  if (options_.tuning_cache.empty()) {
    return;
  }
  std::ifstream file(options_.tuning_cache);
  std::string line;
  if (!std::getline(file, line) || line != kHeader) {
    return;  // no cache yet, or of another version: it is written anew
  }
  while (std::getline(file, line)) {
    const std::size_t tab = line.rfind('\t');
    if (tab != std::string::npos) {
      known_[line.substr(0, tab)] = line.substr(tab + 1);
    }
  }
}

void Choices::save() const {
  if (options_.tuning_cache.empty() || !changed_) {
    return;
  }
  const auto not_kept = [](const std::string& path, const std::string& reason) {
    core::log::warn_once("tuning is not kept for the next run: cannot write '" + path +
                         "': " + reason + "; DLBENCH_CACHE_DIR can name another folder");
  };
  const std::filesystem::path path(options_.tuning_cache);
  std::error_code ignored;
  if (path.has_parent_path()) {
    std::filesystem::create_directories(path.parent_path(), ignored);
  }
  const std::string partial = options_.tuning_cache + ".part";
  {
    errno = 0;
    std::ofstream file(partial);
    file << kHeader << '\n';
    for (const auto& [problem, choice] : known_) {
      file << problem << '\t' << choice << '\n';
    }
    file.flush();
    if (!file) {
      not_kept(partial, core::errno_text(errno));
      return;
    }
  }
  std::error_code failed;
  std::filesystem::rename(partial, path, failed);
  if (failed) {
    not_kept(path.string(), failed.message());
  }
}

}  // namespace dlbench::backend
