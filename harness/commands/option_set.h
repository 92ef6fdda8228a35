// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The options of a command as data: name, help, how to read a value, how to show it, where it came
// from. Command line, config file, --help and the report's `config` all work on this.
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
  /// Takes what messages call the option, and the text; throws core::Error(kUsage).
  std::function<void(const std::string& what, const std::string& text)> set;
  std::function<reports::Value()> value;  ///< what is in force now
  OptionSource source = OptionSource::kDefault;

  /// As it is written on the command line: "--batch-size", or a positional argument's bare name.
  [[nodiscard]] std::string shown() const { return positional ? name : "--" + name; }
};

/// Bounds of a whole number, both included.
struct CountLimits {
  std::int64_t min = 0;
  std::int64_t max = std::int64_t{1} << 40;
};

/// An ordered set of options bound to variables that outlive it.
class OptionSet {
 public:
  void add_text(std::string name, std::string value_name, std::string help, std::string& target);
  /// One text or more, appended to `target` in the order given.
  void add_texts(std::string name,
                 std::string value_name,
                 std::string help,
                 std::vector<std::string>& target);
  void add_flag(std::string name, std::string help, bool& target);
  /// One of `choices`; an unknown value gets the nearest one.
  void add_choice(std::string name,
                  std::string help,
                  std::string& target,
                  std::vector<std::string> choices);
  /// One of the values that `names` has words for; an unknown word gets the nearest one.
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
  /// A whole number; accepts the suffixes K, M and G (powers of 10^3).
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
  /// Bytes; accepts the suffixes K, M, G and T (powers of 2^10).
  void add_bytes(std::string name, std::string help, std::int64_t& target, CountLimits limits);
  void add_bytes(std::string name,
                 std::string help,
                 std::optional<std::int64_t>& target,
                 CountLimits limits);
  /// Seconds > 0; accepts the suffixes ms, s, min and h.
  void add_seconds(std::string name,
                   std::string value_name,
                   std::string help,
                   std::optional<double>& target);
  /// A number with bounds, both included.
  void add_number(std::string name,
                  std::string value_name,
                  std::string help,
                  double& target,
                  double min,
                  double max);
  /// Anything else.
  void add(OptionSpec spec);
  /// Gives the option added last a short form: "b" for -b.
  void letter(std::string letter);
  /// Makes the option added last positional (and required if so).
  void positional(bool required);
  /// Of these two options one alone may be given.
  void exclude(std::string one, std::string other);

  /// Reads a value, which is not empty. Throws core::Error(kUsage), the option named; an unknown
  /// name gets the nearest.
  void set(std::string_view name, const std::string& text, OptionSource source);

  /// After all set(): throws core::Error(kUsage) where two options exclude each other, and says
  /// which of them came from the config file.
  void check_exclusions() const;

  [[nodiscard]] const std::vector<OptionSpec>& specs() const { return specs_; }
  [[nodiscard]] bool contains(std::string_view name) const;
  [[nodiscard]] bool is_default(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> names() const;

  /// A message about the values of options ("--link '-1': ..."), which says of those that the
  /// config file set that it did.
  [[nodiscard]] std::string with_origin(std::string message) const;
  /// Every option but --config with its value, and where it came from: the report's config.
  [[nodiscard]] reports::ValueMap effective() const;
  [[nodiscard]] std::map<std::string, std::string> sources() const;

 private:
  void add_choice(std::string name,
                  std::string help,
                  std::vector<std::string> choices,
                  const std::function<void(std::size_t choice)>& choose,
                  const std::function<std::string()>& chosen);
  /// nullptr: there is none of this name.
  [[nodiscard]] const OptionSpec* find(std::string_view name) const;
  [[nodiscard]] OptionSource source_of(std::string_view name) const;

  std::vector<OptionSpec> specs_;
  std::vector<std::pair<std::string, std::string>> exclusions_;
};

/// "64", "10K": whole number with an optional suffix. Throws core::Error(kUsage) naming `what`.
[[nodiscard]] std::int64_t parse_count(std::string_view what,
                                       const std::string& text,
                                       CountLimits limits);
/// "8", "1K", "64M", "2G", "1T": bytes, with a suffix for 2^10, 2^20, 2^30, 2^40 as nccl-tests and
/// schedulers read them. Throws core::Error(kUsage) naming `what`.
[[nodiscard]] std::int64_t parse_bytes(std::string_view what,
                                       const std::string& text,
                                       CountLimits limits);
/// "2", "1.5s", "300ms", "2min", "1h": seconds > 0.
[[nodiscard]] double parse_seconds(std::string_view what, const std::string& text);

/// The option that a key of a config file means: "batch_size" is "batch-size" too.
[[nodiscard]] std::string option_name(std::string_view key);

/// Reads {"batch-size": 4, ...} (dashes or underscores) into the options not set on the command
/// line; null sets nothing. Throws core::Error(kUsage): for a file that cannot be read, is a pipe
/// or device other than an open descriptor, or is no JSON (with the line), for a key or value that
/// is wrong, both named, and for an option set twice; core::Error(kTimeout) for one that has not
/// ended after `timeout_s`. Values that the command line overrides are checked if the file is read
/// first.
void read_config_file(const std::string& path,
                      OptionSet& options,
                      std::optional<double> timeout_s = std::nullopt);

}  // namespace dlbench::harness
