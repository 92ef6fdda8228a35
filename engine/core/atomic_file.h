// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Writing a file so that a reader, or the next run after a crash, sees the old or the new
// contents and never a part.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace dlbench::core {

/// Writes the parts, one behind the other, to a temporary file in the folder of `path`, flushes it
/// to the disk and renames it to `path`; an existing file is replaced, a symbolic link is followed.
/// What is_stream() says of `path` is written directly, and nothing where its reader has left; a
/// named pipe is waited for, a few seconds, until somebody reads it. Throws Error(kFile) naming the
/// path and the reason (full disk, read-only folder, a folder in its place); the temporary file is
/// removed and an existing file is left as it was. `advice` ends the message: what the user can do
/// about it.
void write_file_atomically(const std::string& path,
                           std::span<const std::string_view> parts,
                           std::string_view advice = "choose another place");
void write_file_atomically(const std::string& path,
                           std::string_view text,
                           std::string_view advice = "choose another place");

/// Whether what is written to `path` comes behind what was written before, not in its place: "-"
/// (the standard output), a pipe, a device, or a descriptor of this process by its name
/// (/dev/stdout, /dev/fd/N, /proc/self/fd/N), wherever that leads.
[[nodiscard]] bool is_stream(const std::string& path);

/// Whether `path` is the standard output: "-" or a name of its descriptor.
[[nodiscard]] bool is_standard_output(const std::string& path);

/// Removes what process `pid` left if it was killed while it wrote `path`.
void remove_temporary(const std::string& path, int pid);

/// Throws what write_file_atomically would, as far as that can be known without writing: called
/// before a long measurement.
void check_writable(const std::string& path, std::string_view advice = "choose another place");

/// Whether what is written to `other` would replace what was written to `one`: the same file by
/// whatever spelling or symbolic link, or both the standard output. Not so for a device or pipe.
/// Neither needs to exist.
[[nodiscard]] bool is_same_file(const std::string& one, const std::string& other);

}  // namespace dlbench::core
