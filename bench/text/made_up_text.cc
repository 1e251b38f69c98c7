// Writes made-up parallel text for benchmarks: as many different lines as wanted, always the same.
//   made_up_text words|chinese LINES SOURCE TARGET
// Words are of 60,000 types on each side, drawn by Zipf's law, 4 to 38 in a line; a word's
// translation is always the same. Chinese has 20,000 types of one to four characters, no spaces,
// and full-width punctuation.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"

namespace {

using eatt::Random;

std::string make_word(Random& random, size_t rank) {
  constexpr std::array<const char*, 24> kOnsets = {"b", "br", "d", "f", "g",  "gr", "h",  "k",
                                                   "l", "m",  "n", "p", "pr", "r",  "s",  "st",
                                                   "t", "tr", "v", "w", "z",  "c",  "th", "sch"};
  constexpr std::array<const char*, 13> kVowels = {"a",  "e", "i", "o", "u",  "ei", "ie",
                                                   "au", "ä", "ö", "ü", "ou", "ea"};
  constexpr std::array<const char*, 13> kCodas = {"",  "",  "",   "n",  "r",  "s", "t",
                                                  "l", "m", "ng", "ck", "st", "nd"};
  // Frequent words are short.
  uint64_t syllables = 1 + random.below(2) + (rank > 200 ? 1 : 0);
  if (rank > 5000) syllables += random.below(2);
  std::string word;
  for (; syllables > 0; --syllables) {
    word += kOnsets[random.below(kOnsets.size())];
    word += kVowels[random.below(kVowels.size())];
    word += kCodas[random.below(kCodas.size())];
  }
  return word;
}

std::string make_chinese_word(Random& random, size_t rank) {
  std::string word;
  for (uint64_t characters = 1 + (rank > 100 ? 1 + random.below(2) : 0); characters > 0;
       --characters) {
    // 3,000 characters of U+4E00 to U+9FFF; three bytes each in UTF-8.
    const auto code =
        static_cast<unsigned>(0x4e00 + 7 * std::min(random.below(3000), random.below(3000)));
    word += static_cast<char>(0xe0 | code >> 12);
    word += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    word += static_cast<char>(0x80 | (code & 0x3f));
  }
  return word;
}

struct Language {
  std::vector<std::string> words;
  std::string_view between;
  std::string_view comma;
  std::string_view stop;
};

Language make_language(uint64_t seed, bool chinese, size_t types) {
  Language language{{}, chinese ? "" : " ", chinese ? "，" : " , ", chinese ? "。" : " ."};
  Random random(seed);
  for (size_t rank = 0; rank < types; ++rank) {
    language.words.push_back(chinese ? make_chinese_word(random, rank) : make_word(random, rank));
  }
  return language;
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

void write_lines(const Language& source, const Language& target, uint64_t lines,
                 std::FILE* source_file, std::FILE* target_file) {
  std::vector<double> shares;
  double sum = 0;
  for (size_t rank = 0; rank < source.words.size(); ++rank) {
    shares.push_back(sum += 1 / (static_cast<double>(rank) + 2.7));
  }
  Random random(7);
  std::string source_line, target_line;
  for (; lines > 0; --lines) {
    source_line.clear();
    target_line.clear();
    for (uint64_t left = 4 + random.below(18) + random.below(18); left > 0; --left) {
      const auto found = std::ranges::lower_bound(shares, random.uniform() * sum);
      const auto rank = static_cast<size_t>(found - shares.begin());
      const bool comma = left > 1 && random.chance(0.06);
      source_line += source.words[rank];
      target_line += target.words[rank];
      if (left > 1) source_line += comma ? source.comma : source.between;
      if (left > 1) target_line += comma ? target.comma : target.between;
    }
    fmt::print(source_file, "{}{}\n", source_line, source.stop);
    fmt::print(target_file, "{}{}\n", target_line, target.stop);
  }
}

}  // namespace

int main(int argc, char** argv) {
  uint64_t lines = 0;
  const bool chinese = argc == 5 && std::strcmp(argv[1], "chinese") == 0;
  if (argc != 5 || (!chinese && std::strcmp(argv[1], "words") != 0) ||
      std::from_chars(argv[2], argv[2] + std::strlen(argv[2]), lines).ec != std::errc()) {
    fmt::print(stderr, "usage: made_up_text words|chinese LINES SOURCE TARGET\n");
    return 2;
  }
  const File source(std::fopen(argv[3], "w")), target(std::fopen(argv[4], "w"));
  if (!source || !target) {
    fmt::print(stderr, "made_up_text: cannot write {} and {}\n", argv[3], argv[4]);
    return 1;
  }
  const size_t types = chinese ? 20'000 : 60'000;
  write_lines(make_language(1, chinese, types), make_language(2, /*chinese=*/false, types), lines,
              source.get(), target.get());
  if (std::fflush(source.get()) != 0 || std::fflush(target.get()) != 0) {
    fmt::print(stderr, "made_up_text: the disk is full\n");
    return 1;
  }
  return 0;
}
