#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "text/builtin/language_pair.h"

namespace eatt::builtin {

struct GenerateOptions {
  uint64_t train = 20'000;  // Sentence pairs in each part; 0 writes empty files.
  uint64_t dev = 500;
  uint64_t test = 500;
  uint64_t seed = 1;
  bool raw = false;  // Without spaces on the sides that are written so; see pharaoh().
  std::filesystem::path output;
  // Called now and then with the number of pairs written so far, of train + dev + test.
  std::function<void(uint64_t)> progress;
};

// Writes OUTPUT/{train,dev,test}.{SOURCE,TARGET,align}, replacing older ones, all of them or none.
//
// No source sentence and no target sentence comes twice, neither in one file nor in two. The bytes
// depend on the options alone, and test and dev not on the size of train: a larger training set
// begins with the smaller one. Throws an Error if the grammar has too few sentences.
void generate_corpus(const LanguagePair& pair, const GenerateOptions& options);

}  // namespace eatt::builtin
