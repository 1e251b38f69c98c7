#include "markup/alignment.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/text/unicode.h"
#include "base/text/utf8.h"
#include "runtime/api/word_alignment.h"
#include "text/pieces/piece_model.h"
#include "text/pieces/words.h"
#include "text/sentences/punctuation.h"

namespace eatt::markup {
namespace {

bool is_word_character(char32_t code) {
  return (is_letter(code) || is_number(code)) && !is_east_asian(code);
}

// Signs that are part of a word when they stand inside one: don't, e-mail, 3.5
bool joins_words(char32_t code) {
  return code == U'\'' || code == U'’' || code == U'-' || code == U'.' || code == U',' ||
         code == U'_';
}

// Where the token that begins at `begin` ends.
size_t token_end(std::string_view text, size_t begin) {
  const Utf8Character first = decode_utf8(text, begin);
  size_t end = begin + first.size;
  const bool is_word = is_word_character(first.code);
  while (end < text.size()) {
    const Utf8Character next = decode_utf8(text, end);
    const bool is_mark = script_of(next.code) == Script::any && !is_white_space(next.code);
    if (!is_mark && !is_word) break;
    if (!is_mark && !is_word_character(next.code)) {
      const size_t behind = end + next.size;
      if (!joins_words(next.code) || behind >= text.size()) break;
      const char32_t after = decode_utf8(text, behind).code;
      const bool is_number_sign = next.code == U'.' || next.code == U',';
      if (is_number_sign ? !is_number(after) : !is_word_character(after)) break;
    }
    end += next.size;
  }
  return end;
}

// Characters of a text that are no white space, as far as counting them goes.
struct CharacterIndex {
  std::vector<size_t> token;       // Of each character.
  std::vector<size_t> word_begin;  // First character of each white-space word, and the end.
};

CharacterIndex index_characters(std::string_view text, std::span<const TextRange> tokens) {
  CharacterIndex index;
  size_t token = 0;
  for (const std::string_view word : split_words(text)) {
    index.word_begin.push_back(index.token.size());
    const auto begin = static_cast<size_t>(word.data() - text.data());
    for (size_t at = begin; at < begin + word.size();) {
      const Utf8Character character = decode_utf8(text, at);
      while (token < tokens.size() && tokens[token].end <= at) ++token;
      if (!is_white_space(character.code)) index.token.push_back(token);
      at += character.size;
    }
  }
  index.word_begin.push_back(index.token.size());
  return index;
}

// Characters of a piece, without white space; one that stands for unknown text counts as one.
size_t count_characters(std::string_view piece) {
  if (piece == "<unk>" || byte_of_piece(piece)) return 1;
  size_t count = 0;
  for (size_t at = 0; at < piece.size();) {
    const Utf8Character character = decode_utf8(piece, at);
    const bool is_space = character.code == kSpaceMarkCharacter || is_white_space(character.code);
    if (!is_space) ++count;
    at += character.size;
  }
  return count;
}

// The characters [begin, end) of the text that each piece stands for. Normalisation may have
// changed their number, so the pieces of a word share its characters by their own lengths: exact
// where nothing has changed. Text whose words are not those of the pieces counts as one word.
std::vector<TextRange> ranges_of_pieces(const std::vector<std::string>& pieces,
                                        const std::vector<int32_t>& words,
                                        const CharacterIndex& index) {
  const int32_t last = words.empty() ? -1 : *std::ranges::max_element(words);
  const bool same_words = last + 2 == static_cast<int32_t>(index.word_begin.size()) &&
                          words.size() == pieces.size() && std::ranges::is_sorted(words);
  std::vector<TextRange> ranges(pieces.size());
  for (size_t first = 0; first < pieces.size();) {
    size_t end = first + 1;
    while (end < pieces.size() && (!same_words || words[end] == words[first])) ++end;
    const bool in_word = same_words && words[first] >= 0;
    const size_t word = in_word ? static_cast<size_t>(words[first]) : 0;
    const size_t begin = index.word_begin[word];
    const size_t characters = (in_word ? index.word_begin[word + 1] : index.token.size()) - begin;
    size_t all = 0;
    for (size_t i = first; i < end; ++i) all += count_characters(pieces[i]);
    size_t passed = 0;
    for (size_t i = first; i < end; ++i) {
      const size_t own = count_characters(pieces[i]);
      if (own == 0 || characters == 0) continue;
      ranges[i].begin = begin + passed * characters / all;
      passed += own;
      ranges[i].end = std::max(ranges[i].begin + 1, begin + passed * characters / all);
    }
    first = end;
  }
  return ranges;
}

// A token and how much of a piece is in it.
struct Share {
  size_t token = 0;
  float part = 0;
};

std::vector<std::vector<Share>> shares_of_pieces(std::span<const TextRange> ranges,
                                                 const CharacterIndex& index) {
  std::vector<std::vector<Share>> shares(ranges.size());
  for (size_t i = 0; i < ranges.size(); ++i) {
    const float one = 1 / static_cast<float>(std::max<size_t>(1, ranges[i].end - ranges[i].begin));
    for (size_t at = ranges[i].begin; at < ranges[i].end; ++at) {
      if (shares[i].empty() || shares[i].back().token != index.token[at]) {
        shares[i].push_back({index.token[at], 0});
      }
      shares[i].back().part += one;
    }
  }
  return shares;
}

// Attention of one target token over source tokens.
class TokenRow {
 public:
  void add(size_t token, float value) {
    if (sums_.empty()) first_ = token;
    if (token < first_) {
      sums_.insert(sums_.begin(), first_ - token, 0.0f);
      first_ = token;
    }
    if (token - first_ >= sums_.size()) sums_.resize(token - first_ + 1);
    sums_[token - first_] += value;
  }
  void add_end_marker(float value, float weight) {
    end_marker_ += value * weight;
    weight_ += weight;
  }

  // Notes what the token attends to, and which source tokens it suits best.
  void finish(size_t target, TokenAlignment& alignment) const {
    if (sums_.empty() || weight_ <= 0) return;
    const auto best = std::ranges::max_element(sums_);
    if (*best >= end_marker_) {
      alignment.source_of[target] = first_ + static_cast<size_t>(best - sums_.begin());
    }
    for (size_t i = 0; i < sums_.size(); ++i) {
      auto& choice = alignment.best_target[first_ + i];
      const float probability = sums_[i] / weight_;
      if (probability > choice.probability) choice = {target, probability};
    }
  }

 private:
  std::vector<float> sums_;
  size_t first_ = 0;
  float end_marker_ = 0, weight_ = 0;
};

}  // namespace

std::vector<TextRange> tokens_of(std::string_view text, std::span<const size_t> cuts) {
  std::vector<TextRange> tokens;
  auto cut = cuts.begin();
  for (size_t at = 0; at < text.size();) {
    const Utf8Character character = decode_utf8(text, at);
    if (is_white_space(character.code)) {
      at += character.size;
      continue;
    }
    size_t end = token_end(text, at);
    while (cut != cuts.end() && *cut <= at) ++cut;
    if (cut != cuts.end()) end = std::min(end, *cut);
    tokens.push_back({at, end});
    at = end;
  }
  return tokens;
}

namespace {

// Words that are cut inside (H<sub>2</sub>O) and stand in the translation as they are: their target
// tokens are cut in the same places and aligned part by part.
class CutWords {
 public:
  CutWords(std::string_view text, std::span<const size_t> cuts) {
    size_t number = 0;  // Of the first token of the word, once it is cut.
    for (const TextRange& word : tokens_of(text)) {
      Cuts own{.first_token = number++, .offsets = {}};
      const auto end = std::ranges::lower_bound(cuts, word.end);
      for (auto cut = std::ranges::upper_bound(cuts, word.begin); cut < end; ++cut) {
        own.offsets.push_back(*cut - word.begin);
      }
      number += own.offsets.size();
      if (!own.offsets.empty()) words_[word.of(text)].push_back(std::move(own));
    }
  }

  // Where the tokens of the translation are cut.
  std::vector<size_t> cuts_of(std::string_view translation) {
    std::vector<size_t> cuts;
    if (words_.empty()) return cuts;
    for (const TextRange& word : tokens_of(translation)) {
      const auto found = words_.find(word.of(translation));
      if (found == words_.end() || found->second.empty()) continue;
      const Cuts own = found->second.front();
      found->second.erase(found->second.begin());
      for (const size_t offset : own.offsets) cuts.push_back(word.begin + offset);
      copies_.emplace_back(word, own.first_token);
    }
    return cuts;
  }

  void align(TokenAlignment& alignment) const {
    for (const auto& [word, source] : copies_) {
      auto token = std::ranges::lower_bound(alignment.target, word.begin, {}, &TextRange::begin);
      for (size_t i = 0; token < alignment.target.end() && token->begin < word.end; ++i, ++token) {
        alignment.source_of[static_cast<size_t>(token - alignment.target.begin())] = source + i;
      }
    }
  }

 private:
  struct Cuts {
    size_t first_token;
    std::vector<size_t> offsets;
  };
  std::unordered_map<std::string_view, std::vector<Cuts>> words_;  // In the order of the text.
  std::vector<std::pair<TextRange, size_t>> copies_;  // In the translation; the first source token.
};

// Reads the attention between the tokens.
void read_attention(std::string_view text, const Translation& translation,
                    TokenAlignment& alignment) {
  const Hypothesis& hypothesis = translation.hypotheses.front();
  const CharacterIndex source = index_characters(text, alignment.source);
  const CharacterIndex target = index_characters(hypothesis.text, alignment.target);
  const auto source_shares = shares_of_pieces(
      ranges_of_pieces(translation.source_pieces, translation.source_words, source), source);
  const auto target_shares =
      shares_of_pieces(ranges_of_pieces(hypothesis.pieces, hypothesis.words, target), target);
  std::map<size_t, TokenRow> rows;  // Of target tokens that later pieces may still be part of.
  const auto add_row = [&](const AlignmentRow& row) {
    const std::vector<Share>& shares = target_shares[row.target];
    if (shares.empty()) return;
    while (!rows.empty() && rows.begin()->first < shares.front().token) {
      rows.begin()->second.finish(rows.begin()->first, alignment);
      rows.erase(rows.begin());
    }
    for (const auto& [token, part] : shares) {
      TokenRow& sums = rows[token];
      sums.add_end_marker(row.end_marker, part);
      for (size_t i = 0; i < row.probabilities.size(); ++i) {
        for (const Share& share : source_shares[row.first_source + i]) {
          sums.add(share.token, row.probabilities[i] * share.part * part);
        }
      }
    }
  };
  for_each_alignment_row(translation, hypothesis, AlignmentUnits::piece, add_row);
  for (const auto& [token, row] : rows) row.finish(token, alignment);
}

}  // namespace

TokenAlignment align_tokens(std::string_view text, std::span<const size_t> cuts,
                            const Translation& translation) {
  const Hypothesis& hypothesis = translation.hypotheses.front();
  CutWords cut_words(text, cuts);
  TokenAlignment alignment;
  alignment.source = tokens_of(text, cuts);
  alignment.target = tokens_of(hypothesis.text, cut_words.cuts_of(hypothesis.text));
  alignment.source_of.assign(alignment.target.size(), kNoToken);
  alignment.best_target.resize(alignment.source.size());
  if (hypothesis.attention.size() >= hypothesis.pieces.size()) {
    read_attention(text, translation, alignment);
  }
  cut_words.align(alignment);
  return alignment;
}

}  // namespace eatt::markup
