// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/affinity.h"

#include "engine/core/check.h"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <new>
#include <system_error>

namespace dlbench::core {
namespace {

/// A mask for CPUs below `capacity`, which may be more than cpu_set_t has bits.
class Mask {
 public:
  explicit Mask(std::size_t capacity)
      : bytes_(CPU_ALLOC_SIZE(capacity)), set_(CPU_ALLOC(capacity)) {
    if (set_ == nullptr) {
      throw std::bad_alloc();
    }
    CPU_ZERO_S(bytes_, set_.get());
  }

  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] cpu_set_t* get() { return set_.get(); }
  void add(int cpu) { CPU_SET_S(static_cast<std::size_t>(cpu), bytes_, set_.get()); }
  [[nodiscard]] bool has(int cpu) {
    return CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes_, set_.get());
  }

 private:
  struct Free {
    void operator()(cpu_set_t* set) const { CPU_FREE(set); }
  };

  std::size_t bytes_;
  std::unique_ptr<cpu_set_t, Free> set_;
};

}  // namespace

std::vector<int> affinity_cpus() {
  std::vector<int> cpus;
  // The kernel refuses masks smaller than its own: grow until it fits.
  for (int capacity = 1024; capacity <= 1 << 18; capacity *= 4) {
    Mask mask(static_cast<std::size_t>(capacity));
    if (sched_getaffinity(0, mask.bytes(), mask.get()) != 0) {
      continue;
    }
    for (int cpu = 0; cpu < capacity; ++cpu) {
      if (mask.has(cpu)) {
        cpus.push_back(cpu);
      }
    }
    break;
  }
  return cpus;
}

int set_affinity(pid_t thread, std::span<const int> cpus) {
  DLBENCH_CHECK(!cpus.empty()) << "a thread needs a CPU";
  Mask mask(static_cast<std::size_t>(*std::ranges::max_element(cpus)) + 1);
  for (const int cpu : cpus) {
    mask.add(cpu);
  }
  return sched_setaffinity(thread, mask.bytes(), mask.get()) == 0 ? 0 : errno;
}

std::vector<pid_t> process_threads() {
  std::vector<pid_t> ids;
  std::error_code failed;
  for (std::filesystem::directory_iterator entry("/proc/self/task", failed), last;
       !failed && entry != last;
       entry.increment(failed)) {
    ids.push_back(std::atoi(entry->path().filename().c_str()));
  }
  return ids;
}

bool each_has_a_cpu(std::span<const std::vector<int>> masks) {
  return std::ranges::all_of(masks, [masks](const std::vector<int>& mask) {
    const auto within = [&mask](const std::vector<int>& other) {
      return std::ranges::includes(mask, other);
    };
    return std::ranges::count_if(masks, within) <= static_cast<std::ptrdiff_t>(mask.size());
  });
}

}  // namespace dlbench::core
