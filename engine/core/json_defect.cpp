// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/json_defect.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <set>
#include <utility>
#include <vector>

namespace dlbench::core {
namespace {

using nlohmann::json;

/// Keeps the keys of all open objects; each callback returns whether to continue parsing.
class DefectFinder final : public json::json_sax_t {
 public:
  explicit DefectFinder(int max_depth) : max_depth_(static_cast<std::size_t>(max_depth)) {}

  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(number_integer_t /*value*/) override { return true; }
  bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
  bool string(string_t& /*value*/) override { return true; }
  bool binary(binary_t& /*value*/) override { return true; }
  bool start_object(std::size_t /*elements*/) override { return open(); }
  bool key(string_t& name) override {
    if (keys_.back().insert(name).second) {
      return true;
    }
    found_ = JsonDefect{.twice_key = std::move(name)};
    return false;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t /*elements*/) override { return open(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t /*position*/,
                   const std::string& /*token*/,
                   const json::exception& /*error*/) override {
    return false;
  }

  [[nodiscard]] std::optional<JsonDefect> take() { return std::move(found_); }

 private:
  bool open() {
    if (keys_.size() == max_depth_) {
      found_ = JsonDefect{.too_deep = true};
      return false;
    }
    keys_.emplace_back();
    return true;
  }
  bool close() {
    keys_.pop_back();
    return true;
  }

  std::size_t max_depth_;
  std::vector<std::set<std::string>> keys_;  // by depth
  std::optional<JsonDefect> found_;
};

}  // namespace

std::optional<JsonDefect> json_defect(std::string_view text, int max_depth) {
  DefectFinder finder(max_depth);
  static_cast<void>(json::sax_parse(text.begin(), text.end(), &finder));
  return finder.take();
}

}  // namespace dlbench::core
