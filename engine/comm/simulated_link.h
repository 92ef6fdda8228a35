// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A simulated link on top of a real communicator: collectives end when they would end on a link of
// the given cost, so that one machine can show the behaviour of many.
#pragma once

#include "engine/comm/communication_thread.h"
#include "engine/comm/forwarding.h"
#include "engine/comm/link_model.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::comm {

/// The link carries one collective at a time. One that the last rank enters at time t ends at
///   max(t, end of the previous one) + collective_s(link) + jitter_s(link, seed, its number)
/// on all ranks, or when the real one is done if that is later: only a link slower than the
/// machine is simulated. Ranks sleep until then and leave the processors to those that compute.
/// Started all-reduces run on a thread of their own, which may wake up some 50 us late; a caller
/// that blocks in a collective polls during the last 60 us and is not late. All ranks must be on
/// one machine, whose steady clock they compare; otherwise calls throw core::Error(kUnavailable).
class SimulatedLinkCommunicator final : public ForwardingCommunicator {
 public:
  /// `inner` connects host memories: its calls block. `seed` of the jitter: the same on all ranks.
  SimulatedLinkCommunicator(std::unique_ptr<Communicator> inner,
                            const LinkModel& link,
                            std::uint64_t seed);
  ~SimulatedLinkCommunicator() override;

  /// The inner communicator's name followed by ", simulated link".
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] Ticket start_all_reduce(const ReduceRequest& request,
                                        backend::Stream& stream) override;
  void wait(Ticket ticket, backend::Stream& stream) override;
  void all_reduce(const ReduceRequest& request, backend::Stream& stream) override;
  void reduce_scatter(const ReduceRequest& request, backend::Stream& stream) override;
  void all_gather(std::byte* data,
                  std::size_t count,
                  core::DType dtype,
                  backend::Stream& stream) override;
  void broadcast(std::byte* data, std::size_t bytes, int root, backend::Stream& stream) override;
  void reduce(const ReduceRequest& request, int root, backend::Stream& stream) override;
  void scatter(std::byte* data,
               std::span<const std::size_t> bounds,
               int root,
               backend::Stream& stream) override;
  void gather(std::byte* data,
              std::span<const std::size_t> bounds,
              int root,
              backend::Stream& stream) override;
  void give_up() override;
  /// Transfer times are those of the link.
  [[nodiscard]] CommunicationTotals take_totals() override { return thread_.take_totals(); }
  [[nodiscard]] std::vector<double> take_arrivals() override { return thread_.take_arrivals(); }

 private:
  using Clock = std::chrono::steady_clock;

  enum class Who : std::uint8_t { kCaller, kBeside };  ///< the caller's or the communication thread

  struct Call {
    double cost_s = 0.0;        ///< without jitter
    Clock::time_point arrival;  ///< when the caller requested it
    Who who = Who::kCaller;
  };

  [[nodiscard]] double cost_s(Collective op, std::size_t bytes) const;
  [[nodiscard]] double share_cost_s(std::span<const std::size_t> bounds) const;
  template <typename Real>
  CollectiveTimes run(const Call& call, Real real);
  template <typename Real>
  void run_here(std::size_t bytes,
                double cost_s,
                Real real,
                CommunicationThread::Kind kind = CommunicationThread::Kind::kOther);
  [[nodiscard]] Clock::time_point latest(Clock::time_point arrival);
  void wait_until(Clock::time_point end, Who who);

  LinkModel link_;
  std::uint64_t seed_;
  std::string name_;
  std::int64_t number_ = 0;      ///< of the next collective; used only by the thread that runs one
  Clock::time_point link_free_;  ///< when the last one ended; likewise
  std::mutex mutex_;
  std::condition_variable given_up_changed_;
  bool given_up_ = false;
  CommunicationThread thread_;  // last: it uses all of the above
};

}  // namespace dlbench::comm
