// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/for_each_sample.h"

#include "engine/core/affinity.h"
#include "engine/core/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <iterator>
#include <mutex>
#include <thread>
#include <vector>

namespace dlbench::data {

int set_up_threads(int requested, std::int64_t items) {
  const std::int64_t wanted = requested > 0 ? requested : std::ssize(core::affinity_cpus());
  return static_cast<int>(std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(1, items)));
}

void for_each_sample(std::int64_t items,
                     int threads,
                     std::string_view what,
                     const std::function<void(std::int64_t item, int thread)>& body) {
  std::atomic<std::int64_t> next{0};
  std::atomic<std::int64_t> done{0};
  std::mutex mutex;
  std::exception_ptr failure;
  std::int64_t failed_item = items;
  const auto work = [&](int thread) {
    for (std::int64_t item = next.fetch_add(1); item < items; item = next.fetch_add(1)) {
      try {
        body(item, thread);
        core::log::progress(fmt::format("{}: {} of {}", what, done.fetch_add(1) + 1, items));
      } catch (...) {
        next.store(items);
        const std::lock_guard lock(mutex);
        if (item < failed_item) {
          failed_item = item;
          failure = std::current_exception();
        }
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (int thread = 1; thread < threads; ++thread) {
      others.emplace_back(work, thread);
    }
    work(0);
  }
  core::log::progress("");
  if (failure != nullptr) {
    std::rethrow_exception(failure);
  }
}

}  // namespace dlbench::data
