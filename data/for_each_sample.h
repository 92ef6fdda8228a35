// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs a function once per sample on several threads: for generation and inspection, which happen
// outside every timed region. The loader has its own threads.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace dlbench::data {

/// Returns the number of threads for `requested` (0: one per core that this process may use): at
/// most one per item, at least one.
[[nodiscard]] int set_up_threads(int requested, std::int64_t items);

/// Calls body(item, thread) once for every item in [0, items), on `threads` threads, and shows a
/// progress line named `what`. After the first exception no new item starts; the exception of the
/// lowest item is thrown.
void for_each_sample(std::int64_t items,
                     int threads,
                     std::string_view what,
                     const std::function<void(std::int64_t item, int thread)>& body);

}  // namespace dlbench::data
