// `eatt corpus convert` as a user types it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

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
using testing::RunResult;
using testing::TemporaryFolder;

constexpr char kTmx[] = R"(<?xml version="1.0"?>
<tmx version="1.4"><header srclang="en-US"/><body>
<tu><tuv xml:lang="en-US"><seg>Good
  morning.</seg></tuv><tuv xml:lang="de-DE"><seg>Guten Morgen.</seg></tuv></tu>
<tu><tuv xml:lang="en-US"><seg>Only English.</seg></tuv></tu>
</body></tmx>
)";
constexpr char kXliff[] = R"(<xliff version="1.2"><file source-language="en" target-language="de">
<body><trans-unit id="1"><source>Good night.</source><target>Gute Nacht.</target></trans-unit></body>
</file></xliff>
)";

class CorpusConvert : public ::testing::Test {
 protected:
  RunResult convert(std::vector<std::string> arguments, std::string_view input = {}) const {
    arguments.insert(arguments.begin(), {"corpus", "convert"});
    return run("eatt", arguments, input);
  }
  std::string path(std::string_view name) const { return folder_ / name; }
  // Files in the folder beside the inputs.
  bool wrote_nothing() const {
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      if (entry.path() != tmx_ && entry.path() != xliff_) return false;
    }
    return true;
  }

  TemporaryFolder folder_;
  std::string tmx_ = folder_.write("memory.tmx", kTmx);
  std::string xliff_ = folder_.write("job.xlf", kXliff);
};

TEST_F(CorpusConvert, SeveralFilesBecomeTwoFilesWithALineForEachPair) {
  const auto result =
      convert({tmx_, xliff_, "--from", "en", "--to", "de", "--output", path("train")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(read_text(path("train.en")), "Good morning.\nGood night.\n");
  EXPECT_EQ(read_text(path("train.de")), "Guten Morgen.\nGute Nacht.\n");
  EXPECT_THAT(result.out, AllOf(HasSubstr("pairs written               2  " + path("train.en")),
                                HasSubstr("skipped                   1  no text in de")));
}

TEST_F(CorpusConvert, TsvAndCompressedOutputsAndInputs) {
  const std::string packed = folder_.write("memory.tmx.gz", testing::gzip(kTmx));
  ASSERT_EQ(
      convert({packed, "--from", "de", "--to", "en", "--output-tsv", path("a.tsv.gz")}).exit_code,
      0);
  EXPECT_EQ(run("/usr/bin/gzip", {"-dc", path("a.tsv.gz")}).out, "Guten Morgen.\tGood morning.\n");
  // TSV is told by its name, and goes on to two files; a prefix that ends in .gz compresses them.
  ASSERT_EQ(
      convert({path("a.tsv.gz"), "--from", "de", "--to", "en", "--output", path("b.gz")}).exit_code,
      0);
  EXPECT_EQ(run("/usr/bin/gzip", {"-dc", path("b.de.gz")}).out, "Guten Morgen.\n");
  EXPECT_EQ(run("/usr/bin/gzip", {"-dc", path("b.en.gz")}).out, "Good morning.\n");
}

TEST_F(CorpusConvert, TablesAreReadByTheColumnsThatAreChosen) {
  const auto result = convert({"-", "--format", "tsv", "--tsv-columns", "3,1", "--from", "en",
                               "--to", "de", "--output-tsv", path("out.tsv")},
                              "eins\t0.9\tone\nzwei\ndrei\t0.5\tthr\xff\n\t0.1\tempty\n");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(read_text(path("out.tsv")), "one\teins\n");
  EXPECT_THAT(result.out, AllOf(HasSubstr("1  a wrong number of columns"),
                                HasSubstr("1  an empty side"), HasSubstr("1  invalid UTF-8")));
}

TEST_F(CorpusConvert, WhatIsWrittenCanBePrepared) {
  std::string memory = "<tmx version=\"1.4\"><header/><body>";
  for (int i = 0; i < 300; ++i) {
    memory += fmt::format(
        "<tu><tuv xml:lang=\"en\"><seg>the house number {}</seg></tuv><tuv "
        "xml:lang=\"de\"><seg>das "
        "Haus Nummer {}</seg></tuv></tu>",
        i, i);
  }
  folder_.write("big.tmx", memory + "</body></tmx>");
  ASSERT_EQ(
      convert({path("big.tmx"), "--from", "en", "--to", "de", "--output", path("train")}).exit_code,
      0);
  const auto prepared =
      run("eatt", {"corpus", "prepare", "--train-sets", path("train.en"), path("train.de"),
                   "--vocab-size", "60", "--output", path("data")});
  EXPECT_THAT(prepared.out, HasSubstr("pairs kept                300")) << prepared.err;
}

TEST_F(CorpusConvert, ADamagedFileIsOneSentenceAndLeavesNothing) {
  const std::string cut = std::string(kTmx).substr(0, 250);
  const auto result = convert({"-", "--from", "en", "--to", "de", "--output", path("train")}, cut);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, HasSubstr("standard input: line 5, column "));
  EXPECT_TRUE(wrote_nothing());
  const auto none = convert({tmx_, "--from", "en", "--to", "fr", "--output", path("train")});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.err,
              HasSubstr("no pair of en and fr to write; the languages found are de-DE, en-US"));
  EXPECT_TRUE(wrote_nothing());
  const auto other =
      convert({tmx_, "--format", "xliff", "--from", "en", "--to", "de", "--output", path("train")});
  EXPECT_THAT(other.err, HasSubstr("memory.tmx: the first element is 'tmx'; expected xliff"));
}

TEST_F(CorpusConvert, FilesOfOthersAreReplacedOnlyIfAskedTo) {
  folder_.write("train.de", "mein eigener Text\n");
  const std::vector<std::string> command = {tmx_, "--from",   "en",         "--to",
                                            "de", "--output", path("train")};
  const auto refused = convert(command);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, AllOf(HasSubstr(path("train.de") + ": exists and has other content"),
                                 HasSubstr("add --overwrite")));
  EXPECT_EQ(read_text(path("train.de")), "mein eigener Text\n");
  EXPECT_FALSE(fs::exists(path("train.en")));
  auto forced = command;
  forced.emplace_back("--overwrite");
  EXPECT_EQ(convert(forced).exit_code, 0);
  EXPECT_EQ(read_text(path("train.de")), "Guten Morgen.\n");
  const auto time = fs::last_write_time(path("train.de"));
  EXPECT_EQ(convert(command).exit_code, 0) << "the same command again";
  EXPECT_EQ(fs::last_write_time(path("train.de")), time) << "a file with the right content stays";

  const auto tsv = [&](const std::string& input) {
    return convert({input, "--from", "en", "--to", "de", "--output-tsv", path("all.tsv.gz")});
  };
  EXPECT_EQ(tsv(tmx_).exit_code, 0);
  EXPECT_EQ(tsv(tmx_).exit_code, 0) << "the same bytes";
  EXPECT_EQ(tsv(xliff_).exit_code, 1) << "others";
}

TEST_F(CorpusConvert, AFolderAsPrefixIsRefusedInsteadOfWritingHiddenFiles) {
  const auto result = convert({tmx_, "--from", "en", "--to", "de", "--output", path("dd/")});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("as in --output " + path("dd/train")));
  EXPECT_TRUE(wrote_nothing());
}

TEST_F(CorpusConvert, WrongUsageEndsWithCodeTwo) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"--from", "en", "--to", "de", "--output", path("train")},
           {tmx_, "--to", "de", "--output", path("train")},
           {tmx_, "--from", "en", "--to", "de"},
           {tmx_, "--from", "en", "--to", "de", "--output-tsv", tmx_},
           {tmx_, "--from", "en", "--to", "EN", "--output", path("train")},
           {tmx_, "--from", "en", "--to", "../de", "--output", path("train")},
           {tmx_, "--from", "en", "--to", "de", "--output", path("train"), "--output-tsv", "x"},
           {tmx_, "--from", "en", "--to", "de", "--output", path("train"), "--format", "doc"},
       }) {
    EXPECT_EQ(convert(words).exit_code, 2);
  }
  EXPECT_EQ(read_text(tmx_), kTmx);
  EXPECT_TRUE(wrote_nothing());
}

}  // namespace
}  // namespace eatt
