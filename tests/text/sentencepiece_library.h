#pragma once

#include <sentencepiece_processor.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace eatt::testing {

// The SentencePiece library, the judge of our encoder.
class SentencePieceLibrary {
 public:
  explicit SentencePieceLibrary(std::string_view model);

  std::vector<int32_t> encode(std::string_view text) const;
  std::string decode(const std::vector<int32_t>& ids) const;
  std::string decode(const std::vector<std::string_view>& pieces) const;

 private:
  sentencepiece::SentencePieceProcessor processor_;
};

// A model trained by the library, with our ids of the markers unless the settings say otherwise.
std::string train_with_library(const std::vector<std::string>& lines,
                               std::unordered_map<std::string, std::string> settings);

}  // namespace eatt::testing
