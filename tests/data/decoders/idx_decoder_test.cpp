// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/decoders/idx_decoder.h"

#include "tests/data/file_bytes.h"
#include "tests/data/picture_files.h"
#include "tests/error_message.h"

#include <gtest/gtest.h>

#include <string>

namespace dlbench::data {
namespace {

using testing::as_bytes;
using testing::gzip_bytes;
using testing::idx_bytes;
using tests::error_of;

const std::vector<std::uint8_t> kValues{1, 2, 3, 4, 5, 6};

std::string idx_error(const std::string& file) {
  return error_of([&] { static_cast<void>(decode_idx(as_bytes(file), "some/idx")); });
}

TEST(IdxDecoder, ReadsPlainAndGzipped) {
  const std::string plain = idx_bytes({2, 3}, kValues);
  const std::string members = gzip_bytes(plain.substr(0, 7)) + gzip_bytes(plain.substr(7));
  const std::string padded = gzip_bytes(plain) + std::string(512, '\0');
  for (const std::string& file : {plain, gzip_bytes(plain), members, padded}) {
    const IdxArray array = decode_idx(as_bytes(file), "x");
    EXPECT_EQ(array.extents, (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(array.values, kValues);
  }
}

TEST(IdxDecoder, ReadsLargeGzippedArrays) {
  std::vector<std::uint8_t> values(3'000'000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<std::uint8_t>(i * i >> 5U);
  }
  const std::string file = gzip_bytes(idx_bytes({3000, 1000}, values));
  EXPECT_EQ(decode_idx(as_bytes(file), "x").values, values);
}

TEST(IdxDecoder, RefusesWrongLengths) {
  const std::string plain = idx_bytes({2, 3}, kValues);
  for (std::size_t length = 0; length < plain.size(); ++length) {
    EXPECT_NE(idx_error(plain.substr(0, length)).find("some/idx"), std::string::npos);
    EXPECT_NE(idx_error(gzip_bytes(plain.substr(0, length))).find("some/idx"), std::string::npos);
  }
  EXPECT_NE(idx_error(plain + "x").find("7 bytes of values"), std::string::npos);
  EXPECT_NE(idx_error(gzip_bytes(plain + "x")).find("more than 6"), std::string::npos);
  EXPECT_NE(idx_error(gzip_bytes(plain) + "junk").find("4 bytes that are no gzip"),
            std::string::npos);
}

TEST(IdxDecoder, RefusesTruncatedAndDamagedGzip) {
  const std::string file = gzip_bytes(idx_bytes({2, 3}, kValues));
  for (std::size_t length = 2; length < file.size(); ++length) {
    EXPECT_NE(idx_error(file.substr(0, length)).find("gzip"), std::string::npos) << length;
  }
  std::string damaged = file;
  damaged[damaged.size() - 6] ^= 1;  // the checksum
  EXPECT_NE(idx_error(damaged).find("corrupt"), std::string::npos);
}

TEST(IdxDecoder, RefusesForeignContent) {
  EXPECT_NE(idx_error("not an idx file").find("two zero bytes"), std::string::npos);
  std::string floats = idx_bytes({2, 3}, kValues);
  floats[2] = 0x0D;
  EXPECT_NE(idx_error(floats).find("0x0d"), std::string::npos);
  EXPECT_NE(idx_error(idx_bytes({0, 3}, {})).find("zero"), std::string::npos);
}

TEST(IdxDecoder, TakesNoMemoryForExtentsThatTheFileDoesNotFill) {
  const std::string overflow = idx_bytes({0xffffffffU, 0xffffffffU, 0xffffffffU}, kValues);
  EXPECT_NE(idx_error(overflow).find("too large"), std::string::npos);
  const std::string large = gzip_bytes(idx_bytes({1U << 30U}, kValues));
  EXPECT_NE(idx_error(large).find("ends after 6"), std::string::npos);
}

}  // namespace
}  // namespace dlbench::data
