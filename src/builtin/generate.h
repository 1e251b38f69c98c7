#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "builtin/composer.h"

namespace eatt::builtin {

// A grammar that composes sentence pairs. To add one, write a file with its `sentence` function and
// add a line to the list in generate.cc; docs/builtin-corpus.md shows a small one.
struct LanguagePair {
  std::string_view source;  // Language codes, which are also the extensions of the files: "zh"
  std::string_view target;
  Spacing source_spacing = Spacing::words;  // How the language is really written.
  Spacing target_spacing = Spacing::words;
  Phrase (*sentence)(Composer&) = nullptr;

  std::string name() const;  // "zh-en"
};

std::span<const LanguagePair> language_pairs();

// Throws a UsageError that lists the known ones.
const LanguagePair& find_language_pair(std::string_view name,
                                       std::span<const LanguagePair> known = language_pairs());

// The texts seen so far, as 64-bit hashes (FNV-1a, the same on every machine): 16 to 32
// bytes each, for texts of any length. If two texts ever share a hash, the second counts as seen.
class SeenTexts {
 public:
  bool contains(std::string_view text) const;
  void insert(std::string_view text);
  uint64_t size() const { return size_; }

 private:
  static constexpr uint64_t kEmpty = 0;
  static uint64_t hash_of(std::string_view text);

  // The slot that holds the hash, or the empty one where it belongs.
  size_t slot_of(uint64_t hash) const;
  void grow();

  std::vector<uint64_t> slots_ = std::vector<uint64_t>(1024, kEmpty);  // A power of two of them.
  uint64_t size_ = 0;
};

struct GenerateOptions {
  uint64_t train = 20'000;  // Sentence pairs of each part; 0 writes empty files.
  uint64_t dev = 500;
  uint64_t test = 500;
  uint64_t seed = 1;
  bool raw = false;  // No spaces on the sides that are written without them; see pharaoh().
  std::filesystem::path output;
  bool overwrite = false;  // Replaces files of the same names and other content.
  // Called from time to time with the number of pairs made so far, of train + dev + test.
  std::function<void(uint64_t)> progress = {};
};

// Writes OUTPUT/{train,dev,test}.{SOURCE,TARGET,align}. Existing files of other content are an
// Error, or are replaced once all sentences are made.
//
// No source sentence and no target sentence occurs twice, within a file or across files. The bytes
// depend on the options alone, and test and dev do not depend on the size of train: a larger
// training set begins with the smaller one. Throws an Error if the grammar has too few sentences, a
// UsageError for impossible options.
void generate_corpus(const LanguagePair& pair, const GenerateOptions& options);

}  // namespace eatt::builtin
