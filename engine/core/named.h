// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The names of an enumeration's values in options and reports: one table next to each type.
#pragma once

#include "engine/core/check.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace dlbench::core {

/// A value and its name. A table is an array of these that contains every value once.
template <typename Value>
struct Named {
  Value value;
  std::string_view name;
};

template <typename Value, std::size_t kCount>
[[nodiscard]] std::string_view name_in(const std::array<Named<Value>, kCount>& table,
                                       const Value& value) {
  const auto found = std::ranges::find(table, value, &Named<Value>::value);
  DLBENCH_CHECK(found != table.end()) << "a value without a name";
  return found->name;
}

}  // namespace dlbench::core
