#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>

#include "text/truecase/truecase.h"

namespace eatt {

struct TruecaseTrainingOptions {
  TextForm form = TextForm::tokenized;
  // Moses' --possiblyUseFirstToken: a sentence's first word is evidence too if it is in lower case;
  // if it is a capitalized word alone on its line, a tenth of that.
  bool use_first_words = false;
};

// Counts how words are written where case says something, that is, not at the start of a sentence.
// Which words those are is Moses' train-truecaser.perl's for tokenized text. Memory grows with the
// number of distinct forms, not with the text.
class TruecaseTraining {
 public:
  explicit TruecaseTraining(TruecaseTrainingOptions options) : options_(options) {}

  void add(std::string_view line);

  // Writes the model as Moses does, a line per word: its most frequent form with its count and that
  // of all forms, then the other forms with theirs:
  //   the (812/815) The (2) THE (1)
  // The order is always the same (Moses': arbitrary): words by code point, forms by count; of forms
  // with equal counts the one in lower case comes first.
  void write(const std::filesystem::path& model_file) const;

  size_t distinct_forms() const { return tenths_.size(); }
  // Words left out because they are not UTF-8.
  uint64_t invalid_words() const { return invalid_words_; }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  void count(std::string_view form, uint64_t tenths);

  TruecaseTrainingOptions options_;
  // Form → times seen, in tenths, so that sums of whole and partial counts are exact.
  std::unordered_map<std::string, uint64_t, Hash, std::equal_to<>> tenths_;
  uint64_t invalid_words_ = 0;
};

}  // namespace eatt
