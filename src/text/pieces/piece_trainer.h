#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <queue>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/files/text_file.h"
#include "base/text/unicode.h"
#include "text/pieces/piece_index.h"

namespace eatt {

// Learns byte pair encoding: the most frequent pair of neighbouring symbols becomes a new symbol,
// repeatedly. Words are kept once, with their counts, and each pair keeps the positions where it
// occurs, so a merge touches only what it changes.
//
// The rules are those of SentencePiece's trainer: pieces of at most 16 characters, of one script, a
// space only in front (a word therefore begins with its space mark). Nearly all pieces are the same
// too: 15,933 of 16,000 on 118,000 lines of Multi30k and IWSLT'15 En-Vi, in 0.4 s against 5.3 s and
// 39 MB against 91 MB; ties explain the rest. On 26,000 Chinese sentences 32,000 pieces take 0.9 s
// against 77 s, which is why we have a trainer of our own.
class BpeTrainer {
 public:
  static constexpr int32_t kUnknown = -1;

  explicit BpeTrainer(const std::vector<char32_t>& alphabet);

  // A word as indices into the alphabet; kUnknown, which is never merged, for other characters.
  void add_word(std::span<const int32_t> characters, uint64_t count);

  // Up to `max_pieces` new pieces, the first merged first; fewer if nothing is left to merge. Calls
  // progress(pieces so far) now and then.
  std::vector<std::u32string> learn(size_t max_pieces,
                                    const std::function<void(size_t)>& progress = {});

 private:
  struct Symbol {
    std::u32string text;
    Script script;
  };
  struct Pair {
    uint64_t count = 0;
    std::vector<uint32_t> positions;  // Of the left symbol; some may be stale.
    bool is_noted = false;            // Whether its count grew in the current merge.
  };
  struct Candidate {
    uint64_t count;
    size_t length;
    uint64_t key;  // left << 32 | right
    // For a heap whose top is the most frequent; of equals the shorter, then the older symbols.
    bool operator<(const Candidate& other) const;
  };

  bool may_merge(int32_t left, int32_t right) const;
  size_t length_of(uint64_t key) const;
  uint32_t previous(uint32_t position) const;
  uint32_t next(uint32_t position) const;
  void count_pair(int32_t left, int32_t right, uint32_t position, std::vector<uint64_t>& grown);
  void uncount_pair(int32_t left, int32_t right, uint64_t count);
  void count_all_pairs();
  void push_candidates(const std::vector<uint64_t>& grown);
  bool pop_best(uint64_t& key);
  void merge(uint64_t key, int32_t result);
  int32_t find_or_add_symbol(uint64_t key, bool& is_new);

  std::vector<Symbol> symbols_;
  std::unordered_map<std::u32string, int32_t> ids_;
  std::vector<int32_t> text_;      // All words one after another, a break around each.
  std::vector<uint32_t> word_of_;  // The word of each position,
  std::vector<uint64_t> counts_;   // and how often it occurs.
  std::unordered_map<uint64_t, Pair> pairs_;
  std::priority_queue<Candidate> candidates_;
};

// How often each word occurs: all that BPE needs to know about a text, and far smaller. Words are
// separated by spaces; in a script without spaces a whole sentence counts as one.
//
// Memory is bounded: when the words exceed it, the rarest half is dropped. The hash breaks ties, so
// a random part of sentences without spaces is kept.
class WordCounts {
 public:
  struct Word {
    std::string_view text;
    uint64_t count = 0;
  };

  explicit WordCounts(size_t max_bytes = size_t{96} << 20) : max_bytes_(max_bytes) {}

  void add(std::string_view line);

  uint64_t lines() const { return lines_; }
  bool empty() const { return counts_.empty(); }

  // The most frequent words, of `max_characters` characters in total (the space in front of each
  // counts too). With `all_characters`, also a word for each character that would otherwise
  // be missing. Always in the same order. Valid until the next add().
  std::vector<Word> most_frequent(uint64_t max_characters, bool all_characters) const;

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view word) const { return hash_text(word); }
  };

  std::vector<Word> sorted() const;
  void drop_rarest();

  size_t max_bytes_;
  size_t bytes_ = 0;
  uint64_t lines_ = 0;
  std::unordered_map<std::string, uint64_t, Hash, std::equal_to<>> counts_;
};

// Words as the trainer takes them: normalised, as characters, a space mark in front of each.
class TrainingWords {
 public:
  // `rules` are compiled normalisation rules, see normalizer.h.
  TrainingWords(const std::vector<WordCounts::Word>& words, std::string_view rules);

  // The most frequent characters, as many as make up the share `coverage` of the text.
  std::vector<char32_t> alphabet(double coverage) const;
  void give_to(BpeTrainer& trainer, const std::vector<char32_t>& alphabet) const;

 private:
  void add(std::string_view text, uint64_t count);

  std::u32string characters_;                         // Of all words, one after another.
  std::vector<std::pair<uint32_t, uint64_t>> words_;  // How many of them each has, and its count.
  std::unordered_map<char32_t, uint64_t> counts_;     // Of the characters in the text.
};

struct PieceTrainingOptions {
  int vocab_size = 32'000;
  // Share of the text's characters that become pieces of their own; the rarest rest is unknown.
  // 0 chooses: 0.9995 where Chinese characters or Hangul are more than a tenth, else 1.
  double character_coverage = 0;
  // Writes characters outside the vocabulary as their UTF-8 bytes (256 pieces) instead of <unk>.
  bool byte_fallback = false;
  // Total length of the different words to learn from; the rarest beyond it are left out. Learning
  // takes about 40 bytes per character; in a script without spaces whole sentences are such words.
  uint64_t max_characters = 5'000'000;
  // Whether the command has --character-coverage, so that a message may advise it.
  bool coverage_is_an_option = true;
};

// A SentencePiece BPE model as the bytes of its file: pad 0, unk 1, bos 2, eos 3, normalisation
// nmt_nfkc. The same words and options give the same bytes. Throws an Error that says what to try
// when the text does not support the size, a UsageError for options out of range. Takes the counts
// by value, to free their memory before learning begins.
std::string train_pieces(WordCounts words, const PieceTrainingOptions& options);

// What character_coverage 0 stands for.
double choose_character_coverage(const WordCounts& words);

struct LearnPiecesOptions {
  PieceTrainingOptions training;
  uint64_t sample_size = 1'000'000;  // Lines to learn from, chosen at random.
  uint64_t seed = 1;                 // Of that choice.
  size_t max_line_bytes = 16'384;    // Longer lines are left out, as are lines that are not text.
};

// Learns a model from text files (or pipes, which are first copied to `spool_folder`) and returns
// the bytes of its file. Memory is bounded; warns about lines that were left out.
std::string learn_pieces(const std::vector<TextFile>& files, const LearnPiecesOptions& options,
                         const std::filesystem::path& spool_folder);

}  // namespace eatt
