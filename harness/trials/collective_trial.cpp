// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/collective_trial.h"

#include "engine/comm/check_pattern.h"
#include "engine/comm/device_watch.h"
#include "engine/comm/rank_progress.h"
#include "engine/core/check.h"
#include "engine/core/clock.h"
#include "engine/core/error.h"
#include "engine/core/log.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace dlbench::harness {
namespace {

using Clock = std::chrono::steady_clock;
using comm::Collective;
using comm::PatternRange;

constexpr std::int64_t kMaxCallsPerRound = 64;
constexpr double kRoundS = 0.5;  // so long nobody asks the guard

/// Returns the elements of the array that belong to `rank`.
PatternRange share(const PatternRange& all, int rank, int size) {
  return {.data = all.data,
          .dtype = all.dtype,
          .begin = comm::share_begin(all.end, rank, size),
          .end = comm::share_begin(all.end, rank + 1, size)};
}

/// Counts wrong elements that `rank` received from ranks that had sent their pattern.
std::size_t wrong_elements(Collective op, const PatternRange& all, int rank, int size) {
  switch (op) {
    case Collective::kAllReduce:
      return comm::count_wrong_sums(all, size);
    case Collective::kReduceScatter:
      return comm::count_wrong_sums(share(all, rank, size), size);
    case Collective::kBroadcast:
      return comm::count_wrong_copies(all, size - 1);
    case Collective::kAllGather:
      break;
  }
  std::size_t wrong = 0;
  for (int owner = 0; owner < size; ++owner) {
    wrong += comm::count_wrong_copies(share(all, owner, size), owner);
  }
  return wrong;
}

}  // namespace

std::vector<double> calls_of_the_slowest(const std::vector<std::vector<double>>& call_s,
                                         std::size_t round) {
  std::vector<double> slowest;
  const std::size_t calls = call_s.empty() ? 0 : call_s.front().size();
  for (std::size_t begin = 0; begin < calls; begin += round) {
    const std::size_t count = std::min(round, calls - begin);
    const auto part = [&](const std::vector<double>& rank) {
      return std::span(rank).subspan(begin, count);
    };
    const auto rank = std::ranges::max_element(call_s, {}, [&](const std::vector<double>& each) {
      const auto own = part(each);
      return std::accumulate(own.begin(), own.end(), 0.0);
    });
    const auto calls_of_it = part(*rank);
    slowest.insert(slowest.end(), calls_of_it.begin(), calls_of_it.end());
  }
  return slowest;
}

CollectiveTrial::CollectiveTrial(comm::Rendezvous& ranks,
                                 comm::Communicator& communicator,
                                 backend::Backend& backend,
                                 std::size_t largest_bytes,
                                 exec::GraphReplay replay)
    : group_(ranks),
      communicator_(communicator),
      replay_(replay),
      // One rank has nothing to queue, and a communicator that cannot be captured blocks the host.
      queues_(!backend.reads_host_memory() && communicator.size() > 1 && communicator.capturable()),
      stream_(backend.create_stream()),
      data_(communicator.allocate(backend, largest_bytes)) {
  for (std::int64_t event = 0; event <= (queues_ ? kMaxCallsPerRound : 1); ++event) {
    events_.push_back(stream_->create_event());
    times_.push_back(events_.back().get());
  }
}

CollectiveTrial::~CollectiveTrial() {
  if (std::uncaught_exceptions() == exceptions_) {
    return;
  }
  try {
    communicator_.give_up();
    stream_->synchronize();
  } catch (const std::exception&) {
    // What went wrong was already thrown.
  }
}

void CollectiveTrial::call(const CollectiveCase& which) {
  const comm::ReduceRequest request{
      .data = data_->data(), .count = which.count, .dtype = which.dtype};
  switch (which.op) {
    case Collective::kAllReduce:
      return communicator_.all_reduce(request, *stream_);
    case Collective::kReduceScatter:
      return communicator_.reduce_scatter(request, *stream_);
    case Collective::kAllGather:
      return communicator_.all_gather(request.data, request.count, request.dtype, *stream_);
    case Collective::kBroadcast:
      // Not from rank 0: nothing may work only because rank 0 is the root of everything else.
      return communicator_.broadcast(
          request.data, which.bytes(), communicator_.size() - 1, *stream_);
  }
}

std::int64_t CollectiveTrial::count_wrong(const CollectiveCase& which) {
  std::vector<std::byte> host(which.bytes());
  const PatternRange all{.data = host.data(), .dtype = which.dtype, .end = which.count};
  const int rank = group_.rank();
  const int size = group_.size();
  comm::fill_pattern(all, rank);
  stream_->copy_to_device(data_->data(), host.data(), host.size());
  comm::watched(communicator_, [&] {
    call(which);
    stream_->copy_to_host(host.data(), data_->data(), host.size());
    stream_->synchronize();
  });
  const auto wrong = static_cast<double>(wrong_elements(which.op, all, rank, size));
  return static_cast<std::int64_t>(group_.sum({wrong}).front());
}

void CollectiveTrial::warm_up(const CollectiveCase& which, RunGuard& guard) {
  // The first use of a communicator connects and allocates, which cannot be captured.
  const std::int64_t calls = queues_ ? std::max<std::int64_t>(which.warmup, 1) : which.warmup;
  comm::watched(communicator_, [&] {
    for (std::int64_t i = 0; i < calls; ++i) {
      const auto begin = Clock::now();
      call(which);
      comm::step_done(core::seconds_since(begin));
      guard.check();
    }
    stream_->synchronize();
  });
}

CollectiveTrial::Round CollectiveTrial::plan_round(const CollectiveCase& which, RunGuard& guard) {
  group_.barrier();
  warm_up(which, guard);
  Round round;
  if (queues_) {
    round.calls = calls_of_a_round(which);
    round.replay = capture_on_all_ranks(which, round.calls);
    group_.barrier();
  }
  return round;
}

// Returns the same number on all ranks, because their recordings belong together.
std::int64_t CollectiveTrial::calls_of_a_round(const CollectiveCase& which) {
  const auto begin = Clock::now();
  comm::watched(communicator_, [&] {
    call(which);
    stream_->synchronize();
  });
  const double call_s = group_.max(core::seconds_since(begin));
  const auto in_time = static_cast<std::int64_t>(kRoundS / std::max(call_s, 1e-9));
  comm::step_done(call_s);
  const std::int64_t most = std::clamp<std::int64_t>(in_time, 1, kMaxCallsPerRound);
  const std::int64_t rounds = (which.calls + most - 1) / most;
  return (which.calls + rounds - 1) / rounds;
}

// Either all ranks have a recording or none, because recorded and unrecorded calls do not match. An
// NCCL communicator keeps its error, so after a failed call none is left to enqueue others with.
std::unique_ptr<backend::Replay> CollectiveTrial::capture_on_all_ranks(const CollectiveCase& which,
                                                                       std::int64_t calls) {
  if (replay_ == exec::GraphReplay::kOff) {
    return nullptr;
  }
  std::unique_ptr<backend::Replay> replay;
  std::string why;
  bool called = false;
  try {
    comm::watched(communicator_, [&] { replay = capture(which, calls, called); });
  } catch (const core::Error& failure) {
    if (core::ended_early(failure.code())) {
      throw;
    }
    why = failure.what();
  }
  const bool failed = !why.empty();
  if (!group_.any(failed)) {
    return replay;
  }
  const bool lost = group_.any(failed && !called);
  const std::string text =
      "the calls cannot be captured" + (failed ? ": " + why : std::string(" on another rank"));
  if (lost || replay_ == exec::GraphReplay::kOn) {
    throw core::Error(core::ErrorCode::kRun, text + "; --cuda-graph off enqueues them one by one");
  }
  core::log::warn_once(text + "; they are enqueued one by one");
  replay_ = exec::GraphReplay::kOff;
  return nullptr;
}

/// `called`: set to whether every call was accepted.
std::unique_ptr<backend::Replay> CollectiveTrial::capture(const CollectiveCase& which,
                                                          std::int64_t calls,
                                                          bool& called) {
  if (!stream_->begin_capture()) {
    return nullptr;
  }
  try {
    enqueue(which, calls);
    called = true;
    return stream_->end_capture();
  } catch (...) {
    stream_->abandon_capture();
    throw;
  }
}

// On a device with a queue, the ranks meet in a first call that is not timed.
void CollectiveTrial::enqueue(const CollectiveCase& which, std::int64_t calls) {
  if (queues_) {
    call(which);
  }
  stream_->record_time(*times_.front());
  for (std::int64_t i = 1; i <= calls; ++i) {
    call(which);
    stream_->record_time(*times_[static_cast<std::size_t>(i)]);
  }
}

CollectiveResult CollectiveTrial::run(const CollectiveCase& which, RunGuard& guard) {
  DLBENCH_CHECK(which.bytes() <= data_->bytes()) << which.bytes() << " of " << data_->bytes();
  stream_->fill_zero(data_->data(), which.bytes());
  const Round round = plan_round(which, guard);
  const auto calls = static_cast<std::size_t>(round.calls);
  const std::span<backend::Stream::Event* const> times = std::span(times_).first(calls + 1);
  std::vector<double> own;
  own.reserve(static_cast<std::size_t>(which.calls) + calls);
  std::optional<comm::Stepping> stepping;  // once it is known how long a round takes
  if (queues_ || which.warmup > 0) {
    stepping.emplace();
  }
  while (own.size() < static_cast<std::size_t>(which.calls)) {
    const auto begin = Clock::now();
    if (const comm::DeviceWatch* watch = communicator_.watch(); watch != nullptr) {
      watch->rethrow_failure();  // a recording would be launched with collectives that have ended
    }
    comm::watched(communicator_, [&] {
      if (round.replay != nullptr) {
        round.replay->launch(times);
      } else {
        enqueue(which, round.calls);
      }
      times.back()->wait();
    });
    for (std::size_t call = 0; call < calls; ++call) {
      own.push_back(times[call + 1]->seconds_since(*times[call]));
    }
    comm::step_done(core::seconds_since(begin));
    if (!stepping.has_value()) {
      stepping.emplace();
    }
    guard.check();
  }
  stepping.reset();
  own.resize(static_cast<std::size_t>(which.calls));
  CollectiveResult result{.replayed = round.replay != nullptr};
  result.call_s = calls_of_the_slowest(
      group_.gather(own), queues_ ? calls : static_cast<std::size_t>(kMaxCallsPerRound));
  if (which.check) {
    result.wrong = count_wrong(which);
  }
  guard.check();
  return result;
}

}  // namespace dlbench::harness
