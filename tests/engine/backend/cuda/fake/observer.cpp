// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/backend/cuda/fake/observer.h"

#include "tests/engine/backend/cuda/fake/runtime.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace dlbench::fake {
namespace {

std::atomic<Observer*> installed{nullptr};
std::atomic<std::uint32_t> last_correlation{0};
thread_local std::uint32_t current_correlation = 0;

std::int64_t now_ns() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// How often each function was called, for `calls=FILE` of the environment. Leaked: it is read when
/// the process ends.
class CallCounts {
 public:
  static CallCounts& instance() {
    static auto* const counts = new CallCounts;
    return *counts;
  }

  void add(const char* name) {
    const std::scoped_lock lock(mutex_);
    if (counts_.empty()) {
      std::atexit([] { instance().write(); });
    }
    ++counts_[name];
  }

 private:
  void write() {
    const std::scoped_lock lock(mutex_);
    std::ofstream file(setting().calls);
    const char* separator = "{";
    for (const auto& [name, count] : counts_) {
      file << fmt::format("{}\"{}\": {}", std::exchange(separator, ", "), name, count);
    }
    file << "}\n";
  }

  std::mutex mutex_;
  std::map<std::string, std::int64_t> counts_;
};

std::array<int, 16>& contexts() {
  static std::array<int, 16> all{};
  return all;
}

}  // namespace

void set_observer(Observer* next) { installed = next; }

Observer* observer() { return installed.load(); }

Call::Call(const char* name, Wait wait, Api api) {
  if (!setting().calls.empty()) {
    CallCounts::instance().add(name);
  }
  if (current_correlation != 0 || observer() == nullptr) {
    return;
  }
  observer_ = observer();
  current_correlation = ++last_correlation;
  call_ = {.name = name,
           .api = api,
           .wait = wait,
           .correlation = current_correlation,
           .begin_ns = now_ns()};
}

Call::~Call() {
  if (observer_ == nullptr) {
    return;
  }
  call_.end_ns = now_ns();
  current_correlation = 0;
  observer_->called(call_);
}

std::uint32_t Call::correlation() { return current_correlation; }

void* context_of(int device) { return &contexts().at(static_cast<std::size_t>(device)); }

int device_of_context(const void* context) {
  for (std::size_t device = 0; device < contexts().size(); ++device) {
    if (&contexts()[device] == context) {
      return static_cast<int>(device);
    }
  }
  return -1;
}

}  // namespace dlbench::fake
