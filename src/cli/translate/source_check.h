#pragma once

#include <span>
#include <string>

#include "base/files/text_file.h"
#include "cli/translate/line_input.h"

namespace eatt::cli {

// Warns once of text that is evidently not in the source language of a model: by the ending of the
// file's name, and by the script of its letters; and once of HTML, TMX and XLIFF. Only the first
// window of lines is looked at, which takes no time that could be noticed. Languages of one script
// are not told apart.
class SourceCheck {
 public:
  // `language` is the source language that the model names.
  SourceCheck(const std::string& language, const TextFile& file);

  // After each window; does nothing after the first.
  void look_at(std::span<const InputLine> lines);

 private:
  void look_for_markup(std::span<const InputLine> lines) const;
  void warn(const std::string& what);

  std::string language_;  // Of the model's source; empty if it is not known.
  std::string name_;
  bool has_looked_ = false;
  bool finished_ = false;  // With the language.
};

}  // namespace eatt::cli
