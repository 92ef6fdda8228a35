// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/faults/injected_fault.h"

#include "engine/core/error.h"
#include "engine/core/parse_number.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>
#include <thread>

namespace dlbench::harness {
namespace {

struct Injection {
  std::string kind;  ///< empty: none
  int rank = 0;
  std::int64_t step = 0;  ///< in which it begins
  std::string file;  ///< if not empty: begins in the step that finds this file; `step` is unused
};

[[noreturn]] void refuse(const std::string& text, const std::string& wanted) {
  throw core::Error(core::ErrorCode::kUsage,
                    "DLBENCH_TEST_FAULT is '" + text + "', wanted " + wanted);
}

Injection read_injection() {
  const char* variable = std::getenv("DLBENCH_TEST_FAULT");
  if (variable == nullptr) {
    return {};
  }
  const std::string text = variable;
  std::array<char, 8> kind{};
  Injection injection;
  int when = 0;
  if (std::sscanf(text.c_str(), "%7[a-z]@%d:%n", kind.data(), &injection.rank, &when) != 2 ||
      when == 0) {
    refuse(text, "KIND@RANK:STEP or KIND@RANK:/FILE");
  }
  injection.kind = kind.data();
  if (injection.kind != "hang" && injection.kind != "slow" && injection.kind != "nan") {
    refuse(text, "hang, slow or nan before the @");
  }
  const std::string_view beginning = std::string_view(text).substr(static_cast<std::size_t>(when));
  const auto step = core::parse_number<decltype(injection.step)>(beginning);
  if (beginning.starts_with('/')) {
    injection.file = beginning;
  } else if (step.has_value()) {
    injection.step = *step;
  } else {
    refuse(text, "a step or the absolute path of a file behind the colon");
  }
  return injection;
}

/// Returns whether the fault begins with step `step` of this process.
bool begins(const Injection& injection, std::int64_t step) {
  return injection.file.empty() ? step >= injection.step : std::filesystem::exists(injection.file);
}

}  // namespace

bool inject_fault(int rank) {
  static const Injection injection = read_injection();
  if (injection.kind.empty() || rank != injection.rank) [[likely]] {
    return false;
  }
  static std::int64_t steps = 0;
  static bool begun = false;
  const bool begins_now = !begun && begins(injection, steps++);
  begun = begun || begins_now;
  if (begun && injection.kind == "slow") {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  while (begun && injection.kind == "hang") {
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  return begins_now && injection.kind == "nan";
}

void poison_parameters(exec::ModelState& state) {
  exec::TensorMap parameters = state.export_tensors({graph::Storage::kParameter});
  for (auto& [name, tensor] : parameters) {
    std::ranges::fill(tensor.as<float>(), std::numeric_limits<float>::quiet_NaN());
  }
  state.import_tensors(parameters, {graph::Storage::kParameter});
}

}  // namespace dlbench::harness
