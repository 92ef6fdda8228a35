// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Drains a device's buffer of samples from a separate thread before the buffer is full.
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

/// The result of one reading of the buffer.
struct SampleBatch {
  std::vector<CounterSample> samples;
  bool more = false;        ///< the buffer holds samples that did not fit into this batch
  bool unfinished = false;  ///< reading stopped for an unknown reason: there may be more
  bool overflowed = false;  ///< the buffer was full, samples are lost
  bool ended = false;       ///< no more will come, reading again would fail
};

/// Reads every `period` from construction on, each time until there is no more. An unfinished
/// reading continues at the next period; in finish() it is repeated at once, but at most a hundred
/// times so that the run ends. Samples without a time are dropped; lost real ones leave a gap.
class SampleDrain {
 public:
  /// `read` is called by the drain's thread and by finish(), never by both at once. An exception
  /// from it ends the reading; finish() rethrows it.
  SampleDrain(std::function<SampleBatch()> read, std::chrono::nanoseconds period);
  SampleDrain(const SampleDrain&) = delete;
  SampleDrain& operator=(const SampleDrain&) = delete;
  ~SampleDrain();

  /// What was drained.
  struct Result {
    std::vector<CounterSample> samples;
    std::int64_t overflows = 0;
  };

  /// Call once, after the device stopped sampling: ends the thread and reads the rest.
  [[nodiscard]] Result finish();

 private:
  void run();
  void join();
  /// Reads until there is no more and, if `the_last`, nothing unfinished. Returns false if reading
  /// has ended.
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
