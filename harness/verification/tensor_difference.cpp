// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/verification/tensor_difference.h"

#include "engine/core/check.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace dlbench::harness {

using core::HostTensor;

namespace {

/// std::max would drop a NaN of one side.
double larger_or_nan(double left, double right) {
  return std::isnan(left) || right <= left ? left : right;
}

}  // namespace

void Difference::add(double tested, double reference) {
  const double difference = tested - reference;
  squared_error += difference * difference;
  squared_norm += reference * reference;
  squared_tested += tested * tested;
  product += tested * reference;
  zero = zero && tested == 0.0;
  max_difference = larger_or_nan(max_difference, std::abs(difference));
  ++elements;
}

void Difference::add(const Difference& other) {
  squared_error += other.squared_error;
  squared_norm += other.squared_norm;
  squared_tested += other.squared_tested;
  product += other.product;
  zero = zero && other.zero;
  max_difference = larger_or_nan(max_difference, other.max_difference);
  elements += other.elements;
}

double Difference::relative(double smallest_norm) const {
  if (squared_error == 0.0) {
    return 0.0;
  }
  return std::sqrt(squared_error) / std::max(std::sqrt(squared_norm), smallest_norm);
}

double Difference::direction() const {
  return 1.0 - product / std::sqrt(squared_tested * squared_norm);
}

double Difference::length() const {
  const double ratio = std::sqrt(squared_tested / squared_norm);
  return ratio < 1.0 ? 1.0 / ratio - 1.0 : ratio - 1.0;  // a NaN stays
}

const HostTensor& tensor_of(const exec::TensorMap& record,
                            std::string_view name,
                            std::string_view ending) {
  const std::string whole = std::string(name).append(ending);
  const auto found = record.find(whole);
  DLBENCH_CHECK(found != record.end()) << "the record lacks '" << whole << "'";
  return found->second;
}

Difference difference_of(const HostTensor& tested, const HostTensor& reference) {
  DLBENCH_CHECK(tested.shape() == reference.shape())
      << tested.shape().to_string() << " and " << reference.shape().to_string();
  Difference difference;
  for (std::int64_t i = 0; i < reference.elements(); ++i) {
    difference.add(tested.at(i), reference.at(i));
  }
  return difference;
}

}  // namespace dlbench::harness
