// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/faults/injected_fault.h"

#include "engine/core/error.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <thread>

namespace dlbench::harness {
namespace {

struct Injection {
  std::string kind;  ///< empty: none
  int rank = 0;
  std::int64_t step = 0;
};

Injection read_injection() {
  const char* text = std::getenv("DLBENCH_TEST_FAULT");
  if (text == nullptr) {
    return {};
  }
  std::array<char, 8> kind{};
  Injection injection;
  long long step = 0;
  if (std::sscanf(text, "%7[a-z]@%d:%lld", kind.data(), &injection.rank, &step) != 3) {
    throw core::Error(core::ErrorCode::kUsage,
                      std::string("DLBENCH_TEST_FAULT is '") + text + "', wanted KIND@RANK:STEP");
  }
  injection.kind = kind.data();
  injection.step = step;
  if (injection.kind != "hang" && injection.kind != "slow" && injection.kind != "nan") {
    throw core::Error(core::ErrorCode::kUsage,
                      "DLBENCH_TEST_FAULT knows hang, slow and nan, not '" + injection.kind + "'");
  }
  return injection;
}

}  // namespace

bool inject_fault(int rank) {
  static const Injection injection = read_injection();
  if (injection.kind.empty()) [[likely]] {
    return false;
  }
  static std::int64_t steps = 0;
  const std::int64_t step = steps++;
  if (rank != injection.rank || step < injection.step) {
    return false;
  }
  if (injection.kind == "slow") {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  while (injection.kind == "hang") {
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  return injection.kind == "nan" && step == injection.step;
}

void poison_parameters(exec::ModelState& state) {
  exec::TensorMap parameters = state.export_tensors({graph::Storage::kParameter});
  for (auto& [name, tensor] : parameters) {
    std::ranges::fill(tensor.as<float>(), std::numeric_limits<float>::quiet_NaN());
  }
  state.import_tensors(parameters, true);
}

}  // namespace dlbench::harness
