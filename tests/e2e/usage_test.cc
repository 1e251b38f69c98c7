// Mistakes on the command line, as people make them: one sentence, exit code 2, a pointer to help.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/files.h"
#include "support/run.h"

namespace eatt {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::run;
using ::testing::SizeIs;
using testing::split_lines;

struct Mistake {
  std::vector<std::string> typed;
  std::string sentence;
};

void expect_sentences(const std::vector<Mistake>& mistakes) {
  for (const auto& [typed, sentence] : mistakes) {
    const auto result = run("eatt", typed);
    EXPECT_EQ(result.err, "eatt: " + sentence + "\n");
    EXPECT_EQ(result.exit_code, 2) << sentence;
    EXPECT_THAT(result.out, IsEmpty()) << sentence;
  }
}

TEST(Usage, EveryKindOfMistakeIsOneSentenceThatPointsToHelp) {
  expect_sentences({
      {{"trainslate"},
       "unknown command 'trainslate' (did you mean `eatt translate`?); see `eatt --help`"},
      {{"trian"}, "unknown command 'trian' (did you mean `eatt train`?); see `eatt --help`"},
      {{"prepare"},
       "unknown command 'prepare' (did you mean `eatt corpus prepare`?); see `eatt --help`"},
      {{"corpus", "prepar"},
       "unknown command 'prepar' (did you mean `eatt corpus prepare`?); see `eatt corpus --help`"},
      {{"help", "trainslate"},
       "unknown command 'trainslate' (did you mean `eatt translate`?); see `eatt --help`"},
      {{"translate", "--beam-sise", "4"},
       "unknown option --beam-sise (did you mean --beam-size?); see `eatt translate --help`"},
      {{"translate", "--beam_sise=4"},
       "unknown option --beam-sise (did you mean --beam-size?); see `eatt translate --help`"},
      {{"translate", "--verbos", "model"},
       "unknown option --verbos (did you mean --verbose?); see `eatt translate --help`"},
      {{"translate", "-x"}, "unknown option -x; see `eatt translate --help`"},
      {{"--nonsense"}, "unknown option --nonsense; see `eatt --help`"},
      {{"--nonsense", "translate", "model"},
       "unknown option --nonsense; see `eatt translate --help`"},
      {{"translate", "model", "--prefix"},
       "--prefix needs FILE, but nothing follows; see `eatt translate --help`"},
      {{"translate", "model", "--prefix", "--stats"},
       "--prefix needs FILE, but '--stats' follows; see `eatt translate --help`"},
      {{"quantize", "one", "two", "three"},
       "unexpected argument 'three': `eatt quantize` takes BUNDLE, OUT and options; see `eatt "
       "quantize --help`"},
      {{"evaluate", "file"},
       "unexpected argument 'file': `eatt evaluate` takes options only (did you mean --hypothesis "
       "file?); see `eatt evaluate --help`"},
      {{"quantize"}, "BUNDLE and OUT are missing; see `eatt quantize --help`"},
      {{"corpus", "generate"}, "--output DIR is missing; see `eatt corpus generate --help`"},
      {{"evaluate", "--json=3"},
       "--json takes no value, but '--json=3' gives it one; see `eatt evaluate --help`"},
      {{"evaluate", "--alignment", "links"},
       "--alignment needs --alignment-reference; see `eatt evaluate --help`"},
      {{"selftest", "--quiet", "--verbose"},
       "--verbose and --quiet exclude each other; give one of them; see `eatt selftest --help`"},
      {{"corpus", "pieces"},
       "no command is given; expected one of train, encode, decode; see `eatt corpus pieces "
       "--help`"},
  });
}

TEST(Usage, CommandsOfEattTrainSpeakTheSameWay) {
  if (!std::filesystem::exists(testing::program_path("eatt-train"))) GTEST_SKIP() << "not built";
  expect_sentences({
      {{"train", "--recpie", "tiny"},
       "unknown option --recpie (did you mean --recipe?); see `eatt train --help`"},
      {{"train", "--model"}, "--model needs RUN, but nothing follows; see `eatt train --help`"},
      {{"train", "tiny"},
       "unexpected argument 'tiny': `eatt train` takes options only (did you mean --recipe tiny?); "
       "see `eatt train --help`"},
      {{"validate", "model", "--valid-sets", "text"},
       "--valid-sets needs SRC TGT, but only 'text' follows; see `eatt validate --help`"},
      {{"export", "run"}, "--output BUNDLE is missing; see `eatt export --help`"},
      {{"average", "run", "--output", "out", "--last", "2", "--best", "3"},
       "--best and --last exclude each other; give one of them; see `eatt average --help`"},
  });
  const auto direct = run("eatt-train", {"trian"});
  EXPECT_EQ(direct.exit_code, 2);
  EXPECT_EQ(direct.err,
            "eatt-train: unknown command 'trian' (did you mean `eatt-train train`?); see "
            "`eatt-train --help`\n");
}

TEST(Usage, OfATrainingOptionGivenTwiceTheLastCounts) {
  if (!std::filesystem::exists(testing::program_path("eatt-train"))) GTEST_SKIP() << "not built";
  const auto result = run("eatt", {"train", "--recipe", "wmt14-en-de", "--recipe", "tiny",
                                   "--heads", "8", "--heads=4", "--dump-config"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out,
            run("eatt", {"train", "--recipe", "tiny", "--heads", "4", "--dump-config"}).out);
}

TEST(Usage, EattKnowsExactlyTheCommandsOfEattTrain) {
  if (!std::filesystem::exists(testing::program_path("eatt-train"))) GTEST_SKIP() << "not built";
  const std::string help = run("eatt-train", {"--help"}).out;
  const std::string overview = run("eatt", {}).out;
  size_t commands = 0;
  for (const std::string& line : split_lines(help.substr(0, help.find("\nFor all commands")))) {
    if (!line.starts_with("  ") || line[2] == ' ') continue;
    const std::string name = line.substr(2, line.find(' ', 2) - 2);
    EXPECT_THAT(overview, HasSubstr("\n  " + name + " "));
    EXPECT_EQ(run("eatt", {name, "--help"}).exit_code, 0) << name;
    ++commands;
  }
  EXPECT_EQ(commands, 7u);  // Those of the table, and help.
}

TEST(Usage, TheLastOfAnOptionGivenTwiceCounts) {
  const testing::TemporaryFolder folder;
  const auto result =
      run("eatt", {"corpus", "generate", "--train", "9", "--train", "3", "--dev", "1", "--test",
                   "1", "--output", "/nonexistent/x", "--output", (folder / "corpus").string()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(split_lines(testing::read_text(folder / "corpus/train.zh")), SizeIs(3));
}

TEST(Usage, ListsGivenTwiceArePutTogether) {
  const testing::TemporaryFolder folder;
  const std::string text = folder.write("text", "a sentence of words\n");
  const auto once = run("eatt", {"evaluate", "--reference", text, text, "--hypothesis", text});
  const auto twice =
      run("eatt", {"evaluate", "--reference", text, "--reference", text, "--hypothesis", text});
  EXPECT_EQ(twice.exit_code, 0) << twice.err;
  EXPECT_EQ(once.out, twice.out);
}

}  // namespace
}  // namespace eatt
