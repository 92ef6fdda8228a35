// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/ref/kernel_list.h"

#include <array>

namespace dlbench::backend::ref {

// A pixel is predicted positive above the threshold, not at it, as in Keras' Precision and Recall.
void segmentation_counts(const Call& call) {
  const Tensor& p = call.inputs[0];
  const std::uint8_t* mask = call.inputs[1].as<std::uint8_t>();
  const auto threshold = static_cast<double>(call.node.as<graph::ThresholdAttributes>().threshold);
  Index true_positive = 0;
  Index false_positive = 0;
  Index false_negative = 0;
  visit_float(p.dtype, [&](auto type) {
    using T = decltype(type);
    for (Index i = 0; i < p.elements(); ++i) {
      const bool predicted = load(p.as<T>()[i]) > threshold;
      const bool truth = mask[i] != 0;
      true_positive += static_cast<Index>(predicted && truth);
      false_positive += static_cast<Index>(predicted && !truth);
      false_negative += static_cast<Index>(!predicted && truth);
    }
  });
  const Index true_negative = p.elements() - true_positive - false_positive - false_negative;
  const std::array<Index, 4> counts{true_positive, false_positive, false_negative, true_negative};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    call.outputs[0].write(static_cast<Index>(i), static_cast<double>(counts[i]));
  }
}

void classification_counts(const Call& call) {
  const Tensor& logp = call.inputs[0];
  const std::int32_t* labels = call.inputs[1].as<std::int32_t>();
  const Index classes = logp.shape[1];
  Index correct = 0;
  for (Index n = 0; n < logp.shape[0]; ++n) {
    Index best = 0;  // the first maximum wins
    for (Index k = 1; k < classes; ++k) {
      if (logp.read(n * classes + k) > logp.read(n * classes + best)) {
        best = k;
      }
    }
    correct += static_cast<Index>(best == labels[n]);
  }
  call.outputs[0].write(0, static_cast<double>(correct));
  call.outputs[0].write(1, static_cast<double>(logp.shape[0]));
}

}  // namespace dlbench::backend::ref
