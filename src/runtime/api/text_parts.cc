#include "runtime/api/text_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text/utf8.h"
#include "text/pieces/words.h"

namespace eatt {

namespace {

// The number of words that begin before `at`, less the one that goes on there.
size_t words_before(std::string_view text, size_t at) {
  const size_t words = count_words(text.substr(0, at));
  const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  const bool inside_word = at > 0 && !is_space(text[at - 1]);
  return words - (inside_word ? 1 : 0);
}

// Of two parts of one text.
std::string_view text_between(std::string_view left, std::string_view right) {
  const char* const begin = left.data() + left.size();
  return {begin, static_cast<size_t>(right.data() - begin)};
}

// Each part of a text gets its own random numbers.
uint64_t sampling_number(uint64_t task, size_t part) {
  return task + (static_cast<uint64_t>(part) << 40);
}

std::vector<std::string> piece_texts(std::span<const int32_t> ids, const Pieces& pieces) {
  std::vector<std::string> texts;
  texts.reserve(ids.size());
  for (const int32_t id : ids) texts.push_back(pieces.piece(id));
  return texts;
}

}  // namespace

void make_valid(std::string& text) {
  if (!is_valid_utf8(text)) text = replace_invalid_utf8(text);
}

TextParts::TextParts(Sides sides, const TranslatorOptions& options)
    : sides_(std::move(sides)), options_(options), splitter_(sides_.source_language) {}

size_t TextParts::most_pieces() const {
  return std::min(options_.max_input_pieces,
                  sides_.max_source_pieces.value_or(options_.max_input_pieces));
}

std::vector<int32_t> TextParts::prefix_pieces(const TranslationTask& task) const {
  std::vector<int32_t> ids = sides_.target->encode(task.prefix);
  if (ids.size() <= most_pieces()) return ids;
  throw Error(fmt::format("the prefix has {} pieces, but it may have {}; make it shorter",
                          ids.size(), most_pieces()));
}

// The sentences of a task, if it is to be split and has several; else its whole text.
std::vector<std::string_view> TextParts::sentences_of(const TranslationTask& task) const {
  const std::string_view source = task.source;
  std::vector<std::string_view> sentences;
  if (options_.split_sentences && task.prefix.empty() && !task.stays_whole) {
    for (const TextRange range : splitter_.split(source)) sentences.push_back(range.of(source));
  }
  if (sentences.size() < 2) return {source};
  return sentences;
}

// The parts that are translated on their own, without those that have no pieces.
std::vector<TextParts::EncodedText> TextParts::encode_parts(const TranslationTask& task) const {
  const auto count = [&](std::string_view text) {
    if (options_.before_step) options_.before_step();
    return sides_.source->encode(text).size();
  };
  std::vector<EncodedText> parts;
  for (const auto sentence : sentences_of(task)) {
    std::vector<int32_t> ids = sides_.source->encode(sentence);
    if (ids.size() <= most_pieces()) {
      parts.emplace_back(sentence, std::move(ids));
      continue;
    }
    if (!options_.split_long_input) {
      throw Error(fmt::format(
          "has {} pieces, but an input may have {}; let long input be split at sentence ends, or "
          "make it shorter",
          ids.size(), most_pieces()));
    }
    for (const auto part : split_long_text(sentence, most_pieces(), count, splitter_)) {
      parts.emplace_back(part, sides_.source->encode(part));
    }
  }
  if (parts.size() > 1) std::erase_if(parts, [](const auto& part) { return part.second.empty(); });
  return parts;
}

std::vector<TextPart> TextParts::split(const TranslationTask& task, uint64_t number) const {
  const std::string_view source = task.source;
  std::vector<TextPart> parts;
  size_t passed = 0, words = 0;  // Of the source, up to the part before.
  for (auto& [text, ids] : encode_parts(task)) {
    TextPart part{text, {std::move(ids), {}, sampling_number(number, parts.size())}};
    if (parts.empty()) part.search.prefix = prefix_pieces(task);
    part.search.wants_scores = options_.wants_scores;
    const auto begin = static_cast<size_t>(text.data() - source.data());
    words += words_before(source.substr(passed), begin - passed);
    passed = begin;
    part.first_word = words;
    part.after_tab =
        !parts.empty() && text_between(parts.back().text, text).find('\t') != source.npos;
    parts.push_back(std::move(part));
  }
  return parts;
}

TranslatedPart TextParts::translated(const TextPart& part,
                                     std::vector<SearchHypothesis> found) const {
  return {translation_of(part.text, part.search, std::move(found)), part.first_word,
          part.after_tab};
}

Translation TextParts::translation_of(std::string_view text, const SearchTask& task,
                                      std::vector<SearchHypothesis> found) const {
  Translation translation;
  for (SearchHypothesis& hypothesis : found) {
    translation.hypotheses.push_back(hypothesis_of(std::move(hypothesis)));
  }
  translation.source_pieces = piece_texts(task.source, source());
  translation.source_words = options_.wants_attention && task.wants_attention
                                 ? words_of_text(text, task.source, source())
                                 : words_of_pieces(task.source, source());
  return translation;
}

Hypothesis TextParts::hypothesis_of(SearchHypothesis found) const {
  return {.text = sides_.target->decode(found.pieces),
          .pieces = piece_texts(found.pieces, *sides_.target),
          .words = words_of_pieces(found.pieces, *sides_.target),
          .score = found.score,
          .log_probability = found.log_probability,
          .piece_scores = std::move(found.piece_scores),
          .attention = shifted(std::move(found.attention)),
          .attention_begin = {},
          .finished = found.finished};
}

// A row later for each piece: what the step that reads it looked at. The last has none and stays.
std::vector<std::vector<float>> TextParts::shifted(
    std::vector<std::vector<float>> attention) const {
  if (options_.alignment_shift == 0 || attention.size() < 2) return attention;
  attention.erase(attention.begin());
  attention.push_back(attention.back());
  return attention;
}

}  // namespace eatt
