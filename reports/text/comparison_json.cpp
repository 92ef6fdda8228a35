// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// comparison_json of compare.h: what comparison_text says, for programs.
#include "reports/text/compare.h"

#include <nlohmann/json.hpp>

namespace dlbench::reports {
namespace {

using Json = nlohmann::ordered_json;

template <typename Number>
Json or_null(const std::optional<Number>& value) {
  return value.has_value() ? Json(*value) : Json(nullptr);
}

/// Adds the members that trials and collectives share.
void add_decision(const RateComparison& compared, Json& json) {
  json["ratio"] = compared.ratio;
  json["ci95"] = or_null(compared.ci95);
  json["baseline_n"] = compared.baseline_n;
  json["candidate_n"] = compared.candidate_n;
  json["change"] = std::string(word(compared.change));
  json["doubt"] = compared.doubt.empty() ? Json(nullptr) : Json(compared.doubt);
  json["needed_n"] = or_null(compared.needed_n);
}

Json json_of(const ArmComparison& arm) {
  Json json = {{"trial", arm.arm},
               {"baseline_samples_per_second", arm.baseline},
               {"candidate_samples_per_second", arm.candidate}};
  add_decision(arm, json);
  return json;
}

Json json_of(const CollectiveComparison& collective) {
  Json json = {{"collective", collective.collective},
               {"baseline_s", collective.baseline_s},
               {"candidate_s", collective.candidate_s}};
  add_decision(collective, json);
  return json;
}

Json json_of(const Difference& difference) {
  return {{"what", difference.what},
          {"baseline", difference.baseline},
          {"candidate", difference.candidate}};
}

template <typename Item>
Json list_of(const std::vector<Item>& items) {
  Json list = Json::array();
  for (const Item& item : items) {
    list.push_back(json_of(item));
  }
  return list;
}

}  // namespace

std::string comparison_json(const Comparison& comparison) {
  const Json json = {
      {"schema", "dlbench.comparison"},
      {"schema_version", 1},
      {"unit", comparison.unit == CompareUnit::kStart ? "start" : "repetition"},
      {"fails", comparison.fails()},
      {"any_unsure", comparison.any(Change::kUnsure)},
      {"trials", list_of(comparison.arms)},
      {"collectives", list_of(comparison.collectives)},
      {"only_in_one", comparison.only_in_one},
      {"missing", comparison.missing},
      {"wrong", comparison.wrong},
      {"incomplete", comparison.incomplete.empty() ? Json(nullptr) : Json(comparison.incomplete)},
      {"differences", list_of(comparison.differences)}};
  // What is no UTF-8 in a report's texts becomes U+FFFD.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace dlbench::reports
