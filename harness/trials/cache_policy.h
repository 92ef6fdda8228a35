// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// --cache over one run: what is done to the page cache before its trials and between them.
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

/// as-is is looked at once, warm made once, cold before every repetition, which then begins with an
/// epoch and when all ranks have dropped the pages.
class CachePolicy {
 public:
  /// `skip_corrupt`: files that cannot be read are left out. Ranks and group outlive this.
  CachePolicy(data::CacheMode mode, bool skip_corrupt, comm::Rendezvous& ranks, RankGroup& group);

  /// Before kernels are chosen. Throws core::Error(kUsage) where a data set is too small for cold
  /// repetitions.
  void check(const SessionPlan& plan, const std::vector<TrialId>& trials) const;
  /// With a cold cache, how many steps one pass over the data leaves for the clock; nothing
  /// elsewhere, nor for data held in memory, which are not read again. Collective. Throws as
  /// check().
  [[nodiscard]] std::optional<std::int64_t> pass_steps(
      Session& session, const std::vector<std::unique_ptr<Arm>>& arms);
  /// Before the warm-up. Throws core::Error(kFile).
  void prepare(const SessionPlan& plan);
  /// Before a repetition of that trial or its warm-up. Collective. Throws core::Error(kFile).
  void before_repetition(const TrialId& id, Session& session);

  /// What was found: the largest part that was resident, and how the first look proved it.
  [[nodiscard]] const reports::CacheRecord& record() const { return record_; }
  /// Why the state is not known, once; empty if it is or was told before.
  [[nodiscard]] std::string take_doubt();

 private:
  data::CacheMode mode_;
  bool skip_corrupt_;
  comm::Rendezvous& ranks_;
  RankGroup& group_;
  reports::CacheRecord record_;
  std::string doubt_;
  bool told_ = false;
};

}  // namespace dlbench::harness
