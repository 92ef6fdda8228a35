// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/exec/safetensors.h"

#include "engine/core/error.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

namespace dlbench::exec {
namespace {

using ::testing::HasSubstr;

class Safetensors : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path file(const std::string& name = "a.safetensors") const {
    return folder_.path() / name;
  }

 private:
  tests::TemporaryFolder folder_;
};

core::HostTensor tensor(core::DType dtype, const core::Shape& shape) {
  core::HostTensor result(dtype, shape);
  for (std::int64_t i = 0; i < result.elements(); ++i) {
    result.set(i, static_cast<double>(i % 2));
  }
  return result;
}

/// A file with this header and data.
std::vector<std::byte> bytes_of(const std::string& header, std::size_t data_bytes) {
  std::vector<std::byte> bytes(8 + header.size() + data_bytes);
  const std::uint64_t length = header.size();
  std::memcpy(bytes.data(), &length, 8);
  std::memcpy(bytes.data() + 8, header.data(), header.size());
  return bytes;
}

std::string message_of(const std::vector<std::byte>& bytes) {
  const std::string message = tests::error_of(
      [&] { (void)parse_safetensors(bytes, "file.safetensors"); }, core::ErrorCode::kData);
  EXPECT_TRUE(message == "no error" || message.starts_with("file.safetensors: ")) << message;
  return message;
}

std::string message_of(const std::string& header, std::size_t data_bytes) {
  return message_of(bytes_of(header, data_bytes));
}

TEST_F(Safetensors, KeepsEveryDTypeShapeAndByte) {
  TensorMap tensors;
  for (const core::DType dtype : {core::DType::kU8,
                                  core::DType::kBool,
                                  core::DType::kU16,
                                  core::DType::kI32,
                                  core::DType::kI64,
                                  core::DType::kF16,
                                  core::DType::kBF16,
                                  core::DType::kF32,
                                  core::DType::kF64}) {
    tensors.emplace("t/" + std::string(core::name(dtype)), tensor(dtype, {3, 5}));
  }
  tensors.emplace("scalar", tensor(core::DType::kF32, {}));
  tensors.emplace("empty", tensor(core::DType::kF32, {4, 0}));
  tensors.emplace("name with \"quotes\" and \\", tensor(core::DType::kI32, {1, 2, 3, 1, 2, 1}));
  write_safetensors(file(), tensors, {{"tool", "dlbench"}});
  const TensorMap read = read_safetensors(file());
  ASSERT_EQ(read.size(), tensors.size());
  for (const auto& [name, expected] : tensors) {
    const core::HostTensor& actual = read.at(name);
    EXPECT_EQ(actual.dtype(), expected.dtype()) << name;
    EXPECT_EQ(actual.shape(), expected.shape()) << name;
    EXPECT_EQ(std::memcmp(actual.data(), expected.data(), expected.bytes()), 0) << name;
  }
}

TEST_F(Safetensors, AFileWithoutTensorsIsValid) {
  write_safetensors(file(), {});
  EXPECT_TRUE(read_safetensors(file()).empty());
}

// The format wants it of a reader that maps the file: the header's end is at a multiple of 8, and
// wide elements come before narrow ones.
TEST_F(Safetensors, EveryTensorIsAlignedInItsFile) {
  for (std::string longer; longer.size() < 8; longer += 'x') {
    TensorMap tensors;
    tensors.emplace("a" + longer, tensor(core::DType::kU8, {3}));
    tensors.emplace("b", tensor(core::DType::kF16, {1}));
    tensors.emplace("c", tensor(core::DType::kF64, {2}));
    tensors.emplace("d", tensor(core::DType::kF32, {1}));
    write_safetensors(file(), tensors);
    std::ifstream stream(file(), std::ios::binary);
    std::uint64_t header_bytes = 0;
    stream.read(reinterpret_cast<char*>(&header_bytes), sizeof(header_bytes));
    EXPECT_EQ(header_bytes % 8, 0U) << longer;
    std::string header(header_bytes, ' ');
    stream.read(header.data(), static_cast<std::streamsize>(header_bytes));
    EXPECT_THAT(header, HasSubstr(R"("c":{"data_offsets":[0,16])"));
    EXPECT_THAT(header, HasSubstr(R"("d":{"data_offsets":[16,20])"));
    EXPECT_THAT(header, HasSubstr(R"("b":{"data_offsets":[20,22])"));
    EXPECT_THAT(header, HasSubstr(R"(":{"data_offsets":[22,25])"));
  }
}

TEST_F(Safetensors, ReplacesAFileAndLeavesNothingElseBehind) {
  TensorMap tensors;
  tensors.emplace("a", tensor(core::DType::kF32, {100}));
  write_safetensors(file(), tensors);
  tensors.insert_or_assign("a", tensor(core::DType::kF64, {2}));
  write_safetensors(file(), tensors);
  EXPECT_EQ(read_safetensors(file()).at("a").dtype(), core::DType::kF64);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::directory_iterator(file().parent_path())) {
    ++files;
  }
  EXPECT_EQ(files, 1U);
}

TEST_F(Safetensors, FilesThatCannotBeReadOrWrittenAreNamed) {
  for (const auto& path :
       {file("missing"), file().parent_path(), std::filesystem::path("/dev/null")}) {
    try {
      (void)read_safetensors(path);
      FAIL() << path;
    } catch (const core::Error& error) {
      EXPECT_EQ(error.code(), core::ErrorCode::kFile);
      EXPECT_THAT(error.what(), HasSubstr(path.string()));
    }
  }
  try {
    write_safetensors(file("no/such/folder"), {});
    FAIL();
  } catch (const core::Error& error) {
    EXPECT_EQ(error.code(), core::ErrorCode::kFile);
    EXPECT_THAT(error.what(), HasSubstr("No such file"));
  }
  if (std::filesystem::exists("/dev/full")) {
    TensorMap tensors;
    tensors.emplace("a", tensor(core::DType::kF32, {4}));
    // /dev does not take new files for most users, and the full device takes no bytes for root.
    EXPECT_THROW(write_safetensors("/dev/full/a", tensors), core::Error);
  }
}

TEST_F(Safetensors, EveryCutOffFileIsRefused) {
  TensorMap tensors;
  tensors.emplace("a", tensor(core::DType::kF32, {3}));
  tensors.emplace("b", tensor(core::DType::kU8, {5}));
  write_safetensors(file(), tensors);
  std::ifstream stream(file(), std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(stream)),
                         std::istreambuf_iterator<char>());
  for (std::size_t length = 0; length < text.size(); ++length) {
    const auto all = std::as_bytes(std::span(text));
    const std::vector<std::byte> bytes(all.begin(),
                                       all.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_NE(message_of(bytes), "no error") << length;
  }
}

TEST_F(Safetensors, BrokenHeadersAreRefusedInOneLine) {
  EXPECT_THAT(message_of(bytes_of("{}", 4)), HasSubstr("there is more behind"));
  EXPECT_THAT(message_of("not json", 0), HasSubstr("not a JSON object"));
  EXPECT_THAT(message_of("[1]", 0), HasSubstr("not a JSON object"));
  EXPECT_THAT(message_of("{\"a\":3}", 0), HasSubstr("'a': its header entry is not an object"));
  EXPECT_THAT(message_of(R"({"a":{"shape":[1],"data_offsets":[0,4]}})", 4),
              HasSubstr("'dtype' is missing"));
  EXPECT_THAT(message_of(R"({"a":{"dtype":"F8","shape":[1],"data_offsets":[0,4]}})", 4),
              HasSubstr("dtype \"F8\" is unknown"));
  EXPECT_THAT(message_of(R"({"a":{"dtype":7,"shape":[1],"data_offsets":[0,4]}})", 4),
              HasSubstr("dtype 7 is unknown"));
  EXPECT_THAT(message_of(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4),
              HasSubstr("no integer >= 0"));
  EXPECT_THAT(message_of(R"({"a":{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}})", 4),
              HasSubstr("no integer >= 0"));
  EXPECT_THAT(
      message_of(R"({"a":{"dtype":"U8","shape":[9223372036854775808],"data_offsets":[0,4]}})", 4),
      HasSubstr("no integer >= 0"));
  EXPECT_THAT(
      message_of(R"({"a":{"dtype":"F32","shape":[1,1,1,1,1,1,1],"data_offsets":[0,4]}})", 4),
      HasSubstr("at most 6 extents"));
  EXPECT_THAT(
      message_of(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,4]}})",
                 4),
      HasSubstr("more elements than fit"));
  EXPECT_THAT(message_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", 4),
              HasSubstr("ascending"));
  EXPECT_THAT(message_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0]}})", 4),
              HasSubstr("not a pair"));
  EXPECT_THAT(message_of(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4),
              HasSubstr("4 bytes of data for (2) of f32, which needs 8"));
  EXPECT_THAT(message_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                         R"("a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                         8),
              HasSubstr("an object of the header has \"a\" twice"));
}

TEST_F(Safetensors, RangesMustTileTheData) {
  const std::string overlap = R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                              R"("b":{"dtype":"U8","shape":[4],"data_offsets":[3,7]}})";
  EXPECT_THAT(message_of(overlap, 7), HasSubstr("'b' starts at byte 3 of the data; it overlaps"));
  const std::string hole = R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                           R"("b":{"dtype":"U8","shape":[4],"data_offsets":[5,9]}})";
  EXPECT_THAT(message_of(hole, 9), HasSubstr("there is a hole before it"));
  const std::string beyond = R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})";
  EXPECT_THAT(message_of(beyond, 3), HasSubstr("the file is cut off"));
}

TEST_F(Safetensors, ALengthBeyondTheFileIsRefusedBeforeItIsBelieved) {
  std::vector<std::byte> bytes(16, std::byte{0xff});
  EXPECT_THAT(message_of(bytes), HasSubstr("the header should have 18446744073709551615 bytes"));
  EXPECT_THAT(message_of(std::vector<std::byte>(3)), HasSubstr("3 bytes are too few"));
  std::vector<std::byte> one_too_many = bytes_of("{}", 0);
  one_too_many.front() = std::byte{3};
  EXPECT_THAT(message_of(one_too_many),
              HasSubstr("the header should have 3 bytes, the file has 2"));
}

TEST_F(Safetensors, DeepNestingIsRefused) {
  EXPECT_THAT(message_of(std::string(200000, '['), 0), HasSubstr("lists in lists"));
  std::string nested = "{\"__metadata__\":";
  nested += std::string(100000, '[') + std::string(100000, ']') + "}";
  EXPECT_THAT(message_of(nested, 0), HasSubstr("lists in lists"));
}

// Sparse, as of a download that was cut off: no memory is taken for what the header does not know.
TEST_F(Safetensors, AFileThatIsLargerThanItsHeaderSaysIsNotRead) {
  TensorMap tensors;
  tensors.emplace("a", tensor(core::DType::kF32, {3}));
  write_safetensors(file(), tensors);
  std::filesystem::resize_file(file(), std::uintmax_t{1} << 40U);
  EXPECT_THAT(tests::error_of([&] { (void)read_safetensors(file()); }, core::ErrorCode::kData),
              HasSubstr("there is more behind"));
}

}  // namespace
}  // namespace dlbench::exec
