// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trials/collective_trial.h"

#include "engine/comm/check_pattern.h"
#include "engine/comm/device_watch.h"
#include "engine/core/check.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace dlbench::harness {
namespace {

using Clock = std::chrono::steady_clock;
using comm::Collective;
using comm::PatternRange;

/// Elements of the array that belong to `rank`.
PatternRange share(const PatternRange& all, int rank, int size) {
  return {.data = all.data,
          .dtype = all.dtype,
          .begin = comm::share_begin(all.end, rank, size),
          .end = comm::share_begin(all.end, rank + 1, size)};
}

/// What is wrong with what `rank` received from ranks that had sent their pattern.
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

CollectiveTrial::CollectiveTrial(comm::Rendezvous& ranks,
                                 comm::Communicator& communicator,
                                 backend::Backend& backend,
                                 std::size_t largest_bytes)
    : group_(ranks),
      communicator_(communicator),
      stream_(backend.create_stream()),
      data_(communicator.allocate(backend, largest_bytes)) {}

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
      // Not from rank 0: nothing may work only because it is the root of all else.
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

CollectiveResult CollectiveTrial::run(const CollectiveCase& which, RunGuard& guard) {
  DLBENCH_CHECK(which.bytes() <= data_->bytes()) << which.bytes() << " of " << data_->bytes();
  stream_->fill_zero(data_->data(), which.bytes());
  std::vector<double> own;
  own.reserve(static_cast<std::size_t>(which.calls));
  group_.align();
  comm::watched(communicator_, [&] {
    for (std::int64_t i = 0; i < which.warmup; ++i) {
      call(which);
      guard.check();
    }
    stream_->synchronize();
  });
  auto last = Clock::now();
  for (std::int64_t i = 0; i < which.calls; ++i) {
    comm::watched(communicator_, [&] {
      call(which);
      stream_->synchronize();
    });
    const auto now = Clock::now();
    own.push_back(std::chrono::duration<double>(now - last).count());
    guard.check();
    last = Clock::now();
  }
  CollectiveResult result;
  for (const std::vector<double>& rank : group_.gather(own)) {
    result.call_s.resize(rank.size());
    std::transform(rank.begin(),
                   rank.end(),
                   result.call_s.begin(),
                   result.call_s.begin(),
                   [](double a, double b) { return std::max(a, b); });
  }
  if (which.check) {
    result.wrong = count_wrong(which);
  }
  guard.check();
  return result;
}

}  // namespace dlbench::harness
