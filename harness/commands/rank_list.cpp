// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/rank_list.h"

#include "engine/core/error.h"
#include "engine/core/parse_number.h"
#include "engine/core/split_list.h"

#include <algorithm>
#include <string>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;

int parse_ranks(const std::string& text, int available) {
  const int ranks = core::parse_number<int>(text).value_or(0);
  if (ranks < 1) {
    throw Error(ErrorCode::kUsage,
                "--ranks: '" + text + "' is no number of ranks; wanted a list like 1,2,4");
  }
  if (ranks > available) {
    throw Error(ErrorCode::kUsage,
                "--ranks: " + text + " ranks asked for, this launch has " +
                    std::to_string(available) + "; start it with more (mpirun -np " + text +
                    "; in a job --nodes or --ranks-per-node)");
  }
  return ranks;
}

}  // namespace

std::vector<int> parse_rank_list(std::string_view text, int available) {
  std::vector<int> ranks;
  for (const std::string& part : core::split_list(text)) {
    ranks.push_back(parse_ranks(part, available));
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

}  // namespace dlbench::harness
