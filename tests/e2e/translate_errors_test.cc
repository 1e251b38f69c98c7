// What `eatt translate` does with bad input, bad models and outputs that fail.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "support/dialogue.h"
#include "support/files.h"
#include "support/run.h"
#include "support/speaking_bundle.h"

namespace eatt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::run;
using testing::RunResult;
using ::testing::SizeIs;
using testing::split_lines;
using ::testing::StartsWith;
using testing::TemporaryFolder;

class TranslateErrors : public ::testing::Test {
 protected:
  RunResult translate(std::vector<std::string> arguments, std::string_view input) const {
    arguments.insert(arguments.begin(), {"translate", bundle_});
    return run("eatt", arguments, input);
  }
  // A failure tells its reason in one line.
  void expect_failure(const RunResult& result, int code, const std::string& reason) const {
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_THAT(result.err, AllOf(StartsWith("eatt: "), HasSubstr(reason)));
    EXPECT_THAT(split_lines(result.err), SizeIs(1));
  }

  TemporaryFolder folder_;
  std::string bundle_ = testing::write_speaking_bundle(folder_ / "model").string();
};

TEST_F(TranslateErrors, ControlCharactersAndNulBytesAreText) {
  std::string line;
  for (char c = 0; c < 32; ++c) {
    if (c != '\n') line += std::string("a") + c;
  }
  const auto result = translate({}, line + "\nwort\n" + std::string(3, '\0') + "\n\x7f\n");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(split_lines(result.out), SizeIs(4));
}

TEST_F(TranslateErrors, WrongBytesAreReplacedWithOneWarning) {
  const auto result = translate({}, "gut\n\xff\xfe wort\nkaputt \xc3\n");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(split_lines(result.out), SizeIs(3));
  EXPECT_THAT(split_lines(result.err), SizeIs(1));
  EXPECT_THAT(result.err, HasSubstr("standard input: line 2 is not valid UTF-8"));
}

// Whatever fails first under a limit of memory, a thread's start or an allocation, is one sentence.
class UnderAMemoryLimit : public TranslateErrors {
 protected:
  static RunResult limited(int kilobytes, const std::string& arguments, std::string_view input) {
    return run("/bin/sh",
               {"-c", "ulimit -v " + std::to_string(kilobytes) + "; exec " +
                          testing::program_path("eatt").string() + " " + arguments},
               input);
  }
  void SetUp() override {
    if (limited(4'000'000, "--version", {}).exit_code != 0)
      GTEST_SKIP() << "this build reserves more address space than any limit allows";
  }
  static void expect_one_sentence_at_most(const RunResult& result, int kilobytes) {
    if (result.exit_code == 0) return;
    EXPECT_EQ(result.exit_code, 1) << kilobytes << ": " << result.err;
    const auto lines = split_lines(result.err);
    ASSERT_FALSE(lines.empty()) << kilobytes;
    EXPECT_THAT(lines.back(), StartsWith("eatt: ")) << kilobytes;
  }
};

TEST_F(UnderAMemoryLimit, TranslatingWithTwoThreadsNeverAborts) {
  std::string input;
  for (int i = 0; i < 500; ++i) input += "ein wort zwei wort drei\n";
  for (int kilobytes = 40'000; kilobytes <= 130'000; kilobytes += 10'000) {
    expect_one_sentence_at_most(
        limited(kilobytes, "translate " + bundle_ + " --cpu-threads 2", input), kilobytes);
  }
}

TEST_F(UnderAMemoryLimit, PreparingACorpusNeverAborts) {
  std::string lines;
  for (int i = 0; i < 2000; ++i) lines += "wort " + std::to_string(i * 7919) + " und mehr davon\n";
  const std::string text = folder_.write("text", lines).string();
  for (int kilobytes = 40'000; kilobytes <= 190'000; kilobytes += 30'000) {
    const std::string output = (folder_ / ("prepared" + std::to_string(kilobytes))).string();
    expect_one_sentence_at_most(limited(kilobytes,
                                        "corpus prepare --vocab-size 300 --cpu-threads 4 "
                                        "--train-sets " +
                                            text + " " + text + " --output " + output,
                                        {}),
                                kilobytes);
  }
}

TEST_F(TranslateErrors, LongLinesAreSplitAndTheirTranslationsJoined) {
  const auto one = split_lines(translate({}, "wort eins.\nzwei drei.\n").out);
  const auto joined =
      split_lines(translate({"--max-input-length", "8"}, "wort eins. zwei drei.\n").out);
  ASSERT_THAT(joined, SizeIs(1));
  EXPECT_EQ(joined[0], one[0] + " " + one[1]);
}

TEST_F(TranslateErrors, LongLinesCanBeRefused) {
  const auto result = translate({"--max-input-length", "8", "--long-input", "error"},
                                "kurz\nein wort zwei wort drei wort vier wort fünf wort\n");
  expect_failure(result, 1, "line 2: has ");
}

TEST_F(TranslateErrors, AModelWithALengthOfItsOwnSplitsSooner) {
  bundle_ = testing::write_speaking_bundle(folder_ / "dense", 1, Mechanism::dense).string();
  std::string line;
  for (int i = 0; i < 50; ++i) line += "wort. ";
  const auto result = translate({}, line + "\n");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(split_lines(result.out), SizeIs(1));
}

TEST_F(TranslateErrors, AMegabyteInALineIsTranslated) {
  std::string line = "wort";
  while (line.size() < (1 << 20)) line += "xqzvjkwpy";
  const auto result = translate({"--max-length-factor", "0", "--max-length", "2"},
                                line + "\nwort\n" + std::string(1 << 20, ' ') + "\n");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(split_lines(result.out), SizeIs(3));
}

TEST_F(TranslateErrors, AFullDiskEndsItAtOnce) {
  const std::string command = testing::program_path("eatt").string() + " translate " + bundle_ +
                              " > /dev/full < " + folder_.write("in", "a\nb\n").string();
  const auto result = run("/bin/sh", {"-c", command});
  expect_failure(result, 1, "standard output: cannot be written: No space left on device");
}

TEST_F(TranslateErrors, AFileThatMayNotGrowEndsWithAWholeLine) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "ein langes wort\n";
  const auto out = folder_ / "out";
  // A limit of 8 blocks of 512 or 1024 bytes.
  const std::string command = "trap '' XFSZ; ulimit -f 8; " +
                              testing::program_path("eatt").string() + " translate " + bundle_ +
                              " > " + out.string() + " < " + folder_.write("in", text).string();
  const auto result = run("/bin/sh", {"-c", command});
  expect_failure(result, 1, "standard output: cannot be written: File too large");
  const std::string written = testing::read_text(out);
  EXPECT_GT(written.size(), 2000u);
  EXPECT_TRUE(written.ends_with('\n'));
}

TEST_F(TranslateErrors, AClosedPipeEndsItAtOnce) {
  testing::Dialogue dialogue("eatt", {"translate", bundle_});
  dialogue.close_output();
  dialogue.send("wort\n");
  EXPECT_EQ(dialogue.wait(), 141) << "without waiting for the end of the input";
}

TEST_F(TranslateErrors, AFailedRunLeavesNoOutputFile) {
  const auto out = folder_.write("out", "before");
  const auto result =
      translate({"-o", out.string(), "--max-input-length", "2", "--long-input", "error"},
                "a\nein langes wort hier\n");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(testing::read_text(out), "before");
}

TEST_F(TranslateErrors, WrongBundlesAreNamed) {
  const std::string good = bundle_;
  bundle_ = (folder_ / "nothing").string();
  expect_failure(translate({}, "a\n"), 1, "nothing: cannot be opened");
  bundle_ = good;
  std::filesystem::remove(folder_ / "model" / "joint.spm");
  expect_failure(translate({}, "a\n"), 1, "joint.spm");
}

TEST_F(TranslateErrors, PieceModelsThatAreNotOursAreNamed) {
  testing::RandomBundle bundle(testing::tiny_architecture());
  std::string& pieces = bundle.contents().source_piece_model;
  pieces.replace(pieces.rfind("\x18\x02"), 2, "\x18\x09");  // No algorithm that exists.
  bundle_ = (folder_ / "unigram").string();
  write_bundle(bundle_, bundle.contents());
  expect_failure(translate({}, "a\n"), 1, "its algorithm is unknown");
}

TEST_F(TranslateErrors, EnsemblesOfDifferentVocabulariesNameBoth) {
  const auto other = testing::write_random_bundle(folder_ / "other").string();
  const auto result = translate({other}, "a\n");
  expect_failure(result, 1, bundle_ + " and " + other);
}

TEST_F(TranslateErrors, FilesBesideTheInputNeedItsNumberOfLines) {
  const auto two = folder_.write("two", "x\ny\n").string();
  expect_failure(translate({"--prefix", two}, "a\n"), 1,
                 "has more lines than the input, which has 1");
  expect_failure(translate({"--score", two}, "a\nb\nc\n"), 1, "has 2 lines, the input has more");
}

TEST_F(TranslateErrors, FilesOfAnotherNumberOfLinesAreNoticedBeforeTheFirstTranslation) {
  const auto three = folder_.write("three", "a\nb\nc").string();
  for (const char* option : {"--prefix", "--score"}) {
    for (const char* lines : {"x\n", "x\ny\nz\nw\n"}) {
      const auto other = folder_.write("other", lines).string();
      const auto result = translate({"-i", three, option, other}, "");
      expect_failure(result, 1, other + ": has ");
      EXPECT_THAT(result.err, HasSubstr(", but " + three + " has 3; expected one for each"));
      EXPECT_EQ(result.out, "");
    }
  }
}

TEST_F(TranslateErrors, SigtermEndsItAndLeavesNothingHalfWritten) {
  testing::Dialogue seen("eatt", {"translate", bundle_, "--quiet"});
  seen.send("wort\n");
  EXPECT_NE(seen.line(), "<nothing>");  // It runs, and waits for more.
  seen.send_signal(SIGTERM);
  EXPECT_EQ(seen.wait(), 128 + SIGTERM);
  const std::string file = (folder_ / "out").string();
  testing::Dialogue written("eatt", {"translate", bundle_, "--quiet", "-o", file});
  written.send("wort\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  written.send_signal(SIGTERM);
  EXPECT_EQ(written.wait(), 128 + SIGTERM);
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
    EXPECT_EQ(entry.path().filename(), "model");
}

TEST_F(TranslateErrors, MessagesThatNobodyCanReadDoNotChangeTheExitCode) {
  const std::string program = testing::program_path("eatt").string();
  const auto result = run("/bin/sh", {"-c", program + " translate nothing 2>/dev/full"});
  EXPECT_EQ(result.exit_code, 1);
}

TEST_F(TranslateErrors, OptionsThatContradictEachOtherAreUsageErrors) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--n-best", "3"}, "--beam-size"},
      {{"--n-best", "many"}, "--n-best is 'many'"},
      {{"--alignment", "most"}, "--alignment is 'most'"},
      {{"--alignment", "1.5"}, "--alignment is '1.5'"},
      {{"--alignment-head", "1"}, "needs --alignment"},
      {{"--pieces"}, "needs --output-format json"},
      {{"--alternatives"}, "--n-best"},
      {{"--precision", "int4"}, "float32 or int8"},
      {{"--weights", "1", "2"}, "weights"},
      {{"--score", "x", "--beam-size", "2"}, "--score does not search"},
      {{"--length-penalty", "1", "--normalize", "1"}, "--normalize"},
      {{"--long-input", "cut"}, "--long-input"},
      {{"--max-input-length", "0"}, "max-input-length"},
      {{"--max-input-length", "-1"}, "max-input-length"},
      {{"--mini-batch", "-1"}, "mini-batch"},
      {{"--beam-size", "100000"}, "--beam-size is '100000'; expected an integer from 1 to 10000"},
      {{"--max-length-factor", "1e30"}, "--max-length-factor"},
      {{"--seed", "3"}, "--seed needs --sampling"},
      {{"-b", "2", "--n-best", "2", "--output-format", "text"}, "--output-format text"},
      {{"--prefix", "-"}, "both standard input"},
  };
  for (const auto& [arguments, reason] : cases) {
    expect_failure(translate(arguments, "a\n"), 2, reason);
  }
  expect_failure(run("eatt", {"translate"}), 2, "no BUNDLE is given");
}

}  // namespace
}  // namespace eatt
