#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "support/files.h"
#include "support/run.h"
#include "text/sample_text.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::read_text;
using testing::run;
using ::testing::SizeIs;
using testing::split_lines;
using testing::TemporaryFolder;

using Files = std::map<std::string, std::string>;

Files files_in(const fs::path& folder) {
  Files files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files[fs::relative(entry.path(), folder)] = read_text(entry.path());
    }
  }
  return files;
}

class CorpusCommand : public ::testing::Test {
 protected:
  // Writes sample text and returns the words of a command that prepares it.
  std::vector<std::string> prepare(int pairs, const std::string& output) const {
    const testing::SampleText text = testing::sample_text(pairs);
    // Not again with the same content: a new time of change counts as another input.
    if (!fs::exists(folder_ / "train.en")) {
      folder_.write("train.en", text.source);
      folder_.write("train.de", text.target);
    }
    return {"corpus",
            "prepare",
            "--train-sets",
            (folder_ / "train.en").string(),
            (folder_ / "train.de").string(),
            "--vocab-size",
            "300",
            "--output",
            (folder_ / output).string()};
  }

  TemporaryFolder folder_;
};

TEST_F(CorpusCommand, PrepareTellsWhatItMade) {
  const auto result = run("eatt", prepare(500, "data"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("pairs read                500"),
                    HasSubstr("pairs kept                500"), HasSubstr("mean "),
                    HasSubstr("0.0000 % unknown"), HasSubstr("300  joint"), HasSubstr("time ")));
  EXPECT_THAT(result.err, AllOf(HasSubstr("checking 100%"), HasSubstr("encoding 100% 500/500")));
  const auto again = run("eatt", prepare(500, "data"));
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_THAT(again.out, HasSubstr("already complete"));
}

TEST_F(CorpusCommand, PrepareReadsTsvFromStandardInputAndSaysItCannotBeResumed) {
  std::string table;
  const testing::SampleText text = testing::sample_text(500);
  const auto sources = split_lines(text.source), targets = split_lines(text.target);
  for (size_t i = 0; i < sources.size(); ++i) table += sources[i] + "\t" + targets[i] + "\n";
  const std::vector<std::string> words = {
      "corpus",       "prepare", "--tsv",    "-",
      "--vocab-size", "300",     "--output", (folder_ / "tsv").string()};
  for (const std::string& input : {table, testing::gzip(table)}) {
    fs::remove_all(folder_ / "tsv");
    const auto result = run("eatt", words, input);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.err, AllOf(HasSubstr("standard input"), HasSubstr("has to be run again")));
    ASSERT_EQ(run("eatt", prepare(500, "plain")).exit_code, 0);
    for (const char* name : {"source.bin", "target.bin", "joint.spm"}) {
      EXPECT_EQ(read_text(folder_ / "tsv" / name), read_text(folder_ / "plain" / name));
    }
  }
  const auto again = run("eatt", words, table);
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.err, AllOf(HasSubstr("holds a data set already"), HasSubstr("--overwrite")));
}

TEST_F(CorpusCommand, PrepareKilledAtAnyTimeGoesOnAndEndsWithTheSameBytes) {
  auto words = prepare(15'000, "whole");
  ASSERT_EQ(run("eatt", words).exit_code, 0);
  const Files whole = files_in(folder_ / "whole");
  words = prepare(15'000, "killed");
  words.insert(words.end(), {"--cpu-threads", "2"});
  // Longer and longer runs, so that every step is interrupted somewhere, whatever this machine's
  // speed; the last one reaches the end.
  int kills = 0;
  for (int milliseconds = 20; testing::run_and_kill("eatt", words, milliseconds);
       milliseconds += milliseconds / 4) {
    ++kills;
  }
  const auto last = run("eatt", words);
  EXPECT_EQ(last.exit_code, 0) << last.err;
  EXPECT_EQ(files_in(folder_ / "killed"), whole);
  EXPECT_GE(kills, 3);
}

TEST_F(CorpusCommand, PrepareEndsWithOneLineAndCodeOneForBadInput) {
  auto words = prepare(100, "data");
  folder_.write("train.de", "only one line\n");
  const auto unequal = run("eatt", words);
  EXPECT_EQ(unequal.exit_code, 1);
  EXPECT_THAT(split_lines(unequal.err), SizeIs(1));
  EXPECT_THAT(unequal.err,
              AllOf(HasSubstr("train.en has 100 lines"), HasSubstr("train.de has 1;")));
  words[3] = (folder_ / "missing").string();
  EXPECT_THAT(run("eatt", words).err, AllOf(HasSubstr("missing"), HasSubstr("No such file")));
}

TEST_F(CorpusCommand, PrepareCanRefuseBadLines) {
  auto words = prepare(100, "data");
  std::string text = read_text(folder_ / "train.de");
  text[text.find("\n50 ") + 2] = '\xff';
  folder_.write("train.de", text);
  words.insert(words.end(), {"--bad-lines", "refuse"});
  const auto refused = run("eatt", words);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("invalid UTF-8"), HasSubstr("train.de, line 51")));
  words.back() = "drop";
  const auto dropped = run("eatt", words);
  EXPECT_EQ(dropped.exit_code, 0);
  EXPECT_THAT(dropped.out, AllOf(HasSubstr("pairs kept                 99"),
                                 HasSubstr("invalid UTF-8 (first: ")));
}

TEST_F(CorpusCommand, PrepareReadsTheColumnsOfATsvFileThatItIsTold) {
  ASSERT_EQ(run("eatt", prepare(500, "plain")).exit_code, 0);
  const testing::SampleText text = testing::sample_text(500);
  const auto sources = split_lines(text.source), targets = split_lines(text.target);
  std::string table;
  for (size_t i = 0; i < sources.size(); ++i) {
    table += "web\t" + targets[i] + "\t0.93\t" + sources[i] + "\n";
  }
  std::vector<std::string> words = {
      "corpus",        "prepare",
      "--tsv",         folder_.write("table.tsv", table + "web\tonly\n"),
      "--tsv-columns", "4,2",
      "--vocab-size",  "300",
      "--output",      folder_ / "columns"};
  const auto result = run("eatt", words);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("table.tsv, line 501, 2 columns"));
  for (const char* name : {"source.bin", "target.bin", "joint.spm"}) {
    EXPECT_EQ(read_text(folder_ / "columns" / name), read_text(folder_ / "plain" / name));
  }
  words[5] = "2,4";
  const auto other = run("eatt", words);
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.err, HasSubstr("was made with input 1 (TSV, columns 4 and 2)"));
}

TEST_F(CorpusCommand, WrongUsageEndsWithCodeTwo) {
  const std::string output = (folder_ / "data").string();
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"corpus", "prepare", "--output", output},
           {"corpus", "prepare", "--train-sets", "a", "b", "c", "--output", output},
           {"corpus", "prepare", "--train-sets", "a", "b"},
           {"corpus", "prepare", "--tsv", "a", "--output", output, "--bad-lines", "maybe"},
           {"corpus", "prepare", "--tsv", "a", "--output", output, "--vocab-size", "10", "20"},
           {"corpus", "prepare", "--tsv", "a", "--output", output, "--pieces", "m", "--seed", "2"},
           {"corpus", "prepare", "--tsv", "a", "--output", output, "--joint-vocab",
            "--separate-vocab"},
           {"corpus", "prepare", "--tsv", "a", "--output", output, "--tsv-columns", "0,1"},
           {"corpus", "prepare", "--tsv", "a", "--output", output, "--tsv-columns", "2,2"},
           {"corpus", "prepare", "--tsv", "a", "--output", output, "--tsv-columns", "2,3,4"},
           {"corpus", "prepare", "--train-sets", "a", "b", "--output", output, "--tsv-columns",
            "1,2"},
           {"corpus", "pieces"},
           {"corpus", "pieces", "encode"},
           {"corpus", "pieces", "encode", "m", "--dropout", "2"},
       }) {
    const auto result = run("eatt", words);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_THAT(split_lines(result.err), SizeIs(1));
  }
}

TEST_F(CorpusCommand, PiecesAreTrainedAndTextIsEncodedAndDecodedThroughPipes) {
  const testing::SampleText text = testing::sample_text(400);
  const std::string model = (folder_ / "joint.spm").string();
  const auto trained =
      run("eatt", {"corpus", "pieces", "train", "--vocab-size", "200", "--output", model},
          text.source + text.target);
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_THAT(trained.out, HasSubstr("200 pieces, SHA-256 "));
  for (const std::string format : {"piece", "id"}) {
    const auto encoded =
        run("eatt", {"corpus", "pieces", "encode", model, "--output-format", format}, text.target);
    EXPECT_EQ(split_lines(encoded.out).size(), 400u);
    const auto decoded =
        run("eatt", {"corpus", "pieces", "decode", model, "--input-format", format}, encoded.out);
    EXPECT_EQ(decoded.out, text.target);
    EXPECT_THAT(encoded.err + decoded.err, IsEmpty());
  }
}

TEST_F(CorpusCommand, PiecesGoFromFileToFileCompressedWhereTheNameSaysSo) {
  const std::string text = testing::sample_text(400).target;
  const std::string model = folder_.write("joint.spm", testing::sample_model());
  const std::string packed = folder_.write("text.gz", testing::gzip(text));
  const std::string pieces = folder_ / "pieces.gz", back = folder_ / "back";
  const auto encoded =
      run("eatt", {"corpus", "pieces", "encode", model, "-i", packed, "-o", pieces});
  ASSERT_EQ(encoded.exit_code, 0) << encoded.err;
  EXPECT_THAT(encoded.out, IsEmpty());
  EXPECT_EQ(run("/usr/bin/gzip", {"-dc", pieces}).out,
            run("eatt", {"corpus", "pieces", "encode", model}, text).out);
  ASSERT_EQ(run("eatt", {"corpus", "pieces", "decode", model, "-i", pieces, "-o", back}).exit_code,
            0);
  EXPECT_EQ(read_text(back), text);
}

TEST_F(CorpusCommand, PiecesEncodeLikeSentencePiecesOwnProgram) {
  if (!fs::exists("/usr/bin/spm_encode")) GTEST_SKIP() << "needs spm_encode";
  const std::string model = folder_.write("joint.spm", testing::sample_model()).string();
  const std::string text = testing::sample_text(2000, 9).target + testing::difficult_text();
  for (const std::string format : {"piece", "id"}) {
    const auto ours =
        run("eatt", {"corpus", "pieces", "encode", model, "--output-format", format}, text);
    const auto theirs =
        run("/usr/bin/spm_encode", {"--model=" + model, "--output_format=" + format}, text);
    if (format == "id") {
      EXPECT_EQ(ours.out, theirs.out);
      continue;
    }
    // Their program prints an unknown piece as it stands in the text, ours as <unk>.
    const auto our_lines = split_lines(ours.out), their_lines = split_lines(theirs.out);
    ASSERT_EQ(our_lines.size(), their_lines.size());
    for (size_t i = 0; i < our_lines.size(); ++i) {
      if (our_lines[i].find("<unk>") != std::string::npos) continue;
      EXPECT_EQ(our_lines[i], their_lines[i]);
    }
  }
}

}  // namespace
}  // namespace eatt
