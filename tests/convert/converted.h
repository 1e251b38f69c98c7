#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "convert/convert.h"
#include "support/files.h"

namespace eatt::testing {

struct Converted {
  std::vector<std::pair<std::string, std::string>> pairs;
  convert::ConvertCounts counts;
};

// Converts a document and reads the result back.
inline Converted convert_text(std::string_view document, std::string from = "en",
                              std::string to = "de") {
  const TemporaryFolder folder;
  convert::ConvertOptions options;
  options.inputs = {TextFile(folder.write("document.xml", document).string())};
  options.source_language = std::move(from);
  options.target_language = std::move(to);
  options.source_output = folder / "source";
  options.target_output = folder / "target";
  Converted result{{}, convert::convert_corpus(options)};
  const auto sources = split_lines(read_text(options.source_output));
  const auto targets = split_lines(read_text(options.target_output));
  for (size_t i = 0; i < sources.size(); ++i) {
    result.pairs.emplace_back(sources.at(i), targets.at(i));
  }
  return result;
}

}  // namespace eatt::testing
