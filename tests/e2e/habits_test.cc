// What people type by habit, because other tools have it: it works, or is answered with what does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/files.h"
#include "support/run.h"
#include "support/speaking_bundle.h"
#include "support/tiny_bundle.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::run;
using testing::split_lines;
using ::testing::StartsWith;

bool has_eatt_train() { return fs::exists(testing::program_path("eatt-train")); }

void expect_sentence(const std::vector<std::string>& typed, const std::string& sentence) {
  const auto result = run("eatt", typed);
  EXPECT_EQ(result.exit_code, 2) << sentence;
  EXPECT_EQ(result.err, "eatt: " + sentence + "\n");
}

class Habits : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder_;
  const std::string bundle_ = testing::write_speaking_bundle(folder_ / "model").string();
  const std::string text_ = folder_.write("in.txt", "ein wort\nzwei wort\n").string();
};

TEST_F(Habits, HelpAndVersionComeInEverySpelling) {
  const std::string version = run("eatt", {"--version"}).out;
  EXPECT_EQ(run("eatt", {"version"}).out, version);
  EXPECT_EQ(run("eatt", {"-V"}).out, version);
  const std::string translate = run("eatt", {"translate", "--help"}).out;
  EXPECT_EQ(run("eatt", {"help", "--translate"}).out, translate);
  EXPECT_EQ(run("eatt", {"translate", "help"}).out, translate);
  EXPECT_THAT(translate, HasSubstr("Usage: eatt translate [OPTIONS] BUNDLE...\n"));
  EXPECT_EQ(run("eatt", {"corpus", "help"}).out, run("eatt", {"corpus", "--help"}).out);
  EXPECT_EQ(run("eatt", {"corpus", "help", "prepare"}).out,
            run("eatt", {"corpus", "prepare", "--help"}).out);
  if (!has_eatt_train()) return;
  EXPECT_EQ(run("eatt", {"train", "help"}).out, run("eatt", {"train", "--help"}).out);
}

TEST_F(Habits, ShortFlagsAndOtherSpellingsWork) {
  const auto full = run("eatt", {"translate", bundle_, "-i", text_, "--cpu-threads", "1"});
  const auto habit = run("eatt", {"translate", "-q", bundle_, "-i", text_, "--threads", "1"});
  EXPECT_EQ(habit.exit_code, 0) << habit.err;
  EXPECT_EQ(habit.out, full.out);
  EXPECT_EQ(run("eatt", {"-v", "translate", bundle_, "-i", text_}).out, full.out);
  const std::string pieces = (folder_ / "made.spm").string();
  const auto learned =
      run("eatt", {"corpus", "pieces", "train", "-i", text_, "-o", pieces, "--vocab-size", "16"});
  EXPECT_EQ(learned.exit_code, 0) << learned.err;
  EXPECT_TRUE(fs::exists(pieces));
  const std::string made = (folder_ / "int8").string();
  EXPECT_EQ(run("eatt", {"quantize", bundle_, "--output", made}).exit_code, 0);
  EXPECT_TRUE(fs::exists(folder_ / "int8/config.json"));
  expect_sentence({"quantize", bundle_, "one", "--output", "two"},
                  "unexpected argument 'one': `eatt quantize` takes BUNDLE, OUT and options; see "
                  "`eatt quantize --help`");
}

TEST_F(Habits, NamesOfChoicesMayBeInCapitals) {
  const auto small = run("eatt", {"translate", bundle_, "-i", text_, "--output-format", "json"});
  const auto large = run("eatt", {"translate", bundle_, "-i", text_, "--output-format", "JSON"});
  EXPECT_EQ(large.exit_code, 0) << large.err;
  EXPECT_EQ(large.out, small.out);
  const std::vector<std::string> score = {"evaluate",     "--reference", text_,
                                          "--hypothesis", text_,         "--metrics"};
  const auto scored = [&](std::vector<std::string> metrics) {
    metrics.insert(metrics.begin(), score.begin(), score.end());
    return run("eatt", metrics).out;
  };
  EXPECT_THAT(scored({"bleu,ter"}), Not(IsEmpty()));
  EXPECT_EQ(scored({"BLEU,Ter"}), scored({"bleu,ter"}));
  EXPECT_EQ(scored({"bleu,", "ter"}), scored({"bleu,ter"}));
  expect_sentence({"translate", bundle_, "-i", text_, "--precision", "int4"},
                  "--precision is 'int4'; expected float32 or int8");
}

TEST_F(Habits, WhatIsMeantIsSuggested) {
  const std::string help = "; see `eatt translate --help`";
  expect_sentence({"translate", bundle_, "--json"},
                  "unknown option --json (did you mean --output-format json?)" + help);
  expect_sentence({"translate", bundle_, "--int8"},
                  "unknown option --int8 (did you mean --precision int8?)" + help);
  expect_sentence({"translate", bundle_, "-beam-size", "4"},
                  "unknown option -beam-size (did you mean --beam-size?)" + help);
  expect_sentence({"translate", bundle_, "-beam_size=4"},
                  "unknown option -beam_size=4 (did you mean --beam-size?)" + help);
  expect_sentence({"translate", bundle_, "—beam-size", "4"},
                  "'—beam-size' begins with the dash — and not with two hyphens (did you mean "
                  "--beam-size?)" +
                      help);
  expect_sentence({"translate", ""},
                  "BUNDLE is empty; expected a file or folder (is a variable of the shell unset?)");
  expect_sentence({"energy", "formulas", "--chip", "cmos45"},
                  "unknown option --chip; the paper's tables are for its two chips, asic and fpga, "
                  "which are always shown; `eatt energy model BUNDLE --chip NAME` computes for "
                  "others; see `eatt energy formulas --help`");
}

TEST_F(Habits, TrainingAnswersToTheFlagsOfOtherToolkits) {
  if (!has_eatt_train()) GTEST_SKIP() << "not built";
  const std::string help = "; see `eatt train --help`";
  const std::string tsv =
      "text in one file, such as TSV, is prepared first: `eatt corpus prepare --tsv FILE --output "
      "DATA`, then `eatt train --prepared DATA`";
  expect_sentence({"train", "--tsv", text_}, "unknown option --tsv; " + tsv + help);
  expect_sentence({"train", "--model", "run", "--train-sets", text_},
                  "--train-sets has 1 file; expected pairs of source and target; " + tsv);
  expect_sentence({"train", "--resume"},
                  "unknown option --resume; a run that was interrupted continues with `eatt train "
                  "--model RUN`; a new one starts from a model with --init-from BUNDLE" +
                      help);
  expect_sentence({"train", "--epochs", "3"},
                  "unknown option --epochs; --after 10e trains for ten epochs, --after 2000u for "
                  "2,000 updates" +
                      help);
  expect_sentence({"train", "--cross-attention", "eatt"},
                  "unknown option --cross-attention (did you mean --cross?)" + help);
  expect_sentence(
      {"train", "--json"},
      "--json has an effect on --dry-run only; for a log in JSON use --log-format json");
  expect_sentence({"train", "--tiny"},
                  "unknown option --tiny (did you mean --recipe tiny?)" + help);
  const auto spaces = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"train", "--quiet", "--attention"});
    words.insert(words.end(), {"--train-sets", "no.en", "no.de", "--model", "no"});
    return run("eatt", words).err;
  };
  EXPECT_EQ(spaces({"eatt:1-3, vanilla:4-6"}), spaces({"eatt:1-3,vanilla:4-6"}));
  EXPECT_EQ(spaces({"eatt:1-3,", "vanilla:4-6"}), spaces({"eatt:1-3,vanilla:4-6"}));
  EXPECT_THAT(spaces({"eatt:1-3,", "vanilla:4-6"}), HasSubstr("no.en: no such file"));
}

TEST_F(Habits, TheUsualFlagsOfMarianFairseqAndCTranslate2GetTheNameOfOurs) {
  const auto answered = [](const std::string& command, const std::string& flag) {
    const auto result = run("eatt", {command, flag, "5"});
    EXPECT_EQ(result.exit_code, 2) << flag;
    return result.err;
  };
  using Expected = std::vector<std::pair<std::string, std::string>>;
  for (const auto& [flag, ours] : Expected{{"--nbest", "--n-best"},
                                           {"--beam", "--beam-size"},
                                           {"--lenpen", "--length-penalty"},
                                           {"--compute_type", "--precision int8"},
                                           {"--intra_threads", "--cpu-threads"},
                                           {"--max-tokens", "--mini-batch-words"},
                                           {"--workspace", "--mini-batch-words"},
                                           {"--model", "`eatt translate MODEL -i FILE`"},
                                           {"--vocabs", "contains its vocabulary"},
                                           {"--src", "-i FILE"}}) {
    EXPECT_THAT(answered("translate", flag), HasSubstr(ours));
  }
  EXPECT_THAT(answered("distill", "--nbest"), HasSubstr("--n-best"));
  if (!has_eatt_train()) GTEST_SKIP() << "not built";
  for (const auto& [flag, ours] : Expected{{"--config", "--recipe FILE"},
                                           {"--optimizer", "Adam"},
                                           {"--mini-batch", "--mini-batch-words"},
                                           {"--max-tokens", "--mini-batch-words"},
                                           {"--lr", "--learn-rate"},
                                           {"--arch", "--recipe"},
                                           {"--workspace", "--mini-batch-words"},
                                           {"--patience", "--early-stopping"},
                                           {"--validate-interval", "--valid-freq"},
                                           {"--save-interval-updates", "--save-freq"},
                                           {"--save-dir", "--model RUN"},
                                           {"--max-update", "--after 2000u"},
                                           {"--update-freq", "--optimizer-delay"},
                                           {"--warmup_steps", "--lr-warmup"},
                                           {"--devices", "--device cuda"},
                                           {"--vocabs", "--vocab-size"},
                                           {"--fp16", "eatt quantize"},
                                           {"--layers", "--enc-depth"},
                                           {"--dim-emb", "--model-dim"}}) {
    EXPECT_THAT(answered("train", flag), HasSubstr(ours));
  }
}

TEST_F(Habits, AFileWhereAPreparedDataSetIsMeantIsNamed) {
  const auto result = run(
      "eatt", {"shortlist", bundle_, "--prepared", text_, "--output", (folder_ / "list").string()});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.err, "eatt: " + text_ +
                            ": is a file, expected the folder of a data set; make one with `eatt "
                            "corpus prepare`\n");
}

TEST_F(Habits, QuietReportsOnlyWhatFailed) {
  testing::RandomBundle sound(testing::tiny_architecture());
  sound.contents().manifest.golden.reset();
  write_bundle(folder_ / "sound", sound.contents());
  EXPECT_EQ(run("eatt", {"selftest", (folder_ / "sound").string(), "--quiet"}).out, "");
  EXPECT_EQ(run("eatt", {"selftest", "-q"}).out, "");
  EXPECT_EQ(run("eatt", {"quantize", "-q", bundle_, (folder_ / "int8").string()}).out, "");
  folder_.write("model/model.safetensors", "damaged");
  const auto failed = run("eatt", {"selftest", bundle_, "--quiet"});
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.out, AllOf(StartsWith("failed"), Not(HasSubstr("\nok "))));
  // In a pipe, too, "the lines above" are above.
  const auto piped = run("/bin/sh", {"-c", "'" + testing::program_path("eatt").string() +
                                               "' selftest '" + bundle_ + "' 2>&1 | cat"});
  const auto lines = split_lines(piped.out);
  ASSERT_GE(lines.size(), 2u);
  EXPECT_THAT(lines.back(), HasSubstr("see the lines above"));
}

TEST(EnergyTables, SeveralAreCombined) {
  const auto twice = run("eatt", {"energy", "formulas", "--table", "block", "--table", "parts"});
  EXPECT_EQ(twice.exit_code, 0) << twice.err;
  EXPECT_THAT(twice.out, AllOf(HasSubstr("PARTS"), HasSubstr("BLOCK"), Not(HasSubstr("ROLES"))));
  EXPECT_EQ(run("eatt", {"energy", "formulas", "--table", "parts,block"}).out, twice.out);
  EXPECT_EQ(run("eatt", {"energy", "formulas", "--table", "Parts", "BLOCK"}).out, twice.out);
}

}  // namespace
}  // namespace eatt
