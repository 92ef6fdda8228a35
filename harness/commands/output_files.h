// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks the files named by the options of one command, before anything is measured.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dlbench::harness {

/// A file that a command writes, or one that it reads and must not overwrite.
struct NamedFile {
  std::string option;  ///< "--output"
  std::string path;    ///< empty: not asked for
};

/// Throws core::Error(kUsage) if two options name one file, however the paths are spelled.
void check_distinct(const std::vector<NamedFile>& files);

/// Throws core::Error(kUsage) naming the option if one of the files to write is the standard
/// output, which takes the command's printed text.
void check_not_standard_output(const std::vector<NamedFile>& files);

/// Throws core::Error(kUsage) naming the option if one of the files to write is among `inputs`, or
/// lies in the folder of an input with the same extension, so that it could be taken for one.
/// `what` completes the message: "which this command reads".
void check_apart(const std::vector<NamedFile>& files,
                 const std::vector<std::filesystem::path>& inputs,
                 std::string_view what = "among the files of the data set");

/// Throws core::Error(kFile) naming the option if one of the files cannot be written, as far as
/// that is known without writing.
void check_writable(const std::vector<NamedFile>& files);

}  // namespace dlbench::harness
