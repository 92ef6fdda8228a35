// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The words of a closed set of values, as options and reports have them: one table beside the type.
#pragma once

#include "engine/core/check.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace dlbench::core {

/// A value and its word. A table is an array of them that has every value once.
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
