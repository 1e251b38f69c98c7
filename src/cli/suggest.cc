#include "cli/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace eatt::cli {
namespace {

constexpr size_t kMostEdits = 2;
constexpr size_t kShortestPrefix = 3;

// Insertions, deletions, substitutions and swaps of neighbours that make `a` of `b`.
size_t edits(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      row[j] = std::min({row[j - 1] + 1, last[j] + 1, last[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string_view without_hyphens(std::string_view name) {
  return name.substr(std::min(name.find_first_not_of('-'), name.size()));
}

// Whether "cpu-threads" has the words of "threads": whole ones, next to each other.
bool has_words(std::string_view name, std::string_view words) {
  for (size_t at = name.find(words); at != name.npos; at = name.find(words, at + 1)) {
    const size_t end = at + words.size();
    if ((at == 0 || name[at - 1] == '-') && (end == name.size() || name[end] == '-')) return true;
  }
  return false;
}

}  // namespace

std::string nearest_name(std::string_view typed, std::span<const std::string> candidates) {
  const std::string_view word = without_hyphens(typed);
  std::string best;
  size_t fewest = kMostEdits + 1;
  for (const std::string& candidate : candidates) {
    const std::string_view name = without_hyphens(candidate);
    // Half of a short word may be wrong before it is another word.
    const size_t allowed = std::min(kMostEdits, std::min(word.size(), name.size()) / 2);
    const size_t count = edits(word, name);
    if (count <= allowed && count < fewest) {
      fewest = count;
      best = candidate;
    }
  }
  if (!best.empty() || word.size() < kShortestPrefix) return best;
  const auto first_that = [&](const auto& fits) {
    const auto found = std::ranges::find_if(
        candidates, [&](const std::string& name) { return fits(without_hyphens(name)); });
    return found == candidates.end() ? std::string() : *found;
  };
  best = first_that([&](std::string_view name) { return name.starts_with(word); });
  if (best.empty()) {
    best = first_that([&](std::string_view name) { return has_words(name, word); });
  }
  if (best.empty()) {
    best = first_that([&](std::string_view name) {
      return name.size() > kShortestPrefix && word.starts_with(name) && has_words(word, name);
    });
  }
  return best;
}

std::string did_you_mean(std::string_view suggestion) {
  return suggestion.empty() ? "" : fmt::format(" (did you mean {}?)", suggestion);
}

}  // namespace eatt::cli
