// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/key_numbers.h"

#include "engine/core/parse_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace dlbench::core {
namespace {

constexpr double kLargest = 1e9;

std::optional<double> number_in_range(std::string_view digits, bool from_zero) {
  const std::optional<double> number = parse_number<double>(digits);
  // Written so that NaN and a missing number fail.
  const double value = number.value_or(-1.0);
  return (from_zero ? value >= 0.0 : value > 0.0) && value <= kLargest ? number : std::nullopt;
}

}  // namespace

Error KeyNumbersSyntax::error(std::string_view text, std::string_view reason) const {
  return {ErrorCode::kUsage, fmt::format("{} '{}': {}; wanted {}", option, text, reason, wanted)};
}

double KeyNumbers::value_or(std::string_view key, double otherwise) const {
  const auto found = numbers_.find(key);
  return found == numbers_.end() ? otherwise : found->second;
}

bool KeyNumbers::add(std::string_view key, double number) {
  return numbers_.emplace(key, number).second;
}

KeyNumbers parse_key_numbers(std::string_view text, const KeyNumbersSyntax& syntax) {
  KeyNumbers numbers;
  std::string_view rest = text;
  do {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
    const std::size_t equals = item.find('=');
    const std::string_view key = item.substr(0, equals);
    if (equals == std::string_view::npos ||
        std::ranges::find(syntax.keys, key) == syntax.keys.end()) {
      throw syntax.error(text, fmt::format("unknown item '{}'", item));
    }
    if (numbers.contains(key)) {
      throw syntax.error(text, fmt::format("'{}' is given twice", key));
    }
    const bool from_zero = std::ranges::find(syntax.from_zero, key) != syntax.from_zero.end();
    const std::optional<double> number = number_in_range(item.substr(equals + 1), from_zero);
    if (!number.has_value()) {
      throw syntax.error(
          text, fmt::format("'{}' is not a number in {}0, 1e9]", item, from_zero ? '[' : '('));
    }
    numbers.add(key, *number);
    if (comma != std::string_view::npos && rest.empty()) {
      throw syntax.error(text, "ends with a comma");
    }
  } while (!rest.empty());
  return numbers;
}

}  // namespace dlbench::core
