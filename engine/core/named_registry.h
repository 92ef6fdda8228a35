// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Registries of things that add themselves to the program by name: workloads, sweeps, data sets,
// probes, launchers. A registry is the one kind of mutable global: filled before main() and by
// plug-ins when they are loaded, read-only afterwards.
#pragma once

#include "engine/core/check.h"
#include "engine/core/error.h"
#include "engine/core/nearest_name.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dlbench::core {

/// Items by name. Not thread safe: no thread may read while another one adds.
template <typename Item>
class NamedRegistry {
 public:
  /// `kind` is what messages call one item: "probe". The text must outlive the registry.
  explicit NamedRegistry(std::string_view kind) : kind_(kind) {}

  /// Adds an item. A second one of the same name is a programmer error (CheckFailure).
  void add(const std::string& name, Item item) {
    const bool added = items_.emplace(name, std::move(item)).second;
    DLBENCH_CHECK(added) << "two " << kind_ << "s are called '" << name << "'";
  }

  /// All names, sorted.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    names.reserve(items_.size());
    for (const auto& [name, item] : items_) {
      names.push_back(name);
    }
    return names;
  }

  /// The item of this name. Throws Error(kUsage) for an unknown name, suggesting the nearest one.
  [[nodiscard]] const Item& find(std::string_view name) const {
    const auto found = items_.find(name);
    if (found == items_.end()) {
      throw Error(ErrorCode::kUsage, unknown_name_message(kind_, name, names()));
    }
    return found->second;
  }

 private:
  std::string_view kind_;
  std::map<std::string, Item, std::less<>> items_;
};

}  // namespace dlbench::core
