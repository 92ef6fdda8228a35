// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What is said of a command line that the parser does not take.
#pragma once

#include "engine/core/error.h"
#include "harness/commands/command.h"
#include "harness/commands/option_set.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
class ParseError;
}  // namespace CLI

namespace dlbench::harness {

/// A command with its options and its place in the parser.
struct BoundCommand {
  std::unique_ptr<Command> command;
  std::unique_ptr<OptionSet> options = std::make_unique<OptionSet>();
  CLI::App* app = nullptr;
  std::vector<std::pair<std::string, std::string>> given;  ///< option, text: in order
};

/// "trials" of "--trials" and "--trials=io"; empty: no long option.
[[nodiscard]] std::string long_name(const std::string& argument);

/// `error`, which the parser of `root` threw, in one line: what was seen, what is known there, and
/// whose --help has more. Its code is kUsage.
[[nodiscard]] core::Error parse_error(const CLI::App& root,
                                      const CLI::ParseError& error,
                                      const std::vector<BoundCommand>& commands);

}  // namespace dlbench::harness
