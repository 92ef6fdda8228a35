// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/steady_state.h"

#include "engine/core/check.h"
#include "engine/core/error.h"
#include "engine/core/median.h"
#include "reports/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace dlbench::harness {
namespace {

using reports::summarize;

constexpr std::size_t kWindowSize = SteadyState::kWindow;

}  // namespace

double warm_up_limit_s(double max_time_s) {
  return std::min(std::max(1.0, max_time_s), SteadyStateLimits{}.max_seconds);
}

SteadyState::SteadyState(SteadyStateLimits limits) : limits_(limits) {
  if (limits.min_steps < 0 || limits.max_steps < 1 || !(limits.max_seconds > 0.0) ||
      !(limits.tolerance > 0.0)) {
    throw core::Error(core::ErrorCode::kUsage,
                      fmt::format("warm-up of {} to {} steps, at most {} s, tolerance {}: all must "
                                  "be positive",
                                  limits.min_steps,
                                  limits.max_steps,
                                  limits.max_seconds,
                                  limits.tolerance));
  }
  // A user who requests more steps than the bound gets them.
  limits_.max_steps = std::max(limits.max_steps, limits.min_steps);
}

void SteadyState::add(double step_s) {
  DLBENCH_CHECK(std::isfinite(step_s) && step_s > 0.0) << "step of " << step_s << " s";
  ++steps_;
  total_s_ += step_s;
  if (steps_ == 1) {
    first_step_s_ = step_s;
    return;
  }
  recent_.push_back(step_s);
  if (recent_.size() > 2 * kWindowSize) {
    recent_.erase(recent_.begin());
  }
  if (recent_.size() == 2 * kWindowSize && steps_ >= limits_.min_steps) {
    const auto half = recent_.begin() + kWindow;
    const double before = core::median({recent_.begin(), half});
    const double after = core::median({half, recent_.end()});
    steady_ = std::abs(after - before) <= limits_.tolerance * std::min(before, after);
  }
}

bool SteadyState::done() const {
  if (steps_ < limits_.min_steps) {
    return false;
  }
  const bool many = steps_ >= limits_.max_steps && total_s_ >= limits_.min_seconds;
  return steady_ || many || total_s_ >= limits_.max_seconds;
}

double SteadyState::mean_step_s() const {
  if (steps_ <= 1) {
    return first_step_s_;
  }
  return (total_s_ - first_step_s_) / static_cast<double>(steps_ - 1);
}

double SteadyState::usual_step_s() const {
  const auto recent = summarize(recent_);
  return recent.has_value() ? recent->median : first_step_s_;
}

std::string SteadyState::rule() const {
  return fmt::format(
      "medians of two successive {}-step windows within {:g} %, at least {} steps, "
      "at most {} steps (more below {:g} s) or {:.3g} s",
      kWindow,
      100.0 * limits_.tolerance,
      std::max(limits_.min_steps, 2 * kWindow + 1),
      limits_.max_steps,
      limits_.min_seconds,
      limits_.max_seconds);
}

}  // namespace dlbench::harness
