// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What stands behind CUPTI's activity interface on the fake GPU: records of what its observer
// sees, and buffers that go to the client on a thread of their own or with a flush.
#pragma once

#include "tests/engine/backend/cuda/fake/observer.h"

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace dlbench::fake {

/// What the environment asks of CUPTI (tests/engine/backend/cuda/fake/README.md).
struct CuptiSetting {
  std::int64_t ahead_s = 1'700'000'000;  ///< CUPTI's clock, of the steady one
  std::int64_t gain_ppm = 20;            ///< how much faster it runs
  bool owned = false;                    ///< another tool has the profiler
  std::uint32_t version = 0;             ///< of the library; 0: that of the headers
  bool missing = false;                  ///< the library is not on this machine
  bool virtual_gpu = false;              ///< of a host that allows no counters
  bool stale_correlations = false;       ///< see README.md
  std::int64_t drop_every = 0;           ///< of the device's records; 0: none
  std::int64_t untimed_every = 0;
};
[[nodiscard]] const CuptiSetting& cupti_setting();

/// CUPTI's clock at a time of the steady one.
[[nodiscard]] std::uint64_t cupti_time(std::int64_t steady_ns);

/// Says on stderr what a client may not do.
void refuse_cupti(const char* function, const char* why);

/// A record as it lies in a buffer.
using RecordBytes = std::vector<std::byte>;

class Recorder final : public Observer {
 public:
  /// Their C types are CUPTI's.
  using Request = void (*)(std::uint8_t**, std::size_t*, std::size_t*);
  using Complete = void (*)(std::uint8_t*, std::size_t, std::size_t);

  static Recorder& instance();

  void set_callbacks(Request request, Complete complete);
  [[nodiscard]] bool has_callbacks();
  /// Whether this thread is within one of them.
  [[nodiscard]] static bool is_in_callback();
  /// Whether each thread's records have buffers of their own. False: too late to change it, for
  /// callbacks are registered or kinds are enabled.
  [[nodiscard]] bool set_per_thread(bool per_thread);
  /// Whether buffers are zero when the client gives them.
  void set_client_zeroes(bool client_zeroes);
  void enable(int kind);
  void disable(int kind);
  /// All records that there are; `forced`: also of work that is not done, which then gets no other.
  void flush(bool forced);
  [[nodiscard]] std::size_t take_dropped();

  void push_external(int kind, std::uint64_t id);
  /// False: there is none.
  [[nodiscard]] bool pop_external(int kind, std::uint64_t& id);

  void enqueued(const ObservedWorkPtr& work) override;
  void done(const ObservedWorkPtr& work) override;
  void called(const HostCall& call) override;

 private:
  struct Flight {
    ObservedWorkPtr work;
    std::uint32_t correlation = 0;  ///< for its record
  };
  struct Pending {
    std::thread::id thread;
    RecordBytes record;
  };

  void append(RecordBytes record);  // with mutex_ held
  void append_work(const Flight& flight);
  void append_api(const HostCall& call, int kind, std::uint32_t cbid);
  void append_overhead(int overhead, std::int64_t begin_ns, std::int64_t end_ns);
  void make_zero(std::uint8_t* buffer, std::size_t bytes) const;
  void deliver();
  void deliver_when_many();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<int> enabled_;
  std::list<Pending> pending_;
  std::size_t pending_bytes_ = 0;
  std::list<Flight> in_flight_;
  std::size_t dropped_ = 0;
  std::int64_t device_records_ = 0;
  int recordings_ = 0;
  std::set<std::string> names_;                    ///< of kernels: a name has one address for good
  std::vector<std::uint32_t> graph_correlations_;  ///< of launches of this recording
  Request request_ = nullptr;
  Complete complete_ = nullptr;
  bool has_thread_ = false;
  std::atomic<bool> per_thread_ = true;  ///< CUPTI's defaults
  std::atomic<bool> client_zeroes_ = false;

  std::mutex delivery_;  ///< one buffer at a time; before mutex_
};

}  // namespace dlbench::fake
