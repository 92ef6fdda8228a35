// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The sample report, falsified in one place, and what validation says of it.
#pragma once

#include "reports/validation/validate.h"
#include "tests/reports/sample_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace dlbench::reports {

struct Forgery {
  std::function<void(RunRecord&)> change;
  const char* problem;  ///< part of one of the lines
};

inline std::vector<std::string> problems_of(const RunRecord& record) {
  std::vector<std::string> lines;
  for (const Problem& problem : check_arithmetic(record)) {
    lines.push_back(to_line(problem));
  }
  return lines;
}

inline std::vector<std::string> problems_after(const std::function<void(RunRecord&)>& change) {
  RunRecord record = sample_record();
  change(record);
  return problems_of(record);
}

inline void expect_seen(const std::vector<Forgery>& forgeries) {
  for (const Forgery& forgery : forgeries) {
    EXPECT_THAT(problems_after(forgery.change),
                ::testing::Contains(::testing::HasSubstr(forgery.problem)));
  }
}

}  // namespace dlbench::reports
