// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes a file so that a reader, or the next run after a crash, sees either the old or the new
// contents, never a partial file.
#pragma once

#include "engine/core/file_descriptor.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace dlbench::core {

/// A file that is written piece by piece and appears as a whole: commit() flushes a temporary file
/// in the folder of `path` to disk and renames it to `path`. An existing file is replaced, symbolic
/// links are followed. Without commit() the temporary file is removed and an existing file is left
/// as it was. If several writers (in any process, container or node) write the same path, the last
/// commit() wins. A process killed while writing leaves .NAME.*.tmp next to the file. A path for
/// which is_stream() holds is written directly; once its reader has closed it, output is dropped,
/// and the constructor waits a few seconds for a reader of a named pipe. All members throw
/// Error(kFile) naming the path and the reason (full disk, read-only folder, `path` is a folder).
/// `advice` is appended to the message: what the user can do about it.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path, std::string advice = "choose another place");
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::string_view text);
  /// Makes the file appear under its name. Call once, after everything is written.
  void commit();

 private:
  [[noreturn]] void fail(const char* what, int errno_value) const;
  void open_directly();

  std::string path_;
  std::string advice_;
  std::filesystem::path target_;  ///< `path_` with its links followed
  std::string temporary_;         ///< empty: written directly
  FileDescriptor file_;           ///< none if an already open descriptor is written to
  int descriptor_ = -1;           ///< where bytes go: file_'s descriptor or the already open one
  bool reader_left_ = false;      ///< a reader that closed its pipe has read enough: no error
};

/// Writes the concatenated parts through an AtomicFile.
void write_file_atomically(const std::string& path,
                           std::span<const std::string_view> parts,
                           std::string_view advice = "choose another place");
void write_file_atomically(const std::string& path,
                           std::string_view text,
                           std::string_view advice = "choose another place");

/// Whether writing to `path` appends to what was written before instead of replacing it: true for
/// "-" (standard output), a pipe, a device, or a name of one of this process's descriptors
/// (/dev/stdout, /dev/fd/N, /proc/self/fd/N), whatever it refers to.
[[nodiscard]] bool is_stream(const std::string& path);

/// Whether `path` is standard output: "-" or a name of its descriptor.
[[nodiscard]] bool is_standard_output(const std::string& path);

/// The 64 random bits, drawn once, that appear in the names of all temporary files of this process
/// and of no other. A process forked afterwards has the same token.
[[nodiscard]] std::uint64_t temporary_token();

/// Removes the temporary files that the process with this temporary_token() left if it was killed
/// while writing `path`. Call only after that process has ended: files in use are removed too.
void remove_temporaries(const std::string& path, std::uint64_t token);

/// Throws what write_file_atomically() would throw, as far as that can be known without writing.
/// Called before a long measurement.
void check_writable(const std::string& path, std::string_view advice = "choose another place");

/// The absolute path, all links followed, at which a file written to `path` is created. The file
/// need not exist, and a link may dangle.
[[nodiscard]] std::filesystem::path place_of(const std::filesystem::path& path);

/// Whether `one` and `other` name the same file, by any spelling or symbolic link, or are both
/// standard output: then writing one after the other would overwrite or mix the output. False for
/// other devices and pipes. Neither file needs to exist.
[[nodiscard]] bool is_same_file(const std::string& one, const std::string& other);

}  // namespace dlbench::core
