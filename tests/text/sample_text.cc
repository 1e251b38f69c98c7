#include "text/sample_text.h"

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <stdexcept>
#include <vector>

#include "base/random.h"
#include "support/files.h"
#include "text/pieces/piece_trainer.h"

namespace eatt::testing {
namespace {

std::vector<std::string> make_words(uint64_t seed, bool umlauts) {
  constexpr std::array<const char*, 10> kOnsets = {"b", "d", "gr", "k", "l",
                                                   "m", "n", "st", "t", "w"};
  constexpr std::array<const char*, 6> kVowels = {"a", "e", "i", "o", "u", "ei"};
  constexpr std::array<const char*, 3> kUmlauts = {"ä", "ö", "ü"};
  Random random(seed);
  std::vector<std::string> words;
  for (int i = 0; i < 300; ++i) {
    std::string word;
    for (uint64_t syllable = 0; syllable <= random.below(3); ++syllable) {
      word += kOnsets[random.below(kOnsets.size())];
      word += umlauts && random.chance(0.2) ? kUmlauts[random.below(kUmlauts.size())]
                                            : kVowels[random.below(kVowels.size())];
    }
    words.push_back(word);
  }
  return words;
}

}  // namespace

SampleText sample_text(int pairs, uint64_t seed) {
  const auto source_words = make_words(11, false), target_words = make_words(12, true);
  Random random(seed);
  SampleText text;
  for (int i = 0; i < pairs; ++i) {
    text.source += fmt::format("{}", i);  // Makes every line different.
    text.target += fmt::format("{}", i);
    for (uint64_t left = 2 + random.below(10); left > 0; --left) {
      const size_t word = std::min(random.below(300), random.below(300));
      text.source += " " + source_words[word];
      text.target += " " + target_words[word];
    }
    text.source += ".\n";
    text.target += "!\n";
  }
  return text;
}

std::string gzip(std::string_view bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("deflateInit2 failed");
  }
  std::string packed(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("deflate failed");
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

const std::string& sample_model() {
  static const std::string model = [] {
    const SampleText text = sample_text(2000);
    WordCounts words;
    for (const auto& side : {text.source, text.target}) {
      for (const std::string& line : split_lines(side)) words.add(line);
    }
    for (const std::string& line : split_lines("中文 句子\nçédille\nA man, a dog\n"))
      words.add(line);
    return train_pieces(std::move(words), {.vocab_size = 500});
  }();
  return model;
}

std::string difficult_text() {
  std::string text =
      "\n"
      " \n"
      "  leading and   inner  and trailing  \n"
      "一只狗在草地上跑，中文没有空格。\n"
      "全角：ＡＢＣ１２３　和空格\n"
      "emoji 😀 👩‍👩‍👧 🇩🇪 🏳️‍🌈 end\n"
      "combining e\xcc\x81 a\xcc\x88o\xcc\x88u\xcc\x88 n\xcc\x83 q\xcc\xa3\xcc\x87\n"
      "decomposed Hangul \xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab and composed 한국\n"
      "ligature ﬁne ǆ ½ ² ℃ № ™ Å\n"
      "no-break\u00a0space thin\u2009space zero\u200bwidth bom\ufeffinside\n"
      "tab\tinside\n"
      "control \x01 \x7f \u0085 \u00ad soft\n"
      "space mark ▁ here▁ ▁and here ▁▁\n"
      "unknown ЖЖ Ж Ж ЖЖЖ 龘龘 龘\n"
      "<s> </s> <unk> <pad> literally\n"
      "right to left שלום مرحبا\n"
      "\u00a8 \u00b4 \u3000 \u3000x\n"
      "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𐍈 plane\n"
      "quote ‘single’ “double” – — … ·\n";
  text += std::string(300, 'x') + " " + std::string(40, 'y') + "\n";
  return text;
}

}  // namespace eatt::testing
