#include "text/pieces/piece_trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/random.h"
#include "base/text/protobuf.h"
#include "base/text/unicode.h"
#include "base/text/utf8.h"
#include "text/corpus/line_reader.h"
#include "text/corpus/pair_problem.h"
#include "text/corpus/preparation_folder.h"
#include "text/pieces/piece_model.h"

// nmt_nfkc.bin as it is. The assembler reads it much faster than the compiler would read an array.
asm(".pushsection .rodata\n"
    ".balign 8\n"
    ".hidden eatt_nmt_nfkc\n"
    ".global eatt_nmt_nfkc\n"
    "eatt_nmt_nfkc:\n"
    ".incbin \"" EATT_NMT_NFKC_FILE
    "\"\n"
    ".hidden eatt_nmt_nfkc_end\n"
    ".global eatt_nmt_nfkc_end\n"
    "eatt_nmt_nfkc_end:\n"
    ".popsection\n");
extern "C" {
__attribute__((visibility("hidden"))) extern const char eatt_nmt_nfkc[];
__attribute__((visibility("hidden"))) extern const char eatt_nmt_nfkc_end[];
}
namespace eatt {
namespace {

// SentencePiece's nmt_nfkc, the normalisation of every model that we learn: Unicode's NFKC with odd
// spaces as spaces and invisible characters removed. Compiled, as it stands in model files. The
// table is SentencePiece's own (nmt_nfkc.bin, Apache licence 2.0).
std::string_view nmt_nfkc_rules() {
  return {eatt_nmt_nfkc, static_cast<size_t>(eatt_nmt_nfkc_end - eatt_nmt_nfkc)};
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

// The markers, and bytes if there are any.
std::vector<PieceModel::Piece> fixed_pieces(const std::vector<std::string>& bytes) {
  using Kind = PieceModel::Kind;
  std::vector<PieceModel::Piece> pieces = {{.text = "<pad>", .kind = Kind::control},
                                           {.text = "<unk>", .kind = Kind::unknown},
                                           {.text = "<s>", .kind = Kind::control},
                                           {.text = "</s>", .kind = Kind::control}};
  for (const std::string& byte : bytes) pieces.push_back({.text = byte, .kind = Kind::byte});
  return pieces;
}

// What SentencePiece calls the trainer's settings, in its order of fields. Field 4, the size of the
// vocabulary, stands twice, and the last one counts: that keeps the bytes of a model, and so its
// digest, as they have always been.
std::string trainer_message(const std::vector<PieceModel::Piece>& pieces, double coverage) {
  const bool has_bytes = std::ranges::any_of(
      pieces, [](const auto& piece) { return piece.kind == PieceModel::Kind::byte; });
  std::string message;
  append_varint_field(3, static_cast<uint64_t>(PieceModel::Algorithm::bpe), message);
  append_varint_field(4, has_bytes ? 263 : 7, message);
  append_varint_field(33, 0, message);  // hard_vocab_limit
  append_varint_field(35, has_bytes, message);
  append_varint_field(40, kUnknownPiece, message);
  append_varint_field(41, kStartPiece, message);
  append_varint_field(42, kEndPiece, message);
  append_varint_field(43, kPadPiece, message);
  append_varint_field(4, pieces.size(), message);
  append_float_field(10, static_cast<float>(coverage), message);
  return message;
}

std::string write_model(const std::vector<PieceModel::Piece>& pieces, double coverage) {
  std::string bytes, message;
  for (const PieceModel::Piece& piece : pieces) {
    message.clear();
    append_bytes_field(1, piece.text, message);
    append_float_field(2, piece.score, message);
    if (piece.kind != PieceModel::Kind::normal) {
      append_varint_field(3, static_cast<uint64_t>(piece.kind), message);
    }
    append_bytes_field(1, message, bytes);
  }
  append_bytes_field(2, trainer_message(pieces, coverage), bytes);
  message.clear();
  append_bytes_field(1, "nmt_nfkc", message);
  append_bytes_field(2, nmt_nfkc_rules(), message);
  append_bytes_field(3, message, bytes);
  return bytes;
}

// After the markers and bytes come the pieces learnt, then the characters, each with a lower score
// than the one before.
std::string assemble(std::vector<PieceModel::Piece> pieces,
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
  return write_model(pieces, coverage);
}

// Scripts with thousands of characters, many of which occur only once or twice in a text.
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
  std::vector<std::string> bytes;
  for (int byte = 0; byte < 256 && options.byte_fallback; ++byte) {
    bytes.push_back(byte_piece(static_cast<unsigned char>(byte)));
  }
  std::vector<PieceModel::Piece> fixed = fixed_pieces(bytes);

  const double coverage = options.character_coverage != 0 ? options.character_coverage
                                                          : choose_character_coverage(words);
  const auto chosen = words.most_frequent(options.max_characters, /*all_characters=*/coverage == 1);
  spdlog::info("learning {} pieces from {} different words of {} lines, character coverage {}",
               format_count(static_cast<uint64_t>(options.vocab_size)), format_count(chosen.size()),
               format_count(words.lines()), coverage);
  const TrainingWords text(chosen, nmt_nfkc_rules());
  words = WordCounts();
  const std::vector<char32_t> alphabet = text.alphabet(coverage);
  if (alphabet.empty()) throw Error("there is no text to learn pieces from");

  const size_t wanted = static_cast<size_t>(options.vocab_size);
  const size_t needed = fixed.size() + alphabet.size();
  if (needed > wanted) {
    // A larger number than the text supports would be refused too.
    const size_t works = needed + learn(text, alphabet, needed).size();
    throw Error(fmt::format(
        "the text has {} different characters, which with {} markers and bytes is more than "
        "--vocab-size {}; try --vocab-size {}{}",
        format_count(alphabet.size()), fixed.size(), wanted, works,
        options.coverage_is_an_option ? " or a lower --character-coverage" : ""));
  }
  const auto learnt = learn(text, alphabet, wanted - needed);
  if (needed + learnt.size() < wanted) {
    throw Error(fmt::format(
        "the text supports no more than {} pieces, but --vocab-size is {}; try --vocab-size {} or "
        "less, or give more text",
        format_count(needed + learnt.size()), wanted, needed + learnt.size()));
  }
  return assemble(std::move(fixed), learnt, alphabet, coverage);
}

namespace {

// Calls use(line) for each line that can be learnt from; returns the number of other lines.
template <typename Use>
uint64_t for_each_usable_line(const std::vector<TextFile>& files, size_t max_line_bytes,
                              Use&& use) {
  uint64_t unusable = 0;
  for (const TextFile& file : files) {
    LineReader reader(file, max_line_bytes);
    LineReader::Line line;
    while (reader.next(line)) {
      if (line.too_long || find_text_problem(line.text, ".") != PairProblem::none) {
        unusable += line.size > 0;
      } else {
        use(line.text);
      }
    }
  }
  return unusable;
}

}  // namespace

std::string learn_pieces(const std::vector<TextFile>& files, const LearnPiecesOptions& options,
                         const std::filesystem::path& spool_folder) {
  if (options.sample_size == 0) throw UsageError("--sample-size is 0; expected 1 or more");
  std::deque<Spool> spools;
  std::vector<TextFile> readable;
  for (const TextFile& file : files) {
    readable.push_back(is_read_once(file) ? spools.emplace_back(file, spool_folder).copy() : file);
  }
  uint64_t usable = 0;
  const uint64_t unusable =
      for_each_usable_line(readable, options.max_line_bytes, [&](std::string_view) { ++usable; });
  if (unusable > 0) {
    spdlog::warn("left out: {} with NUL bytes, invalid UTF-8 or more than {} bytes",
                 format_count(unusable, "line"), options.max_line_bytes);
  }
  const double share = static_cast<double>(options.sample_size) / static_cast<double>(usable);
  WordCounts words;
  uint64_t number = 0;
  for_each_usable_line(readable, options.max_line_bytes, [&](std::string_view line) {
    const bool chosen = share >= 1 || Random::stream(options.seed, number).uniform() < share;
    ++number;
    if (chosen) words.add(line);
  });
  return train_pieces(std::move(words), options.training);
}

}  // namespace eatt
