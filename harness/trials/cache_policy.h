// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// --cache during one run: the state of the page cache before its trials and between them.
#pragma once

#include "data/loader/page_cache.h"
#include "engine/comm/rendezvous.h"
#include "harness/trials/arm.h"
#include "harness/trials/rank_group.h"
#include "harness/trials/trial_id.h"
#include "reports/trial_record.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dlbench::harness {

class Session;
class SessionPlan;

/// Measures an as-is cache once, warms it once, or empties it before every repetition; a cold
/// repetition begins with an epoch, once all ranks have dropped the pages.
class CachePolicy {
 public:
  /// Ranks and group must outlive this.
  CachePolicy(data::CacheMode mode, comm::Rendezvous& ranks, RankGroup& group);

  /// Call before kernels are chosen. Throws core::Error(kUsage) if a data set is too small for cold
  /// repetitions.
  void check(const SessionPlan& plan, const std::vector<TrialId>& trials) const;
  /// Returns how many timed steps one pass over the data allows with a cold cache; nothing in other
  /// modes, and for data held in memory, which is not read again. Throws as check() does.
  /// Collective.
  [[nodiscard]] std::optional<std::int64_t> pass_steps(
      Session& session, const std::vector<std::unique_ptr<Arm>>& arms);
  /// Prepares the cache before the warm-up. Throws core::Error(kFile).
  void prepare(const SessionPlan& plan);
  /// Prepares a repetition of that trial or its warm-up. Collective. Throws core::Error(kFile).
  void before_repetition(const TrialId& id, Session& session);

  /// What was found: the largest resident part, and how the first measurement proved it.
  [[nodiscard]] const reports::CacheRecord& record() const { return record_; }
  /// Says once why the state is unknown; empty if it is known or was reported before.
  [[nodiscard]] std::string take_doubt();

 private:
  data::CacheMode mode_;
  comm::Rendezvous& ranks_;
  RankGroup& group_;
  reports::CacheRecord record_;
  std::string doubt_;
  bool told_ = false;
};

}  // namespace dlbench::harness
