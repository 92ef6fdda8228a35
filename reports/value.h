// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Free-form values of a report: workload parameters, option values, probe values. Anything with a
// fixed place in the report is a plain member of record.h instead.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace dlbench::reports {

struct Value;
using ValueList = std::vector<Value>;
/// Sorted by key, so that equal records give equal files.
using ValueMap = std::map<std::string, Value>;

/// One free-form value: null, boolean, integer, number, text, list or map. Converts implicitly from
/// each of them, so that `values["batch_size"] = 4` works.
struct Value {
  using Variant =
      std::variant<std::monostate, bool, std::int64_t, double, std::string, ValueList, ValueMap>;

  // NOLINTBEGIN(google-explicit-constructor): a value is what is put into it.
  Value() = default;
  Value(bool value) : data(value) {}
  Value(int value) : data(std::int64_t{value}) {}
  Value(std::int64_t value) : data(value) {}
  Value(double value) : data(value) {}
  Value(const char* value) : data(std::string(value)) {}
  Value(std::string value) : data(std::move(value)) {}
  Value(ValueList value) : data(std::move(value)) {}
  Value(ValueMap value) : data(std::move(value)) {}
  template <typename T>
  Value(const std::optional<T>& value) {
    if (value.has_value()) {
      *this = Value(*value);
    }
  }
  // NOLINTEND(google-explicit-constructor)

  friend bool operator==(const Value& left, const Value& right) { return left.data == right.data; }

  Variant data;
};

/// Returns the value under `key`; null if there is none, or one of another type.
template <typename T>
[[nodiscard]] const T* held(const ValueMap& values, const std::string& key) {
  const auto found = values.find(key);
  return found == values.end() ? nullptr : std::get_if<T>(&found->second.data);
}

/// Returns the number or integer under `key`; nothing if there is none, or it is not finite.
[[nodiscard]] std::optional<double> number_in(const ValueMap& values, const std::string& key);

/// Returns the text under `key`; empty if there is none.
[[nodiscard]] std::string text_in(const ValueMap& values, const std::string& key);

/// Formats a value for people, on one line: "none", "true", "64", "0.5", "io,full", "a=1,b=2".
[[nodiscard]] std::string text_of(const Value& value);

/// A number that may be missing, and why. The report has "<key>" (null if missing) followed by
/// "<key>_reason". In a complete record exactly one of them is set.
template <typename T>
struct Measured {
  std::optional<T> value;
  std::string reason;

  Measured() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a measured number is that number.
  Measured(T measured) : value(measured) {}
  /// Returns a value that was not measured because of `reason`.
  // NOLINTNEXTLINE(performance-unnecessary-value-param): moved from, which it does not see here.
  [[nodiscard]] static Measured missing(std::string reason) {
    Measured result;
    result.reason = std::move(reason);
    return result;
  }
  friend bool operator==(const Measured& left, const Measured& right) {
    return left.value == right.value && left.reason == right.reason;
  }
};

}  // namespace dlbench::reports
