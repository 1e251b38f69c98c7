#pragma once

#include <cstdint>
#include <string>

#include "text/pieces/word_counts.h"

namespace eatt {

struct PieceTrainingOptions {
  int vocab_size = 32'000;
  // Share of the text's characters that become pieces of their own; the rarest rest is unknown.
  // 0 chooses: 0.9995 where Chinese characters or Hangul are more than a tenth, else 1.
  double character_coverage = 0;
  // Writes characters outside the vocabulary as their UTF-8 bytes (256 pieces) instead of <unk>.
  bool byte_fallback = false;
  // Of the different words that are learnt from: the rarest beyond it are left out. Learning takes
  // some 40 bytes for each; in a script without spaces whole sentences are such words.
  uint64_t max_characters = 5'000'000;
};

// A SentencePiece BPE model as the bytes of its file: pad 0, unk 1, bos 2, eos 3, normalisation
// nmt_nfkc. The same words and options give the same bytes. Throws an Error with what to try when
// the text does not support the size, a UsageError for options out of range. The counts are given
// away: their memory is free again before learning begins, which needs its own.
std::string train_pieces(WordCounts words, const PieceTrainingOptions& options);

// What character_coverage 0 stands for.
double choose_character_coverage(const WordCounts& words);

}  // namespace eatt
