#pragma once

#include <string>

#include "text/corpus/line_reader.h"

namespace eatt::cli {

// The lines of a file that has one for each line of the input.
class CompanionLines {
 public:
  explicit CompanionLines(const std::string& file);

  // The next line, its wrong bytes replaced; an Error if the file has fewer lines than the input.
  std::string next();
  // An Error if there is another line.
  void expect_end();

 private:
  LineReader reader_;
};

}  // namespace eatt::cli
