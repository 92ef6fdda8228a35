// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/validation/validate.h"

#include "engine/core/error.h"
#include "reports/json_reader.h"
#include "reports/json_text_internal.h"
#include "reports/schema.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace dlbench::reports {
namespace {

using valijson::adapters::NlohmannJsonAdapter;

/// The schema, parsed once. valijson knows drafts up to 7, which suffice, see report_schema().
struct ParsedSchema {
  valijson::Schema schema;
  ParsedSchema() {
    const nlohmann::json document = nlohmann::json::parse(report_schema());
    valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
    parser.populateSchema(NlohmannJsonAdapter(document), schema);
  }
};

const valijson::Schema& parsed_schema() {
  static const ParsedSchema parsed;
  return parsed.schema;
}

using Context = std::vector<std::string>;

bool strictly_inside(const Context& inner, const Context& outer) {
  return inner.size() > outer.size() && std::equal(outer.begin(), outer.end(), inner.begin());
}

/// {"<root>", "[trials]", "[0]", "[kind]"} -> "trials[0].kind".
std::string path_text(const Context& context) {
  std::string path;
  for (std::size_t part = 1; part < context.size(); ++part) {
    std::string_view name = context[part];
    if (name.size() >= 2 && name.front() == '[' && name.back() == ']') {
      name = name.substr(1, name.size() - 2);
    }
    const bool is_index =
        !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
    if (is_index) {
      path += fmt::format("[{}]", name);
    } else {
      path += fmt::format("{}{}", path.empty() ? "" : ".", printable(name));
    }
  }
  return path;
}

std::vector<Problem> check_schema(const nlohmann::json& document) {
  valijson::Validator validator;
  valijson::ValidationResults results;
  const NlohmannJsonAdapter target(document);
  if (validator.validate(parsed_schema(), target, &results)) {
    return {};
  }
  // valijson reports a wrong member and then every object and list around it: keep the innermost.
  const std::vector<valijson::ValidationResults::Error> errors(results.begin(), results.end());
  std::vector<Problem> problems;
  for (const auto& error : errors) {
    const bool only_around = std::any_of(errors.begin(), errors.end(), [&error](const auto& other) {
      return strictly_inside(other.context, error.context);
    });
    if (!only_around) {
      problems.push_back({path_text(error.context), printable(error.description)});
    }
  }
  return problems;
}

}  // namespace

std::vector<Problem> validate_report(std::string_view text, const std::string& name) {
  const nlohmann::json document = parse_json(text, name);
  check_is_report(document, name);
  std::vector<Problem> problems = check_schema(document);
  if (!problems.empty()) {
    return problems;
  }
  try {
    return check_arithmetic(parse_report(text, name));
  } catch (const core::Error& error) {
    return {{"", error.what()}};  // e.g. a whole number that fits the schema but not 64 bits
  }
}

std::string to_line(const Problem& problem) {
  std::string line =
      problem.path.empty() ? problem.message : fmt::format("{}: {}", problem.path, problem.message);
  // Both may quote the (untrusted) report.
  std::replace_if(
      line.begin(),
      line.end(),
      [](unsigned char letter) { return std::iscntrl(letter) != 0; },
      '?');
  return line;
}

}  // namespace dlbench::reports
