// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Watches for missing ranks of a launch: MPI would wait for ever, and RunGuard comes later.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace dlbench::harness {

/// Watches until it is destroyed or the ranks have met: warns after half a minute of waiting, and
/// ends the process with code 124 after `timeout_s`, if given. Does nothing if the launcher does
/// not announce several ranks.
class MeetingWatch {
 public:
  explicit MeetingWatch(std::optional<double> timeout_s);
  MeetingWatch(const MeetingWatch&) = delete;
  MeetingWatch& operator=(const MeetingWatch&) = delete;
  ~MeetingWatch();

  void met();

 private:
  void watch(std::optional<double> timeout_s, int ranks, int rank);

  std::mutex mutex_;
  std::condition_variable met_changed_;
  bool met_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace dlbench::harness
