// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/generators/file_writer.h"

#include "engine/core/check.h"
#include "engine/core/error.h"
#include "engine/core/file_descriptor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <turbojpeg.h>

#include <algorithm>
#include <cerrno>

namespace dlbench::data {
namespace {

using core::Error;
using core::ErrorCode;

[[noreturn]] void throw_write_error(const std::filesystem::path& path, int errno_value) {
  throw Error(ErrorCode::kFile,
              fmt::format("cannot write '{}': {}", path.string(), core::errno_text(errno_value)));
}

}  // namespace

void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  core::FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file.is_open()) {
    throw_write_error(path, errno);
  }
  int failure = core::write_all(file.get(), bytes);
  if (failure == 0) {
    failure = file.close();
  }
  if (failure != 0) {
    throw_write_error(path, failure);
  }
}

class JpegWriter::Handle {
 public:
  Handle() : handle_(tjInitCompress()) {
    if (handle_ == nullptr) {
      throw Error(ErrorCode::kLibrary,
                  fmt::format("tjInitCompress failed: {}", tjGetErrorStr2(nullptr)));
    }
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    tjFree(buffer_);
    tjDestroy(handle_);
  }

  std::span<const std::byte> encode(const Image& image) {
    unsigned long bytes = capacity_;
    const int status = tjCompress2(handle_,
                                   image.pixels.data(),
                                   image.width,
                                   0,
                                   image.height,
                                   image.channels == 3 ? TJPF_RGB : TJPF_GRAY,
                                   &buffer_,
                                   &bytes,
                                   image.channels == 3 ? TJSAMP_420 : TJSAMP_GRAY,
                                   image.quality,
                                   TJFLAG_ACCURATEDCT);
    if (status != 0) {
      throw Error(ErrorCode::kLibrary,
                  fmt::format("TurboJPEG cannot encode {} x {} pixels: {}",
                              image.width,
                              image.height,
                              tjGetErrorStr2(handle_)));
    }
    // TurboJPEG grew the buffer if it was too small, to at least `bytes`.
    capacity_ = std::max(capacity_, bytes);
    return {reinterpret_cast<const std::byte*>(buffer_), bytes};
  }

 private:
  tjhandle handle_;
  unsigned char* buffer_ = nullptr;
  unsigned long capacity_ = 0;
};

JpegWriter::JpegWriter() : handle_(std::make_unique<Handle>()) {}
JpegWriter::~JpegWriter() = default;

std::span<const std::byte> JpegWriter::encode(const Image& image) {
  DLBENCH_CHECK(image.channels == 1 || image.channels == 3) << image.channels;
  DLBENCH_CHECK(image.pixels.size() == static_cast<std::size_t>(image.height) *
                                           static_cast<std::size_t>(image.width) *
                                           static_cast<std::size_t>(image.channels));
  return handle_->encode(image);
}

}  // namespace dlbench::data
