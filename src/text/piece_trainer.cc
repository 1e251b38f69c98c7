#include "text/piece_trainer.h"

#include <fmt/format.h>
#include <sentencepiece_trainer.h>

#include <cstdio>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "base/progress.h"
#include "text/pieces.h"
#include "text/utf8.h"

namespace eatt {
namespace {

// Gives the trainer "word<TAB>count" lines one by one.
class WordIterator : public sentencepiece::SentenceIterator {
 public:
  explicit WordIterator(const std::vector<WordCounts::Word>& words) {
    for (const auto& word : words) {
      texts_ += word.text;
      words_.push_back({static_cast<uint32_t>(word.text.size()), word.count});
    }
    Next();
  }
  bool done() const override { return at_ > words_.size(); }
  void Next() override {
    if (at_ < words_.size()) {
      const auto [size, count] = words_[at_];
      line_ = fmt::format("{}\t{}", std::string_view(texts_).substr(offset_, size), count);
      offset_ += size;
    }
    ++at_;
  }
  const std::string& value() const override { return line_; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  std::string texts_;
  std::vector<std::pair<uint32_t, uint64_t>> words_;  // Bytes of each in texts_, and its count.
  size_t at_ = 0;
  size_t offset_ = 0;
  std::string line_;
};

// Scripts with thousands of characters, of which a text has many just once or twice.
bool is_of_large_alphabet(char32_t character) {
  return (character >= 0x2e80 && character <= 0x2fdf) ||  // radicals
         (character >= 0x3400 && character <= 0x9fff) ||  // Han
         (character >= 0xac00 && character <= 0xd7af) ||  // Hangul syllables
         (character >= 0xf900 && character <= 0xfaff) ||  // Han, compatibility
         (character >= 0x20000 && character <= 0x3ffff);  // Han, further planes
}

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

[[noreturn]] void fail_training(const std::string& message, const PieceTrainingOptions& options) {
  const size_t place = message.find("required_chars.");
  int given = 0, needed = 0;
  if (place != std::string::npos &&
      std::sscanf(message.c_str() + place, "required_chars. %d vs %d", &given, &needed) == 2) {
    throw Error(fmt::format(
        "the text has so many different characters that {} pieces go to them and the markers, but "
        "--vocab-size is {}; try --vocab-size {} or a lower --character-coverage",
        format_count(static_cast<uint64_t>(needed)), options.vocab_size, 2 * needed));
  }
  throw Error("SentencePiece could not learn pieces from this text: " + message);
}

std::unordered_map<std::string, std::string> trainer_settings(const PieceTrainingOptions& options,
                                                              double coverage) {
  return {{"model_type", "bpe"},
          {"input_format", "tsv"},
          {"vocab_size", std::to_string(options.vocab_size)},
          // Soft, so that a size that is too high tells what would do.
          {"hard_vocab_limit", "false"},
          {"character_coverage", fmt::format("{}", coverage)},
          {"byte_fallback", options.byte_fallback ? "true" : "false"},
          {"pad_id", std::to_string(kPadPiece)},
          {"unk_id", std::to_string(kUnknownPiece)},
          {"bos_id", std::to_string(kStartPiece)},
          {"eos_id", std::to_string(kEndPiece)},
          {"minloglevel", "3"}};  // Its own words on stderr: only when it is about to abort.
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
  if (words.empty()) throw Error("there is no text to learn pieces from");
  const double coverage = options.character_coverage != 0 ? options.character_coverage
                                                          : choose_character_coverage(words);
  const auto chosen = words.most_frequent(options.max_characters, /*all_characters=*/coverage == 1);
  spdlog::info("learning {} pieces from {} different words of {} lines, character coverage {}",
               format_count(static_cast<uint64_t>(options.vocab_size)), format_count(chosen.size()),
               format_count(words.lines()), coverage);
  WordIterator iterator(chosen);
  words = WordCounts();
  std::string model;
  const auto status = sentencepiece::SentencePieceTrainer::Train(
      trainer_settings(options, coverage), &iterator, &model);
  if (!status.ok()) fail_training(status.message(), options);
  const int size = Pieces(model, "the new vocabulary").size();
  if (size < options.vocab_size) {
    throw Error(fmt::format(
        "the text supports no more than {} pieces, but --vocab-size is {}; try --vocab-size {} or "
        "less, or give more text",
        format_count(static_cast<uint64_t>(size)), options.vocab_size, size));
  }
  return model;
}

}  // namespace eatt
