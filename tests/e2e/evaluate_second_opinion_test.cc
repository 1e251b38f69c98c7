// Text that nobody would write, through `eatt evaluate` and through bench/plain_metrics.py, which
// was written from the definitions and shares no code with it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/random.h"
#include "support/files.h"
#include "support/run.h"

namespace eatt {
namespace {

using Json = nlohmann::json;
using testing::run;

const std::vector<std::string>& fragments() {
  static const std::vector<std::string> all{
      "a",      "b",      "C",         "the",      "cat",     "5",       "12",     ".",
      ",",      "-",      "'",         "'s",       "\"",      "(",       ")",      "&",
      "&amp;",  "&lt;",   "<skipped>", "..",       "...",     "1,234.5", "3-4",    "e.g.",
      "Ä",      "ß",      "ẞ",         "é",        "e\u0301", "İ",       "ı",      "Σ",
      "ΟΔΟΣ",   "ς",      "K",         "Ǆ",        "中",      "文",      "，",     "。",
      "“",      "”",      "—",         "…",        "→",       "ー",      "か",     "カ",
      "・",     "\u3000", "\u00a0",    "\u2028",   "\u0085",  "\t",      "\r",     "\x1c",
      "\u200b", "\ufeff", "€",         "£",        "½",       "Ⅷ",       "٣",      "०",
      "\u0964", "😀",      "👍🏽",  "👨\u200d👩", "𠀀",      "𝐀",       "\u9fbb", "\u9fbc",
      "\u2a6d", "\u2a6e", "!",         "?",        "%",       "/",       "_",      "~",
      "`",      "©"};
  return all;
}

std::string random_line(Random& random) {
  static constexpr size_t kLengths[] = {0, 1, 2, 4, 8, 16, 40};
  std::string line;
  for (size_t words = kLengths[random.below(std::size(kLengths))]; words > 0; --words) {
    for (size_t parts = 1 + random.below(3); parts > 0; --parts) {
      line += fragments()[random.below(random.chance(0.5) ? 10 : fragments().size())];
    }
    if (random.chance(0.8)) line += " ";
  }
  return line;
}

// Some words gone, doubled, or moved.
std::string disturbed(const std::string& line, Random& random) {
  std::vector<std::string> words(1);
  for (const char byte : line) {
    words.back() += byte;
    if (byte == ' ') words.emplace_back();
  }
  for (size_t changes = random.below(words.size() + 1); changes > 0; changes /= 2) {
    const auto at = words.begin() + static_cast<ptrdiff_t>(random.below(words.size()));
    if (random.chance(0.3)) {
      words.insert(at, words[random.below(words.size())]);
    } else if (random.chance(0.5)) {
      *at = "x ";
    } else {
      std::rotate(words.begin(), at, words.end());
    }
  }
  std::string result;
  for (const std::string& word : words) result += word;
  return result;
}

testing::RunResult run_eatt(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"evaluate", "--json"});
  return run("eatt", arguments);
}

TEST(SecondOpinion, PlainPythonScoresEverySentenceAlike) {
  const std::string python = "/usr/bin/python3";
  if (!std::filesystem::exists(python)) GTEST_SKIP() << "needs /usr/bin/python3";
  const std::string script = testing::repository_file("bench/plain_metrics.py");
  const testing::TemporaryFolder folder;
  Random random(6);
  std::string hypotheses, first, second;
  for (int i = 0; i < 120; ++i) {
    const std::string line = random_line(random);
    first += line + "\n";
    second += disturbed(line, random) + "\n";
    hypotheses += (random.chance(0.9) ? disturbed(line, random) : random_line(random)) + "\n";
  }
  const std::string a = folder.write("first", first);
  const std::string b = folder.write("second", second);
  const std::string hypothesis = folder.write("hypothesis", hypotheses);
  const std::vector<std::vector<std::string>> option_sets{
      {"--metrics", "bleu"},
      {"--metrics", "bleu", "--lowercase", "--smooth", "floor"},
      {"--metrics", "bleu", "--tokenize", "intl", "--smooth", "add-k", "--smooth-value", "0.3"},
      {"--metrics", "bleu", "--tokenize", "zh", "--smooth", "none"},
      {"--metrics", "bleu", "--tokenize", "char", "--lowercase"},
      {"--metrics", "bleu", "--tokenize", "none"},
      {"--metrics", "chrf,ter"},
      {"--metrics", "chrf", "--chrf-word-order", "2", "--chrf-whitespace", "--chrf-lowercase"},
      {"--metrics", "chrf", "--chrf-char-order", "8", "--chrf-beta", "1", "--chrf-eps-smoothing"},
      {"--metrics", "ter", "--ter-normalized", "--ter-case-sensitive"},
      {"--metrics", "ter", "--ter-no-punct", "--ter-asian-support"},
      {"--metrics", "ter", "--ter-normalized", "--ter-no-punct", "--ter-asian-support"}};
  for (size_t i = 0; i < option_sets.size(); ++i) {
    std::vector<std::string> arguments{"--reference", a};
    if (i % 2 == 0) arguments.push_back(b);
    arguments.insert(arguments.end(), {"--hypothesis", hypothesis, "--sentence"});
    arguments.insert(arguments.end(), option_sets[i].begin(), option_sets[i].end());
    const testing::RunResult by_eatt = run_eatt(arguments);
    ASSERT_EQ(by_eatt.exit_code, 0) << by_eatt.err;
    const Json ours = Json::parse(by_eatt.out);
    arguments.insert(arguments.begin(), script);
    const testing::RunResult theirs = run(python, arguments);
    ASSERT_EQ(theirs.exit_code, 0) << theirs.err;
    const Json expectations = Json::parse(theirs.out);
    for (const auto& [metric, value] : expectations.items()) {
      const auto expected = value["scores"].get<std::vector<double>>();
      const auto found = ours[metric]["scores"].get<std::vector<double>>();
      ASSERT_EQ(found.size(), expected.size());
      for (size_t line = 0; line < expected.size(); ++line) {
        ASSERT_NEAR(found[line], expected[line], 1e-10)
            << metric << " of line " << line + 1 << ", option set " << i;
      }
    }
  }
}

}  // namespace
}  // namespace eatt
