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

TEST_F(FileSafety, WhatIsReadTwiceIsFine) {
  const auto result = run("eatt", {"evaluate", "--reference", text_, "--hypothesis", text_});
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

}  // namespace
}  // namespace eatt
