// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Writing a text file so that a reader, or the next run after a crash, sees the old or the new
// contents and never a part.
#pragma once

#include <string>
#include <string_view>

namespace dlbench::reports {

/// Writes `text` to a temporary file in the folder of `path`, flushes it to the disk and renames it
/// to `path`; an existing file is replaced. "-" is the standard output, which may be a pipe that
/// was closed; a device or pipe is written directly; a symbolic link is followed. Throws
/// Error(kFile) naming the path and the reason (full disk, read-only folder, a folder in its
/// place); the temporary file is removed and an existing report is left as it was. `advice` ends
/// the message: what the user can do about it.
void write_file_atomically(const std::string& path,
                           std::string_view text,
                           std::string_view advice = "choose another place");

/// Removes what process `pid` left if it was killed while it wrote `path`.
void remove_temporary(const std::string& path, int pid);

/// Throws what write_file_atomically would, as far as that can be known without writing: called
/// before a long measurement.
void check_writable(const std::string& path, std::string_view advice = "choose another place");

/// Whether what is written to `other` would replace what was written to `one`: the same file by
/// whatever spelling or symbolic link, or both the standard output. Not so for a device or pipe.
/// Neither needs to exist.
[[nodiscard]] bool is_same_file(const std::string& one, const std::string& other);

}  // namespace dlbench::reports
