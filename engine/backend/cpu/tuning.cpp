// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/tuning_internal.h"
#include "engine/core/check.h"
#include "engine/core/error.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <utility>

namespace dlbench::backend::cpu {
namespace {

constexpr const char* kHeader = "dlbench tuning cache 1";

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::size_t find_candidate(const std::vector<Candidate>& candidates, const std::string& name) {
  const auto found = std::find_if(
      candidates.begin(), candidates.end(), [&](const Candidate& c) { return c.name == name; });
  return static_cast<std::size_t>(found - candidates.begin());
}

/// Small numbers of both signs: all bits of zero memory would let a processor save power, and
/// denormals would slow it down. The pattern is valid as f32 and as two bf16.
void fill(std::byte* data, std::size_t bytes) {
  constexpr std::uint32_t kPattern[4] = {0x3d003d00U, 0xbd20bd20U, 0x3d403d40U, 0xbd10bd10U};
  for (std::size_t offset = 0; offset + sizeof(kPattern) <= bytes; offset += sizeof(kPattern)) {
    std::memcpy(data + offset, kPattern, sizeof(kPattern));
  }
}

}  // namespace

Tuner::Tuner(const LoweringOptions& options, std::string machine)
    : options_(options), machine_(std::move(machine)) {
  load();
}

std::size_t Tuner::choose(const TuningKey& key,
                          const std::vector<Candidate>& candidates,
                          const std::string& preferred) {
  DLBENCH_CHECK(!candidates.empty()) << key.decision;
  const auto given = options_.decisions.find(key.decision);
  if (given != options_.decisions.end()) {
    const std::size_t index = find_candidate(candidates, given->second);
    if (index == candidates.size()) {
      throw core::Error(core::ErrorCode::kUnavailable,
                        "the decision '" + given->second + "' for " + key.decision +
                            " cannot be followed on this machine; tune again here");
    }
    return index;
  }
  if (candidates.size() == 1) {
    return 0;
  }
  const std::size_t by_rule = find_candidate(candidates, preferred) % candidates.size();
  if (!options_.autotune || options_.deterministic) {
    return by_rule;
  }
  const std::string problem = key.problem + "\t" + machine_;
  const auto known = known_.find(problem);
  if (known != known_.end()) {
    const std::size_t index = find_candidate(candidates, known->second);
    if (index < candidates.size()) {
      return index;
    }
  }
  const std::string best = measure(candidates);
  known_[problem] = best;
  changed_ = true;
  return find_candidate(candidates, best);
}

std::string Tuner::measure(const std::vector<Candidate>& candidates) {
  // Rounds over all candidates, so that a disturbance of the machine hits none of them alone.
  constexpr int kRounds = 3;
  std::vector<double> best(candidates.size(), std::numeric_limits<double>::infinity());
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      best[i] = std::min(best[i], seconds_of(candidates[i]));
    }
  }
  return candidates[static_cast<std::size_t>(std::min_element(best.begin(), best.end()) -
                                             best.begin())]
      .name;
}

dnnl::memory Tuner::buffer(std::size_t index, const MemoryDesc& desc) {
  if (buffers_.size() <= index) {
    buffers_.resize(index + 1);
  }
  const std::size_t bytes = desc.get_size();
  if (buffers_[index].bytes() < bytes) {
    buffers_[index] = core::HostBlock();
    buffers_[index] = core::HostBlock(core::default_host_allocator(), bytes);
    fill(buffers_[index].data(), bytes);
  }
  return {desc, onednn_engine(), buffers_[index].data()};
}

double Tuner::seconds_of(const Candidate& candidate) {
  std::vector<std::vector<dnnl::memory>> memories;
  std::vector<std::vector<dnnl_exec_arg_t>> arguments;
  std::size_t next = 0;
  for (const Primitive& step : candidate.steps) {
    std::vector<dnnl::memory> of_step;
    std::vector<dnnl_exec_arg_t> indices;
    const auto add = [&](int index, const MemoryDesc& desc) {
      if (!desc.is_zero()) {
        of_step.push_back(buffer(next++, desc));
        indices.push_back({index, of_step.back().get()});
      }
    };
    add(step.x_argument, step.x);
    add(step.weights_argument, step.weights);
    add(step.bias_argument, step.bias);
    add(step.y_argument, step.y);
    if (step.scratch_bytes > 0) {
      add(DNNL_ARG_SCRATCHPAD,
          MemoryDesc({static_cast<std::int64_t>(step.scratch_bytes)},
                     dnnl::memory::data_type::u8,
                     dnnl::memory::format_tag::a));
    }
    memories.push_back(std::move(of_step));
    arguments.push_back(std::move(indices));
  }
  double best = std::numeric_limits<double>::infinity();
  for (int repeat = 0; repeat < 2; ++repeat) {
    const double begin = now();
    for (std::size_t i = 0; i < candidate.steps.size(); ++i) {
      check_onednn(dnnl_primitive_execute(candidate.steps[i].handle.get(),
                                          onednn_stream().get(),
                                          static_cast<int>(arguments[i].size()),
                                          arguments[i].data()),
                   candidate.steps[i].implementation.c_str());
    }
    best = std::min(best, now() - begin);
  }
  return best;
}

void Tuner::load() {
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

void Tuner::save() const {
  if (options_.tuning_cache.empty() || !changed_) {
    return;
  }
  const std::filesystem::path path(options_.tuning_cache);
  std::error_code ignored;
  if (path.has_parent_path()) {
    std::filesystem::create_directories(path.parent_path(), ignored);
  }
  const std::string partial = options_.tuning_cache + ".part";
  {
    std::ofstream file(partial);
    file << kHeader << '\n';
    for (const auto& [problem, choice] : known_) {
      file << problem << '\t' << choice << '\n';
    }
    file.flush();
    if (!file) {
      throw core::Error(
          core::ErrorCode::kFile,
          "cannot write the tuning cache '" + partial + "'; choose another folder for it");
    }
  }
  std::error_code failed;
  std::filesystem::rename(partial, path, failed);
  if (failed) {
    throw core::Error(core::ErrorCode::kFile,
                      "cannot write the tuning cache '" + path.string() + "': " + failed.message());
  }
}

}  // namespace dlbench::backend::cpu
