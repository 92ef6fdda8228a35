// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/generators/generate.h"

#include "data/generators/file_writer.h"
#include "data/generators/partial_folder.h"
#include "engine/core/error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <charconv>
#include <fstream>
#include <sstream>
#include <system_error>

namespace dlbench::data {
namespace {

namespace fs = std::filesystem;
using core::Error;
using core::ErrorCode;

constexpr const char* kMarkerName = "generated-by-dlbench.txt";
constexpr int kGeneratorVersion = 1;
constexpr std::int64_t kMaxSamples = 1'000'000;

/// Without a trailing "/" or "/.", so that the partial folder is a sibling on the same file system.
fs::path without_tail(fs::path out) {
  while (out.has_relative_path() && (!out.has_filename() || out.filename() == ".")) {
    out = out.parent_path();
  }
  return out;
}

/// Whether something prevents a new folder `out`: an empty folder does not, a link to one does.
bool is_taken(const fs::path& out) {
  std::error_code failure;
  if (fs::is_symlink(without_tail(out), failure)) {
    return true;
  }
  const auto status = fs::symlink_status(out, failure);
  if (!fs::exists(status)) {
    return false;
  }
  if (!fs::is_directory(status)) {
    return true;
  }
  const bool empty = fs::is_empty(out, failure);
  return failure || !empty;
}

void check_options(const GenerateOptions& options) {
  if (options.samples < 1 || options.samples > kMaxSamples) {
    throw Error(ErrorCode::kUsage,
                fmt::format("{} samples; wanted 1 to {}", options.samples, kMaxSamples));
  }
  if (options.out.empty()) {
    throw Error(ErrorCode::kUsage, "no folder to generate into; give --out DIR");
  }
}

std::string marker_text(std::string_view dataset, const GenerateOptions& options) {
  return fmt::format("dataset={}\nsamples={}\nseed={}\nversion={}\n",
                     dataset,
                     options.samples,
                     options.seed,
                     kGeneratorVersion);
}

/// Throws if `out` is a symbolic link to a possible place: a folder cannot be renamed onto a link.
void refuse_link_to_free(const fs::path& out) {
  const fs::path link = without_tail(out);
  std::error_code failure;
  fs::path target = fs::read_symlink(link, failure);
  if (failure) {  // no link
    return;
  }
  target = fs::weakly_canonical(link.parent_path() / target, failure);
  if (!failure && !is_taken(target)) {
    throw Error(ErrorCode::kUsage,
                fmt::format("'{}' is a symbolic link, which no finished folder can take the place "
                            "of; give its target, as --out '{}'",
                            out.string(),
                            target.string()));
  }
}

[[noreturn]] void throw_taken(const fs::path& out) {
  refuse_link_to_free(out);
  throw Error(ErrorCode::kUsage,
              fmt::format("'{}' exists and is no empty folder; give another --out or remove it",
                          out.string()));
}

[[noreturn]] void throw_other(const fs::path& out) {
  throw Error(ErrorCode::kFile,
              fmt::format("'{}' holds something else than the data that would be generated there, "
                          "perhaps by another version; remove it",
                          out.string()));
}

/// Returns why a finished folder cannot replace `out`, which is missing or empty; nullptr if it
/// can. For a mounted folder and for "." rename(2) would report this only after all is written.
const char* why_it_stays(const fs::path& out) {
  struct statx status {};
  if (::statx(AT_FDCWD, out.c_str(), AT_NO_AUTOMOUNT, STATX_BASIC_STATS, &status) != 0) {
    return nullptr;
  }
  std::error_code failure;
  if (fs::equivalent(out, ".", failure)) {
    return "is the current folder";
  }
  return (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0 ? "is a mount point" : nullptr;
}

/// False if another process put a folder there in the meantime.
bool write_and_rename(std::string_view dataset, const GenerateOptions& options) {
  const DatasetFormat& format = find_dataset(dataset);
  if (format.generate == nullptr) {
    throw Error(ErrorCode::kUsage, fmt::format("data set '{}' cannot be generated", dataset));
  }
  if (const char* reason = why_it_stays(options.out)) {
    throw Error(ErrorCode::kUsage,
                fmt::format("'{}' {}, which no finished folder can take the place of; give a new "
                            "folder, as --out '{}'",
                            options.out.string(),
                            reason,
                            (options.out / dataset).string()));
  }
  const fs::path out = without_tail(options.out);
  PartialFolder partial(out);
  GenerateOptions inner = options;
  inner.out = partial.path();
  format.generate(inner);
  const std::string marker = marker_text(dataset, options);
  write_file(generated_marker(partial.path()), std::as_bytes(std::span(marker)));
  const std::error_code failure = partial.rename_to(out);
  if (failure && is_taken(out)) {
    return false;
  }
  if (failure) {
    throw Error(ErrorCode::kFile,
                fmt::format("cannot rename '{}' to '{}': {}",
                            partial.path().string(),
                            out.string(),
                            failure.message()));
  }
  return true;
}

template <typename T>
bool parse(std::string_view line, std::string_view key, T& value) {
  if (!line.starts_with(key) || line.size() == key.size() || line[key.size()] != '=') {
    return false;
  }
  const std::string_view text = line.substr(key.size() + 1);
  return std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc{};
}

}  // namespace

void generate(std::string_view dataset, const GenerateOptions& options) {
  check_options(options);
  if (is_taken(options.out) || !write_and_rename(dataset, options)) {
    throw_taken(options.out);
  }
}

bool generate_once(std::string_view dataset, const GenerateOptions& options) {
  check_options(options);
  const auto is_ours = [&] {
    const auto found = generated_info(options.out);
    return found && found->dataset == dataset && found->samples == options.samples &&
           found->seed == options.seed && found->version == kGeneratorVersion;
  };
  if (is_ours()) {
    return false;
  }
  if (is_taken(options.out)) {
    throw_other(options.out);
  }
  try {
    if (write_and_rename(dataset, options)) {
      return true;
    }
  } catch (const Error& failure) {  // a full disk, or the partial folder is gone
    if (failure.code() != ErrorCode::kFile || !is_ours()) {
      throw;
    }
  }
  if (!is_ours()) {
    throw_other(options.out);
  }
  return false;
}

fs::path generated_marker(const fs::path& folder) { return folder / kMarkerName; }

std::optional<GeneratedInfo> generated_info(const fs::path& folder) {
  constexpr std::streamsize kMaxBytes = 4096;
  std::error_code ignored;
  if (!fs::is_regular_file(generated_marker(folder), ignored)) {  // a pipe would be waited for
    return std::nullopt;
  }
  std::string text(kMaxBytes, '\0');
  std::ifstream marker(generated_marker(folder));
  marker.read(text.data(), kMaxBytes);
  text.resize(static_cast<std::size_t>(marker.gcount()));
  std::istringstream file(text);
  GeneratedInfo info;
  int found = 0;
  constexpr std::string_view kDatasetKey = "dataset=";
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(kDatasetKey)) {
      info.dataset = line.substr(kDatasetKey.size());
      ++found;
    }
    found += parse(line, "samples", info.samples) ? 1 : 0;
    found += parse(line, "seed", info.seed) ? 1 : 0;
    found += parse(line, "version", info.version) ? 1 : 0;
  }
  return found == 4 ? std::optional(info) : std::nullopt;
}

}  // namespace dlbench::data
