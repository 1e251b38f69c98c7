// What a command is about to read is never what it writes: whatever is typed, inputs survive.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/files.h"
#include "support/run.h"
#include "support/speaking_bundle.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::run;
using testing::RunResult;
using ::testing::SizeIs;
using testing::split_lines;
using ::testing::StartsWith;

constexpr char kText[] = "ein wort\nzwei wort\n";

class FileSafety : public ::testing::Test {
 protected:
  std::string in(std::string_view name) const { return (folder_ / name).string(); }

  // Runs a command line as a shell does; "eatt" is the program of this build.
  static RunResult shell(const std::string& command) {
    return run("/bin/bash", {"-c", "eatt() { " + testing::program_path("eatt").string() +
                                       " \"$@\"; }; " + command});
  }
  // Wrong usage in one sentence, and the text is what it was.
  void expect_refused(const RunResult& result, const std::string& reason) const {
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_THAT(result.err, AllOf(StartsWith("eatt: "), HasSubstr(reason)));
    EXPECT_THAT(split_lines(result.err), SizeIs(1));
    EXPECT_EQ(testing::read_text(text_), kText);
  }

  testing::TemporaryFolder folder_;
  const std::string bundle_ = testing::write_speaking_bundle(folder_ / "model").string();
  const std::string text_ = folder_.write("in.txt", kText).string();
};

TEST_F(FileSafety, AnOutputThatIsTheInputIsRefusedHoweverItIsSpelt) {
  fs::create_symlink("in.txt", folder_ / "symlink");
  fs::create_hard_link(text_, folder_ / "hardlink");
  fs::create_directory(folder_ / "sub");
  for (const std::string& name :
       {text_, in("./in.txt"), in("sub/../in.txt"), in("symlink"), in("hardlink")}) {
    const auto result = run("eatt", {"translate", bundle_, "-i", text_, "-o", name});
    expect_refused(result, "--output " + name + " and --input " + text_ +
                               " are the same file, which would be overwritten");
  }
}

TEST_F(FileSafety, EveryCommandRefusesToWriteOverWhatItReads) {
  const std::vector<std::vector<std::string>> commands = {
      {"translate", bundle_, "--prefix", text_, "-o", text_},
      {"translate", bundle_, "--score", text_, "-o", text_},
      {"translate", bundle_, "--shortlist", text_, "-o", text_},
      {"energy", "model", bundle_, "-i", text_, "--plot", text_},
      {"energy", "model", bundle_, "--chip", text_, "--plot", text_},
      {"shortlist", bundle_, "--train-sets", text_, text_, "--output", text_},
      {"shortlist", bundle_, "--tsv", text_, "--output", text_},
      {"shortlist", bundle_, "--lexicon", text_, "--output", text_},
      {"corpus", "pieces", "train", "--input", text_, "--output", text_},
      {"corpus", "truecase", "train", "--corpus", text_, "--model", text_},
  };
  for (const auto& command : commands) {
    expect_refused(run("eatt", command), "are the same file, which would be overwritten");
  }
}

TEST_F(FileSafety, ABundleIsNotWrittenOverByWhatItTranslates) {
  const std::string config = bundle_ + "/config.json", before = testing::read_text(config);
  for (const char* file : {"/config.json", "/model.safetensors", "/joint.spm"}) {
    expect_refused(run("eatt", {"translate", bundle_, "-i", text_, "-o", bundle_ + file}),
                   "is a file of BUNDLE " + bundle_);
  }
  expect_refused(run("eatt", {"translate", bundle_, "-i", text_, "-o", bundle_}),
                 "are the same folder");
  EXPECT_EQ(testing::read_text(config), before);
  const auto beside = run("eatt", {"translate", bundle_, "-i", text_, "-o", bundle_ + "/mine.txt"});
  EXPECT_EQ(beside.exit_code, 0) << beside.err;
}

TEST_F(FileSafety, AFolderThatIsReplacedHoldsNothingThatIsRead) {
  expect_refused(run("eatt", {"quantize", bundle_, bundle_ + "/"}),
                 "OUT " + bundle_ + "/ and BUNDLE " + bundle_ + " are the same folder");
  const std::string outer = testing::write_speaking_bundle(folder_ / "outer").string();
  const std::string inner = testing::write_speaking_bundle(folder_ / "outer/inner").string();
  expect_refused(run("eatt", {"quantize", inner, outer}), "is a folder that holds BUNDLE " + inner);
  EXPECT_TRUE(fs::exists(inner));
}

TEST_F(FileSafety, WhatTheShellReadsAndWritesIsComparedToo) {
  expect_refused(shell("eatt translate " + bundle_ + " -o " + text_ + " < " + text_),
                 "--output " + text_ + " and standard input are the same file");
  expect_refused(shell("eatt translate " + bundle_ + " -i " + text_ + " >> " + text_),
                 "standard output and --input " + text_ + " are the same file; redirect");
  expect_refused(shell("eatt corpus truecase undo < " + text_ + " >> " + text_),
                 "standard output and standard input are the same file");
  expect_refused(shell("eatt evaluate --reference " + text_ + " --hypothesis " + text_ +
                       " --metrics bleu >> " + text_),
                 "standard output and --reference " + text_);
  const std::string gone = folder_.write("gone.txt", kText).string();
  EXPECT_THAT(shell("eatt translate " + bundle_ + " -i " + gone + " > " + gone).err,
              HasSubstr("which the shell has already emptied"));
}

TEST_F(FileSafety, TwoOutputsInOneFileAreRefused) {
  const std::string chart = in("chart.svg");
  expect_refused(
      shell("eatt energy model " + bundle_ + " -i " + text_ + " --plot " + chart + " > " + chart),
      "standard output and --plot " + chart + " are the same file");
  expect_refused(shell("eatt translate " + bundle_ + " -i " + text_ + " -o " + chart + " 2>> " +
                       chart + "; code=$?; cat " + chart + " >&2; exit $code"),
                 "standard error and --output " + chart + " are the same file");
  const auto both = shell("eatt translate " + bundle_ + " -i " + text_ + " > " + in("both") +
                          " 2>&1");  // Both are meant to be one.
  EXPECT_EQ(both.exit_code, 0);
}

TEST_F(FileSafety, APreparedCorpusMayLieBesideItsTextButNotOnIt) {
  const std::string source = folder_.write("source.bin", kText).string();
  const auto on_it = run("eatt", {"corpus", "prepare", "--train-sets", source, text_,
                                  "--vocab-size", "30", "--output", folder_.path().string()});
  expect_refused(on_it, "source.bin: would be written over; choose another --output");
  EXPECT_EQ(testing::read_text(source), kText);
  fs::remove(source);
  const auto beside = run("eatt", {"corpus", "prepare", "--train-sets", text_, text_,
                                   "--vocab-size", "20", "--output", folder_.path().string()});
  EXPECT_EQ(beside.exit_code, 0) << beside.err;
  EXPECT_EQ(testing::read_text(text_), kText);
}

TEST_F(FileSafety, AModelThatIsNotInUseIsNotWrittenOverEither) {
  const std::string other = testing::write_speaking_bundle(folder_ / "other", 2).string();
  const std::string before = testing::read_text(other + "/joint.spm");
  for (const char* file : {"/config.json", "/model.safetensors", "/joint.spm"}) {
    expect_refused(run("eatt", {"translate", bundle_, "-i", text_, "-o", other + file}),
                   " is a file of a model, " + other + ", which would be damaged");
  }
  expect_refused(
      run("eatt", {"translate", bundle_, "-i", text_, "-o", other}),
      "-o " + other + " is a model; other files do not belong in it; choose another folder");
  const std::string second = folder_.write("second.txt", kText).string();
  expect_refused(run("eatt", {"translate", bundle_, "-i", text_, second, "-o", other}),
                 " is a model");
  EXPECT_FALSE(fs::exists(other + "/in.txt"));
  EXPECT_EQ(testing::read_text(other + "/joint.spm"), before);
  // Somebody else's config.json protects nothing.
  folder_.write("web/config.json", "{\"output\": \"out.txt\"}");
  folder_.write("web/out.txt", "old");
  EXPECT_EQ(run("eatt", {"translate", bundle_, "-i", text_, "-o", in("web/out.txt")}).exit_code, 0);
}

TEST_F(FileSafety, ATrainingRunAndADataSetKeepTheirFiles) {
  folder_.write("run/training.toml", "heads = 4\n");
  folder_.write("run/checkpoints/step-00000005/state.json", "{\"weights\": \"w.bin\"}");
  folder_.write("run/checkpoints/step-00000005/w.bin", "weights");
  expect_refused(run("eatt", {"translate", bundle_, "-i", text_, "-o", in("run/training.toml")}),
                 "is a file of a training run, " + in("run"));
  expect_refused(run("eatt", {"translate", bundle_, "-i", text_, "-o",
                              in("run/checkpoints/step-00000005/w.bin")}),
                 "is a file of a checkpoint");
  expect_refused(run("eatt", {"translate", bundle_, "-i", text_, "-o", in("run")}),
                 "is a training run");
  const std::string data = in("data");
  ASSERT_EQ(run("eatt", {"corpus", "prepare", "--train-sets", text_, text_, "--vocab-size", "20",
                         "--output", data})
                .exit_code,
            0);
  expect_refused(run("eatt", {"translate", bundle_, "-i", text_, "-o", data + "/joint.spm"}),
                 "is a file of a data set, " + data);
}

TEST_F(FileSafety, NothingIsPreparedOrGeneratedIntoAModelOrARun) {
  folder_.write("run/training.toml", "heads = 4\n");
  fs::create_directory(folder_ / "run/checkpoints");
  const std::string before = testing::read_text(bundle_ + "/joint.spm");
  for (const auto& [folder, kind] :
       {std::pair{bundle_, " is a model; "}, std::pair{in("run"), " is a training run; "}}) {
    expect_refused(run("eatt", {"corpus", "prepare", "--train-sets", text_, text_, "--vocab-size",
                                "20", "--output", folder}),
                   "--output " + folder + kind);
    expect_refused(run("eatt", {"corpus", "generate", "--train", "2", "--output", folder}), kind);
    // The same folder as the current one.
    expect_refused(shell("cd " + folder + " && eatt corpus prepare --vocab-size 20 --train-sets " +
                         text_ + " " + text_ + " --output ."),
                   std::string("--output .") + kind);
  }
  EXPECT_EQ(testing::read_text(bundle_ + "/joint.spm"), before);
  EXPECT_FALSE(fs::exists(bundle_ + "/unfinished"));
}

TEST_F(FileSafety, PreparingReplacesNoFileThatNoPreparationHasMade) {
  const std::string pieces = folder_.write("mine/joint.spm", "my own pieces").string();
  const std::vector<std::string> command = {"corpus", "prepare",  "--train-sets",
                                            text_,    text_,      "--vocab-size",
                                            "20",     "--output", in("mine")};
  const auto refused = run("eatt", command);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr(pieces + ": exists and is not of a data set"));
  EXPECT_EQ(testing::read_text(pieces), "my own pieces");
  fs::remove(pieces);
  EXPECT_EQ(run("eatt", command).exit_code, 0);
  EXPECT_EQ(run("eatt", command).exit_code, 0) << "the same command again";
}

TEST_F(FileSafety, WhatIsReadTwiceIsFine) {
  const auto result = run("eatt", {"evaluate", "--reference", text_, "--hypothesis", text_});
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

}  // namespace
}  // namespace eatt
