// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/core/nearest_name.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace dlbench::core {
namespace {

char lower(char letter) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

// Optimal string alignment distance (Damerau-Levenshtein without repeated edits of a substring),
// ignoring case.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> rows(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        rows[i][j] = i + j;
        continue;
      }
      const std::size_t replace = rows[i - 1][j - 1] + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      rows[i][j] = std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, replace});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1])) {
        rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
      }
    }
  }
  return rows[a.size()][b.size()];
}

/// The only candidate that begins with `name`; empty if there is none or more than one.
std::string completed(std::string_view name, std::span<const std::string> candidates) {
  constexpr std::size_t kMinLetters = 3;
  std::string found;
  for (const std::string& candidate : candidates) {
    if (name.size() >= kMinLetters && candidate.starts_with(name)) {
      if (!found.empty()) {
        return {};
      }
      found = candidate;
    }
  }
  return found;
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string> candidates) {
  if (std::string whole = completed(name, candidates); !whole.empty()) {
    return whole;
  }
  const std::string* best = nullptr;
  std::size_t best_distance = 0;
  for (const auto& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    const std::size_t limit = (std::max(name.size(), candidate.size()) + 2) / 3;
    if (distance <= limit && (best == nullptr || distance < best_distance)) {
      best = &candidate;
      best_distance = distance;
    }
  }
  return best == nullptr ? std::string() : *best;
}

std::string unknown_name_message(std::string_view kind,
                                 std::string_view name,
                                 std::span<const std::string> candidates) {
  std::string message = "unknown " + std::string(kind) + " '" + std::string(name) + "'";
  if (const std::string nearest = nearest_name(name, candidates); !nearest.empty()) {
    message += "; did you mean '" + nearest + "'? known:";
  } else {
    message += "; known:";
  }
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    message += (i == 0 ? " " : ", ") + candidates[i];
  }
  return message;
}

}  // namespace dlbench::core
