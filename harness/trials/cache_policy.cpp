// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/cache_policy.h"

#include "engine/core/named.h"
#include "harness/ranks.h"
#include "harness/session/run_guard.h"
#include "harness/session/session.h"
#include "harness/session/session_plan.h"
#include "harness/trials/cold_pass.h"

#include <algorithm>
#include <utility>

namespace dlbench::harness {

CachePolicy::CachePolicy(data::CacheMode mode, comm::Rendezvous& ranks, RankGroup& group)
    : mode_(mode), ranks_(ranks), group_(group) {
  record_.mode = core::name_in(data::kCacheModes, mode);
}

void CachePolicy::check(const SessionPlan& plan, const std::vector<TrialId>& trials) const {
  if (mode_ == data::CacheMode::kCold && std::ranges::any_of(trials, &TrialId::loads) &&
      !plan.dataset().spec().held_in_memory) {
    const data::LoaderOptions loader = plan.loader_options();
    static_cast<void>(cold_pass_steps(data::Sampler(data::sampler_options(plan.dataset(), loader)),
                                      loader.prefetch));
  }
}

std::optional<std::int64_t> CachePolicy::pass_steps(Session& session,
                                                    const std::vector<std::unique_ptr<Arm>>& arms) {
  if (mode_ != data::CacheMode::kCold || session.plan().dataset().spec().held_in_memory) {
    return std::nullopt;
  }
  const bool loads = std::ranges::any_of(
      arms, [](const std::unique_ptr<Arm>& arm) { return arm->loader_stats().has_value(); });
  std::int64_t steps = 0;
  together(ranks_, [&] {
    if (loads) {
      const data::PrefetchLoader& loader = session.loader();
      steps = cold_pass_steps(loader.sampler(), loader.options().prefetch);
    }
  });
  steps = group_.broadcast(steps);  // rank 0 is one that loads, if any does
  return steps > 0 ? std::optional(steps) : std::nullopt;
}

void CachePolicy::prepare(const SessionPlan& plan) {
  const data::CacheState state = data::prepare_page_cache(
      mode_, plan.dataset(), plan.loader_options(), &RunGuard::check_at_work);
  if (record_.proof.empty()) {
    record_.proof = state.proof;
  }
  if (state.resident_after.has_value()) {
    record_.resident_before =
        std::max(*state.resident_after, record_.resident_before.value_or(0.0));
  }
  if (!state.verified && doubt_.empty()) {
    doubt_ = state.proof;
  }
}

void CachePolicy::before_repetition(const TrialId& id, Session& session) {
  if (mode_ != data::CacheMode::kCold || !id.loads()) {
    return;
  }
  session.loader().skip_to_epoch();
  prepare(session.plan());
  group_.barrier();
}

std::string CachePolicy::take_doubt() {
  return std::exchange(told_, told_ || !doubt_.empty()) ? "" : doubt_;
}

}  // namespace dlbench::harness
