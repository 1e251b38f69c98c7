#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "text/truecase/sentence_starts.h"

namespace eatt {

// Truecasing: the first word of a sentence is written as it is most often written elsewhere ("The"
// becomes "the", "Paris" stays), so that a word has one form in the vocabulary. Tokens, sentence
// starts and results are those of Moses' truecase.perl and detruecase.perl on tokenized text, with
// two differences: white space stays as it was (Moses makes it one space), and '|', '<' and '>' are
// ordinary characters (Moses reads factors and markup).
class Truecaser {
 public:
  // Reads a model written by `eatt corpus truecase train` or Moses' train-truecaser.perl. Throws an
  // Error naming file and line if one is damaged.
  explicit Truecaser(const std::filesystem::path& model_file, TextForm form = TextForm::tokenized);
  // The same from an open stream; `name` stands for it in errors.
  Truecaser(std::istream& model, const std::string& name, TextForm form = TextForm::tokenized);

  // One line, without its end. The first words of sentences get their most frequent form; other
  // words only if this form of them was never seen.
  std::string apply(std::string_view line) const;

 private:
  // Look-up by string_view, without making a string.
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  void read(std::istream& model, const std::string& name);
  void read_line(std::string_view line, const std::string& where);
  void append_recased(std::string_view word, bool at_start, std::string& out) const;

  TextForm form_;
  std::unordered_map<std::string, std::string, Hash, std::equal_to<>> best_;  // lower case → form
  std::unordered_set<std::string, Hash, std::equal_to<>> known_;              // every form seen
};

// Writes the first letter of each sentence in upper case.
std::string undo_truecase(std::string_view line, TextForm form = TextForm::tokenized);

}  // namespace eatt
