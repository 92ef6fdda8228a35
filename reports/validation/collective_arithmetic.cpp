// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks separately measured collectives: each against its own times, and all of them against the
// options.
#include "engine/core/dtype.h"
#include "engine/core/parse_number.h"
#include "engine/core/split_list.h"
#include "reports/bus_factor.h"
#include "reports/collective_sizes.h"
#include "reports/naming.h"
#include "reports/validation/arithmetic_internal.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace dlbench::reports {
namespace {

void check_collective(const Checker& check,
                      const CollectiveRecord& collective,
                      const ValueMap& effective) {
  const CollectiveTimeRecord& time = collective.time_s;
  check.at("time_s").expect(time.median <= time.p95 &&
                                time.min.value_or(time.median) <= time.median &&
                                time.p95 <= time.max.value_or(time.p95),
                            "min, median, p95, max do not ascend");
  if (time.mean.has_value()) {
    check.at("time_s.mean")
        .expect(time.min.value_or(*time.mean) <= *time.mean * (1.0 + kTolerance) &&
                    *time.mean * (1.0 - kTolerance) <= time.max.value_or(*time.mean),
                fmt::format("is {}, which is not between min and max", *time.mean));
  }
  if (const auto calls = number_in(effective, "iters"); calls.has_value()) {
    check.at("time_s.n")
        .expect(!time.n.has_value() || static_cast<double>(*time.n) == *calls,
                fmt::format("is {}, but --iters is {}", time.n.value_or(0), *calls));
  }
  const bool measurable = collective.ranks > 1 && time.median > 0.0;
  check.at("algbw_gb_per_s")
      .expect(collective.algbw_gb_per_s.has_value() == measurable,
              measurable ? "is missing" : "has a value, but nothing travelled");
  check.at("busbw_gb_per_s")
      .expect(collective.busbw_gb_per_s.has_value() == measurable,
              measurable ? "is missing" : "has a value, but nothing travelled");
  if (collective.algbw_gb_per_s.has_value() && time.median > 0.0) {
    check.at("algbw_gb_per_s")
        .expect_close(*collective.algbw_gb_per_s,
                      static_cast<double>(collective.bytes) / time.median / 1e9,
                      "bytes / time_s.median / 10^9");
  }
  if (collective.fit.has_value()) {
    check_link(check.at("fit"), *collective.fit);
  }
  const std::optional<double> factor = bus_factor(collective.op, collective.ranks);
  if (collective.busbw_gb_per_s.has_value() && collective.algbw_gb_per_s.has_value() &&
      factor.has_value()) {
    check.at("busbw_gb_per_s")
        .expect_close(*collective.busbw_gb_per_s,
                      *collective.algbw_gb_per_s * *factor,
                      "algbw_gb_per_s times the bus factor");
  }
}

/// Returns the sizes in elements that the options request; nothing: no or invalid options.
std::vector<std::size_t> asked_counts(const ValueMap& effective, std::size_t element_bytes) {
  constexpr double kLargest = 1e18;
  const SizeSweep sweep{.min_bytes = number_in(effective, "minbytes").value_or(0.0),
                        .max_bytes = number_in(effective, "maxbytes").value_or(0.0),
                        .step_factor = number_in(effective, "stepfactor").value_or(0.0)};
  const bool sensible = 1.0 <= sweep.min_bytes && sweep.min_bytes <= sweep.max_bytes &&
                        sweep.max_bytes <= kLargest && sweep.step_factor >= 1.1;
  return sensible && element_bytes > 0 ? element_counts(sweep, element_bytes)
                                       : std::vector<std::size_t>();
}

constexpr std::int64_t kMaxRanks = 1'000'000;  // of more no product of a size overflows

/// Returns 0 if no type of that name can be reduced.
std::size_t bytes_of(std::string_view dtype) {
  using core::DType;
  for (const DType known :
       {DType::kF32, DType::kF64, DType::kF16, DType::kBF16, DType::kI32, DType::kI64}) {
    if (core::name(known) == dtype) {
      return core::size_of(known);
    }
  }
  return 0;
}

/// Returns the numbers of ranks that option `ranks` requests, and those that were measured.
std::set<std::int64_t> ranks_of(const RunRecord& record) {
  std::set<std::int64_t> ranks;
  const auto add = [&ranks](std::int64_t number) {
    if (1 <= number && number <= kMaxRanks) {
      ranks.insert(number);
    }
  };
  for (const std::string& text : core::split_list(text_in(record.config.effective, "ranks"))) {
    add(core::parse_number<std::int64_t>(text).value_or(0));
  }
  for (const CollectiveRecord& collective : record.collectives) {
    add(collective.ranks);
  }
  return ranks;
}

/// Checks that a complete run of `comm` has each requested collective over each number of ranks at
/// each size.
void check_asked_for(const Checker& check, const RunRecord& record) {
  const ValueMap& effective = record.config.effective;
  std::map<std::pair<std::string, std::int64_t>, std::set<std::int64_t>> measured;  // bytes
  for (const CollectiveRecord& collective : record.collectives) {
    measured[{collective.op, collective.ranks}].insert(collective.bytes);
  }
  const std::size_t element_bytes = bytes_of(text_in(effective, "dtype"));
  const std::vector<std::size_t> counts = asked_counts(effective, element_bytes);
  for (const std::string& op : core::split_list(text_in(effective, "collectives"))) {
    for (const std::int64_t ranks : ranks_of(record)) {
      const std::set<std::int64_t>& sizes = measured[{op, ranks}];
      std::set<std::int64_t> asked;
      for (const std::size_t count : counts_of(op, counts, ranks)) {
        asked.insert(static_cast<std::int64_t>(count * element_bytes));
      }
      check.expect(!sizes.empty(),
                   fmt::format("has no {} over {}, which the option collectives asks for",
                               op,
                               count_text(ranks, "rank")));
      check.expect(sizes.empty() || asked.empty() || sizes == asked,
                   fmt::format("of {} over {} are not the sizes that minbytes, maxbytes and "
                               "stepfactor ask for: {} of {}",
                               op,
                               count_text(ranks, "rank"),
                               sizes.size(),
                               asked.size()));
    }
  }
}

}  // namespace

void check_collectives(const Checker& root, const RunRecord& record) {
  const ValueMap& effective = record.config.effective;
  const std::string asked_dtype = text_in(effective, "dtype");
  std::set<std::tuple<std::string, std::int64_t, std::int64_t, std::string, std::string, bool>> all;
  for (std::size_t index = 0; index < record.collectives.size(); ++index) {
    const CollectiveRecord& each = record.collectives[index];
    const Checker check = root.at("collectives", index);
    check_collective(check, each, effective);
    check.expect(
        all.insert({each.op, each.bytes, each.ranks, each.dtype, each.transport, each.in_place})
            .second,
        "is there twice: same op, bytes, ranks, dtype, transport and place");
    check.at("dtype").expect(
        each.dtype.empty() || asked_dtype.empty() || each.dtype == asked_dtype,
        fmt::format("is {}, but the option dtype is {}", each.dtype, asked_dtype));
  }
  if (record.run.status == RunStatus::kComplete) {
    check_asked_for(root.at("collectives"), record);
  }
}

}  // namespace dlbench::reports
