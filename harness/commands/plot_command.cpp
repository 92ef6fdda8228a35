// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// dlbench report plot: runs one of the plotting scripts.
#include "engine/core/error.h"
#include "engine/core/own_program.h"
#include "harness/commands/child_process.h"
#include "harness/commands/command.h"
#include "harness/commands/output_files.h"
#include "reports/json_reader.h"
#include "reports/validation/validate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::harness {
namespace {

using core::Error;
using core::ErrorCode;
namespace fs = std::filesystem;

/// Relative to the program: bin/dlbench and share/dlbench/plots/, installed or in the build folder.
std::string script_path(const std::string& plot) {
  const fs::path program = core::own_program();
  const fs::path folder = program.parent_path().parent_path() / "share" / "dlbench" / "plots";
  const fs::path script = folder / (plot + ".py");
  std::error_code ignored;
  if (program.empty() || !fs::exists(script, ignored)) {
    throw Error(ErrorCode::kFile,
                fmt::format("the plotting script '{}' is missing; it is installed with dlbench",
                            script.string()));
  }
  return script.string();
}

/// Debian's python has Debian's matplotlib; another one may come first on PATH.
std::string python() {
  constexpr const char* kDebian = "/usr/bin/python3";
  return ::access(kDebian, X_OK) == 0 ? kDebian : "python3";
}

/// Returns its exit code; it has printed errors on standard error itself.
int run_script(const std::vector<std::string>& arguments) {
  const ChildResult result = run_child(arguments);
  if (result.start_error != 0) {
    throw Error(ErrorCode::kFile,
                fmt::format("cannot start '{}': {}; plots need python3 with matplotlib",
                            arguments.front(),
                            core::errno_text(result.start_error)));
  }
  return result.code;
}

/// matplotlib takes the format from the name, and appends .png to a name without one.
void check_names_format(const std::string& output) {
  constexpr std::array<std::string_view, 10> kFormats = {
      ".png", ".svg", ".pdf", ".ps", ".eps", ".jpg", ".jpeg", ".tif", ".tiff", ".webp"};
  std::string extension = fs::path(output).extension().string();
  std::ranges::transform(extension, extension.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  if (!output.empty() && std::ranges::find(kFormats, extension) == kFormats.end()) {
    throw Error(ErrorCode::kUsage,
                fmt::format("--output '{}' names no format of an image; give a file that ends in "
                            "{}",
                            output,
                            fmt::join(kFormats, ", ")));
  }
}

/// Returns the plot that suits the command which wrote the report.
std::string auto_plot(const reports::RunRecord& record) {
  if (!record.scaling.empty()) {
    return "scaling";
  }
  if (!record.trials.empty()) {
    return "summary";
  }
  return !record.history.empty()       ? "history"
         : !record.collectives.empty() ? "collectives"
                                       : "summary";
}

class ReportPlotCommand final : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "report plot"; }
  [[nodiscard]] std::string summary() const override { return "draw a report as an image"; }
  [[nodiscard]] std::string details() const override {
    return "Needs python3 with matplotlib (Debian: python3-matplotlib).\n"
           "summary is throughput, phases and steps in one image; auto is summary, scaling for a\n"
           "report of dlbench scale, history for one of dlbench train, collectives for one of\n"
           "dlbench comm.\n"
           "Exit codes: 0 drawn, 1 the report has nothing to draw or cannot be read, 2 command "
           "line";
  }
  void add_options(OptionSet& options) override {
    options.add_text("report", "FILE", "written by dlbench", report_);
    options.positional(true);
    options.add_choice(
        "plot",
        "what to draw",
        plot_,
        {"auto", "summary", "throughput", "phases", "steps", "history", "scaling", "collectives"});
    options.add_text(
        "output", "FILE", "image, as .png, .svg or .pdf (default: beside the report)", output_);
  }
  int run(const OptionSet& /*options*/, const Invocation& /*invocation*/) override {
    const std::vector<NamedFile> written = {{"--output", output_}};
    check_apart(written, {report_}, "which this command reads");
    check_names_format(output_);
    check_writable(written);
    if (std::error_code ignored; report_ == "-" || std::filesystem::is_fifo(report_, ignored)) {
      throw Error(ErrorCode::kUsage,
                  "a plot is drawn by a script that reads the report once more: give a file");
    }
    const std::string text = reports::read_text_file(report_);
    if (const auto problems = reports::validate_report(text, report_); !problems.empty()) {
      throw Error(ErrorCode::kData,
                  fmt::format("'{}' is no valid report ({}); see dlbench report validate",
                              report_,
                              reports::to_line(problems.front())));
    }
    std::string plot = plot_;
    if (plot == "auto") {
      plot = auto_plot(reports::read_report(report_));
    }
    std::vector<std::string> arguments = {python(), "-B", script_path(plot), report_};
    if (!output_.empty()) {
      arguments.insert(arguments.end(), {"--output", output_});
    }
    return run_script(arguments) == 0 ? 0 : core::exit_code(ErrorCode::kFile);
  }

 private:
  std::string report_;
  std::string plot_ = "auto";
  std::string output_;
};

}  // namespace

std::unique_ptr<Command> make_report_plot_command() {
  return std::make_unique<ReportPlotCommand>();
}

}  // namespace dlbench::harness
