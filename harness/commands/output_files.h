// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// The files that the options of one command name: looked at before anything is measured.
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

/// Throws core::Error(kUsage) if two options name one file, however its path is spelled.
void check_distinct(const std::vector<NamedFile>& files);

/// Throws core::Error(kUsage), the option named, if one of the files to write would be the standard
/// output, which takes what the command prints.
void check_not_standard_output(const std::vector<NamedFile>& files);

/// Throws core::Error(kUsage), the option named, if one of the files to write is one of `inputs`,
/// or beside one with the same extension, where it could be taken for one. `what` that is, for the
/// message: "which this command reads".
void check_apart(const std::vector<NamedFile>& files,
                 const std::vector<std::filesystem::path>& inputs,
                 std::string_view what = "among the files of the data set");

/// Throws core::Error(kFile), the option named, if one of the files could not be written, as far as
/// that can be known without writing.
void check_writable(const std::vector<NamedFile>& files);

}  // namespace dlbench::harness
