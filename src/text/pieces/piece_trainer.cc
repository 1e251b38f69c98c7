#include "text/pieces/piece_trainer.h"

#include <fmt/format.h>

#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/text/utf8.h"
#include "text/pieces/bpe_trainer.h"
#include "text/pieces/normalization_rules.h"
#include "text/pieces/piece_model.h"
#include "text/pieces/pieces.h"
#include "text/pieces/script.h"
#include "text/pieces/sentencepiece/library.h"
#include "text/pieces/training_words.h"

namespace eatt {
namespace {

void check_options(const PieceTrainingOptions& options) {
  if (options.vocab_size < 8 || options.vocab_size > 1'000'000) {
    throw UsageError(
        fmt::format("--vocab-size is {}; expected 8 to 1,000,000", options.vocab_size));
  }
  const double coverage = options.character_coverage;
  if (coverage != 0 && !(coverage >= 0.98 && coverage <= 1)) {
    throw UsageError(fmt::format("--character-coverage is {}; expected 0.98 to 1", coverage));
  }
}

std::vector<std::u32string> learn(const TrainingWords& words, const std::vector<char32_t>& alphabet,
                                  size_t pieces) {
  BpeTrainer trainer(alphabet);
  words.give_to(trainer, alphabet);
  Progress progress("learning pieces", pieces, "pieces");
  auto learnt = trainer.learn(pieces, [&](size_t done) { progress.update(done); });
  progress.update(learnt.size());
  progress.finish();
  return learnt;
}

// `pieces` holds the markers, and bytes if there are any; then comes what was learnt, then the
// characters, each with a score that is the lower the later it comes.
std::string assemble(std::vector<PieceModel::Piece> pieces, const PieceModel& like,
                     const std::vector<std::u32string>& learnt,
                     const std::vector<char32_t>& alphabet, double coverage) {
  std::vector<std::string> texts;
  for (const std::u32string& piece : learnt) {
    texts.emplace_back();
    for (const char32_t character : piece) append_utf8(character, texts.back());
  }
  for (const char32_t character : alphabet) append_utf8(character, texts.emplace_back());
  for (size_t i = 0; i < texts.size(); ++i) {
    pieces.push_back({texts[i], -static_cast<float>(i), PieceModel::Kind::normal});
  }
  return write_piece_model(pieces, like, coverage);
}

// Scripts with thousands of characters, of which a text has many just once or twice.
bool is_of_large_alphabet(char32_t character) {
  const Script script = script_of(character);
  return script == Script::east_asian || script == Script::hangul;
}

}  // namespace

double choose_character_coverage(const WordCounts& words) {
  uint64_t all = 0, of_large = 0;
  for (const auto& word : words.most_frequent(500'000, /*all_characters=*/false)) {
    for (size_t at = 0; at < word.text.size(); at += utf8_length(word.text[at])) {
      all += word.count;
      if (is_of_large_alphabet(utf8_front(word.text.substr(at)))) of_large += word.count;
    }
  }
  return of_large * 10 > all ? 0.9995 : 1.0;
}

std::string train_pieces(WordCounts words, const PieceTrainingOptions& options) {
  check_options(options);
  const std::string template_bytes = make_sentencepiece_template(options.byte_fallback);
  const PieceModel like = parse_piece_model(template_bytes, "template");
  std::vector<PieceModel::Piece> fixed;  // Markers and bytes.
  for (const auto& piece : like.pieces) {
    if (piece.kind != PieceModel::Kind::normal) fixed.push_back(piece);
  }

  const double coverage = options.character_coverage != 0 ? options.character_coverage
                                                          : choose_character_coverage(words);
  const auto chosen = words.most_frequent(options.max_characters, /*all_characters=*/coverage == 1);
  spdlog::info("learning {} pieces from {} different words of {} lines, character coverage {}",
               format_count(static_cast<uint64_t>(options.vocab_size)), format_count(chosen.size()),
               format_count(words.lines()), coverage);
  const TrainingWords text(chosen, NormalizationRules(like.normalizer.rules));
  words = WordCounts();
  const std::vector<char32_t> alphabet = text.alphabet(coverage);
  if (alphabet.empty()) throw Error("there is no text to learn pieces from");

  const size_t wanted = static_cast<size_t>(options.vocab_size);
  const size_t needed = fixed.size() + alphabet.size();
  if (needed > wanted) {
    throw Error(fmt::format(
        "the text has {} different characters, which with {} markers and bytes is more than "
        "--vocab-size {}; try --vocab-size {} or a lower --character-coverage",
        format_count(alphabet.size()), fixed.size(), wanted, 2 * needed));
  }
  const auto learnt = learn(text, alphabet, wanted - needed);
  if (needed + learnt.size() < wanted) {
    throw Error(fmt::format(
        "the text supports no more than {} pieces, but --vocab-size is {}; try --vocab-size {} or "
        "less, or give more text",
        format_count(needed + learnt.size()), wanted, needed + learnt.size()));
  }
  return assemble(std::move(fixed), like, learnt, alphabet, coverage);
}

}  // namespace eatt
