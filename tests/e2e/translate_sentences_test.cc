// `eatt translate` on lines of several sentences, and on models of tokenized text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/files.h"
#include "support/run.h"
#include "support/speaking_bundle.h"
#include "text/detokenize/detokenizer.h"

namespace eatt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::run;
using testing::RunResult;
using testing::split_lines;
using testing::TemporaryFolder;
using Arguments = std::vector<std::string>;

class TranslateSentences : public ::testing::Test {
 protected:
  RunResult translate(Arguments arguments, std::string_view input) const {
    arguments.insert(arguments.begin(), {"translate", bundle_});
    return run("eatt", arguments, input);
  }
  // Of a run that must succeed.
  Arguments lines(const Arguments& arguments, std::string_view input) const {
    const RunResult result = translate(arguments, input);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    return split_lines(result.out);
  }

  TemporaryFolder folder_;
  std::string bundle_ = testing::write_speaking_bundle(folder_ / "model").string();
};

TEST_F(TranslateSentences, SentencesOfALineAreTranslatedOneByOneAndJoined) {
  const auto alone = lines({}, "Das ist ein Haus.\nWo ist der Hund?\nEr kam am 1. Mai .\n");
  EXPECT_THAT(lines({}, "Das ist ein Haus. Wo ist der Hund?  Er kam am 1. Mai .\n"),
              ElementsAre(alone[0] + " " + alone[1] + " " + alone[2]));
  EXPECT_THAT(lines({}, "Das ist ein Haus.\tWo ist der Hund?\n"),
              ElementsAre(alone[0] + "\t" + alone[1]));
}

// So the demo's model loses nothing where test lines are joined in pairs.
TEST_F(TranslateSentences, TheBuiltInCorpusJoinedInPairsIsTranslatedAsLineByLine) {
  const std::string corpus = (folder_ / "corpus").string();
  const RunResult made = run("eatt", {"corpus", "generate", "--pair", "zh-en", "--train", "100",
                                      "--dev", "10", "--test", "200", "--output", corpus});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  for (const std::string language : {"zh", "en"}) {
    const auto sources = split_lines(testing::read_text(folder_ / ("corpus/test." + language)));
    ASSERT_EQ(sources.size(), 200u);
    std::string alone, joined;
    for (size_t i = 0; i < sources.size(); ++i) {
      alone += sources[i] + "\n";
      joined += sources[i] + (i % 2 == 0 ? " " : "\n");
    }
    const auto expected = lines({}, alone), found = lines({}, joined);
    ASSERT_EQ(found.size(), 100u);
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i], expected[2 * i] + " " + expected[2 * i + 1]) << sources[2 * i];
    }
  }
}

TEST_F(TranslateSentences, ParagraphsAndEmptyLinesStayAsTheyAre) {
  const auto alone = lines({}, "Eins kam.\nZwei ging.\n");
  EXPECT_THAT(lines({}, "\nEins kam. Zwei ging.\n\n \nZwei ging.\n"),
              ElementsAre("", alone[0] + " " + alone[1], "", "", alone[1]));
}

TEST_F(TranslateSentences, NoSplitTranslatesTheLineAsAWhole) {
  const std::string text = "Das ist ein Haus. Wo ist der Hund?\n";
  const auto whole = lines({"--no-split"}, text);
  EXPECT_NE(whole, lines({}, text));
  const std::string one = "Das ist ein Haus.\n";
  EXPECT_EQ(lines({"--no-split"}, one), lines({}, one));
}

TEST_F(TranslateSentences, JsonHasTheWholeTranslation) {
  const std::string text = "Das ist ein Haus. Wo ist der Hund?\n";
  const auto json = nlohmann::json::parse(lines({"--output-format", "json"}, text)[0]);
  EXPECT_EQ(json["translation"], lines({}, text)[0]);
}

TEST_F(TranslateSentences, WhereLinesAreUnitsTheyStayWhole) {
  const std::string text = "Das ist ein Haus. Wo ist der Hund?\n";
  const std::string whole = lines({"--no-split"}, text)[0];
  const std::string prefix = folder_.write("prefix", "wort\n").string();
  const std::string target = folder_.write("target", "wort\n").string();
  for (const Arguments& arguments :
       {Arguments{"--n-best", "-b", "2"}, Arguments{"--alignment", "hard"},
        Arguments{"--word-scores"}, Arguments{"--output-format", "json", "--pieces"},
        Arguments{"--output-format", "nbest"}, Arguments{"--prefix", prefix},
        Arguments{"--score", target}}) {
    Arguments kept = arguments;
    kept.emplace_back("--no-split");
    EXPECT_EQ(lines(arguments, text), lines(kept, text)) << arguments[0];
  }
  EXPECT_THAT(lines({"--alignment", "hard"}, text)[0], HasSubstr(whole + " ||| "));
}

TEST_F(TranslateSentences, DetokenizeWritesPlainText) {
  const std::string text = "Das ist ein Haus .\nWo ist der Hund ?\n";
  const auto tokenized = lines({}, text);
  for (const std::string language : {"en", "zh"}) {
    const Detokenizer detokenizer(language);
    const auto plain = lines({"--detokenize", language}, text);
    ASSERT_EQ(plain.size(), 2u);
    EXPECT_EQ(plain[0], detokenizer.detokenize(tokenized[0]));
    EXPECT_EQ(plain[1], detokenizer.detokenize(tokenized[1]));
    const auto json = lines({"--detokenize", language, "--output-format", "json"}, text);
    EXPECT_EQ(nlohmann::json::parse(json[0])["translation"], plain[0]);
  }
  EXPECT_EQ(lines({"--detokenize"}, text).size(), 2u) << "the model's own language";
}

TEST_F(TranslateSentences, DetokenizeIsRefusedWhereWordsAreCounted) {
  for (const Arguments& arguments : {Arguments{"--detokenize", "en", "--word-scores"},
                                     Arguments{"--detokenize", "--alignment", "hard"}}) {
    const RunResult result = translate(arguments, "wort\n");
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr("--detokenize joins the words"));
  }
  const RunResult misplaced = run("eatt", {"translate", "--detokenize", bundle_}, "wort\n");
  EXPECT_EQ(misplaced.exit_code, 2);
  EXPECT_THAT(misplaced.err, HasSubstr("a BUNDLE goes before it"));
}

}  // namespace
}  // namespace eatt
