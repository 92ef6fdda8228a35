// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What the ranks of a measurement exchange between repetitions so that all decide alike: lengths,
// steadiness, disturbances. Nothing here runs inside a timed region.
#pragma once

#include "engine/comm/rendezvous.h"
#include "harness/trials/cold_pass.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dlbench::harness {

/// What one rank measured in one repetition. Plain data: sent as bytes.
struct RankShare {
  std::int64_t samples = 0;
  std::int64_t steps = 0;
  double wall_s = 0.0;
  double cpu_s = 0.0;  ///< user and system time of the process
  double steal_s = 0.0;
  double foreign_cpu_s = 0.0;  ///< of foreign processes, on the CPUs of this rank
  double throttled_s = 0.0;    ///< kept from running by a CPU quota
  std::int64_t involuntary_switches = 0;
  double disturbance = 0.0;       ///< probes::Disturbance::severity; 0: not disturbed
  bool device_throttled = false;  ///< DeviceConditions::throttled
  double data_wait_s = 0.0;
  double all_reduce_wait_s = 0.0;  ///< the step blocked in waits for collectives
  comm::CommunicationTotals communication;
  // Known to rank 0 alone, after count_late_arrivals().
  /// Collectives with a known last rank; if the communicator has no host clock, steps.
  std::int64_t arrivals = 0;
  std::int64_t late_arrivals = 0;     ///< those that this rank was the last of all to reach
  ReadBytes read;                     ///< untimed batches included
  std::int64_t samples_replaced = 0;  ///< corrupt ones, by --skip-corrupt
};

/// The ranks that measure together. With one rank everything returns at once. All calls except
/// plain getters are collective.
class RankGroup {
 public:
  explicit RankGroup(comm::Rendezvous& ranks);

  [[nodiscard]] int rank() const { return ranks_.rank(); }
  [[nodiscard]] int size() const { return ranks_.size(); }
  /// Whether this process speaks for the group, i.e. writes files and prints.
  [[nodiscard]] bool speaks() const { return ranks_.rank() == 0; }
  [[nodiscard]] const std::vector<comm::RankPlace>& places() const { return ranks_.places(); }

  /// Returns once all ranks have called it.
  void barrier() { ranks_.barrier(); }
  /// A barrier after something long that only some ranks did: see comm::Rendezvous.
  void await_subset() { ranks_.await_subset(); }
  /// Returns rank 0's value on all ranks.
  [[nodiscard]] double broadcast(double value);
  [[nodiscard]] std::int64_t broadcast(std::int64_t value);
  [[nodiscard]] bool broadcast(bool value);
  /// Returns true on all ranks if it is true on any.
  [[nodiscard]] bool any(bool value);
  [[nodiscard]] double max(double value);
  /// Returns every rank's share, by rank, on all ranks.
  [[nodiscard]] std::vector<RankShare> all_gather(const RankShare& mine);
  /// Returns the sums over the ranks, element by element, on all ranks; lengths must be equal.
  [[nodiscard]] std::vector<double> sum(const std::vector<double>& values);

  [[nodiscard]] std::string broadcast_text(const std::string& text) {
    return ranks_.broadcast_text(text);
  }
  /// Returns every rank's text, by rank, on rank 0; empty elsewhere.
  [[nodiscard]] std::vector<std::string> gather_texts(const std::string& text) {
    return ranks_.gather(text);
  }
  /// Returns every rank's list, by rank, on rank 0; empty elsewhere.
  [[nodiscard]] std::vector<std::vector<double>> gather(const std::vector<double>& values);

  /// Number of ranks that run on CPUs of this one, itself included: 1 if each has its own CPUs.
  [[nodiscard]] int ranks_on_these_cpus() const { return static_cast<int>(sharers_.size()) + 1; }
  /// Whether another rank of this machine may run on one of them. Not collective.
  [[nodiscard]] bool others_run_on(const std::vector<int>& cpus) const;
  /// Hardware threads that all ranks may use together, each counted once: see LaunchCpus.
  [[nodiscard]] int cores() const { return cores_; }
  /// Their CPU time in processors: less than cores() below a CPU quota that is not a whole number.
  [[nodiscard]] double cpu_capacity() const { return cpu_capacity_; }
  /// CPU time that the other ranks on these CPUs used. Not collective.
  [[nodiscard]] double cpu_s_of_sharers(const std::vector<RankShare>& shares) const;

 private:
  comm::Rendezvous& ranks_;
  int cores_ = 0;
  double cpu_capacity_ = 0.0;
  std::vector<int> cpus_of_others_;  ///< that other ranks of this machine may run on
  std::vector<int> sharers_;         ///< other ranks of this machine whose affinity mask meets ours
};

}  // namespace dlbench::harness
