// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// A library in place of CUDA's driver, with what the probes ask of it.
#pragma once

#include <functional>

namespace dlbench::probes {

struct FakeDriver {
  bool has_context = false;
  bool shared_by_mps = false;
  int capability_major = 9;
  std::function<void()> synchronized;  ///< called when the context was waited for

  static FakeDriver& instance();
};

}  // namespace dlbench::probes
