#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace eatt::testing {

// Made-up parallel text: `pairs` lines on each side, all different, of a few hundred words with
// umlauts, punctuation and numbers. The same seed gives the same text.
struct SampleText {
  std::string source;
  std::string target;
};
SampleText sample_text(int pairs, uint64_t seed = 1);

// The bytes packed as gzip does.
std::string gzip(std::string_view bytes);

// A small joint model of sample_text(2000), trained once per test program.
const std::string& sample_model();

// Lines that test the edges of normalisation and encoding: Chinese, emoji, combining marks,
// odd spaces, control characters, unknown scripts, space marks.
std::string difficult_text();

}  // namespace eatt::testing
