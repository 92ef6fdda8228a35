// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// dlbench report show, validate, compare. report plot is in plot_command.cpp.
#include "engine/core/atomic_file.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "harness/commands/command.h"
#include "harness/commands/output_files.h"
#include "reports/json_reader.h"
#include "reports/naming.h"
#include "reports/text/compare.h"
#include "reports/text/show.h"
#include "reports/validation/validate.h"

#include <fmt/format.h>

#include <cstdio>
#include <iterator>
#include <string>
#include <vector>

namespace dlbench::harness {
namespace {

// Escapes control characters, because the texts in a report are untrusted.
void print(const std::string& text) { std::fputs(core::log::lines(text).c_str(), stdout); }

/// Reads a report. If it is readable but invalid, prints a line on standard error, so that nobody
/// takes its figures for valid.
reports::RunRecord read_and_check(const std::string& report) {
  const std::string text = reports::read_text_file(report);
  reports::RunRecord record = reports::parse_report(text, report);
  const std::vector<reports::Problem> problems = reports::validate_report(text, report);
  if (!problems.empty()) {
    core::log::warn(fmt::format("'{}' is not valid: {} ({}); see dlbench report validate {}",
                                report,
                                reports::to_line(problems.front()),
                                problems.size() == 1
                                    ? "no other problem"
                                    : reports::count_text(std::ssize(problems) - 1, "more problem"),
                                report));
  }
  return record;
}

class ReportShowCommand final : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "report show"; }
  [[nodiscard]] std::string summary() const override {
    return "print a report: summary, phases, operators, verdict";
  }
  void add_options(OptionSet& options) override {
    options.add_text("report", "FILE", "written by dlbench, - for the standard input", report_);
    options.positional(true);
    options.add_count("operators", "N", "longest operators shown", operators_, {0, 100'000});
  }
  int run(const OptionSet& /*options*/, const Invocation& /*invocation*/) override {
    const reports::RunRecord record = read_and_check(report_);
    print(reports::summary_text(record, report_));
    print(reports::tables_text(record, static_cast<std::size_t>(operators_)));
    return 0;
  }

 private:
  std::string report_;
  std::int64_t operators_ = 20;
};

class ReportValidateCommand final : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "report validate"; }
  [[nodiscard]] std::string summary() const override {
    return "check reports against the schema and their arithmetic";
  }
  [[nodiscard]] std::string details() const override {
    return "Ends with a line for each: valid, N problems (listed before it, each after the name "
           "of\n"
           "its file if there are several), or no report.\n"
           "Exit codes: 0 all valid, 1 problems (listed) or not a report";
  }
  void add_options(OptionSet& options) override {
    options.add_texts("reports", "FILE", "one or more, - for the standard input", reports_);
    options.positional(true);
  }
  int run(const OptionSet& /*options*/, const Invocation& /*invocation*/) override {
    bool all_valid = true;
    for (const std::string& report : reports_) {
      all_valid = validate(report, reports_.size() > 1 ? report + ": " : "") && all_valid;
    }
    return all_valid ? 0 : 1;
  }

 private:
  // An unreadable report is a result too: the other reports are still checked. `prefix` says whose
  // problems they are.
  static bool validate(const std::string& report, const std::string& prefix) {
    try {
      const auto problems = reports::validate_report(reports::read_text_file(report), report);
      for (const reports::Problem& problem : problems) {
        print(prefix + reports::to_line(problem) + "\n");
      }
      print(report + (problems.empty()       ? ": valid\n"
                      : problems.size() == 1 ? ": 1 problem\n"
                                             : fmt::format(": {} problems\n", problems.size())));
      return problems.empty();
    } catch (const core::Error& error) {
      core::log::error(error.what());
      print(report + ": no report\n");
      return false;
    }
  }

  std::vector<std::string> reports_;
};

class ReportCompareCommand final : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "report compare"; }
  [[nodiscard]] std::string summary() const override {
    return "is the second report, or program, faster or slower than the first";
  }
  [[nodiscard]] std::string details() const override {
    return "One report with another, or with --before and --after several starts of each: what "
           "differs\n"
           "from start to start is noise then. Start them in turn, so that drift meets both.\n"
           "Per trial: same, faster, slower, or unsure with how many repetitions or starts would\n"
           "decide;\n"
           "of `dlbench comm` the same per collective and size. A warning names a report that\n"
           "`dlbench report validate` finds wrong, and changes no exit code.\n"
           "What was disturbed on the side that is worse is unsure, however large the difference.\n"
           "Exit codes: 0 nothing is known to be slower (unsure is not known), 1 the reports\n"
           "  cannot be compared, 3 slower, or a candidate is not complete or lacks what it was\n"
           "  to measure as the baseline was, 4 with --strict something is unsure";
  }
  void add_options(OptionSet& options) override {
    options.add_text("baseline", "FILE", "the report to compare with", baseline_);
    options.positional(false);
    options.add_text("candidate", "FILE", "the report in question", candidate_);
    options.positional(false);
    options.add_texts("before", "FILE", "the baseline's reports, one or more", before_);
    options.add_texts("after", "FILE", "the candidate's reports, one or more", after_);
    options.add_number(
        "tolerance", "PCT", "differences of no interest, in per cent", tolerance_, 0.001, 99.0);
    options.add_text("output", "FILE", "the comparison as JSON, too", output_);
    options.add_flag("strict", "what is unsure ends with code 4", strict_);
  }
  void check() const override {
    const bool two = !baseline_.empty() && !candidate_.empty();
    const bool one = !two && !baseline_.empty();
    const bool lists = !before_.empty() && !after_.empty();
    const bool half_lists = !lists && (!before_.empty() || !after_.empty());
    if (one || half_lists || two == lists) {
      throw core::Error(core::ErrorCode::kUsage,
                        "wanted two reports, BASELINE CANDIDATE, or reports of several starts, "
                        "--before FILE... --after FILE...");
    }
    check_not_standard_output({{"--output", output_}});
    std::vector<std::string> inputs{baseline_, candidate_};
    inputs.insert(inputs.end(), before_.begin(), before_.end());
    inputs.insert(inputs.end(), after_.begin(), after_.end());
    for (const std::string& report : inputs) {
      check_distinct({{"--output", output_}, {"a report to compare", report}});
    }
  }
  int run(const OptionSet& /*options*/, const Invocation& /*invocation*/) override {
    const auto read = [](const std::string& one, const std::vector<std::string>& more) {
      std::vector<reports::RunRecord> records;
      for (const std::string& report : one.empty() ? more : std::vector<std::string>{one}) {
        records.push_back(read_and_check(report));
      }
      return records;
    };
    check_writable({{"--output", output_}});
    const std::vector<reports::RunRecord> baselines = read(baseline_, before_);
    const std::vector<reports::RunRecord> candidates = read(candidate_, after_);
    const reports::Comparison comparison =
        reports::compare_reports(baselines, candidates, {.tolerance = tolerance_ / 100.0});
    print(reports::comparison_text(comparison));
    if (!output_.empty()) {
      core::write_file_atomically(output_, reports::comparison_json(comparison));
    }
    if (comparison.fails()) {
      return core::exit_code(core::ErrorCode::kGate);
    }
    return strict_ && comparison.any(reports::Change::kUnsure) ? core::kTaintedExitCode : 0;
  }

 private:
  std::string baseline_;
  std::string candidate_;
  std::vector<std::string> before_;
  std::vector<std::string> after_;
  std::string output_;
  double tolerance_ = 2.0;
  bool strict_ = false;
};

}  // namespace

std::unique_ptr<Command> make_report_show_command() {
  return std::make_unique<ReportShowCommand>();
}
std::unique_ptr<Command> make_report_validate_command() {
  return std::make_unique<ReportValidateCommand>();
}
std::unique_ptr<Command> make_report_compare_command() {
  return std::make_unique<ReportCompareCommand>();
}

}  // namespace dlbench::harness
