// `eatt translate` on many machines: --shard and --resume.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/files/text_file.h"
#include "support/files.h"
#include "support/run.h"
#include "support/speaking_bundle.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::read_text;
using testing::run;
using testing::RunResult;
using testing::split_lines;

class TranslateBulk : public ::testing::Test {
 protected:
  void SetUp() override {
    const testing::SampleText text = testing::sample_text(kLines);
    input_ = folder_.write("in.txt", text.source).string();
    prefixes_ = folder_.write("prefixes.txt", text.target).string();
  }

  RunResult translate(std::vector<std::string> arguments, std::string_view input = {}) const {
    arguments.insert(arguments.begin(), {"translate", bundle_, "-b", "2", "--max-length", "8"});
    return run("eatt", arguments, input);
  }
  // Expects it to work.
  std::string output_of(const std::vector<std::string>& arguments) const {
    const RunResult result = translate(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  }
  std::string in(std::string_view name) const { return (folder_ / name).string(); }
  // What is left of a run that is killed while it waits for more of a pipe: `lines` lines.
  void leave_part(const std::vector<std::string>& arguments, size_t lines) const {
    std::string words;
    for (const std::string& argument : arguments) words += " " + argument;
    run("/bin/bash",
        {"-c", "set -m; (head -n " + std::to_string(lines) + " " + input_ + "; sleep 60) | '" +
                   testing::program_path("eatt").string() + "' translate " + bundle_ +
                   " -b 2 --max-length 8" + words + " & until [ \"$(cat " + in("out.part") +
                   " 2>/dev/null | wc -l)\" -ge " + std::to_string(lines) +
                   " ]; do sleep 0.05; done; kill -9 %1; wait"});
  }

  static constexpr int kLines = 60;
  testing::TemporaryFolder folder_;
  const std::string bundle_ = testing::write_speaking_bundle(folder_ / "model").string();
  std::string input_, prefixes_;
};

TEST_F(TranslateBulk, ShardsOneAfterAnotherAreTheWholeOutput) {
  const std::vector<std::vector<std::string>> ways = {
      {}, {"--output-format", "nbest"}, {"--sampling"}, {"--prefix", prefixes_}};
  for (const auto& way : ways) {
    std::vector<std::string> whole = {"-i", input_};
    whole.insert(whole.end(), way.begin(), way.end());
    const std::string expected = output_of(whole);
    for (const int shards : {1, 3, 7}) {
      std::string together;
      for (int i = 1; i <= shards; ++i) {
        std::vector<std::string> arguments = whole;
        arguments.insert(arguments.end(),
                         {"--shard", std::to_string(i) + "/" + std::to_string(shards)});
        together += output_of(arguments);
      }
      EXPECT_EQ(together, expected) << shards << " shards";
    }
  }
}

TEST_F(TranslateBulk, MoreShardsThanLinesLeaveSomeEmpty) {
  const std::string three = folder_.write("three.txt", "ein\nzwei\ndrei").string();
  std::string together;
  for (int i = 1; i <= 5; ++i) {
    const RunResult result = translate({"-i", three, "--shard", std::to_string(i) + "/5"});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.err, "") << "an empty shard is nothing to warn of";
    together += result.out;
  }
  EXPECT_EQ(together, output_of({"-i", three}));
}

TEST_F(TranslateBulk, ShardsOfCompressedTextAndOfRedirectedInput) {
  TextOutput packed(in("in.gz"));
  packed.write(read_text(input_));
  packed.commit();
  const std::string expected = output_of({"-i", input_, "--shard", "2/4"});
  EXPECT_EQ(output_of({"-i", in("in.gz"), "--shard", "2/4"}), expected);
  const RunResult redirected =
      run("/bin/sh", {"-c", "'" + testing::program_path("eatt").string() + "' translate " +
                                bundle_ + " -b 2 --max-length 8 --shard 2/4 < " + input_});
  EXPECT_EQ(redirected.out, expected) << redirected.err;
}

TEST_F(TranslateBulk, WhatCannotBeDividedIsRefused) {
  const RunResult pipe =
      run("/bin/sh", {"-c", "cat " + input_ + " | '" + testing::program_path("eatt").string() +
                                "' translate " + bundle_ + " --shard 1/2"});
  EXPECT_EQ(pipe.exit_code, 2);
  EXPECT_THAT(pipe.err, AllOf(HasSubstr("--shard needs a file"), HasSubstr("-i FILE")));
  for (const char* wrong : {"0/2", "3/2", "2", "a/b", "1/2/3", "-1/2", "1/0"}) {
    EXPECT_EQ(translate({"-i", input_, "--shard", wrong}).exit_code, 2) << wrong;
  }
  EXPECT_EQ(translate({"-i", input_, prefixes_, "-o", in("out"), "--shard", "1/2"}).exit_code, 2);
  const RunResult html = translate({"-i", input_, "--html", "--shard", "1/2"});
  EXPECT_EQ(html.exit_code, 2);
  EXPECT_THAT(html.err, HasSubstr("--html translates a document as a whole"));
}

TEST_F(TranslateBulk, AKilledRunIsContinuedToTheSameBytes) {
  const std::string expected = output_of({"-i", input_});
  const std::vector<std::string> words = {
      "translate", bundle_,    "-b", "2",       "--max-length",  "8", "-i", input_, "--maxi-batch",
      "2",         "--resume", "-o", in("out"), "--cpu-threads", "1"};
  for (const int milliseconds : {5, 20, 60, 150}) {
    testing::run_and_kill("eatt", words, milliseconds);
    if (fs::exists(in("out"))) fs::remove(in("out"));  // It was quick.
    const RunResult result = run("eatt", words);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(read_text(in("out")), expected) << milliseconds;
    EXPECT_FALSE(fs::exists(in("out.part")));
    EXPECT_FALSE(fs::exists(in("out.part.json")));
    fs::remove(in("out"));
  }
}

TEST_F(TranslateBulk, ItContinuesAfterTheLastWholeLine) {
  const std::string text = read_text(input_), expected = output_of({"-i", input_});
  leave_part({"--resume", "-o", in("out")}, 20);
  // Half a line that the kernel had still taken.
  std::ofstream(in("out.part"), std::ios::app) << "half a li";
  const RunResult other = translate({"--resume", "-o", in("out"), "--sampling"}, text);
  EXPECT_EQ(other.exit_code, 1) << "with other options";
  EXPECT_THAT(other.err, AllOf(HasSubstr("--sampling 'false'"), HasSubstr("start over")));
  const RunResult shorter = translate({"--resume", "-o", in("out")}, "eine\nzwei\n");
  EXPECT_EQ(shorter.exit_code, 1) << "with another text";
  EXPECT_THAT(shorter.err, HasSubstr("has 20 lines, but there are 2 to translate"));
  const RunResult rest = translate({"--resume", "-o", in("out")}, text);
  EXPECT_EQ(rest.exit_code, 0) << rest.err;
  EXPECT_THAT(rest.err, HasSubstr("continuing after 20 lines"));
  EXPECT_EQ(read_text(in("out")), expected);
}

TEST_F(TranslateBulk, AnUnfinishedNBestListIsMadeAgain) {
  const std::vector<std::string> lists = {"--output-format", "nbest", "--resume", "-o", in("out")};
  leave_part(lists, 20);
  ASSERT_EQ(translate(lists, read_text(input_)).exit_code, 0);
  EXPECT_EQ(read_text(in("out")), output_of({"--output-format", "nbest", "-i", input_}));
}

TEST_F(TranslateBulk, ACompressedOutputIsContinuedAsPlainTextAndPackedInTheEnd) {
  leave_part({"--resume", "-o", in("out")}, 20);
  fs::rename(in("out.part"), in("out.gz.part"));
  fs::rename(in("out.part.json"), in("out.gz.part.json"));
  ASSERT_EQ(translate({"--resume", "-o", in("out.gz")}, read_text(input_)).exit_code, 0);
  ASSERT_EQ(output_of({"-i", input_, "-o", in("whole.gz")}), "");
  EXPECT_EQ(read_text(in("out.gz")), read_text(in("whole.gz")));
}

TEST_F(TranslateBulk, TextWithoutItsRecordIsNotContinued) {
  folder_.write("out.part", "something\n");
  const RunResult result = translate({"-i", input_, "--resume", "-o", in("out")});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("remove"));
  EXPECT_EQ(read_text(in("out.part")), "something\n");
}

TEST_F(TranslateBulk, ACompleteOutputIsLeftAlone) {
  ASSERT_EQ(output_of({"-i", input_, "--resume", "-o", in("out")}), "");
  const auto written = fs::last_write_time(in("out"));
  const RunResult again = translate({"-i", input_, "--resume", "-o", in("out")});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_THAT(again.err, HasSubstr("is complete"));
  EXPECT_EQ(fs::last_write_time(in("out")), written);
  const RunResult other = translate({"-i", input_, "--shard", "1/2", "--resume", "-o", in("out")});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.err, HasSubstr("has 60 lines, but there are 30 to translate"));
}

TEST_F(TranslateBulk, ResumeNeedsAFile) {
  EXPECT_EQ(translate({"-i", input_, "--resume"}).exit_code, 2);
  EXPECT_EQ(translate({"-i", input_, "--resume", "-o", "/dev/null"}).exit_code, 2);
  EXPECT_EQ(translate({"-i", input_, "--resume", "--overwrite", "-o", in("out")}).exit_code, 2);
}

TEST_F(TranslateBulk, GnuParallelTranslatesShards) {
  if (std::system("command -v parallel > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "GNU parallel is not installed (package parallel)";
  }
  const std::string expected = output_of({"-i", input_});
  const std::string eatt = "'" + testing::program_path("eatt").string() + "' translate " + bundle_ +
                           " -b 2 --max-length 8 --cpu-threads 1";
  const RunResult shards = run(
      "/bin/sh", {"-c", "cd " + folder_.path().string() + " && parallel --will-cite -j2 \"" + eatt +
                            " -i in.txt --shard {}/4 --resume -o out.{}\" ::: 1 2 3 4 && "
                            "cat out.1 out.2 out.3 out.4"});
  EXPECT_EQ(shards.out, expected) << shards.err;
  const RunResult pipe = run("/bin/sh", {"-c", "cat " + input_ +
                                                   " | parallel --will-cite -j2 --pipe "
                                                   "--keep-order -N 16 \"" +
                                                   eatt + "\""});
  EXPECT_EQ(pipe.out, expected) << pipe.err;
}

}  // namespace
}  // namespace eatt
