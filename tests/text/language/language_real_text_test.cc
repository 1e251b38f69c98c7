// How well languages are told apart on real text; docs/markup.md shows what this prints.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>

#include "base/random.h"
#include "support/files.h"
#include "text/language/detect_language.h"

namespace eatt {
namespace {

struct RealText {
  std::string language, train, test;
};
const std::vector<RealText> kTexts = {
    {"en", "multi30k-en-de/train.en", "multi30k-en-de/test_2016_flickr.en"},
    {"de", "multi30k-en-de/train.de", "multi30k-en-de/test_2016_flickr.de"},
    {"en", "iwslt15-en-vi/train30k.en", "iwslt15-en-vi/tst2012.en"},
    {"vi", "iwslt15-en-vi/train30k.vi", "iwslt15-en-vi/tst2012.vi"},
    {"zh", "3am-zh-en/3am.train.zh", "3am-zh-en/3am.test.zh"},
    {"en", "3am-zh-en/3am.train.en", "3am-zh-en/3am.test.en"},
};

std::vector<std::string> lines_of(const std::string& name) {
  const auto file = testing::shared_data(name);
  return file ? testing::split_lines(testing::read_text(*file)) : std::vector<std::string>();
}

// Learned from as many lines as training takes.
LanguageProfile profile_of(const RealText& text) {
  const auto lines = lines_of(text.train);
  ProfileLearner learner;
  for (size_t i = 0; i < lines.size() && i < 10'000; ++i) learner.add(lines[i]);
  return learner.finish(text.language);
}

std::vector<const LanguageProfile*> all_profiles() {
  static const std::vector<LanguageProfile> profiles = [] {
    std::vector<LanguageProfile> learned;
    for (const RealText& text : kTexts) learned.push_back(profile_of(text));
    return learned;
  }();
  std::vector<const LanguageProfile*> pointers;
  for (const LanguageProfile& profile : profiles) pointers.push_back(&profile);
  return pointers;
}

// The first `most` characters from a random word on; all of it if that is 0.
std::string snippet_of(const std::string& line, size_t most, Random& random) {
  if (most == 0) return line;
  std::vector<std::string> letters;
  for (size_t at = 0; at < line.size();) {
    size_t size = 1;
    while (at + size < line.size() && (line[at + size] & 0xc0) == 0x80) ++size;
    letters.push_back(line.substr(at, size));
    at += size;
  }
  size_t begin = letters.size() > most ? random.below(letters.size() - most) : 0;
  while (begin > 0 && letters[begin - 1] != " " && letters[begin].size() < 3) --begin;
  std::string snippet;
  for (size_t i = begin; i < letters.size() && i < begin + most; ++i) snippet += letters[i];
  return snippet;
}

struct Outcome {
  double right = 0, unknown = 0, all = 0, confidence = 0;
};

Outcome measure(const std::string& language, const std::vector<std::string>& lines, size_t most,
                std::span<const LanguageProfile* const> profiles) {
  Outcome outcome;
  Random random(1);
  for (const std::string& line : lines) {
    if (line.empty()) continue;
    const LanguageGuess best = detect_language(snippet_of(line, most, random), profiles).front();
    ++outcome.all;
    outcome.right += best.language == language ? 1 : 0;
    outcome.unknown += best.language == "und" ? 1 : 0;
    outcome.confidence += best.confidence;
  }
  return outcome;
}

void print(const std::string& name, size_t most, const Outcome& outcome) {
  fmt::print("{:40} {:>5} right {:6.2f} %  unknown {:6.2f} %  mean confidence {:6.2f} %\n", name,
             most == 0 ? "lines" : std::to_string(most), 100 * outcome.right / outcome.all,
             100 * outcome.unknown / outcome.all, 100 * outcome.confidence / outcome.all);
}

TEST(LanguagesOfRealText, AreTold) {
  if (!testing::shared_data(kTexts[0].train)) GTEST_SKIP() << "needs ../shared/data";
  const std::vector<const LanguageProfile*> all = all_profiles();
  for (const size_t most : {0, 20, 10}) {
    Outcome sum;
    for (const RealText& text : kTexts) {
      const Outcome outcome = measure(text.language, lines_of(text.test), most, all);
      print(text.test, most, outcome);
      sum.right += outcome.right;
      sum.unknown += outcome.unknown;
      sum.all += outcome.all;
      sum.confidence += outcome.confidence;
    }
    print("all", most, sum);
    EXPECT_GT(sum.right / sum.all, most == 0 ? 0.99 : most == 20 ? 0.9 : 0.7);
  }
}

// Text of another kind, and languages that none of the profiles knows.
TEST(LanguagesOfRealText, OtherTextIsToldOrUnknown) {
  if (!testing::shared_data(kTexts[0].train)) GTEST_SKIP() << "needs ../shared/data";
  const std::vector<const LanguageProfile*> all = all_profiles();
  const std::vector<const LanguageProfile*> pair(all.begin(), all.begin() + 2);
  for (const size_t most : {0, 20}) {
    for (const auto& [language, file] : std::vector<std::pair<std::string, std::string>>{
             {"en", "newstest/newstest2014.en-de.en"},
             {"de", "newstest/newstest2014.en-de.de"},
             {"und", "alignments/hansards-en-fr.tgt"},
             {"und", "alignments/naacl03-ro-en.src"}}) {
      print(file, most, measure(language, lines_of(file), most, all));
      print(file + " (en, de)", most, measure(language, lines_of(file), most, pair));
    }
    print("tst2012.vi (en, de)", most,
          measure("und", lines_of("iwslt15-en-vi/tst2012.vi"), most, pair));
    print("3am.test.zh (en, de)", most,
          measure("und", lines_of("3am-zh-en/3am.test.zh"), most, pair));
  }
}

}  // namespace
}  // namespace eatt
