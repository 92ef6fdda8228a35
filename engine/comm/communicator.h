// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Collectives on tensors between ranks. self.h is the communicator of a single rank; MPI and NCCL
// are plug-ins; link_delay.h puts a simulated link in front of another one. How ranks find each
// other before there is a communicator: rendezvous.h; which one they take: communicator_list.h.
#pragma once

#include "engine/backend/backend.h"
#include "engine/core/dtype.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace dlbench::comm {

enum class ReduceOp : std::uint8_t { kSum, kMax };

/// What to reduce, in place: `count` elements at `data` on every rank.
/// f32, f64, f16, bf16, i32, i64; f16 and bf16 are added in f32 and rounded once per rank that
/// adds.
struct ReduceRequest {
  std::byte* data = nullptr;
  std::size_t count = 0;
  core::DType dtype = core::DType::kF32;
  ReduceOp op = ReduceOp::kSum;
  bool lossless = false;  ///< never compressed on the way

  [[nodiscard]] std::size_t bytes() const { return count * core::size_of(dtype); }
};

class DeviceWatch;

/// Names one all-reduce that was started and not yet waited for.
using Ticket = std::int64_t;

/// What a communicator spent since it was last asked, on this rank. Clock: steady, on the thread
/// that communicates; null (absent) on devices whose profiler knows better.
struct CommunicationTotals {
  std::int64_t collectives = 0;
  std::int64_t bytes = 0;   ///< logical, of this rank's tensors
  double waiting_s = 0.0;   ///< from this rank's arrival until the last rank arrived
  double transfer_s = 0.0;  ///< from then until done
  double exposed_s = 0.0;   ///< the caller blocked in wait() or in a blocking call

  double exposed_transfer_s = 0.0;  ///< of that, while data moved; the rest is for late ranks
  // Of transfer_s and exposed_transfer_s, those of all-reduces.
  double all_reduce_s = 0.0;
  double exposed_all_reduce_s = 0.0;

  CommunicationTotals& operator+=(const CommunicationTotals& other);
};

/// A group of ranks. Calls are collective, in the same order on all ranks, from one thread. Work is
/// ordered behind `stream`: on a GPU a call returns when it is enqueued (host_staged.h: when the
/// host has done its part), on the host the stream is always ready. Every call throws
/// core::Error(kRun) when a rank is gone, kTimeout when one does not come; what is found after a
/// call returned, watch() tells.
class Communicator {
 public:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;

  /// "self", "shared-window", "mpi", "nccl", "shared-window, host-staged".
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// Whether work recorded on a stream can hold these collectives: who replays it calls nothing for
  /// them, whatever the communicator's own threads do.
  [[nodiscard]] virtual bool recordable() const { return false; }

  /// Who ends the host's waits for the device once a collective there has failed or does not end
  /// (device_watch.h): null where collectives end, or throw, in their own calls.
  [[nodiscard]] virtual DeviceWatch* watch() { return nullptr; }

  /// Memory in which gradients live: shared with the other ranks of the node, or registered with
  /// the network, where that pays. Collective: all ranks ask for the same sizes in the same order.
  /// The communicator outlives the buffer. Collectives also take any other memory of the device.
  [[nodiscard]] virtual std::unique_ptr<backend::Buffer> allocate(backend::Backend& backend,
                                                                  std::size_t bytes) {
    return backend.allocate(bytes);
  }

  /// Makes what start_all_reduce() needs for a request that comes again and again, so that even its
  /// first start allocates nothing. Collective, as allocate().
  virtual void prepare(const ReduceRequest& /*request*/) {}
  /// Starts once the work now in `stream` is done, and runs beside later work; the memory belongs
  /// to the collective until wait(). Several may be in flight; they run in the order of their
  /// starts.
  [[nodiscard]] virtual Ticket start_all_reduce(const ReduceRequest& request,
                                                backend::Stream& stream) = 0;
  /// Later work of `stream` sees the result. Each ticket is waited for once.
  virtual void wait(Ticket ticket, backend::Stream& stream) = 0;

  /// Rank r keeps elements [r * count / size, (r + 1) * count / size) of the sum, at their place in
  /// `data`; the rest of `data` is undefined afterwards.
  virtual void reduce_scatter(const ReduceRequest& request, backend::Stream& stream) = 0;
  /// The inverse: rank r has elements [r * count / size, (r + 1) * count / size) at their place in
  /// `data`; all ranks get all of them.
  virtual void all_gather(std::byte* data,
                          std::size_t count,
                          core::DType dtype,
                          backend::Stream& stream) = 0;
  virtual void broadcast(std::byte* data, std::size_t bytes, int root, backend::Stream& stream) = 0;

  // From and to one rank, for schemes that have one that does more than the others. Between the
  // ranks of one node, on the host; elsewhere they throw core::Error(kUnavailable).
  /// The result of the reduction is on `root` alone; elsewhere `data` is undefined afterwards.
  virtual void reduce(const ReduceRequest& request, int root, backend::Stream& stream);
  /// Rank r gets bytes [bounds[r], bounds[r + 1]) of root's `data`, at their place; size() + 1
  /// ascending bounds, the same on all ranks.
  virtual void scatter(std::byte* data,
                       std::span<const std::size_t> bounds,
                       int root,
                       backend::Stream& stream);
  /// The inverse: bytes [bounds[r], bounds[r + 1]) of rank r's `data` come to root's, at their
  /// place.
  virtual void gather(std::byte* data,
                      std::span<const std::size_t> bounds,
                      int root,
                      backend::Stream& stream);

  /// From another thread, when this rank gives up: calls that wait for other ranks, now or later,
  /// throw core::Error(kRun); collectives on a device end, whatever their result.
  virtual void give_up() {}

  /// Sums since the last call; starts them afresh.
  [[nodiscard]] virtual CommunicationTotals take_totals() { return {}; }
  /// By how much this rank came before the last one to collectives since the last call, seconds on
  /// its own clock: of the same collectives on all ranks, so that the one with the least of them
  /// came last. Not of all, see ArrivalLog; of none where the host cannot know.
  [[nodiscard]] virtual std::vector<double> take_arrivals() { return {}; }

  virtual void all_reduce(const ReduceRequest& request, backend::Stream& stream) {
    wait(start_all_reduce(request, stream), stream);
  }
};

/// First element of rank `rank`'s share of `count` elements: floor(count * rank / size).
[[nodiscard]] std::size_t share_begin(std::size_t count, int rank, int size);

}  // namespace dlbench::comm
