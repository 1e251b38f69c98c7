// The splitter of sentences on real text of ../shared/data, a sentence or so on each line. Prints
//   which lines are split, and how many boundaries of joined lines are found.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "base/text/unicode.h"
#include "base/text/utf8.h"
#include "support/files.h"
#include "text/sentences/punctuation.h"
#include "text/sentences/sentences.h"

namespace eatt {
namespace {

struct Sample {
  std::string_view set, file, language;
  std::string_view space;  // Between lines that are joined.
  // Bounds, in percent. Some texts have lines of two sentences, which are split rightly.
  double most_split;
  double least_found;
};

constexpr Sample kSamples[] = {
    {"newstest", "newstest2014.en-de.en", "en", " ", 0.6, 99.5},
    {"newstest", "newstest2014.en-de.de", "de", " ", 0.4, 99.5},
    {"newstest", "newstest2017.zh-en.zh", "zh", "", 3, 99},
    {"iwslt15-en-vi", "tst2012.en", "en", " ", 3.5, 99.5},
    {"iwslt15-en-vi", "tst2012.vi", "vi", " ", 3, 99},
    {"multi30k-en-de", "val.en", "en", " ", 0.1, 99.5},
    {"multi30k-en-de", "val.de", "de", " ", 0.6, 99.5},
    {"3am-zh-en", "3am.val.zh", "zh", "", 9, 99.5},
    {"alignments", "hansards-en-fr.tgt", "fr", " ", 1, 97},
    {"alignments", "tsinghua-zh-en.src", "zh", " ", 0.5, 99},
    {"alignments", "naacl03-ro-en.src", "ro", " ", 0.5, 97},
};

// Headlines and the like have no mark that a rule could find.
bool ends_in_a_mark(std::string_view line) {
  line = strip_right(line);
  while (!line.empty()) {
    const auto [code, size] = decode_utf8_before(line, line.size());
    if (is_sentence_end(code)) return true;
    if (!is_quote(code) && !is_closing_bracket(code) && !is_white_space(code)) return false;
    line.remove_suffix(size);
  }
  return false;
}

double percent(size_t part, size_t all) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(std::max<size_t>(all, 1));
}

double lines_split(const SentenceSplitter& splitter, const std::vector<std::string>& lines) {
  size_t split = 0;
  for (const std::string& line : lines) split += splitter.split(line).size() > 1 ? 1 : 0;
  return percent(split, lines.size());
}

struct Boundaries {
  size_t expected = 0, found = 0, others = 0;
};

// Three lines joined; the boundaries behind those that end in a mark are to be found again.
Boundaries find_boundaries(const SentenceSplitter& splitter, const std::vector<std::string>& lines,
                           std::string_view space) {
  Boundaries result;
  for (size_t i = 0; i + 3 <= lines.size(); i += 3) {
    std::string joined;
    std::set<size_t> all, expected;
    for (size_t k = 0; k < 3; ++k) {
      joined += std::string(k > 0 ? space : "") + std::string(strip(lines[i + k]));
      if (k == 2) break;
      all.insert(joined.size());
      if (ends_in_a_mark(lines[i + k])) expected.insert(joined.size());
    }
    const auto ranges = splitter.split(joined);
    result.expected += expected.size();
    for (size_t k = 0; k + 1 < ranges.size(); ++k) {
      result.found += expected.contains(ranges[k].end) ? 1 : 0;
      result.others += all.contains(ranges[k].end) ? 0 : 1;
    }
  }
  return result;
}

TEST(SentencesOfRealText, LinesStayWholeAndJoinedLinesAreFoundAgain) {
  fmt::print("{:24} {:>7} {:>12} {:>8} {:>10}\n", "text", "lines", "lines split", "recall",
             "precision");
  for (const Sample& sample : kSamples) {
    const auto folder = testing::shared_data(sample.set);
    if (!folder) GTEST_SKIP() << "needs ../shared/data/" << sample.set;
    const auto lines = testing::split_lines(testing::read_text(*folder / sample.file));
    const SentenceSplitter splitter(sample.language);
    const double split = lines_split(splitter, lines);
    const Boundaries found = find_boundaries(splitter, lines, sample.space);
    const double recall = percent(found.found, found.expected);
    fmt::print("{:24} {:7} {:10.2f} % {:6.1f} % {:8.1f} %\n", sample.file, lines.size(), split,
               recall, percent(found.found, found.found + found.others));
    EXPECT_LE(split, sample.most_split) << sample.file;
    EXPECT_GE(recall, sample.least_found) << sample.file;
  }
}

}  // namespace
}  // namespace eatt
