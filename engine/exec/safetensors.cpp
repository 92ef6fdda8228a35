// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/exec/safetensors.h"

#include "engine/core/atomic_file.h"
#include "engine/core/error.h"
#include "engine/core/file_descriptor.h"
#include "engine/core/json_defect.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dlbench::exec {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little endian");

using Json = nlohmann::json;

constexpr std::size_t kLengthBytes = 8;
/// The limit of the reference implementation: a broken length must not make us allocate gigabytes.
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;
constexpr std::string_view kMetadataKey = "__metadata__";

constexpr std::array<std::pair<core::DType, std::string_view>, 9> kDTypeNames{{
    {core::DType::kU8, "U8"},
    {core::DType::kBool, "BOOL"},
    {core::DType::kU16, "U16"},
    {core::DType::kI32, "I32"},
    {core::DType::kI64, "I64"},
    {core::DType::kF16, "F16"},
    {core::DType::kBF16, "BF16"},
    {core::DType::kF32, "F32"},
    {core::DType::kF64, "F64"},
}};

std::string_view format_name(core::DType dtype) {
  for (const auto& [known, name] : kDTypeNames) {
    if (known == dtype) {
      return name;
    }
  }
  DLBENCH_CHECK(false) << "dtype " << core::name(dtype) << " has no name in safetensors";
  return {};
}

[[noreturn]] void fail(const std::string& source, const std::string& what) {
  throw core::Error(core::ErrorCode::kData,
                    fmt::format("{}: not a valid safetensors file: {}", source, what));
}

/// One tensor of the header, with its byte range in the data section.
struct Entry {
  std::string name;
  core::DType dtype = core::DType::kF32;
  core::Shape shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// `value` as a non-negative integer that fits an extent; nullopt for anything else.
std::optional<std::uint64_t> as_extent(const Json& value) {
  if (!value.is_number_unsigned()) {
    return std::nullopt;
  }
  const auto number = value.get<std::uint64_t>();
  if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return std::nullopt;
  }
  return number;
}

/// Reads one entry of the header, without checking it against its neighbours.
class EntryParser {
 public:
  EntryParser(const std::string& source, std::string name) : source_(source) {
    entry_.name = std::move(name);
  }

  Entry parse(const Json& value) {
    if (!value.is_object()) {
      fail_here("its header entry is not an object");
    }
    parse_dtype(value);
    parse_shape(value);
    parse_range(value);
    return std::move(entry_);
  }

 private:
  [[noreturn]] void fail_here(const std::string& what) const {
    fail(source_, fmt::format("tensor '{}': {}", entry_.name, what));
  }

  const Json& member(const Json& value, const char* key) const {
    const auto found = value.find(key);
    if (found == value.end()) {
      fail_here(fmt::format("'{}' is missing", key));
    }
    return *found;
  }

  void parse_dtype(const Json& value) {
    const Json& dtype = member(value, "dtype");
    const std::string text = dtype.is_string() ? dtype.get<std::string>() : "";
    for (const auto& [known, name] : kDTypeNames) {
      if (name == text) {
        entry_.dtype = known;
        return;
      }
    }
    fail_here(
        fmt::format("dtype {} is unknown; wanted U8, BOOL, U16, I32, I64, F16, BF16, F32 or F64",
                    dtype.dump(-1, ' ', true, Json::error_handler_t::replace)));
  }

  void parse_shape(const Json& value) {
    const Json& shape = member(value, "shape");
    if (!shape.is_array() || shape.size() > core::Shape::kMaxRank) {
      fail_here(fmt::format("shape is not a list of at most {} extents", core::Shape::kMaxRank));
    }
    std::vector<std::int64_t> extents;
    std::uint64_t bytes = core::size_of(entry_.dtype);
    for (const Json& item : shape) {
      const auto extent = as_extent(item);
      if (!extent.has_value()) {
        fail_here("shape has an extent that is no integer >= 0");
      }
      if (*extent != 0 && bytes > std::numeric_limits<std::int64_t>::max() / *extent) {
        fail_here("shape has more elements than fit into memory");
      }
      bytes *= *extent;
      extents.push_back(static_cast<std::int64_t>(*extent));
    }
    entry_.shape = core::Shape(extents);
    shape_bytes_ = bytes;
  }

  void parse_range(const Json& value) {
    const Json& range = member(value, "data_offsets");
    if (!range.is_array() || range.size() != 2) {
      fail_here("data_offsets is not a pair");
    }
    const auto begin = as_extent(range[0]);
    const auto end = as_extent(range[1]);
    if (!begin.has_value() || !end.has_value() || *end < *begin) {
      fail_here("data_offsets are not two ascending integers >= 0");
    }
    if (*end - *begin != shape_bytes_) {
      fail_here(fmt::format("{} bytes of data for {} of {}, which needs {}",
                            *end - *begin,
                            entry_.shape.to_string(),
                            core::name(entry_.dtype),
                            shape_bytes_));
    }
    entry_.begin = *begin;
    entry_.end = *end;
  }

  const std::string& source_;
  Entry entry_;
  std::uint64_t shape_bytes_ = 0;
};

/// Parses the header. Rejects duplicate names, of which the JSON library would silently keep one.
Json parse_header(std::string_view text, const std::string& source) {
  constexpr int kMaxDepth = 3;  // a list in an entry of the whole
  if (const auto defect = core::json_defect(text, kMaxDepth); defect.has_value()) {
    fail(source,
         defect->too_deep
             ? "the header has lists in lists, or objects in them"
             : fmt::format(
                   "an object of the header has {} twice",
                   Json(defect->twice_key).dump(-1, ' ', true, Json::error_handler_t::replace)));
  }
  Json header = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (header.is_discarded() || !header.is_object()) {
    fail(source, "the header is not a JSON object");
  }
  return header;
}

/// Checks that every byte of the data section belongs to exactly one tensor. `entries` are sorted
/// by their first byte.
void check_ranges(const std::vector<Entry>& entries,
                  std::uint64_t data_bytes,
                  const std::string& source) {
  std::uint64_t expected = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != expected) {
      fail(source,
           fmt::format("tensor '{}' starts at byte {} of the data; {}",
                       entry.name,
                       entry.begin,
                       entry.begin < expected ? "it overlaps the one before"
                                              : "there is a hole before it"));
    }
    expected = entry.end;
  }
  if (expected != data_bytes) {
    fail(source,
         fmt::format("{} bytes of data, the header describes {}: {}",
                     data_bytes,
                     expected,
                     data_bytes < expected ? "the file is cut off" : "there is more behind"));
  }
}

/// Returns all entries, sorted by their first byte.
std::vector<Entry> parse_entries(const Json& header, const std::string& source) {
  std::vector<Entry> entries;
  for (const auto& [name, value] : header.items()) {
    if (name != kMetadataKey) {
      entries.push_back(EntryParser(source, name).parse(value));
    }
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  return entries;
}

std::string make_header(const std::vector<const TensorMap::value_type*>& order,
                        const std::map<std::string, std::string>& metadata) {
  Json header = Json::object();
  if (!metadata.empty()) {
    header[kMetadataKey] = metadata;
  }
  std::uint64_t offset = 0;
  for (const auto* item : order) {
    const core::HostTensor& tensor = item->second;
    Json shape = Json::array();
    for (const std::int64_t extent : tensor.shape().extents()) {
      shape.push_back(extent);
    }
    header[item->first] = {{"dtype", format_name(tensor.dtype())},
                           {"shape", shape},
                           {"data_offsets", {offset, offset + tensor.bytes()}}};
    offset += tensor.bytes();
  }
  std::string text = header.dump();
  text.append((kLengthBytes - text.size() % kLengthBytes) % kLengthBytes, ' ');
  return text;
}

/// Fills a buffer with the next bytes; returns how many it got.
using ReadNext = std::function<std::size_t(std::span<std::byte>)>;

/// Reads a file of `size` bytes. Lengths in the header are checked against `size` before use.
TensorMap read_tensors(std::uint64_t size, const ReadNext& read, const std::string& source) {
  const auto fill = [&](std::span<std::byte> bytes) {
    if (read(bytes) != bytes.size()) {
      fail(source, "the file is cut off");  // while it was read
    }
  };
  if (size < kLengthBytes) {
    fail(source, fmt::format("{} bytes are too few for the header's length", size));
  }
  std::uint64_t header_bytes = 0;
  fill(std::as_writable_bytes(std::span(&header_bytes, 1)));
  if (header_bytes > kMaxHeaderBytes || header_bytes > size - kLengthBytes) {
    fail(
        source,
        fmt::format(
            "the header should have {} bytes, the file has {}", header_bytes, size - kLengthBytes));
  }
  std::string text(header_bytes, '\0');
  fill(std::as_writable_bytes(std::span(text)));
  const std::vector<Entry> entries = parse_entries(parse_header(text, source), source);
  check_ranges(entries, size - kLengthBytes - header_bytes, source);
  TensorMap tensors;
  for (const Entry& entry : entries) {
    core::HostTensor tensor(entry.dtype, entry.shape);
    fill({tensor.data(), tensor.bytes()});
    tensors.emplace(entry.name, std::move(tensor));
  }
  return tensors;
}

}  // namespace

TensorMap parse_safetensors(std::span<const std::byte> bytes, const std::string& source) {
  std::span<const std::byte> left = bytes;
  const auto read = [&left](std::span<std::byte> buffer) {
    const std::size_t count = std::min(buffer.size(), left.size());
    std::copy_n(left.begin(), count, buffer.begin());
    left = left.subspan(count);
    return count;
  };
  return read_tensors(bytes.size(), read, source);
}

TensorMap read_safetensors(const std::filesystem::path& path) {
  const auto check = [&path](bool good, const std::string& why) {
    if (!good) {
      throw core::Error(core::ErrorCode::kFile,
                        fmt::format("cannot read '{}': {}", path.string(), why));
    }
  };
  const core::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  check(file.is_open(), core::errno_text(errno));
  struct stat status {};
  check(::fstat(file.get(), &status) == 0, core::errno_text(errno));
  check(S_ISREG(status.st_mode), "not a regular file");
  const auto read = [&](std::span<std::byte> buffer) {
    const core::ReadResult result = core::read_all(file.get(), buffer);
    check(result.error == 0, core::errno_text(result.error));
    return result.bytes;
  };
  return read_tensors(static_cast<std::uint64_t>(status.st_size), read, path.string());
}

void write_safetensors(const std::filesystem::path& path,
                       const TensorMap& tensors,
                       const std::map<std::string, std::string>& metadata) {
  // Wide elements first, as in the reference implementation: keeps every tensor aligned.
  std::vector<const TensorMap::value_type*> order;
  for (const auto& item : tensors) {
    order.push_back(&item);
  }
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return core::size_of(a->second.dtype()) > core::size_of(b->second.dtype());
  });
  const std::string header = make_header(order, metadata);
  const std::uint64_t header_bytes = header.size();
  std::vector<std::string_view> parts{{reinterpret_cast<const char*>(&header_bytes), kLengthBytes},
                                      header};
  for (const auto* item : order) {
    parts.emplace_back(reinterpret_cast<const char*>(item->second.data()), item->second.bytes());
  }
  core::write_file_atomically(path.string(), parts);
}

}  // namespace dlbench::exec
