// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu/tuning_internal.h"
#include "engine/core/clock.h"
#include "engine/core/log.h"

#include <sys/resource.h>

#include <cstdint>
#include <cstring>
#include <utility>

namespace dlbench::backend::cpu {
namespace {

/// Fills memory with small numbers of both signs: zeros would let a processor save power, and
/// denormals would slow it down. The pattern is valid as f32 and as two bf16.
void fill(std::byte* data, std::size_t bytes) {
  constexpr std::uint32_t kPattern[4] = {0x3d003d00U, 0xbd20bd20U, 0x3d403d40U, 0xbd10bd10U};
  for (std::size_t offset = 0; offset + sizeof(kPattern) <= bytes; offset += sizeof(kPattern)) {
    std::memcpy(data + offset, kPattern, sizeof(kPattern));
  }
}

/// Involuntary context switches of all threads of this process so far.
std::int64_t involuntary_switches() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

}  // namespace

std::size_t Tuner::choose(const TuningKey& key,
                          const std::vector<Candidate>& candidates,
                          const std::string& preferred) {
  std::vector<std::string> names;
  names.reserve(candidates.size());
  for (const Candidate& candidate : candidates) {
    names.push_back(candidate.name);
  }
  return choices_.choose(key, names, preferred, [&] { return measure(candidates); });
}

std::optional<std::size_t> Tuner::measure(const std::vector<Candidate>& candidates) {
  const std::optional<std::size_t> best = fastest(candidates.size(), [&](std::size_t index) {
    choices_.check();
    return time_once(candidates[index]);
  });
  if (!best.has_value()) {
    core::log::warn_once(
        "others use these processors: kernels that could not be compared undisturbed are chosen by "
        "rule, and compared again in the next run");
  }
  return best;
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

Timing Tuner::time_once(const Candidate& candidate) {
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
  const auto run = [&] {
    for (std::size_t i = 0; i < candidate.steps.size(); ++i) {
      check_onednn(dnnl_primitive_execute(candidate.steps[i].handle.get(),
                                          onednn_stream().get(),
                                          static_cast<int>(arguments[i].size()),
                                          arguments[i].data()),
                   candidate.steps[i].implementation.c_str());
    }
  };
  run();  // brings the operands into the caches
  const std::int64_t switches = involuntary_switches();
  const double begin = core::steady_seconds();
  run();
  const double seconds = core::steady_seconds() - begin;
  return {.seconds = seconds, .switches = involuntary_switches() - switches};
}

}  // namespace dlbench::backend::cpu
