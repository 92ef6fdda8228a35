// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// CUPTI's activity interface without CUPTI: a test says which kernels and calls were recorded and
// when, and the calls of the probe deliver them as the documentation of the real ones says.
#pragma once

#include "probes/cupti/cupti_library.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dlbench::probes {

struct FakeKernel {
  std::int64_t begin_ns = 0;  ///< of the steady clock; records have CUPTI's; 0: no time was taken
  std::int64_t end_ns = 0;
  std::uint64_t graph_node = 0;
  const char* name = "kernel";
  std::uint32_t correlation = 0;
  bool is_call = false;  ///< not the kernel but a call of the runtime by the host
};

/// One per process, as the real one.
struct FakeCupti {
  std::vector<FakeKernel> waiting;          ///< for the next flush
  std::vector<FakeKernel> before_disabled;  ///< recorded when the first kind is disabled
  std::size_t dropped = 0;                  ///< told when it is asked for
  std::size_t dropped_at_end = 0;           ///< once no kind is enabled
  CuptiLibrary library;                     ///< there, with all functions
  int flush_status = 0;                     ///< a CUptiResult
  int subscribe_status = 0;                 ///< a CUptiResult
  int attribute_status = 0;                 ///< a CUptiResult
  int subscribers = 0;
  std::int64_t clock_ahead_ns = 1'700'000'000'000'000'000;  ///< CUPTI's clock, of the steady one
  int enabled_kinds = 0;
  std::map<int, int> attributes;  ///< by their numbers
  std::map<int, int> attributes_at_registration;
  std::vector<std::int64_t> external_ids;  ///< pushed and not popped; of one thread
  std::vector<std::string>
      calls;  ///< "enable", "flush", "forced flush", "disable", runs of the same once

  static FakeCupti& instance();
};

}  // namespace dlbench::probes
