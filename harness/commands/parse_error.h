// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Error messages for command lines that the parser rejects.
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

/// Returns "trials" for "--trials" and "--trials=io"; empty if not a long option.
[[nodiscard]] std::string long_name(const std::string& argument);

/// Converts `error`, thrown by the parser of `root`, to one line: what was seen, what is accepted
/// there, and whose --help says more. Its code is kUsage.
[[nodiscard]] core::Error parse_error(const CLI::App& root,
                                      const CLI::ParseError& error,
                                      const std::vector<BoundCommand>& commands);

}  // namespace dlbench::harness
