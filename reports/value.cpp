// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/value.h"

#include <fmt/format.h>

#include <cmath>

namespace dlbench::reports {

std::optional<double> number_in(const ValueMap& values, const std::string& key) {
  if (const auto* whole = held<std::int64_t>(values, key); whole != nullptr) {
    return static_cast<double>(*whole);
  }
  const auto* number = held<double>(values, key);
  return number != nullptr && std::isfinite(*number) ? std::optional(*number) : std::nullopt;
}

std::string text_in(const ValueMap& values, const std::string& key) {
  const auto* text = held<std::string>(values, key);
  return text == nullptr ? std::string() : *text;
}

std::string text_of(const Value& value) {
  struct Printer {
    std::string operator()(std::monostate) const { return "none"; }
    std::string operator()(bool held) const { return held ? "true" : "false"; }
    std::string operator()(std::int64_t held) const { return std::to_string(held); }
    std::string operator()(double held) const { return fmt::format("{:g}", held); }
    std::string operator()(const std::string& held) const { return held; }
    std::string operator()(const ValueList& held) const {
      std::string text;
      for (const Value& item : held) {
        text += (text.empty() ? "" : ",") + text_of(item);
      }
      return text;
    }
    std::string operator()(const ValueMap& held) const {
      std::string text;
      for (const auto& [key, item] : held) {
        text += fmt::format("{}{}={}", text.empty() ? "" : ",", key, text_of(item));
      }
      return text;
    }
  };
  return std::visit(Printer{}, value.data);
}

}  // namespace dlbench::reports
