// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Measures the time of one collective at one size, and checks its result.
#pragma once

#include "engine/backend/backend.h"
#include "engine/comm/communicator.h"
#include "engine/comm/link_model.h"
#include "engine/comm/rendezvous.h"
#include "engine/exec/executor.h"
#include "harness/session/run_guard.h"
#include "harness/trials/rank_group.h"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

namespace dlbench::harness {

struct CollectiveCase {
  comm::Collective op = comm::Collective::kAllReduce;
  core::DType dtype = core::DType::kF32;
  std::size_t count = 0;  ///< elements of the whole array
  std::int64_t warmup = 0;
  std::int64_t calls = 1;
  bool check = true;

  [[nodiscard]] std::size_t bytes() const { return count * core::size_of(dtype); }
};

struct CollectiveResult {
  /// Seconds per call, see calls_of_the_slowest(); on rank 0 only.
  std::vector<double> call_s;
  bool replayed = false;   ///< the calls were recorded and launched together, as in a replayed step
  std::int64_t wrong = 0;  ///< wrong elements over all ranks; set on all ranks
};

/// Of consecutive calls that each rank timed (`call_s`: by rank, then by call), returns for each
/// `round` of calls those of the rank that took longest over it. The slowest rank call by call
/// would be too long: ranks end a call slightly before or after each other, and a longer call
/// shortens the rank's next one. nccl-tests likewise divide the time of many calls.
[[nodiscard]] std::vector<double> calls_of_the_slowest(
    const std::vector<std::vector<double>>& call_s, std::size_t round);

/// Runs collectives in place, in memory of the communicator. Calls are collective over the ranks.
class CollectiveTrial {
 public:
  /// All arguments must outlive this. `largest_bytes` is the largest size of any case.
  CollectiveTrial(comm::Rendezvous& ranks,
                  comm::Communicator& communicator,
                  backend::Backend& backend,
                  std::size_t largest_bytes,
                  exec::GraphReplay replay);
  CollectiveTrial(const CollectiveTrial&) = delete;
  CollectiveTrial& operator=(const CollectiveTrial&) = delete;
  /// After an error, collectives may be in flight that no other rank takes part in: aborts them
  /// before their memory is freed.
  ~CollectiveTrial();

  /// Measures one case. All ranks start together and call repeatedly, as nccl-tests do, timed on
  /// the device's clock if it has one. A device with a queue gets many calls at a time: by replay,
  /// if requested and possible, so that they take as long as in a replayed step; else one by one,
  /// no faster than the host can enqueue them. A call then lasts from the end of the previous one
  /// to its own end. The timed calls work on zeros, so that sums neither grow nor round. An extra,
  /// untimed call checks the result: reductions against the exact sum, all_gather and broadcast
  /// (from the last rank) against the sender's data. Throws core::Error when the guard ends the
  /// run.
  [[nodiscard]] CollectiveResult run(const CollectiveCase& which, RunGuard& guard);

 private:
  /// Calls that are submitted together.
  struct Round {
    std::int64_t calls = 1;  ///< timed ones
    std::unique_ptr<backend::Replay> replay;
  };

  [[nodiscard]] std::int64_t calls_of_a_round(const CollectiveCase& which);
  [[nodiscard]] std::unique_ptr<backend::Replay> capture_on_all_ranks(const CollectiveCase& which,
                                                                      std::int64_t calls);
  [[nodiscard]] std::unique_ptr<backend::Replay> capture(const CollectiveCase& which,
                                                         std::int64_t calls,
                                                         bool& called);
  void enqueue(const CollectiveCase& which, std::int64_t calls);
  void warm_up(const CollectiveCase& which, RunGuard& guard);
  [[nodiscard]] Round plan_round(const CollectiveCase& which, RunGuard& guard);
  void call(const CollectiveCase& which);
  [[nodiscard]] std::int64_t count_wrong(const CollectiveCase& which);

  RankGroup group_;
  comm::Communicator& communicator_;
  exec::GraphReplay replay_;
  bool queues_;  ///< calls are enqueued and run later
  std::unique_ptr<backend::Stream> stream_;
  std::unique_ptr<backend::Buffer> data_;
  std::vector<std::unique_ptr<backend::Stream::Event>> events_;
  std::vector<backend::Stream::Event*>
      times_;  ///< those: the begin of a round, the end of each call
  int exceptions_ = std::uncaught_exceptions();
};

}  // namespace dlbench::harness
