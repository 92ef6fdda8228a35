// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/generators/mnist_generator.h"

#include "data/datasets/mnist_idx.h"
#include "data/for_each_sample.h"
#include "data/generators/file_writer.h"
#include "engine/core/rng.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dlbench::data {
namespace {

constexpr std::size_t kPixels = std::size_t{kMnistSide} * kMnistSide;
constexpr std::uint64_t kTrainStreams = 0x4D4E'5452'0000'0000U;
constexpr std::uint64_t kTestStreams = 0x4D4E'5445'0000'0000U;
constexpr std::uint64_t kLabelStream = 0x4D4E'4C41'0000'0000U;

struct Point {
  float x, y;
};
struct Stroke {
  Point from, to;
};

// Seven strokes of a digit in the box [-1, 1] x [-2, 2] (y downwards): top, upper right, lower
// right, bottom, lower left, upper left, middle.
constexpr std::array<Stroke, 7> kStrokes{{{{-1, -2}, {1, -2}},
                                          {{1, -2}, {1, 0}},
                                          {{1, 0}, {1, 2}},
                                          {{1, 2}, {-1, 2}},
                                          {{-1, 2}, {-1, 0}},
                                          {{-1, 0}, {-1, -2}},
                                          {{-1, 0}, {1, 0}}}};
// Bit i: stroke i is drawn.
constexpr std::array<unsigned, 10> kDigits{
    0x3F, 0x06, 0x5B, 0x4F, 0x66, 0x6D, 0x7D, 0x07, 0x7F, 0x6F};

float distance_to(const Stroke& stroke, Point p) {
  const float dx = stroke.to.x - stroke.from.x;
  const float dy = stroke.to.y - stroke.from.y;
  const float along =
      ((p.x - stroke.from.x) * dx + (p.y - stroke.from.y) * dy) / (dx * dx + dy * dy);
  const float t = std::clamp(along, 0.0F, 1.0F);
  return std::hypot(p.x - stroke.from.x - t * dx, p.y - stroke.from.y - t * dy);
}

void draw_digit(core::RandomStream random, unsigned digit, std::span<std::uint8_t> pixels) {
  const float scale = random.uniform(3.4F, 4.8F);  // pixels per unit of the box
  const float centre_x = 13.5F + random.uniform(-3.0F, 3.0F);
  const float centre_y = 13.5F + random.uniform(-2.5F, 2.5F);
  const float slant = random.uniform(-0.35F, 0.35F);
  const float angle = random.uniform(-0.2F, 0.2F);
  const float thickness = random.uniform(0.22F, 0.50F);
  const float brightness = random.uniform(150.0F, 255.0F);
  const float cosine = std::cos(angle);
  const float sine = std::sin(angle);
  for (std::int64_t row = 0; row < kMnistSide; ++row) {
    for (std::int64_t column = 0; column < kMnistSide; ++column) {
      const float dx = (static_cast<float>(column) - centre_x) / scale;
      const float dy = (static_cast<float>(row) - centre_y) / scale;
      const Point upright{cosine * dx + sine * dy, cosine * dy - sine * dx};
      const Point p{upright.x + slant * upright.y, upright.y};
      float nearest = 9.0F;
      for (std::size_t stroke = 0; stroke < kStrokes.size(); ++stroke) {
        if ((kDigits[digit] >> stroke & 1U) != 0) {
          nearest = std::min(nearest, distance_to(kStrokes[stroke], p));
        }
      }
      const float ink = std::clamp((thickness - nearest) * scale * 0.5F + 0.5F, 0.0F, 1.0F);
      const float noise = 12.0F * random.uniform();
      pixels[static_cast<std::size_t>(row * kMnistSide + column)] =
          static_cast<std::uint8_t>(std::min(255.0F, ink * brightness + noise));
    }
  }
}

void append_big_endian(std::vector<std::byte>& bytes, std::int64_t value) {
  for (const int shift : {24, 16, 8, 0}) {
    bytes.push_back(static_cast<std::byte>((value >> shift) & 0xff));
  }
}

std::vector<std::byte> idx_header(std::initializer_list<std::int64_t> extents) {
  std::vector<std::byte> bytes{
      std::byte{0}, std::byte{0}, std::byte{0x08}, static_cast<std::byte>(extents.size())};
  for (const std::int64_t extent : extents) {
    append_big_endian(bytes, extent);
  }
  return bytes;
}

void write_part(const GenerateOptions& options,
                const std::string& prefix,
                std::int64_t samples,
                std::uint64_t streams) {
  std::vector<std::uint8_t> labels(static_cast<std::size_t>(samples));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    labels[i] = static_cast<std::uint8_t>(i % kDigits.size());
  }
  core::RandomStream order(options.seed, kLabelStream ^ streams);
  for (std::size_t left = labels.size(); left > 1; --left) {
    std::swap(labels[left - 1], labels[order.below(static_cast<std::uint32_t>(left))]);
  }
  std::vector<std::byte> images = idx_header({samples, kMnistSide, kMnistSide});
  const std::size_t header_bytes = images.size();
  images.resize(header_bytes + labels.size() * kPixels);
  for_each_sample(
      samples,
      set_up_threads(options.threads, samples),
      "generating mnist",
      [&](std::int64_t sample, int /*thread*/) {
        options.check();
        const auto index = static_cast<std::size_t>(sample);
        draw_digit(core::RandomStream(options.seed, streams + index),
                   labels[index],
                   {reinterpret_cast<std::uint8_t*>(images.data()) + header_bytes + index * kPixels,
                    kPixels});
      });
  write_file(options.out / (prefix + "-images-idx3-ubyte"), images);
  std::vector<std::byte> label_file = idx_header({samples});
  const auto label_bytes = std::as_bytes(std::span(labels));
  label_file.insert(label_file.end(), label_bytes.begin(), label_bytes.end());
  write_file(options.out / (prefix + "-labels-idx1-ubyte"), label_file);
}

}  // namespace

void generate_mnist(const GenerateOptions& options) {
  write_part(options, "train", options.samples, kTrainStreams);
  write_part(options, "t10k", std::max<std::int64_t>(10, options.samples / 6), kTestStreams);
}

}  // namespace dlbench::data
