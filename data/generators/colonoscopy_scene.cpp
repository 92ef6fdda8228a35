// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "data/generators/colonoscopy_scene.h"

#include "engine/core/rng.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace dlbench::data {
namespace {

constexpr std::uint64_t kSceneStreams = 0x5343'454E'0000'0000U;
constexpr float kPi = std::numbers::pi_v<float>;

float smooth_step(float low, float high, float x) {
  const float t = std::clamp((x - low) / (high - low), 0.0F, 1.0F);
  return t * t * (3.0F - 2.0F * t);
}

/// Smooth random function on the unit square, values in [-1, 1]: a lattice of random numbers,
/// interpolated with the cubic 3t^2 - 2t^3.
class ValueNoise {
 public:
  ValueNoise(core::RandomStream& random, int cells) : cells_(cells) {
    const std::size_t points = static_cast<std::size_t>(cells) + 1;
    lattice_.resize(points * points);
    for (float& value : lattice_) {
      value = random.uniform(-1.0F, 1.0F);
    }
  }

  [[nodiscard]] float at(float u, float v) const {
    const float x = u * static_cast<float>(cells_);
    const float y = v * static_cast<float>(cells_);
    const int column = std::min(static_cast<int>(x), cells_ - 1);
    const int row = std::min(static_cast<int>(y), cells_ - 1);
    const float tx = x - static_cast<float>(column);
    const float ty = y - static_cast<float>(row);
    const float sx = tx * tx * (3.0F - 2.0F * tx);
    const float sy = ty * ty * (3.0F - 2.0F * ty);
    const float* upper = lattice_.data() + std::ptrdiff_t{row} * (cells_ + 1) + column;
    const float* lower = upper + cells_ + 1;
    const float top = upper[0] + sx * (upper[1] - upper[0]);
    const float bottom = lower[0] + sx * (lower[1] - lower[0]);
    return top + sy * (bottom - top);
  }

 private:
  int cells_;
  std::vector<float> lattice_;
};

struct Rgb {
  float r, g, b;
};

/// A lobed ellipse. Lengths are in units of the picture's shorter side, relative to its centre.
struct Polyp {
  float x, y;
  float radius_x, radius_y;
  float cos_angle, sin_angle;
  std::array<float, 3> lobe_size;  ///< of the harmonics 2, 3 and 5 of the outline
  std::array<float, 3> lobe_phase;
  Rgb tint;    ///< factors on the tissue's colour
  float dome;  ///< strength of the shading
  float pits;  ///< strength of the surface pattern

  /// 0 at the centre, 1 on the outline.
  [[nodiscard]] float distance(float px, float py) const {
    const float dx = px - x;
    const float dy = py - y;
    const float along = (dx * cos_angle + dy * sin_angle) / radius_x;
    const float across = (dy * cos_angle - dx * sin_angle) / radius_y;
    const float round = std::sqrt(along * along + across * across);
    if (round > 1.6F || round < 0.4F) {  // the lobes reach neither
      return round;
    }
    const float angle = std::atan2(across, along);
    const float outline = 1.0F + lobe_size[0] * std::cos(2.0F * angle + lobe_phase[0]) +
                          lobe_size[1] * std::cos(3.0F * angle + lobe_phase[1]) +
                          lobe_size[2] * std::cos(5.0F * angle + lobe_phase[2]);
    return round / outline;
  }
};

Polyp random_polyp(core::RandomStream& random) {
  Polyp polyp{};
  const float angle = random.uniform(0.0F, kPi);
  polyp.x = random.uniform(-0.28F, 0.28F);
  polyp.y = random.uniform(-0.25F, 0.25F);
  polyp.radius_x = random.uniform(0.13F, 0.30F);
  polyp.radius_y = polyp.radius_x * random.uniform(0.65F, 1.0F);
  polyp.cos_angle = std::cos(angle);
  polyp.sin_angle = std::sin(angle);
  polyp.lobe_size = {
      random.uniform(0.0F, 0.10F), random.uniform(0.0F, 0.07F), random.uniform(0.0F, 0.04F)};
  for (float& phase : polyp.lobe_phase) {
    phase = random.uniform(0.0F, 2.0F * kPi);
  }
  // Reddened, or pale; the tissue's own colour varies by as much between pictures.
  polyp.tint = random.uniform() < 0.65F ? Rgb{random.uniform(0.98F, 1.10F),
                                              random.uniform(0.58F, 0.74F),
                                              random.uniform(0.60F, 0.80F)}
                                        : Rgb{random.uniform(1.05F, 1.15F),
                                              random.uniform(1.22F, 1.42F),
                                              random.uniform(1.22F, 1.45F)};
  polyp.dome = random.uniform(0.20F, 0.40F);
  polyp.pits = random.uniform(6.0F, 16.0F);
  return polyp;
}

/// Everything that is fixed for one picture.
struct Scene {
  Scene(core::RandomStream& random, int height, int width)
      : warp(random, 3),
        mottle(random, 9),
        vessels(random, 7),
        pits(random, 90),
        tissue{random.uniform(172.0F, 212.0F),
               random.uniform(92.0F, 130.0F),
               random.uniform(72.0F, 112.0F)},
        lumen_x(random.uniform(-0.35F, 0.35F)),
        lumen_y(random.uniform(-0.35F, 0.35F)),
        fold_frequency(random.uniform(14.0F, 26.0F)),
        fold_phase(random.uniform(0.0F, 2.0F * kPi)),
        light_angle(random.uniform(0.0F, 2.0F * kPi)),
        corner(random.uniform(0.95F, 1.15F)),
        scale(1.0F / static_cast<float>(std::min(height, width))) {
    const int count = random.uniform() < 0.25F ? 2 : 1;
    for (int i = 0; i < count; ++i) {
      polyps.push_back(random_polyp(random));
    }
  }

  ValueNoise warp, mottle, vessels, pits;
  Rgb tissue;
  float lumen_x, lumen_y, fold_frequency, fold_phase, light_angle, corner, scale;
  std::vector<Polyp> polyps;
};

/// Colour of the colon's wall without polyps.
Rgb tissue_colour(const Scene& scene, float u, float v, float x, float y) {
  const float warp = scene.warp.at(u, v);
  const float from_lumen = std::hypot(x - scene.lumen_x, y - scene.lumen_y) + 0.10F * warp;
  const float fold =
      0.5F + 0.5F * std::sin(from_lumen * scene.fold_frequency + 3.0F * warp + scene.fold_phase);
  const float light = (0.12F + 0.88F * smooth_step(0.05F, 0.34F, from_lumen)) *
                      (0.80F + 0.24F * fold) * (1.08F - 0.30F * (x * x + y * y));
  const float vessel = smooth_step(0.10F, 0.0F, std::abs(scene.vessels.at(u, v)));
  const float mottle = 9.0F * scene.mottle.at(u, v);
  return {(scene.tissue.r + mottle - 10.0F * vessel) * light,
          (scene.tissue.g + mottle - 30.0F * vessel) * light,
          (scene.tissue.b + mottle - 20.0F * vessel) * light};
}

/// Draws the polyp over the tissue; returns whether the point is inside.
bool apply_polyp(
    const Scene& scene, const Polyp& polyp, float u, float v, float x, float y, Rgb& colour) {
  const float distance = polyp.distance(x, y);
  if (distance >= 1.0F) {
    // A narrow shadow where the wall meets the polyp.
    const float shadow = 1.0F - 0.30F * smooth_step(1.12F, 1.0F, distance);
    colour = {colour.r * shadow, colour.g * shadow, colour.b * shadow};
    return false;
  }
  const float towards_light =
      ((x - polyp.x) * std::cos(scene.light_angle) + (y - polyp.y) * std::sin(scene.light_angle)) /
      polyp.radius_x;
  const float height = std::sqrt(1.0F - distance * distance);
  const float light = 0.74F + polyp.dome * (height + 0.6F * towards_light);
  const float pit = polyp.pits * scene.pits.at(u, v);
  // Its own surface, not the folds below; some of the wall's local light remains.
  const float local = 0.45F + 0.55F * std::clamp(colour.r / scene.tissue.r, 0.3F, 1.1F);
  colour = {(scene.tissue.r * polyp.tint.r + pit) * light * local,
            (scene.tissue.g * polyp.tint.g + pit) * light * local,
            (scene.tissue.b * polyp.tint.b + pit) * light * local};
  return true;
}

std::uint8_t to_byte(float value) {
  return static_cast<std::uint8_t>(std::clamp(value + 0.5F, 0.0F, 255.0F));
}

/// Cheap noise for the sensor's grain (Knuth's 64-bit linear congruential generator, MMIX).
class Grain {
 public:
  explicit Grain(std::uint32_t seed) : state_(seed) {}
  /// Triangular in (-1, 1).
  float next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    const auto high = static_cast<std::uint32_t>(state_ >> 32U);
    return (static_cast<float>(high >> 16U) - static_cast<float>(high & 0xffffU)) * 0x1p-16F;
  }

 private:
  std::uint64_t state_;
};

void draw_row(
    const Scene& scene, int row, int height, int width, Grain& grain, ColonoscopyScene& out) {
  constexpr float kGrain = 7.0F;
  const float v = (static_cast<float>(row) + 0.5F) / static_cast<float>(height);
  const float y =
      (static_cast<float>(row) + 0.5F - 0.5F * static_cast<float>(height)) * scene.scale;
  auto at = static_cast<std::size_t>(row) * static_cast<std::size_t>(width);
  for (int column = 0; column < width; ++column, ++at) {
    const float u = (static_cast<float>(column) + 0.5F) / static_cast<float>(width);
    const float x =
        (static_cast<float>(column) + 0.5F - 0.5F * static_cast<float>(width)) * scene.scale;
    Rgb colour = tissue_colour(scene, u, v, x, y);
    bool inside = false;
    for (const Polyp& polyp : scene.polyps) {
      inside = apply_polyp(scene, polyp, u, v, x, y, colour) || inside;
    }
    out.mask[at] = inside ? 255 : 0;
    // The recorder's black corners: an octagon, never over a polyp.
    const bool corner =
        std::abs(2.0F * u - 1.0F) + std::abs(2.0F * v - 1.0F) > 1.45F * scene.corner;
    const float lit = corner && !inside ? 0.03F : 1.0F;
    const float luma_grain = kGrain * grain.next();
    out.image[3 * at] = to_byte(colour.r * lit + luma_grain * lit);
    out.image[3 * at + 1] = to_byte(colour.g * lit + luma_grain * lit);
    out.image[3 * at + 2] = to_byte(colour.b * lit + luma_grain * lit);
  }
}

/// White reflexes of the lamp on wet surfaces: small soft ellipses, anywhere.
void draw_highlights(core::RandomStream& random, int height, int width, ColonoscopyScene& out) {
  const auto side = static_cast<float>(std::min(height, width));
  const auto count = 8 + random.below(16);
  for (std::uint32_t i = 0; i < count; ++i) {
    const float x = random.uniform(0.1F, 0.9F) * static_cast<float>(width);
    const float y = random.uniform(0.1F, 0.9F) * static_cast<float>(height);
    const float radius_x = random.uniform(0.004F, 0.020F) * side;
    const float radius_y = radius_x * random.uniform(0.4F, 1.0F);
    const int top = std::max(0, static_cast<int>(y - radius_y));
    const int bottom = std::min(height - 1, static_cast<int>(y + radius_y));
    const int left = std::max(0, static_cast<int>(x - radius_x));
    const int right = std::min(width - 1, static_cast<int>(x + radius_x));
    for (int row = top; row <= bottom; ++row) {
      for (int column = left; column <= right; ++column) {
        const float dx = (static_cast<float>(column) - x) / radius_x;
        const float dy = (static_cast<float>(row) - y) / radius_y;
        const float white = smooth_step(1.0F, 0.5F, std::sqrt(dx * dx + dy * dy));
        std::uint8_t* pixel = out.image.data() +
                              3 * (static_cast<std::size_t>(row) * static_cast<std::size_t>(width) +
                                   static_cast<std::size_t>(column));
        for (int channel = 0; channel < 3; ++channel) {
          const auto value = static_cast<float>(pixel[channel]);
          pixel[channel] = to_byte(value + white * (252.0F - value));
        }
      }
    }
  }
}

}  // namespace

void draw_colonoscopy(
    std::uint64_t seed, std::int64_t sample, int height, int width, ColonoscopyScene& out) {
  core::RandomStream random(seed, kSceneStreams + static_cast<std::uint64_t>(sample));
  const Scene scene(random, height, width);
  const auto pixels = static_cast<std::size_t>(height) * static_cast<std::size_t>(width);
  out.image.resize(3 * pixels);
  out.mask.resize(pixels);
  Grain grain(random.next_u32());
  for (int row = 0; row < height; ++row) {
    draw_row(scene, row, height, width, grain, out);
  }
  draw_highlights(random, height, width, out);
}

}  // namespace dlbench::data
