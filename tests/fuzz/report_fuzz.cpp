// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Any text: a report, or core::Error(kData). What reads as a report must survive being written, and
// the validator must take anything.
#include "engine/core/error.h"
#include "reports/json_reader.h"
#include "reports/json_writer.h"
#include "reports/validation/validate.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dlbench;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    (void)reports::validate_report(text, "fuzz.json");
    const reports::RunRecord record = reports::parse_report(text, "fuzz.json");
    (void)reports::parse_report(reports::to_json(record), "written.json");
  } catch (const core::Error& error) {
    if (error.code() != core::ErrorCode::kData) {
      std::abort();
    }
  }
  return 0;
}
