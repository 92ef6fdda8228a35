// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Writing a file so that a reader, or the next run after a crash, sees the old or the new
// contents and never a part.
#pragma once

#include "engine/core/file_descriptor.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace dlbench::core {

/// A file that is written piece by piece and appears as a whole: a temporary file in the folder of
/// `path` that commit() flushes to the disk and renames to `path`; an existing file is replaced, a
/// symbolic link is followed. Without commit() the temporary file is removed and an existing file
/// is left as it was. Of several that write one path at a time, in whatever process, container or
/// node, the last to commit() stays. Killed while it writes, a process leaves .NAME.*.tmp beside
/// the file. What is_stream() says of `path` is written directly, and nothing where its reader has
/// left; a named pipe is waited for, a few seconds, until somebody reads it. All members throw
/// Error(kFile) naming the path and the reason (full disk, read-only folder, a folder in its
/// place). `advice` ends the message: what the user can do about it.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path, std::string advice = "choose another place");
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::string_view text);
  /// Once, after everything is written.
  void commit();

 private:
  [[noreturn]] void fail(const char* what, int errno_value) const;
  void open_directly();

  std::string path_;
  std::string advice_;
  std::filesystem::path target_;  ///< `path_` with its links followed
  std::string temporary_;         ///< empty: written directly
  FileDescriptor file_;           ///< none where a descriptor is written that was open before
  int descriptor_ = -1;           ///< what is written: of file_, or that one
  bool reader_left_ = false;      ///< who closed a pipe has read enough
};

/// The parts, one behind the other, as an AtomicFile.
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

/// What the names of all temporary files of this process have in common, and those of no other: 64
/// random bits, drawn once. A process forked since has the same.
[[nodiscard]] std::uint64_t temporary_token();

/// Removes what the process with this temporary_token() left if it was killed while it wrote
/// `path`. Only for a process that has ended: a file that is being written would be removed too.
void remove_temporaries(const std::string& path, std::uint64_t token);

/// Throws what write_file_atomically would, as far as that can be known without writing: called
/// before a long measurement.
void check_writable(const std::string& path, std::string_view advice = "choose another place");

/// Where a file written to `path` comes to lie: absolute, with all links followed. It does not need
/// to exist, and a link may lead to nothing yet.
[[nodiscard]] std::filesystem::path place_of(const std::filesystem::path& path);

/// Whether what is written to `other` would replace what was written to `one`: the same file by
/// whatever spelling or symbolic link, or both the standard output. Not so for a device or pipe.
/// Neither needs to exist.
[[nodiscard]] bool is_same_file(const std::string& one, const std::string& other);

}  // namespace dlbench::core
