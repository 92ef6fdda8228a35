// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Batches of a FakeDataset as text, to be compared.
#pragma once

#include "data/loader/prefetch_loader.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>

namespace dlbench::data::testing {

/// All that a consumer can see of a batch: "number/epoch/number in the epoch:labels".
inline std::string batch_text(const Batch& batch) {
  std::string text = std::to_string(batch.number) + "/" + std::to_string(batch.epoch) + "/" +
                     std::to_string(batch.number_in_epoch) + ":";
  const BatchTensor& images = batch.tensor("image");
  const BatchTensor& labels = batch.tensor("label");
  for (std::int64_t row = 0; row < batch.samples; ++row) {
    std::int32_t label = 0;
    std::memcpy(&label, labels.row(row).data(), sizeof(label));
    EXPECT_EQ(label, batch.indices[static_cast<std::size_t>(row)]);
    for (const std::byte value : images.row(row)) {
      EXPECT_EQ(static_cast<int>(value), label * 7 % 251);
    }
    text += std::to_string(label) + ",";
  }
  return text;
}

/// The batches of a new loader, one a line, until its end.
inline std::string all_batches(const Dataset& dataset, const LoaderOptions& options) {
  PrefetchLoader loader(dataset, options);
  std::string all;
  while (const BatchLease lease = loader.next()) {
    all += batch_text(*lease) + "\n";
  }
  return all;
}

}  // namespace dlbench::data::testing
