#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "builtin/language_pair.h"

namespace eatt::builtin {

struct GenerateOptions {
  uint64_t train = 20'000;  // Sentence pairs of each part; 0 writes empty files.
  uint64_t dev = 500;
  uint64_t test = 500;
  uint64_t seed = 1;
  bool raw = false;  // No spaces on the sides that are written without them; see pharaoh().
  std::filesystem::path output;
  // Called now and then with the number of pairs made so far, of train + dev + test.
  std::function<void(uint64_t)> progress = {};
};

// Writes OUTPUT/{train,dev,test}.{SOURCE,TARGET,align}. Files of these names are replaced, and only
// when all sentences are made.
//
// No source sentence and no target sentence comes twice, neither in one file nor in two. The bytes
// depend on the options alone, and test and dev not on the size of train: a larger training set
// begins with the smaller one. Throws an Error if the grammar has too few sentences, a UsageError
// for options that cannot be.
void generate_corpus(const LanguagePair& pair, const GenerateOptions& options);

}  // namespace eatt::builtin
