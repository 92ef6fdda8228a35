// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/option_set.h"

#include "engine/core/check.h"
#include "engine/core/error.h"
#include "engine/core/nearest_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace dlbench::harness {
namespace {

constexpr std::string_view kPercent = "PCT";
/// The option that names a config file. The report has all options separately; written to a file
/// they repeat the run, and config files do not include others.
constexpr std::string_view kConfigOption = "config";
constexpr std::string_view kFromFile = " (from the config file)";

using core::Error;
using core::ErrorCode;

[[noreturn]] void refuse(std::string_view what,
                         const std::string& text,
                         const std::string& wanted) {
  throw Error(ErrorCode::kUsage, std::string(what) + ": '" + text + "' is not " + wanted);
}

// Returns the number at the start of `text`; puts the rest into `suffix`.
std::optional<double> leading_number(const std::string& text, std::string& suffix) {
  double number = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number)) {
    return std::nullopt;
  }
  suffix.assign(end, text.data() + text.size());
  return number;
}

bool parse_flag(const std::string& what, const std::string& text) {
  if (text == "true" || text == "on" || text == "1") {
    return true;
  }
  if (text == "false" || text == "off" || text == "0") {
    return false;
  }
  refuse(what, text, "true or false");
}

// A whole number that may lack a value until it is set.
// NOLINTBEGIN(performance-unnecessary-value-param): moved from, which it does not see in a
// template.
template <typename Target>
OptionSpec count_option(std::string name,
                        std::string value_name,
                        std::string help,
                        Target& target,
                        CountLimits limits) {
  return {.name = std::move(name),
          .value_name = std::move(value_name),
          .help = std::move(help),
          .set = [&target, limits](
                     const std::string& what,
                     const std::string& text) { target = parse_count(what, text, limits); },
          .value = [&target] { return reports::Value(target); }};
}

// The same for bytes.
template <typename Target>
OptionSpec bytes_option(std::string name, std::string help, Target& target, CountLimits limits) {
  return {.name = std::move(name),
          .value_name = "BYTES",
          .help = std::move(help),
          .set = [&target, limits](
                     const std::string& what,
                     const std::string& text) { target = parse_bytes(what, text, limits); },
          .value = [&target] { return reports::Value(target); }};
}
// NOLINTEND(performance-unnecessary-value-param)

constexpr std::string_view kByteSuffixes = "KMGT";  // 2^10, 2^20, ...

// 64M rather than 67108864.
std::string suffixed_bytes(std::int64_t bytes) {
  std::size_t power = 0;
  while (power < kByteSuffixes.size() && bytes % 1024 == 0) {
    bytes /= 1024;
    ++power;
  }
  return std::to_string(bytes) + (power == 0 ? "" : std::string(1, kByteSuffixes[power - 1]));
}

}  // namespace

std::string option_name(std::string_view key) {
  std::string name(key);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::string_view name(OptionSource source) {
  switch (source) {
    case OptionSource::kDefault:
      return "default";
    case OptionSource::kFile:
      return "file";
    case OptionSource::kCommandLine:
      return "command_line";
  }
  return "?";
}

std::int64_t parse_count(std::string_view what, const std::string& text, CountLimits limits) {
  constexpr const char* kWanted = "a whole number (suffixes K, M, G are allowed)";
  std::string suffix;
  const std::optional<double> number = leading_number(text, suffix);
  double factor = 1.0;
  if (suffix == "K" || suffix == "k") {
    factor = 1e3;
  } else if (suffix == "M") {
    factor = 1e6;
  } else if (suffix == "G") {
    factor = 1e9;
  } else if (!suffix.empty()) {
    refuse(what, text, kWanted);
  }
  const double value = number.value_or(0.0) * factor;
  if (!number.has_value() || value != std::floor(value)) {
    refuse(what, text, kWanted);
  }
  if (value < static_cast<double>(limits.min) || value > static_cast<double>(limits.max)) {
    refuse(what,
           text,
           "in the range " + std::to_string(limits.min) + " to " + std::to_string(limits.max));
  }
  return static_cast<std::int64_t>(value);
}

std::int64_t parse_bytes(std::string_view what, const std::string& text, CountLimits limits) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, number);
  const std::string suffix(rest, end);
  const std::size_t power = kByteSuffixes.find(suffix);
  const bool known = suffix.empty() || (suffix.size() == 1 && power != std::string::npos);
  const int shift = suffix.empty() ? 0 : 10 * (static_cast<int>(power) + 1);
  if (failure != std::errc{} || !known || number < 1 || number > (limits.max >> shift) ||
      number << shift < limits.min) {
    refuse(
        what,
        text,
        fmt::format("a size from {} to {} in bytes; K, M, G and T stand for 2^10, 2^20, 2^30, 2^40",
                    suffixed_bytes(limits.min),
                    suffixed_bytes(limits.max)));
  }
  return number << shift;
}

double parse_seconds(std::string_view what, const std::string& text) {
  std::string suffix;
  const std::optional<double> number = leading_number(text, suffix);
  suffix.erase(0, suffix.find_first_not_of(' '));  // "200 s", as help texts have it
  double factor = 1.0;
  if (suffix == "ms") {
    factor = 1e-3;
  } else if (suffix == "min") {
    factor = 60.0;
  } else if (suffix == "h") {
    factor = 3600.0;
  } else if (!suffix.empty() && suffix != "s") {
    refuse(what, text, "a time (2, 1.5s, 300ms, 2min, 1h)");
  }
  if (!number.has_value()) {
    refuse(what, text, "a time (2, 1.5s, 300ms, 2min, 1h)");
  }
  const double seconds = *number * factor;  // may be 0 where the number is not
  if (seconds <= 0.0) {
    refuse(what, text, "a time above zero");
  }
  constexpr double kMaxHours = 10000.0;
  if (seconds > kMaxHours * 3600.0) {
    refuse(what, text, "a time of at most 10000h");
  }
  return seconds;
}

void OptionSet::add(OptionSpec spec) {
  DLBENCH_CHECK(!contains(spec.name)) << "option twice: " << spec.name;
  specs_.push_back(std::move(spec));
}

void OptionSet::letter(std::string letter) { specs_.back().letter = std::move(letter); }

void OptionSet::positional(bool required) {
  specs_.back().positional = true;
  specs_.back().required = required;
}

void OptionSet::add_text(std::string name,
                         std::string value_name,
                         std::string help,
                         std::string& target) {
  add({.name = std::move(name),
       .value_name = std::move(value_name),
       .help = std::move(help),
       .set = [&target](const std::string& /*what*/, const std::string& text) { target = text; },
       .value = [&target] { return target.empty() ? reports::Value() : reports::Value(target); }});
}

void OptionSet::add_texts(std::string name,
                          std::string value_name,
                          std::string help,
                          std::vector<std::string>& target) {
  add({.name = std::move(name),
       .value_name = std::move(value_name),
       .help = std::move(help),
       .repeated = true,
       .set = [&target](const std::string& /*what*/,
                        const std::string& text) { target.push_back(text); },
       .value = [&target] { return reports::ValueList(target.begin(), target.end()); }});
}

void OptionSet::add_flag(std::string name, std::string help, bool& target) {
  add({.name = std::move(name),
       .value_name = "",
       .help = std::move(help),
       .is_flag = true,
       .set = [&target](const std::string& what,
                        const std::string& text) { target = parse_flag(what, text); },
       .value = [&target] { return reports::Value(target); }});
}

void OptionSet::add_choice(std::string name,
                           std::string help,
                           std::string& target,
                           std::vector<std::string> choices) {
  add_choice(
      std::move(name),
      std::move(help),
      choices,
      [&target, choices](std::size_t choice) { target = choices[choice]; },
      [&target] { return target; });
}

void OptionSet::add_choice(std::string name,
                           std::string help,
                           std::vector<std::string> choices,
                           const std::function<void(std::size_t choice)>& choose,
                           const std::function<std::string()>& chosen) {
  std::string value_name;
  for (const std::string& choice : choices) {
    value_name += (value_name.empty() ? "" : "|") + choice;
  }
  const auto set = [choose, choices = std::move(choices)](const std::string& what,
                                                          const std::string& text) {
    const auto found = std::find(choices.begin(), choices.end(), text);
    if (found == choices.end()) {
      throw Error(ErrorCode::kUsage, core::unknown_name_message(what, text, choices));
    }
    choose(static_cast<std::size_t>(found - choices.begin()));
  };
  add({.name = std::move(name),
       .value_name = std::move(value_name),
       .help = std::move(help),
       .set = set,
       .value = [chosen] { return reports::Value(chosen()); }});
}

void OptionSet::add_count(std::string name,
                          std::string value_name,
                          std::string help,
                          std::int64_t& target,
                          CountLimits limits) {
  add(count_option(std::move(name), std::move(value_name), std::move(help), target, limits));
}

void OptionSet::add_count(std::string name,
                          std::string value_name,
                          std::string help,
                          std::optional<std::int64_t>& target,
                          CountLimits limits) {
  add(count_option(std::move(name), std::move(value_name), std::move(help), target, limits));
}

void OptionSet::add_bytes(std::string name,
                          std::string help,
                          std::int64_t& target,
                          CountLimits limits) {
  add(bytes_option(std::move(name), std::move(help), target, limits));
}

void OptionSet::add_bytes(std::string name,
                          std::string help,
                          std::optional<std::int64_t>& target,
                          CountLimits limits) {
  add(bytes_option(std::move(name), std::move(help), target, limits));
}

void OptionSet::add_seconds(std::string name,
                            std::string value_name,
                            std::string help,
                            std::optional<double>& target) {
  add({.name = std::move(name),
       .value_name = std::move(value_name),
       .help = std::move(help),
       .set = [&target](const std::string& what,
                        const std::string& text) { target = parse_seconds(what, text); },
       .value = [&target] { return reports::Value(target); }});
}

void OptionSet::add_number(std::string name,
                           std::string value_name,
                           std::string help,
                           double& target,
                           double min,
                           double max) {
  const bool in_percent = value_name == kPercent;
  const auto set = [&target, min, max, in_percent](const std::string& what,
                                                   const std::string& text) {
    std::string suffix;
    const std::optional<double> number = leading_number(text, suffix);
    if (!number.has_value() || !(suffix.empty() || (in_percent && suffix == "%"))) {
      refuse(what, text, "a number");
    }
    if (*number < min || *number > max) {
      refuse(what, text, fmt::format("in the range {:g} to {:g}", min, max));
    }
    target = *number;
  };
  add({.name = std::move(name),
       .value_name = std::move(value_name),
       .help = std::move(help),
       .set = set,
       .value = [&target] { return reports::Value(target); }});
}

bool OptionSet::contains(std::string_view name) const { return find(name) != nullptr; }

const OptionSpec* OptionSet::find(std::string_view name) const {
  const auto found = std::ranges::find(specs_, name, &OptionSpec::name);
  return found == specs_.end() ? nullptr : &*found;
}

void OptionSet::exclude(std::string one, std::string other) {
  exclusions_.emplace_back(std::move(one), std::move(other));
}

OptionSource OptionSet::source_of(std::string_view name) const {
  const OptionSpec* spec = find(name);
  return spec == nullptr ? OptionSource::kDefault : spec->source;
}

std::string OptionSet::with_origin(std::string message) const {
  for (const OptionSpec& spec : specs_) {
    if (spec.source != OptionSource::kFile || spec.positional) {
      continue;
    }
    const std::string shown = spec.shown();
    std::size_t end = 0;
    for (std::size_t at = message.find(shown); at != std::string::npos;
         at = message.find(shown, end)) {
      end = at + shown.size();
      const std::string_view rest = std::string_view(message).substr(end);
      if (rest.starts_with(" '") || rest.starts_with(":")) {  // what is wrong, not what is advised
        message.insert(end, kFromFile);
        break;
      }
    }
  }
  return message;
}

void OptionSet::check_exclusions() const {
  const auto shown = [this](const std::string& name) {
    return fmt::format("--{}{}", name, source_of(name) == OptionSource::kFile ? kFromFile : "");
  };
  for (const auto& [one, other] : exclusions_) {
    if (source_of(one) != OptionSource::kDefault && source_of(other) != OptionSource::kDefault) {
      throw Error(ErrorCode::kUsage,
                  shown(one) + " and " + shown(other) + " exclude each other: give one of them");
    }
  }
}

bool OptionSet::is_default(std::string_view name) const {
  const OptionSpec* spec = find(name);
  return spec != nullptr && spec->source == OptionSource::kDefault;
}

std::vector<std::string> OptionSet::names() const {
  std::vector<std::string> names;
  for (const OptionSpec& spec : specs_) {
    names.push_back(spec.shown());
  }
  return names;
}

void OptionSet::set(std::string_view name, const std::string& text, OptionSource source) {
  for (OptionSpec& spec : specs_) {
    if (spec.name == option_name(name)) {
      if (text.empty()) {
        throw Error(ErrorCode::kUsage,
                    spec.shown() + ": the value is empty; wanted " +
                        (spec.value_name.empty() ? spec.name : spec.value_name));
      }
      if (static_cast<int>(source) >= static_cast<int>(spec.source)) {
        spec.set(spec.shown(), text);
        spec.source = source;
      }
      return;
    }
  }
  throw Error(ErrorCode::kUsage,
              core::unknown_name_message("option", "--" + std::string(name), names()));
}

reports::ValueMap OptionSet::effective() const {
  reports::ValueMap values;
  for (const OptionSpec& spec : specs_) {
    if (spec.name != kConfigOption) {
      values[spec.name] = spec.value();
    }
  }
  return values;
}

std::map<std::string, std::string> OptionSet::sources() const {
  std::map<std::string, std::string> sources;
  for (const OptionSpec& spec : specs_) {
    if (spec.name != kConfigOption) {
      sources[spec.name] = std::string(harness::name(spec.source));
    }
  }
  return sources;
}

}  // namespace dlbench::harness
