// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Empties a device's buffer of samples from a thread of its own, before the buffer is full.
#pragma once

#include "probes/gpu/gpu_samples.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace dlbench::probes {

/// What one reading of the buffer gave.
struct SampleBatch {
  std::vector<CounterSample> samples;
  bool more = false;        ///< the buffer holds samples that did not fit into this batch
  bool unfinished = false;  ///< reading stopped for a reason that is not told: there may be more
  bool overflowed = false;  ///< the buffer was full: samples are lost
  bool ended = false;       ///< nothing will come any more: reading again would fail
};

/// Reads every `period` from construction on, each time until there is no more. What is unfinished
/// waits for the next time; at the end, when there is none, it is read on, a hundred times at most:
/// a run must end. Samples without a time are left out; if real ones are gone, they leave a gap.
class SampleDrain {
 public:
  /// `read`: called by the drain's thread and by finish(), never by both at once. What it throws
  /// ends the reading; finish() throws it on.
  SampleDrain(std::function<SampleBatch()> read, std::chrono::nanoseconds period);
  SampleDrain(const SampleDrain&) = delete;
  SampleDrain& operator=(const SampleDrain&) = delete;
  ~SampleDrain();

  /// What was drained.
  struct Result {
    std::vector<CounterSample> samples;
    std::int64_t overflows = 0;
  };

  /// Once, after the device stopped sampling: ends the thread and reads what is left.
  [[nodiscard]] Result finish();

 private:
  void run();
  void join();
  /// Until there is no more, nor anything unfinished if this is `the_last` time. False: it has
  /// ended.
  bool read_all(bool the_last);

  std::function<SampleBatch()> read_;
  std::chrono::nanoseconds period_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;   // guarded by mutex_
  bool ended_ = false;  // from here on: the thread's, until it is joined
  std::exception_ptr error_;
  Result result_;
  std::thread thread_;
};

}  // namespace dlbench::probes
