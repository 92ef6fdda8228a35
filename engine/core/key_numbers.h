// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Option values that are lists of named numbers: "latency_ms=5,mib_per_s=100".
#pragma once

#include "engine/core/error.h"

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace dlbench::core {

/// What such an option accepts.
struct KeyNumbersSyntax {
  std::string_view option;                 ///< "--storage", for messages
  std::string_view wanted;                 ///< "latency_ms=NUMBER,mib_per_s=NUMBER", for messages
  std::span<const std::string_view> keys;  ///< all known keys
  std::span<const std::string_view> from_zero = {};  ///< those whose number may be 0

  /// Makes an Error(kUsage) naming the option, the text seen, why it is refused and what is wanted.
  [[nodiscard]] Error error(std::string_view text, std::string_view reason) const;
};

class KeyNumbers {
 public:
  [[nodiscard]] bool contains(std::string_view key) const { return numbers_.contains(key); }
  [[nodiscard]] double value_or(std::string_view key, double otherwise) const;

  /// Adds a number. Returns false if the key already has one, which it then keeps.
  bool add(std::string_view key, double number);

 private:
  std::map<std::string, double, std::less<>> numbers_;
};

/// Parses `text`: at least one number, each in (0, 1e9], or 0 if the syntax allows it for that key.
/// Throws syntax.error() for an unknown or repeated key, a missing number or an empty item.
[[nodiscard]] KeyNumbers parse_key_numbers(std::string_view text, const KeyNumbersSyntax& syntax);

}  // namespace dlbench::core
