// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/gpu/sample_drain.h"

#include <iterator>
#include <utility>

namespace dlbench::probes {

SampleDrain::SampleDrain(std::function<SampleBatch()> read, std::chrono::nanoseconds period)
    : read_(std::move(read)), period_(period), thread_([this] { run(); }) {}

SampleDrain::~SampleDrain() { join(); }

SampleDrain::Result SampleDrain::finish() {
  join();
  if (error_ != nullptr) {
    std::rethrow_exception(error_);
  }
  if (!ended_) {
    read_all(true);
  }
  return std::move(result_);
}

void SampleDrain::join() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void SampleDrain::run() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, period_, [this] { return stop_; })) {
    lock.unlock();  // a long reading must not hold up who wants to stop
    try {
      ended_ = !read_all(false);
    } catch (...) {
      error_ = std::current_exception();
    }
    lock.lock();
    if (ended_ || error_ != nullptr) {
      return;
    }
  }
}

bool SampleDrain::read_all(bool the_last) {
  constexpr int kMaxFinalReads = 100;
  for (int reading = 1;; ++reading) {
    SampleBatch batch = read_();
    result_.overflows += batch.overflowed ? 1 : 0;
    const bool empty = batch.samples.empty();
    std::erase_if(batch.samples, [](const CounterSample& sample) { return !sample.timed(); });
    std::move(batch.samples.begin(), batch.samples.end(), std::back_inserter(result_.samples));
    // An empty batch that promises more would do so for ever. After the end of sampling there may
    // be samples without a time in reading after reading.
    const bool goes_on =
        (batch.more && !empty) || (the_last && batch.unfinished && !batch.samples.empty());
    const bool tired = the_last && reading == kMaxFinalReads;
    result_.overflows += tired && goes_on ? 1 : 0;  // what is left in it is lost
    if (batch.ended || !goes_on || tired) {
      return !batch.ended;
    }
  }
}

}  // namespace dlbench::probes
