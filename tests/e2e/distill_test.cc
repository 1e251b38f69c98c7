// `eatt distill` as a user starts it. The teachers are random: what they say is nonsense, but the
// same nonsense every time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "evaluation/bleu.h"
#include "support/files.h"
#include "support/run.h"
#include "support/tiny_bundle.h"
#include "text/pieces/pieces.h"
#include "text/sample_text.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using testing::read_text;
using testing::run;
using testing::RunResult;
using ::testing::SizeIs;
using testing::split_lines;
using testing::TemporaryFolder;

using Words = std::vector<std::string>;

Words operator+(Words all, const Words& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// Random weights, and the pieces of sample_model() on both sides.
std::string write_teacher(const fs::path& path, uint64_t seed, const std::string& source_language,
                          const std::string& target_language) {
  Architecture architecture = testing::tiny_architecture();
  architecture.embeddings = EmbeddingSharing::all;
  architecture.source_vocab = architecture.target_vocab =
      Pieces(testing::sample_model(), "sample").size();
  testing::RandomBundle bundle(architecture, seed);
  bundle.contents().source_piece_model = testing::sample_model();
  bundle.contents().manifest.source_language = source_language;
  bundle.contents().manifest.target_language = target_language;
  write_bundle(path, bundle.contents());
  return path.string();
}

class Distill : public ::testing::Test {
 protected:
  void SetUp() override { write_corpus(80); }

  void write_corpus(int pairs) {
    const testing::SampleText text = testing::sample_text(pairs);
    folder_.write("text.en", text.source);
    folder_.write("text.de", text.target);
  }

  std::string path(std::string_view name) const { return (folder_ / name).string(); }
  Words command(const std::string& output = "out") const {
    return {"distill",       teacher_,   "--train-sets", path("text.en"),
            path("text.de"), "--output", path(output)};
  }
  // Of a run that must succeed.
  RunResult distill(const Words& more = {}, const std::string& output = "out") const {
    const RunResult result = run("eatt", command(output) + more);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result;
  }
  Words sources(const std::string& output = "out") const {
    return split_lines(read_text(folder_ / output / "train.xx"));
  }
  Words targets(const std::string& output = "out") const {
    return split_lines(read_text(folder_ / output / "train.yy"));
  }
  // Ends a run by a signal as soon as it has saved something.
  RunResult stop_midway(const std::string& signal, const Words& options) const {
    const std::string script = R"(
state=$1; signal=$2; shift 2
"$@" & running=$!
until grep -qs '"translations": [1-9]' "$state"; do sleep 0.01; done
kill -$signal $running
wait $running)";
    return run("/bin/sh", Words{"-c", script, "sh", path("out/distill.json"), signal,
                                testing::program_path("eatt").string()} +
                              command() + options);
  }
  Words translate(const Words& more) const {
    const RunResult result =
        run("eatt", Words{"translate", teacher_, "-i", path("text.en")} + more);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return split_lines(result.out);
  }

  TemporaryFolder folder_;
  std::string teacher_ = write_teacher(folder_ / "teacher", 1, "xx", "yy");
};

TEST_F(Distill, TheTargetSideBecomesWhatTranslateSaysWithABeamOfFour) {
  const RunResult result = distill();
  EXPECT_EQ(sources(), split_lines(read_text(folder_ / "text.en")));
  EXPECT_EQ(targets(), translate({"-b", "4", "--length-penalty", "0.6"}));
  EXPECT_THAT(result.out, MatchesRegex("80 pairs in .* \\([0-9,]+ tokens/s\\), [0-9]+ cut at the "
                                       "length limit, 0 left out: .*/train.xx .*/train.yy\n"));
  EXPECT_THAT(result.err, Not(HasSubstr("left out")));
}

TEST_F(Distill, OptionsOfSearchAreThoseOfTranslate) {
  const Words options = {"-b", "2", "--normalize", "1", "--max-length", "7", "--precision", "int8"};
  distill(options);
  EXPECT_EQ(targets(), translate(options));
  distill({"--sampling", "--seed", "5", "-b", "1"}, "drawn");
  EXPECT_EQ(targets("drawn"), translate({"--sampling", "--seed", "5", "--length-penalty", "0.6"}));
}

TEST_F(Distill, SeveralTeachersAreAnEnsemble) {
  const std::string second = write_teacher(folder_ / "second", 2, "xx", "yy");
  const RunResult result =
      run("eatt", Words{"distill", teacher_, second, "--weights", "1", "3", "-b", "1",
                        "--train-sets", path("text.en"), path("text.de"), "--output", path("out")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const RunResult expected = run("eatt", {"translate", teacher_, second, "--weights", "1", "3",
                                          "--length-penalty", "0.6", "-i", path("text.en")});
  EXPECT_EQ(targets(), split_lines(expected.out));
}

TEST_F(Distill, TheHypothesisNearestToTheReferenceIsTheOneOfHighestSentenceBleu) {
  const Words search = {"-b", "5", "--length-penalty", "0.6"};
  // References that a random model can come near to: some words of the last hypothesis.
  const Words lists = translate(search + Words{"--output-format", "json", "--n-best"});
  std::vector<Words> hypotheses;
  std::string references;
  for (const std::string& line : lists) {
    Words& own = hypotheses.emplace_back();
    const auto json = nlohmann::json::parse(line);
    for (const auto& each : json["hypotheses"]) own.push_back(each["translation"]);
    references += own[hypotheses.size() % own.size()] + " und\n";
  }
  folder_.write("text.de", references);
  distill(search + Words{"--choose", "reference"});
  distill(search, "best");

  const Words given = split_lines(references), chosen = targets();
  ASSERT_THAT(chosen, SizeIs(hypotheses.size()));
  const auto bleu = [&](std::string_view hypothesis, std::string_view reference) {
    const evaluation::Sentences references_of_one(&reference, 1);
    return evaluation::corpus_bleu({&hypothesis, 1}, {&references_of_one, 1},
                                   {.effective_order = true})
        .score;
  };
  for (size_t i = 0; i < chosen.size(); ++i) {
    EXPECT_THAT(hypotheses[i], ::testing::Contains(chosen[i]));
    for (const std::string& other : hypotheses[i]) {
      EXPECT_GE(bleu(chosen[i], given[i]), bleu(other, given[i]));
    }
  }
  EXPECT_NE(chosen, targets("best"));
  EXPECT_EQ(run("eatt", command() + search + Words{"--n-best", "3"}).exit_code, 2);
}

TEST_F(Distill, OriginalPairsFollowBehindTheTranslations) {
  distill({"--keep-original"});
  distill({}, "without");
  EXPECT_EQ(sources(), sources("without") + split_lines(read_text(folder_ / "text.en")));
  EXPECT_EQ(targets(), targets("without") + split_lines(read_text(folder_ / "text.de")));
}

TEST_F(Distill, PairsThatCannotBeTranslatedAreLeftOutAndCounted) {
  std::string longest;
  for (int i = 0; i < 30; ++i) longest += "langes Wort ";
  folder_.write("text.en", "eins\n\n" + longest + "\nzwei\n \t\ndrei\n");
  folder_.write("text.de", "a\nb\nc\nd\ne\n\n");
  const RunResult result = distill({"--max-input-length", "20", "--keep-original"});
  EXPECT_EQ(sources(), (Words{"eins", "zwei", "eins", "zwei"}));
  EXPECT_EQ(targets()[3], "d");
  EXPECT_THAT(result.out, AllOf(HasSubstr("4 pairs in"), HasSubstr("4 left out")));
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("3 pairs with an empty side (first: "), HasSubstr("text.en, line 2"),
                    HasSubstr("too many pieces"), HasSubstr("line 3, ")));
}

TEST_F(Distill, TranslationsThatWereCutAreKeptOrNot) {
  const Words limit = {"--max-length", "3"};
  const RunResult kept = distill(limit);
  EXPECT_THAT(kept.out, AllOf(HasSubstr("80 pairs"), HasSubstr(" 80 cut")));
  const RunResult none = run("eatt", command("dropped") + limit + Words{"--drop-cut"});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.err, HasSubstr("none of 80 pairs is left: 80 hypotheses were cut off"));
  EXPECT_FALSE(fs::exists(folder_ / "dropped" / "train.xx"));
}

TEST_F(Distill, GzipAndTsvAreReadToo) {
  distill();
  const Words en = split_lines(read_text(folder_ / "text.en"));
  const Words de = split_lines(read_text(folder_ / "text.de"));
  std::string tsv;
  for (size_t i = 0; i < en.size(); ++i) tsv += en[i] + "\t" + de[i] + "\n";
  folder_.write("text.tsv.gz", testing::gzip(tsv));
  const RunResult result =
      run("eatt", {"distill", teacher_, "--tsv", path("text.tsv.gz"), "--output", path("packed")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(targets("packed"), targets());
}

TEST_F(Distill, WithoutLanguagesTheFilesAreNamedAfterTheText) {
  const std::string teacher = write_teacher(folder_ / "und", 1, "und", "und");
  folder_.write("text.en.gz", testing::gzip(read_text(folder_ / "text.en")));
  const RunResult result = run("eatt", {"distill", teacher, "--train-sets", path("text.en.gz"),
                                        path("text.de"), "--output", path("out")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(fs::exists(folder_ / "out" / "train.en"));
  EXPECT_TRUE(fs::exists(folder_ / "out" / "train.de"));
}

TEST_F(Distill, WhateverKillsItTheSameCommandGoesOnToTheSameFiles) {
  write_corpus(4000);
  const Words options = {"-b", "2", "--max-length", "8", "--keep-original"};
  distill(options, "whole");
  EXPECT_EQ(stop_midway("KILL", options).exit_code, 128 + 9);
  EXPECT_FALSE(fs::exists(folder_ / "out" / "train.yy"));
  EXPECT_THAT(distill(options).err, HasSubstr("continuing after"));
  EXPECT_EQ(targets(), targets("whole"));
  EXPECT_EQ(sources(), sources("whole"));
  EXPECT_FALSE(fs::exists(folder_ / "out" / "train.yy.part"));
}

TEST_F(Distill, AfterSigtermItSavesAndTheSameCommandGoesOn) {
  write_corpus(4000);
  const Words options = {"-b", "2", "--max-length", "8"};
  distill(options, "whole");
  const RunResult result = stop_midway("TERM", options);
  EXPECT_EQ(result.exit_code, 143);
  EXPECT_THAT(result.err, HasSubstr("stopped by SIGTERM after "));
  EXPECT_THAT(distill(options).err, HasSubstr("continuing after"));
  EXPECT_EQ(targets(), targets("whole"));
}

TEST_F(Distill, AFinishedFolderIsRecognized) {
  distill();
  const auto written = fs::last_write_time(folder_ / "out" / "train.yy");
  const RunResult again = distill({"--cpu-threads", "1", "--mini-batch", "3"});
  EXPECT_THAT(again.err, HasSubstr("already complete"));
  EXPECT_THAT(again.out, HasSubstr("80 pairs"));
  EXPECT_EQ(fs::last_write_time(folder_ / "out" / "train.yy"), written);
  fs::resize_file(folder_ / "out" / "train.yy", 10);
  const RunResult damaged = run("eatt", command());
  EXPECT_EQ(damaged.exit_code, 1);
  EXPECT_THAT(damaged.err, HasSubstr("train.yy: has 10 bytes, but "));
}

TEST_F(Distill, OtherOptionsOrTextAreRefusedWithBothValues) {
  distill();
  const RunResult beam = run("eatt", command() + Words{"-b", "3"});
  EXPECT_EQ(beam.exit_code, 1);
  // Warnings that the teacher translates from xx to yy come before it.
  EXPECT_THAT(split_lines(beam.err).back(),
              HasSubstr("was made with --beam-size '4', but this command has '3'"));
  EXPECT_EQ(distill({"-b", "3", "--overwrite"}).exit_code, 0);
  EXPECT_EQ(targets(), translate({"-b", "3", "--length-penalty", "0.6"}));

  write_corpus(81);
  const RunResult text = run("eatt", command() + Words{"-b", "3"});
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_THAT(text.err, HasSubstr("was made with input 1 source 'SHA-256 "));
}

TEST_F(Distill, NothingOfTheUsersIsWrittenOver) {
  folder_.write("own/train.xx", "mine\n");
  folder_.write("own/train.yy", "meins\n");
  const RunResult there = run("eatt", command("own") + Words{"--overwrite"});
  EXPECT_EQ(there.exit_code, 1);
  EXPECT_THAT(there.err, HasSubstr("was not made by a distillation"));
  const RunResult itself = run("eatt", {"distill", teacher_, "--train-sets", path("own/train.xx"),
                                        path("own/train.yy"), "--output", path("own")});
  EXPECT_EQ(itself.exit_code, 2);
  EXPECT_THAT(itself.err, HasSubstr("would be overwritten"));
  EXPECT_EQ(read_text(folder_ / "own/train.xx"), "mine\n");
}

TEST_F(Distill, WhatStandsBehindTwoDashesGoesToTrain) {
  const bool has_eatt_train = fs::exists(testing::program_path("eatt-train"));
  folder_.write("bin/eatt-train", "#!/bin/sh\nfor word; do echo \"[$word]\"; done\n");
  fs::permissions(folder_ / "bin/eatt-train", fs::perms::owner_all);
  const Words behind = has_eatt_train ? Words{"--", "--vocab-size", "777", "--dump-config"}
                                      : Words{"--", "--vocab-size", "777", "--model", "a run"};
  const RunResult result =
      run("/usr/bin/env", Words{"PATH=" + path("bin"), testing::program_path("eatt").string()} +
                              command() + behind);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("80 pairs in"), HasSubstr("777")));
  if (has_eatt_train) return;
  EXPECT_THAT(result.out, HasSubstr("[train]\n[--vocab-size]\n[777]\n[--model]\n[a run]\n"
                                    "[--train-sets]\n[" +
                                    path("out/train.xx") + "]\n[" + path("out/train.yy") + "]\n"));
}

TEST_F(Distill, TextWithoutPairsLeavesNothing) {
  for (const char* text : {"", "\n\n"}) {
    folder_.write("text.en", text);
    folder_.write("text.de", text);
    const RunResult result = run("eatt", command());
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_FALSE(fs::exists(folder_ / "out")) << result.err;
  }
  folder_.write("text.en", "a\nb\n");  // And none on the other side.
  folder_.write("text.de", "");
  const RunResult unequal = run("eatt", command());
  EXPECT_EQ(unequal.exit_code, 1);
  EXPECT_FALSE(fs::exists(folder_ / "out")) << unequal.err;
}

TEST_F(Distill, WrongUsageIsToldBeforeAnythingIsDone) {
  const auto error_of = [&](const Words& words) {
    const RunResult result = run("eatt", words);
    EXPECT_EQ(result.exit_code, 2) << result.out;
    EXPECT_THAT(split_lines(result.err), SizeIs(1));
    EXPECT_FALSE(fs::exists(folder_ / "out"));
    return result.err;
  };
  EXPECT_THAT(error_of({"distill", teacher_, "--output", path("out")}),
              HasSubstr("nothing to translate"));
  EXPECT_THAT(error_of({"distill", teacher_, "--tsv", "-", "--output", path("out")}),
              HasSubstr("can be read only once"));
  EXPECT_THAT(error_of(command() + Words{"--tokenize", "zh"}), HasSubstr("--choose reference"));
  EXPECT_THAT(error_of(command() + Words{"--choose", "reference", "--tokenize", "x"}),
              HasSubstr("--tokenize is 'x'"));
  EXPECT_THAT(error_of(command() + Words{"-b", "0"}), HasSubstr("--beam-size is '0'"));
  EXPECT_THAT(error_of(command() + Words{"--", "--prepared", "data"}), HasSubstr("--prepared"));
  EXPECT_THAT(error_of(command() + Words{"--", "--train-sets", path("text.en"), path("text.de"),
                                         "--model", path("student")}),
              HasSubstr("--train-sets after -- would train on other text than the distilled text; "
                        "leave it out"));
  EXPECT_THAT(error_of(command() + Words{"--choose", "worst"}), HasSubstr("worst"));
  EXPECT_THAT(error_of(command() + Words{"--choose", "reference", "-b", "1"}),
              HasSubstr("--choose reference has no effect with --beam-size 1"));
  EXPECT_THAT(error_of(command() + Words{"--seed", "3"}),
              HasSubstr("--seed needs --sampling, because a search is not random"));
  EXPECT_THAT(error_of(command() + Words{"--weights", "1"}),
              HasSubstr("--weights has no effect on a single teacher"));
}

TEST(DistillHelp, ShowsThatOptionsOfTrainingFollowTwoHyphens) {
  EXPECT_THAT(run("eatt", {"distill", "--help"}).out,
              HasSubstr("Usage: eatt distill [OPTIONS] TEACHER... [-- TRAIN-OPTIONS...]\n"));
}

}  // namespace
}  // namespace eatt
