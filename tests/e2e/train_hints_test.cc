// Slips in training, and in what is done with a trained model: each is answered with what to type.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "e2e/train_fixture.h"

namespace eatt::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

class TrainHints : public Train {
 protected:
  // One sentence with `reason` in it.
  static void expect_refused(const std::vector<std::string>& arguments, int code,
                             const std::string& reason) {
    const auto result = run("eatt", arguments);
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_THAT(result.err, HasSubstr(reason));
    EXPECT_THAT(split_lines(result.err), SizeIs(1));
  }
};

TEST_F(TrainHints, SwappedLanguagesAreRefusedByEveryCommandThatKnowsThem) {
  const std::string zh = corpus("dev.zh"), en = corpus("dev.en");
  const auto swapped = [&](const std::string& option, const std::string& who) {
    return option + " " + en + " " + zh + " are swapped: " + who +
           " translates from zh to en; use " + option + " " + zh + " " + en + "\n";
  };
  expect_refused(command("run", {"--valid-sets", en, zh}), 2, swapped("--valid-sets", "this run"));
  expect_refused(command("run", {"--train-sets", en, zh, "--source-language", "zh",
                                 "--target-language", "en"}),
                 2, swapped("--train-sets", "this run"));
  EXPECT_FALSE(std::filesystem::exists(path("run")));

  ASSERT_EQ(run("eatt", command("run", {"--after", "5u"})).exit_code, 0);
  const std::string model = path("run/best");
  expect_refused({"validate", model, "--valid-sets", en, zh}, 2,
                 swapped("--valid-sets", "the model"));
  expect_refused({"align", model, "--sets", en, zh}, 2, swapped("--sets", "the model"));
  expect_refused({"align", model, "--sets", zh, en, "--choose-on", en, zh, corpus("dev.align")}, 2,
                 "--choose-on " + en + " " + zh + " are swapped");
  expect_refused({"shortlist", model, "--train-sets", en, zh, "--output", path("list")}, 2,
                 swapped("--train-sets", "the model"));
  expect_refused({"distill", model, "--train-sets", en, zh, "--output", path("distilled")}, 2,
                 swapped("--train-sets", "the teacher"));
  auto back = command("back", {"--train-sets", en, zh, "--init-from", model});
  drop_validation(back);
  expect_refused(back, 2,
                 "--init-from " + model +
                     " translates from zh to en, but this run from "
                     "en to zh");
}

TEST_F(TrainHints, OneFileForBothLanguagesIsRefusedAndAnotherLanguageWarnedAbout) {
  const std::string zh = corpus("dev.zh"), en = corpus("dev.en");
  expect_refused(command("run", {"--train-sets", en, en}), 2,
                 "--train-sets has " + en + " as its source and as its target");
  expect_refused(command("run", {"--valid-sets", zh, zh}), 2,
                 "--valid-sets has " + zh + " as its source and as its target");
  ASSERT_EQ(run("eatt", command("run", {"--after", "5u"})).exit_code, 0);
  folder_.write("dev.de", read_text(en));
  const auto other =
      run("eatt", {"validate", path("run/best"), "--valid-sets", zh, path("dev.de")});
  EXPECT_EQ(other.exit_code, 0) << other.err;
  EXPECT_THAT(other.err, HasSubstr("--valid-sets " + path("dev.de") +
                                   ": the ending says de, but the model translates to en\n"));
  const auto right = run("eatt", {"validate", path("run/best"), "--valid-sets", zh, en});
  EXPECT_EQ(right.err, "");
  expect_refused({"corpus", "prepare", "--train-sets", en, en, "--output", path("data")}, 2,
                 "--train-sets has " + en + " as its source and as its target");
  EXPECT_FALSE(std::filesystem::exists(path("data")));
}

// The sentence after "eatt: " in the last line.
std::string last_sentence(const RunResult& result) {
  const auto lines = split_lines(result.err);
  return lines.empty() ? "" : lines.back();
}

TEST_F(TrainHints, ADryRunRefusesAVocabularyInTheWordsOfTheRealRunAndNeitherLeavesAnything) {
  const auto real = run("eatt", command("runs/new", {"--vocab-size", "32000"}));
  auto arguments = command("runs/new", {"--vocab-size", "32000"});
  arguments.emplace_back("--dry-run");
  const auto dry = run("eatt", arguments);
  EXPECT_EQ(real.exit_code, 1);
  EXPECT_EQ(dry.exit_code, 1);
  EXPECT_THAT(last_sentence(real), HasSubstr("but --vocab-size is 32000; try --vocab-size "));
  EXPECT_EQ(last_sentence(dry), last_sentence(real));
  EXPECT_FALSE(std::filesystem::exists(path("runs")));
}

TEST_F(TrainHints, ADryRunReadsMoreTextBeforeItCallsItTooLittleForTheVocabulary) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "ein wort\n";
  for (int i = 1; i <= 300; ++i) {  // Different words.
    for (int rest = i * 7919; rest > 0; rest /= 26) text += static_cast<char>('a' + rest % 26);
    text += "\n";
  }
  folder_.write("all.en", text);
  folder_.write("all.de", text);
  auto arguments =
      command("run", {"--train-sets", path("all.en"), path("all.de"), "--vocab-size", "200"});
  drop_validation(arguments);
  arguments.emplace_back("--dry-run");
  const auto dry = run("eatt", arguments);
  EXPECT_EQ(dry.exit_code, 0) << dry.err;
  EXPECT_THAT(dry.err, AllOf(HasSubstr("preparing the first 20,000 of 20,300 pairs"),
                             HasSubstr("preparing 20,300 pairs")));
  EXPECT_THAT(dry.out, Not(HasSubstr("sample"))) << "all of the text was prepared";
}

TEST_F(TrainHints, GoldLinksThatFitTheTextBadlyAreWarnedAbout) {
  ASSERT_EQ(run("eatt", command("run", {"--after", "1u"})).exit_code, 0);
  const std::string zh = corpus("dev.zh"), en = corpus("dev.en");
  std::string links;  // One for each sentence, where the model finds about ten.
  for (int line = 0; line < 20; ++line) links += "0-0\n";
  folder_.write("other.align", links);
  const auto aligned = run("eatt", {"align", path("run/best"), "--sets", zh, en, "--choose-on", zh,
                                    en, path("other.align")});
  EXPECT_EQ(aligned.exit_code, 0) << aligned.err;
  EXPECT_THAT(aligned.err,
              HasSubstr(" is very high, so the model has learned little, or " +
                        path("other.align") + " does not belong to " + zh + " and " + en + "\n"));
}

TEST_F(TrainHints, ADryRunSaysWhatItIsDoing) {
  auto arguments = command("run");
  arguments.emplace_back("--dry-run");
  const auto dry = run("eatt", arguments);
  EXPECT_EQ(dry.exit_code, 0) << dry.err;
  EXPECT_THAT(dry.err,
              AllOf(HasSubstr("dry run: preparing 400 pairs in a temporary folder"),
                    HasSubstr("dry run: timing a few updates of "), Not(HasSubstr("--recipe"))));
  EXPECT_THAT(dry.out, HasSubstr(" µJ "));

  drop(arguments, "--recipe");
  EXPECT_THAT(run("eatt", arguments).err, Not(HasSubstr("--recipe"))) << "the size was chosen";
  for (const char* size : {"--model-dim", "--enc-depth", "--dec-depth"}) drop(arguments, size);
  arguments.insert(arguments.end(), {"--ffn-dim", "16"});
  EXPECT_THAT(run("eatt", arguments).err,
              HasSubstr("no --recipe is given, so the model has the paper's base size; for little "
                        "text or a first try use --recipe tiny\n"));
}

TEST_F(TrainHints, AFailedStartLeavesNothingAndDoesNotCountAsAnInterruptedRun) {
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"--vocab-size", "30"},
                                             {"--train-sets", corpus("train.zh"), corpus("dev.en")},
                                             {"--train-sets", corpus("train.zh"), corpus("")},
                                             {"--valid-sets", corpus("dev.zh"), corpus("")},
                                             {"--init-from", path("nowhere")}}) {
    const auto refused = run("eatt", command("runs/new", wrong));
    EXPECT_EQ(refused.exit_code, 1) << refused.err;
    EXPECT_FALSE(std::filesystem::exists(path("runs"))) << wrong[0];
  }
  EXPECT_EQ(run("eatt", command_on("nowhere", "runs/new")).exit_code, 1);
  EXPECT_FALSE(std::filesystem::exists(path("runs")));
  for (int i = 0; i < 2; ++i) {
    const auto data = run("eatt", {"corpus", "prepare", "--train-sets", corpus("train.zh"),
                                   corpus("train.en"), "--output", path("data/zh-en")});
    EXPECT_EQ(data.exit_code, 1);
    EXPECT_THAT(data.err, Not(HasSubstr("interrupted")));
    EXPECT_FALSE(std::filesystem::exists(path("data")));
  }
  // What was there before stays.
  std::filesystem::create_directories(path("mine"));
  folder_.write("mine/training.toml", "# my notes\n");
  EXPECT_EQ(run("eatt", command("mine", {"--vocab-size", "30"})).exit_code, 1);
  EXPECT_EQ(read_text(path("mine/training.toml")), "# my notes\n");
  EXPECT_FALSE(std::filesystem::exists(path("mine/checkpoints")));
}

TEST_F(TrainHints, ARunContinuesWithItsFolderAloneAsWithTheWholeCommand) {
  ASSERT_EQ(run("eatt", command("whole")).exit_code, 0);
  ASSERT_EQ(run("eatt", command("run", {"--after", "20u"})).exit_code, 0);
  const auto resumed =
      run("eatt", {"train", "--model", path("run"), "--after", "60u", "--cpu-threads", "1"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("continuing with the data and the options that this run was "
                                     "started with"));
  EXPECT_THAT(resumed.err, HasSubstr("resuming from update 20"));
  EXPECT_EQ(final_weights("run"), final_weights("whole"));
}

TEST_F(TrainHints, TheEndPrintsACommandThatTrainsLongerAlsoAfterALowerLimit) {
  const auto first = run("eatt", command("run", {"--after", "20u"}));
  EXPECT_THAT(first.err, HasSubstr("train --model " + path("run") + " --after 40u (it was 20u)"));
  EXPECT_THAT(first.err, ::testing::ContainsRegex("finished: 20 updates, 0\\.[0-9] epochs, "));
  const auto lowered = run("eatt", command("run", {"--after", "10u"}));
  EXPECT_THAT(lowered.err, HasSubstr("already finished"));
  EXPECT_THAT(lowered.err, HasSubstr(" --after 40u (it has done 20u)"));
  const size_t at = lowered.err.find("to train longer: ") + 17;
  const auto longer = shell(lowered.err.substr(at, lowered.err.find(" (it has", at) - at));
  EXPECT_EQ(longer.exit_code, 0) << longer.err;
  EXPECT_THAT(longer.err, HasSubstr("finished: 40 updates"));
}

// The links that `translate --alignment hard --score` prints after its scores, line by line.
std::vector<std::string> links_after_scores(const std::string& output) {
  std::vector<std::string> lines = split_lines(output);
  for (std::string& line : lines) line = line.substr(line.rfind("||| ") + 4);
  return lines;
}

TEST_F(TrainHints, AlignReadsTheAttentionThatTranslateReads) {
  ASSERT_EQ(run("eatt", command("run", {"--after", "5u"})).exit_code, 0);
  const std::string model = path("run/best"), zh = corpus("dev.zh"), en = corpus("dev.en");
  const auto links = run("eatt", {"align", model, "--sets", zh, en});
  ASSERT_EQ(links.exit_code, 0) << links.err;
  const auto scored =
      run("eatt", {"translate", model, "-i", zh, "--score", en, "--alignment", "hard"});
  ASSERT_EQ(scored.exit_code, 0) << scored.err;
  EXPECT_EQ(split_lines(links.out), links_after_scores(scored.out));
  EXPECT_EQ(run("eatt", {"align", model, "--sets", zh, en, "--layer", "0"}).out, links.out);
  expect_refused({"align", model, "--sets", zh, en, "--layer", "9"}, 2,
                 "--layer is 9, but the model has 1 decoder layer; 0 is the last");
  expect_refused({"align", model, "--sets", zh, en, "--head", "9"}, 2,
                 "--head is 9, but the model");
  expect_refused({"align", model, "a.zh", "a.en"}, 2, "(did you mean --sets a.zh a.en?)");
  expect_refused({"validate", model, "a.zh", "a.en"}, 2, "(did you mean --valid-sets a.zh a.en?)");
}

TEST_F(TrainHints, AlignAndValidateTakeTheSpellingsOfEachOther) {
  ASSERT_EQ(run("eatt", command("run", {"--after", "5u"})).exit_code, 0);
  const std::string model = path("run/best"), zh = corpus("dev.zh"), en = corpus("dev.en");
  const auto printed = run("eatt", {"align", model, "--sets", zh, en});
  const auto written = run("eatt", {"align", model, "--valid-sets", zh, en, "-o", path("links")});
  EXPECT_EQ(written.exit_code, 0) << written.err;
  EXPECT_EQ(written.out, "");
  EXPECT_EQ(read_text(path("links")), printed.out);
  const auto usual = run("eatt", {"validate", model, "--valid-sets", zh, en, "--tokenize", "char"});
  const auto other = run("eatt", {"validate", model, "--sets", zh, en, "--valid-tokenize", "char"});
  EXPECT_EQ(other.exit_code, 0) << other.err;
  EXPECT_EQ(other.out, usual.out);

  folder_.write("short.align", "0-0\n1-1\n");
  expect_refused({"align", model, "--sets", zh, en, "--choose-on", zh, en, path("short.align")}, 1,
                 "--choose-on: " + path("short.align") + " has links for 2 sentences, but " + zh +
                     " has 20 sentences; expected a line of links for each sentence");
  std::string outside;
  for (int line = 1; line <= 20; ++line) outside += line == 3 ? "0-0 99-98\n" : "0-0\n";
  folder_.write("bad.align", outside);
  expect_refused({"align", model, "--sets", zh, en, "--choose-on", zh, en, path("bad.align")}, 1,
                 "--choose-on: " + path("bad.align") +
                     ", line 3: the link 99-98 is outside of the sentences, which have ");
  expect_refused({"train", "--recipe", "tiny", "--prepared", zh, "--model", path("new")}, 1,
                 zh + ": is a file, expected the folder of a data set");
}

}  // namespace
}  // namespace eatt::testing
