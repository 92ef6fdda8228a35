// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The options of a command as data: name, help, parser, printer, and the source of the value. Used
// by the command line, the config file, --help and the report's `config`.
#pragma once

#include "engine/core/named.h"
#include "reports/value.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dlbench::harness {

/// Where the value of an option came from. The command line wins over the file.
enum class OptionSource : std::uint8_t { kDefault, kFile, kCommandLine };

[[nodiscard]] std::string_view name(OptionSource source);

/// One option or positional argument.
struct OptionSpec {
  std::string name;        ///< without dashes: "batch-size"
  std::string letter;      ///< a short form, "b" for -b; empty: none
  std::string value_name;  ///< "N" in --help; empty for a flag
  std::string help;
  bool is_flag = false;
  bool positional = false;
  bool required = false;
  bool repeated = false;  ///< takes one text or more; set() is called for each
  /// Takes the option's name for messages, and the text; throws core::Error(kUsage).
  std::function<void(const std::string& what, const std::string& text)> set;
  std::function<reports::Value()> value;  ///< the current value
  OptionSource source = OptionSource::kDefault;

  /// The name as on the command line: "--batch-size", or a positional argument's bare name.
  [[nodiscard]] std::string shown() const { return positional ? name : "--" + name; }
};

/// Inclusive bounds of a whole number.
struct CountLimits {
  std::int64_t min = 0;
  std::int64_t max = std::int64_t{1} << 40;
};

/// An ordered set of options bound to variables that outlive it.
class OptionSet {
 public:
  void add_text(std::string name, std::string value_name, std::string help, std::string& target);
  /// Adds an option of one or more texts, appended to `target` in the order given.
  void add_texts(std::string name,
                 std::string value_name,
                 std::string help,
                 std::vector<std::string>& target);
  void add_flag(std::string name, std::string help, bool& target);
  /// Adds a choice; the error for an unknown value suggests the nearest one.
  void add_choice(std::string name,
                  std::string help,
                  std::string& target,
                  std::vector<std::string> choices);
  /// Adds a choice by the words in `names`; an error for an unknown word suggests the nearest one.
  template <typename Value, std::size_t kCount>
  void add_choice(std::string name,
                  std::string help,
                  Value& target,
                  const std::array<core::Named<Value>, kCount>& names) {
    std::vector<std::string> choices;
    choices.reserve(kCount);
    for (const core::Named<Value>& each : names) {
      choices.emplace_back(each.name);
    }
    add_choice(
        std::move(name),
        std::move(help),
        std::move(choices),
        [&target, names](std::size_t choice) { target = names[choice].value; },
        [&target, names] { return std::string(core::name_in(names, target)); });
  }
  /// Adds a whole number; accepts the suffixes K, M and G (powers of 10^3).
  void add_count(std::string name,
                 std::string value_name,
                 std::string help,
                 std::int64_t& target,
                 CountLimits limits);
  void add_count(std::string name,
                 std::string value_name,
                 std::string help,
                 std::optional<std::int64_t>& target,
                 CountLimits limits);
  /// Adds a number of bytes; accepts the suffixes K, M, G and T (powers of 2^10).
  void add_bytes(std::string name, std::string help, std::int64_t& target, CountLimits limits);
  void add_bytes(std::string name,
                 std::string help,
                 std::optional<std::int64_t>& target,
                 CountLimits limits);
  /// Adds a number of seconds > 0; accepts the suffixes ms, s, min and h.
  void add_seconds(std::string name,
                   std::string value_name,
                   std::string help,
                   std::optional<double>& target);
  /// Adds a number with inclusive bounds.
  void add_number(std::string name,
                  std::string value_name,
                  std::string help,
                  double& target,
                  double min,
                  double max);
  /// Adds any other option.
  void add(OptionSpec spec);
  /// Gives the option added last a short form: "b" for -b.
  void letter(std::string letter);
  /// Makes the option added last positional, and required if `required`.
  void positional(bool required);
  /// Makes two options mutually exclusive.
  void exclude(std::string one, std::string other);

  /// Reads a value from a non-empty text. Throws core::Error(kUsage) naming the option; for an
  /// unknown name, suggests the nearest.
  void set(std::string_view name, const std::string& text, OptionSource source);

  /// Call after all set(): throws core::Error(kUsage) if two options exclude each other, and says
  /// which of them came from the config file.
  void check_exclusions() const;

  [[nodiscard]] const std::vector<OptionSpec>& specs() const { return specs_; }
  [[nodiscard]] bool contains(std::string_view name) const;
  [[nodiscard]] bool is_default(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> names() const;

  /// Completes a message about option values ("--link '-1': ..."): says which of them the config
  /// file set.
  [[nodiscard]] std::string with_origin(std::string message) const;
  /// Returns every option but --config with its value, sources() with its origin: report's config.
  [[nodiscard]] reports::ValueMap effective() const;
  [[nodiscard]] std::map<std::string, std::string> sources() const;

 private:
  void add_choice(std::string name,
                  std::string help,
                  std::vector<std::string> choices,
                  const std::function<void(std::size_t choice)>& choose,
                  const std::function<std::string()>& chosen);
  /// Returns the option of this name, or nullptr.
  [[nodiscard]] const OptionSpec* find(std::string_view name) const;
  [[nodiscard]] OptionSource source_of(std::string_view name) const;

  std::vector<OptionSpec> specs_;
  std::vector<std::pair<std::string, std::string>> exclusions_;
};

/// Parses a whole number such as "64" or "10K". Throws core::Error(kUsage) naming `what`.
[[nodiscard]] std::int64_t parse_count(std::string_view what,
                                       const std::string& text,
                                       CountLimits limits);
/// Parses bytes: "8", "1K", "64M", "2G", "1T", with suffixes for 2^10, 2^20, 2^30, 2^40 as in
/// nccl-tests and schedulers. Throws core::Error(kUsage) naming `what`.
[[nodiscard]] std::int64_t parse_bytes(std::string_view what,
                                       const std::string& text,
                                       CountLimits limits);
/// Parses seconds > 0: "2", "1.5s", "300ms", "2min", "1h".
[[nodiscard]] double parse_seconds(std::string_view what, const std::string& text);

/// Returns the option that a config file's key means: both "batch_size" and "batch-size" name it.
[[nodiscard]] std::string option_name(std::string_view key);

/// Reads {"batch-size": 4, ...} (dashes or underscores) into the options not set on the command
/// line; null sets nothing. Throws core::Error(kUsage): for a file that cannot be read, is a pipe
/// or device other than an open descriptor, or is not JSON (with the line), for an invalid key or
/// value (both named), and for an option set twice; core::Error(kTimeout) for a file that has not
/// ended after `timeout_s`. If the file is read before the command line, overridden values are
/// checked too.
void read_config_file(const std::string& path,
                      OptionSet& options,
                      std::optional<double> timeout_s = std::nullopt);

}  // namespace dlbench::harness
