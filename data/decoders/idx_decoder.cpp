// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/decoders/idx_decoder.h"

#include "engine/core/error.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

namespace dlbench::data {
namespace {

constexpr std::size_t kMaxRank = 4;
constexpr int kUnsignedByte = 0x08;
constexpr std::size_t kChunkBytes = std::size_t{1} << 20U;

[[noreturn]] void throw_bad(const std::filesystem::path& path, std::string_view reason) {
  throw core::Error(core::ErrorCode::kData,
                    fmt::format("'{}' is not a sound IDX file: {}", path.string(), reason));
}

struct Header {
  std::vector<std::int64_t> extents;
  std::size_t header_bytes = 0;
  std::size_t value_bytes = 0;
};

/// `start` holds at least the header's bytes, or the whole file.
Header parse_header(std::span<const std::uint8_t> start,
                    const std::filesystem::path& path,
                    std::int64_t max_bytes) {
  if (start.size() < 4 || start[0] != 0 || start[1] != 0) {
    throw_bad(path, "it does not start with two zero bytes");
  }
  if (start[2] != kUnsignedByte) {
    throw_bad(path, fmt::format("element type 0x{:02x}; wanted 0x08 (unsigned byte)", start[2]));
  }
  const std::size_t rank = start[3];
  Header header;
  header.header_bytes = 4 + 4 * rank;
  if (rank == 0 || rank > kMaxRank || start.size() < header.header_bytes) {
    throw_bad(path, fmt::format("{} dimensions in {} bytes; wanted 1 to 4", rank, start.size()));
  }
  std::int64_t bytes = 1;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const std::uint8_t* big_endian = start.data() + 4 + 4 * axis;
    const std::int64_t extent = (std::int64_t{big_endian[0]} << 24) | (big_endian[1] << 16) |
                                (big_endian[2] << 8) | big_endian[3];
    if (extent == 0 || extent > max_bytes / bytes) {
      throw_bad(path, fmt::format("extent {} on axis {} is zero or too large", extent, axis));
    }
    bytes *= extent;
    header.extents.push_back(extent);
  }
  header.value_bytes = static_cast<std::size_t>(bytes);
  return header;
}

bool begins_gzip(std::span<const std::uint8_t> bytes) {
  return bytes.size() >= 2 && bytes[0] == 0x1F && bytes[1] == 0x8B;  // RFC 1952, 2.3.1
}

/// Inflates a gzip file piecewise: its members form one stream (RFC 1952, 2.2).
class Inflater {
 public:
  Inflater(std::span<const std::uint8_t> file, const std::filesystem::path& path) : path_(path) {
    stream_.next_in = const_cast<Bytef*>(file.data());  // zlib reads only
    stream_.avail_in = static_cast<uInt>(file.size());
    // 15 window bits, + 16: gzip wrapping (zlib's manual, inflateInit2).
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) {
      throw core::Error(core::ErrorCode::kLibrary, "zlib: inflateInit2 failed");
    }
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  /// Appends at most `bytes` to `out`; fewer only at the end of the stream.
  void append(std::vector<std::uint8_t>& out, std::size_t bytes) {
    const std::size_t before = out.size();
    out.resize(before + bytes);
    stream_.next_out = out.data() + before;
    stream_.avail_out = static_cast<uInt>(bytes);
    while (stream_.avail_out > 0 && !done_) {
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_STREAM_END) {
        done_ = !begin_next_member();
      } else if (status != Z_OK) {
        throw_bad(path_,
                  status == Z_BUF_ERROR ? "the gzip stream ends too early"
                                        : "the gzip stream is corrupt");
      }
    }
    out.resize(before + bytes - stream_.avail_out);
  }

 private:
  bool begin_next_member() {
    // Like gzip, ignores zeros behind a member, which tapes leave.
    const auto is_zero = [](Bytef byte) { return byte == 0; };
    if (std::all_of(stream_.next_in, stream_.next_in + stream_.avail_in, is_zero)) {
      return false;
    }
    if (!begins_gzip({stream_.next_in, stream_.avail_in})) {
      throw_bad(path_, fmt::format("{} bytes that are no gzip behind it", stream_.avail_in));
    }
    return inflateReset(&stream_) == Z_OK;
  }

  const std::filesystem::path& path_;
  z_stream stream_{};
  bool done_ = false;
};

IdxArray decode_gzip(std::span<const std::uint8_t> file,
                     const std::filesystem::path& path,
                     std::int64_t max_bytes) {
  Inflater inflater(file, path);
  std::vector<std::uint8_t> values;
  inflater.append(values, 4 + 4 * kMaxRank);
  Header header = parse_header(values, path, max_bytes);
  values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(header.header_bytes));
  // Asks for one byte too many, to reach the data's end and the checksum in the gzip trailer.
  const std::size_t wanted = header.value_bytes + 1;
  while (values.size() < wanted) {
    const std::size_t before = values.size();
    inflater.append(values, std::min(kChunkBytes, wanted - before));
    if (values.size() == before) {
      break;
    }
  }
  if (values.size() != header.value_bytes) {
    throw_bad(path,
              fmt::format("{} {} values; its header says {}",
                          values.size() > header.value_bytes ? "more than" : "it ends after",
                          std::min(values.size(), header.value_bytes),
                          header.value_bytes));
  }
  return {std::move(header.extents), std::move(values)};
}

}  // namespace

IdxArray decode_idx(std::span<const std::byte> file,
                    const std::filesystem::path& path,
                    std::int64_t max_bytes) {
  const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(file.data()),
                                            file.size());
  if (bytes.size() > std::numeric_limits<uInt>::max()) {
    throw_bad(path, "larger than 4 GiB");
  }
  if (begins_gzip(bytes)) {
    return decode_gzip(bytes, path, max_bytes);
  }
  Header header = parse_header(bytes, path, max_bytes);
  if (bytes.size() - header.header_bytes != header.value_bytes) {
    throw_bad(path,
              fmt::format("{} bytes of values; its header says {}",
                          bytes.size() - header.header_bytes,
                          header.value_bytes));
  }
  const auto values = bytes.subspan(header.header_bytes);
  return {std::move(header.extents), {values.begin(), values.end()}};
}

}  // namespace dlbench::data
