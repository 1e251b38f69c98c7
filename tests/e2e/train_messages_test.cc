// What training says: on a terminal, at its end, and where people slip.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "e2e/train_fixture.h"
#include "support/terminal.h"

namespace eatt::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

TEST_F(Train, TheBarCountsUpdatesAndNeverRunsIntoTheLogOrDisagreesWithIt) {
  ASSERT_EQ(run("eatt", {"corpus", "prepare", "--train-sets", corpus("train.zh"),
                         corpus("train.en"), "--vocab-size", "700", "--output", path("data")})
                .exit_code,
            0);
  for (const size_t columns : {60, 80, 120}) {
    SCOPED_TRACE(columns);
    const auto arguments = command_on("data", "run" + std::to_string(columns),
                                      {"--disp-freq", "5u", "--valid-freq", "30u"});
    const auto result = run_on_terminal({.columns = columns}, "eatt", arguments);
    ASSERT_EQ(result.exit_code, 0) << result.bytes;
    const std::regex bar(
        "training +[0-9]+% (\\[#* *\\] )?[0-9]+/60 updates(, [0-9.]+/s)?"
        "(, [0-9]+ s left)?");
    for (const std::string& text : result.screen.seen()) {
      if (text.find("training ") != 0) continue;
      EXPECT_TRUE(std::regex_match(text, bar)) << text;
      EXPECT_LT(text.size(), columns);
    }
    for (const std::string& line : result.screen.lines()) {
      EXPECT_TRUE(std::regex_search(line, std::regex("^[0-9:]+ (info|warning): |^$"))) << line;
    }
    // The row below a line of the log says the same about the time left.
    const std::regex pair("update ([0-9]+) epoch [^\r\n]* ([0-9]+ s) left\r\n(training[^\r\n]*)");
    int compared = 0;
    for (std::sregex_iterator found(result.bytes.begin(), result.bytes.end(), pair), end;
         found != end; ++found) {
      EXPECT_THAT((*found)[3].str(), HasSubstr(" " + (*found)[1].str() + "/60 updates"));
      if ((*found)[1] == "60") continue;  // Nothing is left.
      EXPECT_THAT((*found)[3].str(), HasSubstr(", " + (*found)[2].str() + " left"));
      ++compared;
    }
    EXPECT_GE(compared, 8);
  }
}

TEST_F(Train, CtrlCOnATerminalLeavesNoPieceOfTheBarAndSaysThatTheSameCommandGoesOn) {
  const auto arguments = command("run", {"--after", "100000u"});
  const auto result = run_on_terminal({.interrupt_after = "/100,000 updates"}, "eatt", arguments);
  EXPECT_EQ(result.exit_code, 130);
  const auto lines = result.screen.lines();
  ASSERT_GE(lines.size(), 2u);
  EXPECT_THAT(lines[lines.size() - 2],
              MatchesRegex("eatt: stopped by Ctrl-C after update [0-9]+; everything is saved "
                           "in .*/run; run the same command to continue"));
}

// The command in the line that says how to translate.
std::string printed_command(const std::string& err) {
  const std::string mark = "to translate with it: ";
  const size_t at = err.find(mark);
  if (at == err.npos) return "echo no command";
  return err.substr(at + mark.size(), err.find('\n', at) - at - mark.size());
}

TEST_F(Train, TheEndSaysWhereTheModelIsAndTheCommandItPrintsWorks) {
  const auto arguments = command("my run", {"--after", "10u"});
  const auto trained = run("eatt", arguments);
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_THAT(trained.err, HasSubstr("the best model is in " + path("my run") + "/best\n"));
  EXPECT_THAT(trained.err,
              HasSubstr(" train --model '" + path("my run") + "' --after 20u (it was 10u)"));
  EXPECT_THAT(printed_command(trained.err),
              HasSubstr(" translate '" + path("my run") + "/best' < "));
  const auto translated = shell(printed_command(trained.err));
  EXPECT_EQ(translated.exit_code, 0) << translated.err;
  EXPECT_EQ(split_lines(translated.out).size(), 20u);

  const auto again = run("eatt", arguments);
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("this training has already finished"));
  EXPECT_EQ(printed_command(again.err), printed_command(trained.err));

  const auto into_the_model = run("eatt", command("my run/best", {"--after", "20u"}));
  EXPECT_EQ(into_the_model.exit_code, 2);
  EXPECT_THAT(into_the_model.err, HasSubstr("my run/best is a finished model"));
  EXPECT_EQ(shell(printed_command(trained.err)).out, translated.out);
}

TEST_F(Train, AveragingAndExportingSayWhichRunOrCheckpointIsMeant) {
  ASSERT_EQ(run("eatt", command("run", {"--after", "10u"})).exit_code, 0);
  const auto refused = [&](std::vector<std::string> words, int code, const std::string& reason) {
    words.insert(words.end(), {"--output", path("out")});
    const auto result = run("eatt", words);
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_THAT(result.err, HasSubstr(reason));
  };
  refused({"average", path("typo"), "--last", "2"}, 1, path("typo") + ": does not exist");
  refused({"average", path("run/checkpoints"), "--last", "2"}, 2,
          "holds the checkpoints of a run; give the run folder, " + path("run"));
  refused({"average", path("run"), "--last", "0"}, 2, "--last is '0'; expected an integer from 1");
  refused({"export", path("run"), "--checkpoint", "3"}, 1,
          path("run") + ": has no checkpoint of update 3; it has ");
  for (const char* inner : {"run/best", "run/checkpoints/step-00000010/", "run/checkpoints"}) {
    refused({"export", path(inner)}, 2, "is a folder of the run " + path("run") + "; give the run");
  }
  refused({"export", corpus("")}, 1, "is not a run folder of `eatt train`");
  refused({"validate", path("run/best"), corpus("dev.zh"), corpus("dev.en")}, 2,
          "(did you mean --valid-sets " + corpus("dev.zh") + " " + corpus("dev.en") + "?)");
  refused({"train", corpus("dev.zh"), corpus("dev.en")}, 2,
          "(did you mean --train-sets " + corpus("dev.zh") + " " + corpus("dev.en") + "?)");
  refused({"export", path("run"), "--checkpoint", "bets"}, 2,
          "--checkpoint is 'bets'; expected an update such as 800, or best");
  const auto best =
      run("eatt", {"export", path("run"), "--checkpoint", "best", "--output", path("exported")});
  EXPECT_EQ(best.out, path("exported") + ": the model of update 10\n") << best.err;
  refused({"export", path("exported")}, 1, "is a model already; give the folder of a training run");
  ASSERT_EQ(run("eatt", {"quantize", path("run/best"), path("int8")}).exit_code, 0);
  for (const char* name : {"validate", "align"}) {
    const auto result =
        run("eatt", {name, path("int8"), std::string(name) == "align" ? "--sets" : "--valid-sets",
                     corpus("dev.zh"), corpus("dev.en")});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.err, HasSubstr("is an int8 bundle; this command needs the float32 one it "
                                      "was made from, " +
                                      path("run/best") + "\n"));
  }
}

TEST_F(Train, AveragingMoreCheckpointsThanThereAreWarnsAndDensitiesAreATable) {
  const auto trained =
      run("eatt", command("run", {"--after", "10u", "--keep-last", "2", "--enc-depth", "2"}));
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const auto averaged =
      run("eatt", {"average", path("run"), "--last", "8", "--output", path("mean")});
  ASSERT_EQ(averaged.exit_code, 0) << averaged.err;
  EXPECT_THAT(averaged.err,
              HasSubstr("has only 2 recent checkpoints, so those were averaged and not 8; `eatt "
                        "train --model " +
                        path("run") + " --keep-last 8 --after 40u` trains on"));
  EXPECT_THAT(averaged.out, HasSubstr("the mean of 2 checkpoints, updates 5, 10"));
  const auto two = run("eatt", {"average", path("run"), "--last", "2", "--output", path("two")});
  EXPECT_EQ(two.err, "");
  const auto longer = run("eatt", {"train", "--model", path("run"), "--keep-last", "8", "--after",
                                   "40u", "--cpu-threads", "1"});
  ASSERT_EQ(longer.exit_code, 0) << longer.err;
  const auto eight =
      run("eatt", {"average", path("run"), "--last", "8", "--output", path("eight")});
  EXPECT_EQ(eight.err, "") << "the advice works as typed";
  EXPECT_THAT(eight.out, HasSubstr("the mean of 8 checkpoints"));

  const auto scores =
      run("eatt", {"validate", path("mean"), "--valid-sets", corpus("dev.zh"), corpus("dev.en")});
  ASSERT_EQ(scores.exit_code, 0) << scores.err;
  EXPECT_THAT(scores.out,
              ContainsRegex("layer +encoder self +decoder self +cross query +cross key\n"
                            "1 +0\\.[0-9]+ +0\\.[0-9]+ +0\\.[0-9]+ +0\\.[0-9]+\n"
                            "2 +0\\.[0-9]+\n"));
}

TEST_F(Train, TheAdviceOnCheckpointsCountsThoseOfValidations) {
  for (const char* pace : {"100u", "0u"}) {
    std::filesystem::remove_all(path("run"));
    const auto trained = run("eatt", command("run", {"--after", "10u", "--save-freq", pace,
                                                     "--valid-freq", "4u"}));  // 4, 8 and 10.
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    const auto averaged =
        run("eatt", {"average", path("run"), "--last", "5", "--output", path("mean")});
    EXPECT_THAT(averaged.err, HasSubstr("has only 3 recent checkpoints, so those were averaged and "
                                        "not 5; `eatt train --model " +
                                        path("run") + " --keep-last 5 --after 16u` trains on"));
    const auto longer = run("eatt", {"train", "--model", path("run"), "--keep-last", "5", "--after",
                                     "16u", "--cpu-threads", "1"});
    ASSERT_EQ(longer.exit_code, 0) << longer.err;
    const auto five =
        run("eatt", {"average", path("run"), "--last", "5", "--output", path("mean")});
    EXPECT_EQ(five.err, "");
    EXPECT_THAT(five.out, HasSubstr("the mean of 5 checkpoints, updates 4, 8, 10, 12, 16"));
  }
  const std::string help = run("eatt", {"train", "--help"}).out;
  EXPECT_THAT(help, HasSubstr("every validation and the end; 0u: only then"));
}

TEST_F(Train, HeadsThatDoNotDivideTheWidthAreExplained) {
  const auto result = run("eatt", command("run", {"--heads", "3", "--model-dim", "128"}));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--heads is 3, but --model-dim 128 cannot be divided into 3 "
                                    "equal heads; these would work: --heads 1, 2, 4, 8, 16, 32, "
                                    "64\n"));
}

TEST_F(Train, MaxLengthLeavesOutLongerPairsOfPreparedDataAndTheRunRecordsWhatItHas) {
  const auto prepare = [&](const std::string& name, const std::string& length) {
    return run("eatt", {"corpus", "prepare", "--train-sets", corpus("train.zh"), corpus("train.en"),
                        "--vocab-size", "700", "--max-length", length, "--output", path(name)})
        .exit_code;
  };
  ASSERT_EQ(prepare("all", "256"), 0);
  ASSERT_EQ(prepare("short", "12"), 0);
  const auto train = [&](const std::string& name) {
    auto arguments = command_on(name, "run-" + name, {"--max-length", "12"});
    drop_validation(arguments);
    return run("eatt", arguments);
  };
  const auto filtered = train("all");
  ASSERT_EQ(filtered.exit_code, 0) << filtered.err;
  EXPECT_THAT(filtered.err, ContainsRegex("left out [0-9]+ of 400 pairs longer than 12 pieces"));
  ASSERT_EQ(train("short").exit_code, 0);
  EXPECT_EQ(final_weights("run-all"), final_weights("run-short"));

  const std::string settings = read_text(folder_ / "run-all" / "training.toml");
  EXPECT_THAT(settings, HasSubstr("source-language = \"zh\""));
  EXPECT_THAT(settings, HasSubstr("target-language = \"en\""));
  EXPECT_THAT(settings, HasSubstr("vocab-size = 700 "));
  EXPECT_THAT(read_text(folder_ / "run-all" / "run.json"),
              HasSubstr("\"prepared\": \"" + path("all") + "\""));
  EXPECT_THAT(read_text(folder_ / "run-all" / "last" / "config.json"),
              ContainsRegex("\"source\": *\"zh\""));
  EXPECT_THAT(filtered.err, HasSubstr(" pairs, 1 thread\n"));
  // The same command goes on, although its recipe has another vocabulary than there is.
  EXPECT_THAT(train("all").err, HasSubstr("already finished"));
}

}  // namespace
}  // namespace eatt::testing
