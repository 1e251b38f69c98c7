#include <algorithm>
#include <cfloat>
#include <limits>

#include "base/error.h"
#include "text/pieces/segment.h"

namespace eatt {
namespace {

using Kind = PieceModel::Kind;

constexpr float kUnknownPenalty = 10;

}  // namespace

Unigram::Unigram(const PieceModel& model) : model_(model) {
  // SentencePiece begins with FLT_MIN, the smallest positive number; user-defined symbols depend on
  // it.
  float lowest = FLT_MAX;
  highest_score_ = FLT_MIN;
  std::vector<PieceTrie::Key> keys;
  for (size_t id = 0; id < model.pieces.size(); ++id) {
    const auto& [text, score, kind] = model.pieces[id];
    if (kind == Kind::normal) {
      lowest = std::min(lowest, score);
      highest_score_ = std::max(highest_score_, score);
    }
    if (kind == Kind::normal || kind == Kind::user_defined) {
      keys.push_back({text, static_cast<int32_t>(id)});
    }
  }
  trie_ = PieceTrie(std::move(keys));
  unknown_score_ = lowest - kUnknownPenalty;
}

// Extends the best way to cut the text up to `begin` by each piece that may follow. The types are
// SentencePiece's: sums in double precision are rounded when they are kept, which decides ties.
void Unigram::extend(std::string_view text, size_t begin, std::vector<Best>& best) const {
  const float score_before = best[begin].score;
  const auto keep_if_better = [&](size_t size, int32_t id, auto score) {
    Best& end = best[begin + size];
    if (end.begin >= 0 && !(score > end.score)) return;
    end = {.id = id, .score = static_cast<float>(score), .begin = static_cast<int32_t>(begin)};
  };
  const size_t character = front_length(text.substr(begin));
  bool has_character = false;  // As a piece of its own.
  trie_.for_each_prefix(text.substr(begin), [&](size_t size, int32_t id) {
    const auto& piece = model_.pieces[static_cast<size_t>(id)];
    // A user-defined symbol scores so high that it is always chosen.
    const double score = piece.kind == Kind::user_defined
                             ? static_cast<float>(size) * highest_score_ - 0.1
                             : static_cast<double>(piece.score);
    keep_if_better(size, id, score + score_before);
    has_character |= size == character;
  });
  if (!has_character) keep_if_better(character, kUnknownPiece, unknown_score_ + score_before);
}

void Unigram::segment(std::string_view text, Scratch& scratch, SegmentWriter& writer) const {
  expects(text.size() < std::numeric_limits<int32_t>::max(), "positions fit 32 bits");
  auto& best = scratch.best;
  best.assign(text.size() + 1, {});
  for (size_t begin = 0; begin < text.size(); begin += front_length(text.substr(begin))) {
    extend(text, begin, best);
  }
  auto& ends = scratch.ends;
  ends.clear();
  for (auto end = static_cast<int32_t>(text.size()); end > 0;) {
    ends.push_back(end);
    end = best[static_cast<size_t>(end)].begin;
  }
  std::ranges::reverse(ends);
  for (const int32_t end : ends) {
    const Best& piece = best[static_cast<size_t>(end)];
    writer.add(
        text.substr(static_cast<size_t>(piece.begin), static_cast<size_t>(end - piece.begin)),
        piece.id);
  }
}

}  // namespace eatt
