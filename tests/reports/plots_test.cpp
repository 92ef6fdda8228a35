// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs the plotting scripts as a user does, on the sample report; and asks an independent validator
// whether the schema says what ours says.
#include "engine/core/atomic_file.h"
#include "reports/json_reader.h"
#include "reports/json_writer.h"
#include "reports/schema.h"
#include "tests/reports/sample_record.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace dlbench::reports {
namespace {

using ::testing::HasSubstr;

struct Outcome {
  int exit_code = -1;
  std::string errors;
};

class Plots : public ::testing::Test {
 protected:
  [[nodiscard]] std::string in_folder(const std::string& name) const {
    return (folder_ / name).string();
  }

  /// Runs Debian's python with these arguments (plain file names only).
  Outcome python(const std::string& arguments) const {
    const std::string command = "MPLCONFIGDIR='" + folder_.string() + "' '" DLBENCH_PYTHON "' -B " +
                                arguments + " >'" + in_folder("out") + "' 2>'" + in_folder("err") +
                                "'";
    const int status = std::system(command.c_str());  // NOLINT(cert-env33-c): a test
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text_file(in_folder("err"))};
  }
  Outcome plot(const std::string& script,
               const std::string& report,
               const std::string& image) const {
    return python("'" DLBENCH_PLOTS "/" + script + ".py' '" + in_folder(report) + "' --output '" +
                  in_folder(image) + "'");
  }
  [[nodiscard]] bool has_module(const std::string& name) const {
    return python("-c 'import " + name + "'").exit_code == 0;
  }

  tests::TemporaryFolder temporary_;
  const std::filesystem::path& folder_ = temporary_.path();
};

TEST_F(Plots, EachScriptDrawsTheSample) {
  if (!has_module("matplotlib")) {
    GTEST_SKIP() << "no matplotlib for " DLBENCH_PYTHON;
  }
  write_report(sample_record(), in_folder("report.json"));
  for (const char* script :
       {"throughput", "phases", "steps", "history", "summary", "scaling", "collectives"}) {
    const Outcome outcome = plot(script, "report.json", std::string(script) + ".png");
    EXPECT_EQ(outcome.exit_code, 0) << script << ": " << outcome.errors;
    const std::string image = read_text_file(in_folder(std::string(script) + ".png"));
    EXPECT_EQ(image.substr(0, 8), "\x89PNG\r\n\x1a\n") << script;
    EXPECT_GT(image.size(), 10'000U) << script;
  }
}

TEST_F(Plots, TitlesHaveTheVerdictsMarginWhereItTellsSomething) {
  RunRecord record = sample_record();
  const auto title = [&](double lower, double upper) {
    record.attribution->margin_ci95 = {lower, upper};
    write_report(record, in_folder("report.json"));
    const Outcome outcome =
        python("-c 'import json, sys; sys.path.insert(0, \"" DLBENCH_PLOTS
               "\"); import report_plot; print(report_plot.verdict_line(json.load(open(\"" +
               in_folder("report.json") + "\"))))'");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    return read_text_file(in_folder("out"));
  };
  EXPECT_THAT(title(0.1, 0.14), HasSubstr("(margin 12.0 %)"));
  EXPECT_THAT(title(-31.0, 31.2), HasSubstr("(margin not known)"));
}

TEST_F(Plots, WhatCannotBeDrawnIsOneLine) {
  if (!has_module("matplotlib")) {
    GTEST_SKIP() << "no matplotlib for " DLBENCH_PYTHON;
  }
  RunRecord record = sample_record();
  record.history.clear();
  record.trials.clear();
  record.scaling.clear();
  write_report(record, in_folder("empty.json"));
  write_report(record, in_folder("comm.json"));
  record.collectives.clear();
  write_report(record, in_folder("none.json"));
  record.run.status = RunStatus::kPartial;
  record.run.failure = FailureRecord{.phase = "epoch 1, step 18 of 75"};
  for (const char* command : {"train", "comm", "scale"}) {
    record.run.command = {"dlbench", command};
    write_report(record, in_folder(std::string("early-") + command + ".json"));
  }
  record.scaling = sample_record().scaling;
  for (ScalingRecord& series : record.scaling) {
    for (ScalingPointRecord& point : series.points) {
      point.trials.clear();
      point.samples_per_second.reset();
    }
  }
  write_report(record, in_folder("no-point.json"));
  record.run.failure.reset();
  write_report(record, in_folder("running.json"));
  core::write_file_atomically(in_folder("broken.json"), "{\n  \"schema\": ");
  core::write_file_atomically(in_folder("other.json"), "{\"schema\": \"else\"}");
  struct Case {
    const char* script;
    const char* report;
    const char* message;
  };
  for (const Case& entry :
       {Case{"summary", "empty.json", "no measured trial"},
        Case{"phases", "empty.json", "no phases"},
        Case{"steps", "empty.json", "no step times"},
        Case{"history", "empty.json", "no training history"},
        Case{"scaling", "empty.json", "no scaling"},
        Case{"collectives", "none.json", "no collectives"},
        Case{"summary", "comm.json", "(--plot collectives draws its collectives)"},
        Case{"history", "early-train.json", "no epoch was finished: the run ended in 'epoch 1,"},
        Case{"collectives", "early-comm.json", "no collective was finished: the run ended"},
        Case{"scaling", "early-scale.json", "no point of a series was finished: the run"},
        Case{"scaling", "no-point.json", "no point of a series was finished: the run ended"},
        Case{"scaling", "running.json", "no point of a series was finished: the run is partial\n"},
        Case{"summary", "no-point.json", "the report has no measured trial: the run ended in"},
        Case{"summary", "broken.json", "is not JSON"},
        Case{"summary", "other.json", "not a report of dlbench"},
        Case{"summary", "missing.json", "No such file or directory"}}) {
    const Outcome outcome = plot(entry.script, entry.report, "image.png");
    EXPECT_EQ(outcome.exit_code, 1) << entry.script << " " << entry.report;
    EXPECT_THAT(outcome.errors, HasSubstr(entry.message));
    EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1) << outcome.errors;
    EXPECT_FALSE(std::filesystem::exists(in_folder("image.png")));
  }
}

TEST_F(Plots, AnOutputThatNamesNoFormatIsOneLine) {
  if (!has_module("matplotlib")) {
    GTEST_SKIP() << "no matplotlib for " DLBENCH_PYTHON;
  }
  write_report(sample_record(), in_folder("report.json"));
  for (const char* image : {"image", "image."}) {
    const Outcome outcome = plot("phases", "report.json", image);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.errors, HasSubstr("names no format of an image; give a file that ends in"));
    EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1) << outcome.errors;
    EXPECT_FALSE(std::filesystem::exists(in_folder("image.png")));
  }
}

TEST_F(Plots, AFullStandardOutputIsOneLine) {
  if (!std::filesystem::exists("/dev/full") || !has_module("matplotlib")) {
    GTEST_SKIP() << "no /dev/full here, or no matplotlib for " DLBENCH_PYTHON;
  }
  write_report(sample_record(), in_folder("report.json"));
  std::filesystem::remove(in_folder("out"));
  std::filesystem::create_symlink("/dev/full", in_folder("out"));
  const Outcome outcome = plot("phases", "report.json", "image.png");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.errors, "phases: cannot write the standard output: No space left on device\n");
}

// What the scripts hand to the library, for no test looks at pictures.
TEST_F(Plots, DrawTheFiguresOfTheReport) {
  if (!has_module("matplotlib")) {
    GTEST_SKIP() << "no matplotlib for " DLBENCH_PYTHON;
  }
  RunRecord record = sample_record();
  record.scaling[0].points[1].waiting_s = 0.03;
  record.scaling[0].points[1].transfer_s = -0.01;
  write_report(record, in_folder("report.json"));
  core::write_file_atomically(
      in_folder("check.py"),
      "import sys\n"
      "sys.path.insert(0, sys.argv[1])\n"
      "import report_plot, scaling, steps\n"
      "report = report_plot.load_report(sys.argv[2])\n"
      "figure, axes = report_plot.new_figure(1, 4)\n"
      "steps.draw_panel(axes[0], report)\n"
      "labels = axes[0].get_legend_handles_labels()[1]\n"
      "for trial, label in zip(steps.trials_with_steps(report), labels):\n"
      "    assert steps.time_text(trial['step_time_s']['median']) in label, label\n"
      "figure, axes = report_plot.new_figure(1, 4)\n"
      "entry = report['scaling'][0]\n"
      "scaling.draw_communication(axes[0], entry)\n"
      "solid = [patch for patch in axes[0].patches if patch.get_fill()]\n"
      "for row, ranks in enumerate((2, 4)):\n"
      "    bars = [bar for bar in solid if round(bar.get_x() + 0.3) == row]\n"
      "    assert len(bars) == 3, bars\n"
      "    step = sum(bar.get_height() for bar in bars)\n"
      "    assert abs(step - 200.0) < 1e-6, (ranks, step)\n"
      "    assert all(bar.get_y() <= 1e-9 for bar in bars if bar.get_height() < 0), bars\n");
  const Outcome outcome = python("'" + in_folder("check.py") + "' '" DLBENCH_PLOTS "' '" +
                                 in_folder("report.json") + "'");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
}

// Where a report leaves a script little: one epoch, one rank, nulls, an interrupted run.
TEST_F(Plots, DrawWhatIsThere) {
  if (!has_module("matplotlib")) {
    GTEST_SKIP() << "no matplotlib for " DLBENCH_PYTHON;
  }
  write_report(sample_record(), in_folder("report.json"));
  core::write_file_atomically(
      in_folder("check.py"),
      "import sys\n"
      "sys.path.insert(0, sys.argv[1])\n"
      "import history, report_plot, scaling, throughput\n"
      "report = report_plot.load_report(sys.argv[2])\n"
      "def panel():\n"
      "    return report_plot.new_figure(1, 4)[1][0]\n"
      "first = report['history'][0]\n"
      "for axes in history.draw(dict(report, history=[first])).axes:\n"
      "    low, high = axes.get_xlim()\n"
      "    ticks = [tick for tick in axes.get_xticks() if low <= tick <= high]\n"
      "    assert ticks == [1], ticks\n"
      "lost = dict(first, train_loss=None, valid_loss=None, metrics={'precision': None})\n"
      "figure = history.draw(dict(report, history=[lost]))\n"
      "assert len(figure.axes) == 1 and figure.axes[0].get_legend() is None, figure.axes\n"
      "weak, strong = report['scaling']\n"
      "heading = report_plot.heading(report)\n"
      "assert 'batch' not in heading, heading\n"
      "heading = report_plot.heading(dict(report, scaling=[strong]))\n"
      "assert heading.endswith(', batch 3'), heading\n"
      "one, two, four = weak['points']\n"
      "axes = panel()\n"
      "scaling.draw_communication(axes, dict(weak, points=[one]))\n"
      "assert axes.texts[0].get_text() == 'one rank has no communication', axes.texts\n"
      "bare = dict(four, trials=[], samples_per_second=None, headline='')\n"
      "axes = panel()\n"
      "scaling.draw_throughput(axes, dict(weak, points=[one, two, bare], projection=[]))\n"
      "assert list(axes.get_xticks()) == [1, 2], axes.get_xticks()\n"
      "io = two['trials'][0]\n"
      "half = dict(two, trials=[io], samples_per_second=io['samples_per_second'], headline='io')\n"
      "axes = panel()\n"
      "variants = [dict(weak, variant='a'), dict(weak, variant='b', points=[one, half])]\n"
      "scaling.draw_variants(axes, variants)\n"
      "drawn = [list(line.lines[0].get_xdata()) for line in axes.containers]\n"
      "assert drawn == [[1, 2, 4], [1]], drawn\n"
      "assert list(axes.get_xticks()) == [1, 2, 4], axes.get_xticks()\n"
      "trial = report['trials'][0]\n"
      "rate = dict(trial['throughput']['samples_per_second'], mean=0, ci95=[0, 0])\n"
      "trial = dict(trial, throughput={'samples_per_second': rate})\n"
      "throughput.draw_panel(panel(), dict(report, trials=[trial]))\n");
  const Outcome outcome = python("'" + in_folder("check.py") + "' '" DLBENCH_PLOTS "' '" +
                                 in_folder("report.json") + "'");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
}

// Every arm that one report may have, intervals down to zero, and all taints that there are.
RunRecord crowded_record() {
  RunRecord record = sample_record();
  record.scaling.clear();
  record.trials = {sample_trial(TrialKind::kIo, std::nullopt, {20.0, 2000.0, 3000.0})};
  for (const char* variant : {"device", "host", "nocomm"}) {
    record.trials.push_back(sample_trial(TrialKind::kSynthetic, variant, {4.95, 5.0, 5.05}));
  }
  record.trials.push_back(sample_trial(TrialKind::kFull, std::nullopt, {4.3, 4.4, 4.5}));
  for (const char* variant : {"step_beside_loader", "loader_beside_step"}) {
    record.trials.push_back(sample_trial(TrialKind::kInterference, variant, {4.3, 4.4, 4.5}));
  }
  for (const Taint taint : all_taints()) {
    record.run.taints.push_back({taint, "", ""});
  }
  return record;
}

TEST_F(Plots, TellArmsApartAndKeepTextInside) {
  if (!has_module("matplotlib")) {
    GTEST_SKIP() << "no matplotlib for " DLBENCH_PYTHON;
  }
  write_report(crowded_record(), in_folder("report.json"));
  core::write_file_atomically(
      in_folder("check.py"),
      "import sys\n"
      "sys.path.insert(0, sys.argv[1])\n"
      "import collectives, matplotlib.text, phases, report_plot, steps, summary, throughput\n"
      "report = report_plot.load_report(sys.argv[2])\n"
      "arms = report['trials']\n"
      "assert len({report_plot.arm_colour(arm) for arm in arms}) == len(arms)\n"
      "assert len(set(report_plot.arm_markers(arms))) == len(arms)\n"
      "for shown in (steps.trials_with_steps(report), phases.trials_with_phases(report)):\n"
      "    names = [report_plot.arm_name(arm) for arm in shown]\n"
      "    assert len(names) == len(arms) - 2, names\n"
      "    assert not {'io', 'interference/loader_beside_step'} & set(names), names\n"
      "sizes = [dict(arm, series='weak', ranks=ranks) for ranks in (1, 2, 4, 8) for arm in arms]\n"
      "for shown in (arms, sizes):\n"
      "    figure, axes = report_plot.new_figure(1, 4)\n"
      "    steps.draw_panel(axes[0], dict(report, trials=shown))\n"
      "    styles = {(tuple(dots.get_facecolor()[0]), dots.get_paths()[0].vertices.tobytes())\n"
      "              for dots in axes[0].collections}\n"
      "    assert len(styles) == len(steps.trials_with_steps({'trials': shown})), styles\n"
      "hosts = [{'ranks': [0, 1]}, {'ranks': [2]}]\n"
      "heading = report_plot.heading(dict(report, system={'hosts': hosts}))\n"
      "assert ', 3 ranks, global batch ' in heading, heading\n"
      "alone = report_plot.heading(dict(report, system={'hosts': [{'ranks': [0]}]}))\n"
      "assert 'rank' not in alone, alone\n"
      "figure, axes = report_plot.new_figure(1, 4)\n"
      "throughput.draw_panel(axes[0], report)\n"
      "assert axes[0].get_xscale() == 'log'\n"
      "io = [line for line in axes[0].lines if list(line.get_ydata()) in ([0], [-0.12, 0.12])]\n"
      "assert [line.get_marker() for line in io] == ['None', '<', 'D'], io\n"
      "assert 'arrow' in axes[0].get_xlabel()\n"
      "for script in (summary, collectives):\n"
      "    figure = script.draw(report)\n"
      "    report_plot.finish(figure, report, sys.argv[3])\n"
      "    inside = figure.bbox.padded(1)\n"
      "    axis = [axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)]\n"
      "    ticks = [text for each in axis for text in each.get_ticklabels(which='both')]\n"
      "    for text in figure.findobj(matplotlib.text.Text):\n"
      "        if text.get_text().strip() and text.get_visible() and text not in ticks:\n"
      "            box = text.get_window_extent()\n"
      "            assert inside.x0 <= box.x0 and box.x1 <= inside.x1, (text, box)\n"
      "            assert inside.y0 <= box.y0 and box.y1 <= inside.y1, (text, box)\n"
      "figure = collectives.draw(report)\n"
      "rates = [list(line.get_ydata()) for line in figure.axes[0].lines]\n"
      "assert rates == [[1.5], [1.0]], rates\n");
  const Outcome outcome = python("'" + in_folder("check.py") + "' '" DLBENCH_PLOTS "' '" +
                                 in_folder("report.json") + "' '" + in_folder("image.png") + "'");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
}

TEST_F(Plots, AnIndependentValidatorAgreesOnTheSchema) {
  if (!has_module("jsonschema")) {
    GTEST_SKIP() << "no jsonschema for " DLBENCH_PYTHON;
  }
  core::write_file_atomically(in_folder("schema.json"), report_schema());
  core::write_file_atomically(
      in_folder("check.py"),
      "import json, sys, jsonschema\n"
      "schema = json.load(open(sys.argv[1]))\n"
      "jsonschema.Draft202012Validator.check_schema(schema)\n"
      "jsonschema.Draft202012Validator(schema).validate(json.load(open(sys.argv[2])))\n");
  const auto check = [this](const RunRecord& record) {
    write_report(record, in_folder("report.json"));
    return python("'" + in_folder("check.py") + "' '" + in_folder("schema.json") + "' '" +
                  in_folder("report.json") + "'");
  };
  EXPECT_EQ(check(sample_record()).exit_code, 0) << check(sample_record()).errors;
  RunRecord empty;
  empty.run.started_at = "2026-01-31T12:00:00Z";  // what no run lacks
  EXPECT_EQ(check(empty).exit_code, 0) << check(empty).errors;
  RunRecord wrong = sample_record();
  wrong.trials[0].phases = {{"thinking", 1, 1.0, 1.0, 1.0, "host clock"}};
  EXPECT_EQ(check(wrong).exit_code, 1);
}

}  // namespace
}  // namespace dlbench::reports
