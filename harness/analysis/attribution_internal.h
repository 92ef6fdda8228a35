// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// What attribution.cpp found out and advice.cpp turns into sentences. For these two only.
#pragma once

#include "harness/analysis/attribution.h"
#include "reports/vocabulary.h"

#include <optional>
#include <string>
#include <vector>

namespace dlbench::harness {

/// Why the word is kUnsure.
enum class Doubt {
  kNone,
  kTooFewRounds,      ///< no interval at all
  kShareTooWide,      ///< the largest share neither counts nor does not
  kRatioTooWide,      ///< io / synthetic is not surely on one side of a bound
  kFullBeatsStep,     ///< full is faster than the step alone
  kFullBeatsLoader,   ///< full is faster than a loader that is slower than the step
  kCopyNotSeparated,  ///< synthetic/host was not measured and would decide
};

/// Mean rates over the repetitions of each arm, samples/s.
struct ArmMeans {
  double io = 0.0;
  double host = 0.0;    ///< synthetic with the copy, or the only synthetic
  double device = 0.0;  ///< synthetic without the copy, or host
  double nocomm = 0.0;  ///< without the all-reduce, or device
  double full = 0.0;
};

struct Decision {
  reports::Verdict verdict = reports::Verdict::kUnsure;
  Doubt doubt = Doubt::kNone;
  std::optional<Interval> margin;  ///< lower = upper = estimate: no interval
  bool margin_has_interval = false;
};

[[nodiscard]] std::string limiting_part(reports::Verdict verdict);

/// One sentence with the numbers behind the word.
[[nodiscard]] std::string explanation(const AttributionInput& input,
                                      const ArmMeans& means,
                                      const Decision& decision);

/// What to do, the largest gain first.
[[nodiscard]] std::vector<reports::AdviceRecord> advice(const AttributionInput& input,
                                                        const ArmMeans& means,
                                                        const Decision& decision);

}  // namespace dlbench::harness
