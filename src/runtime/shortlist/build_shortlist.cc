#include "runtime/shortlist/build_shortlist.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <string_view>

#include "base/error.h"
#include "base/text/unicode.h"
#include "base/text/utf8.h"
#include "base/threads.h"

namespace eatt {
namespace {

// Bytes, and single characters with or without a space in front, of scripts with few characters.
bool spells(const Pieces& pieces, int32_t id) {
  if (!pieces.is_normal(id)) return true;
  std::string_view text = pieces.piece(id);
  if (text.starts_with(kSpaceMark) && text != kSpaceMark) text.remove_prefix(kSpaceMark.size());
  if (utf8_length(text.front()) != text.size()) return false;
  const Script script = script_of(utf8_front(text));
  return script != Script::east_asian && script != Script::hangul;
}

void sort_and_unite(std::vector<int32_t>& pieces) {
  std::ranges::sort(pieces);
  pieces.erase(std::unique(pieces.begin(), pieces.end()), pieces.end());
}

std::vector<int32_t> always_allowed(std::span<const uint64_t> counts, const Pieces& target,
                                    size_t first) {
  std::vector<int32_t> occurring;
  for (int32_t id = kEndPiece + 1; id < target.size(); ++id) {
    if (counts[static_cast<size_t>(id)] > 0) occurring.push_back(id);
  }
  std::ranges::stable_sort(occurring, std::greater(),
                           [&](int32_t id) { return counts[static_cast<size_t>(id)]; });
  std::vector<int32_t> always = {kEndPiece};
  for (size_t i = 0; i < occurring.size(); ++i) {
    if (i < first || spells(target, occurring[i])) always.push_back(occurring[i]);
  }
  sort_and_unite(always);
  return always;
}

std::vector<int32_t> likely_for(std::span<const LexicalModel::Entry> entries,
                                const ShortlistOptions& options) {
  std::vector<int32_t> likely;
  for (const LexicalModel::Entry& entry : entries) {
    if (likely.size() == static_cast<size_t>(options.best)) break;
    if (entry.target > kEndPiece && entry.probability > options.threshold) {
      likely.push_back(entry.target);
    }
  }
  return likely;
}

}  // namespace

ShortlistContents build_shortlist(const LexicalModel& lexicon,
                                  std::span<const uint64_t> target_counts, const Pieces& source,
                                  const Pieces& target, const ShortlistOptions& options) {
  expects(lexicon.source_vocab() == static_cast<size_t>(source.size()), "a row for each piece");
  expects(target_counts.size() == static_cast<size_t>(target.size()), "a count for each piece");
  ShortlistContents contents{
      .target_vocab = target.size(),
      .source_sha256 = source.sha256(),
      .target_sha256 = target.sha256(),
      .always = always_allowed(target_counts, target, static_cast<size_t>(options.first)),
      .likely = {}};
  contents.likely.resize(lexicon.source_vocab());
  for (int32_t id = 0; id < source.size(); ++id) {
    auto& likely = contents.likely[static_cast<size_t>(id)];
    likely = likely_for(lexicon.likely(id), options);
    const int32_t same = target.id(source.piece(id));
    if (id > kEndPiece && same > kEndPiece) likely.push_back(same);
    std::erase_if(
        likely, [&](int32_t piece) { return std::ranges::binary_search(contents.always, piece); });
    sort_and_unite(likely);
  }
  return contents;
}

std::vector<uint64_t> expected_target_counts(const LexicalModel& lexicon, int target_vocab) {
  std::vector<double> sums(static_cast<size_t>(target_vocab));
  for (size_t source = 0; source < lexicon.source_vocab(); ++source) {
    for (const auto& entry : lexicon.likely(static_cast<int32_t>(source))) {
      sums[static_cast<size_t>(entry.target)] += entry.probability;
    }
  }
  std::vector<uint64_t> counts;
  for (const double sum : sums) counts.push_back(static_cast<uint64_t>(std::ceil(1e6 * sum)));
  return counts;
}

ShortlistCoverage measure_coverage(const Shortlist& shortlist, const PiecePairs& pairs) {
  constexpr size_t kPairsPerTask = 256;
  ShortlistCoverage total;
  std::mutex mutex;
  parallel_for((pairs.size() + kPairsPerTask - 1) / kPairsPerTask, [&](size_t task) {
    ShortlistCoverage part;
    std::vector<int32_t> source, target, allowed;
    const size_t end = std::min((task + 1) * kPairsPerTask, pairs.size());
    for (size_t i = task * kPairsPerTask; i < end; ++i) {
      pairs.read(i, source, target);
      std::erase(target, kUnknownPiece);
      shortlist.pieces_for(source, allowed);
      const auto covered = static_cast<uint64_t>(std::ranges::count_if(
          target, [&](int32_t piece) { return std::ranges::binary_search(allowed, piece); }));
      part.target_pieces += target.size();
      part.covered += covered;
      part.covered_pairs += covered == target.size();
      part.sizes += allowed.size();
    }
    const std::lock_guard lock(mutex);
    total.pairs += end - task * kPairsPerTask;
    total.target_pieces += part.target_pieces;
    total.covered += part.covered;
    total.covered_pairs += part.covered_pairs;
    total.sizes += part.sizes;
  });
  return total;
}

}  // namespace eatt
