// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// How records get to the client: in which buffers, and when.
#include "tests/probes/cupti/fake/recorder.h"

#include <cupti.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

namespace dlbench::fake {
namespace {

thread_local bool in_callback = false;

class InCallback {
 public:
  InCallback() { in_callback = true; }
  InCallback(const InCallback&) = delete;
  InCallback& operator=(const InCallback&) = delete;
  ~InCallback() { in_callback = false; }
};

std::int64_t now_ns() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

bool Recorder::is_in_callback() { return in_callback; }

void Recorder::set_callbacks(Request request, Complete complete) {
  const std::scoped_lock lock(mutex_);
  request_ = request;
  complete_ = complete;
}

bool Recorder::has_callbacks() {
  const std::scoped_lock lock(mutex_);
  return request_ != nullptr;
}

bool Recorder::set_per_thread(bool per_thread) {
  const std::scoped_lock lock(mutex_);
  if (per_thread != per_thread_ && (request_ != nullptr || !enabled_.empty())) {
    return false;
  }
  per_thread_ = per_thread;
  return true;
}

void Recorder::set_client_zeroes(bool client_zeroes) { client_zeroes_ = client_zeroes; }

std::size_t Recorder::take_dropped() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(dropped_, 0);
}

void Recorder::flush(bool forced) {
  if (forced) {
    const std::scoped_lock lock(mutex_);
    for (const Flight& flight : std::exchange(in_flight_, {})) {
      append_work(flight);
    }
  }
  deliver();
}

void Recorder::make_zero(std::uint8_t* buffer, std::size_t bytes) const {
  if (!client_zeroes_) {
    std::memset(buffer, 0, bytes);
  } else if (std::any_of(buffer, buffer + bytes, [](std::uint8_t byte) { return byte != 0; })) {
    refuse_cupti("BuffersCallbackRequest", "the buffer is not zero, which was promised");
  }
}

/// A buffer that the client has no more of is one that records are dropped for.
void Recorder::deliver() {
  const std::scoped_lock order(delivery_);
  std::list<Pending> records;
  {
    const std::scoped_lock lock(mutex_);
    records = std::exchange(pending_, {});
    pending_bytes_ = 0;
    if (per_thread_) {
      records.sort([](const Pending& a, const Pending& b) { return a.thread < b.thread; });
    }
  }
  const InCallback now;
  std::size_t lost = 0;
  do {
    std::uint8_t* buffer = nullptr;
    std::size_t bytes = 0;
    std::size_t most = 0;
    request_(&buffer, &bytes, &most);
    if (buffer == nullptr) {
      lost += records.size();
      break;
    }
    make_zero(buffer, bytes);
    const std::thread::id thread = records.empty() ? std::thread::id() : records.front().thread;
    std::size_t used = 0;
    for (std::size_t count = 0; !records.empty() && (most == 0 || count < most); ++count) {
      const RecordBytes& record = records.front().record;
      if (used + record.size() > bytes || (per_thread_ && records.front().thread != thread)) {
        break;
      }
      std::memcpy(buffer + used, record.data(), record.size());
      used += record.size();
      records.pop_front();
    }
    if (used == 0 && !records.empty()) {
      lost += 1;
      records.pop_front();
    }
    {
      const std::scoped_lock lock(mutex_);
      dropped_ += std::exchange(lost, 0);
    }
    complete_(buffer, bytes, used);
  } while (!records.empty());
  const std::scoped_lock lock(mutex_);
  dropped_ += lost;
}

void Recorder::deliver_when_many() {
  constexpr std::size_t kMany = std::size_t{64} << 10;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return pending_bytes_ >= kMany && request_ != nullptr; });
    }
    const std::int64_t begin_ns = now_ns();
    deliver();
    const std::scoped_lock lock(mutex_);
    append_overhead(CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH, begin_ns, now_ns());
  }
}

}  // namespace dlbench::fake
