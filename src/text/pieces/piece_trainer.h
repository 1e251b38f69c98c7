#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files/byte_source.h"
#include "text/pieces/word_counts.h"

namespace eatt {

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
