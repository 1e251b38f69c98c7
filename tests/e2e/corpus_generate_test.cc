#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "support/files.h"
#include "support/run.h"

namespace eatt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::read_text;
using testing::run;
using ::testing::SizeIs;
using testing::split_lines;
using testing::TemporaryFolder;

int word_count(const std::string& line) {
  std::istringstream words(line);
  int count = 0;
  for (std::string word; words >> word;) ++count;
  return count;
}

TEST(CorpusGenerate, WritesThreePartsOfThreeFilesEach) {
  const TemporaryFolder folder;
  const std::string output = (folder / "new" / "corpus").string();
  const auto result =
      run("eatt", {"corpus", "generate", "--pair", "zh-en", "--train", "300", "--dev", "20",
                   "--test", "30", "--seed", "1", "--output", output});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, IsEmpty());
  struct Part {
    std::string name;
    size_t size;
  };
  for (const Part& part : {Part{"train", 300}, Part{"dev", 20}, Part{"test", 30}}) {
    const auto chinese = split_lines(read_text(output + "/" + part.name + ".zh"));
    const auto english = split_lines(read_text(output + "/" + part.name + ".en"));
    const auto links = split_lines(read_text(output + "/" + part.name + ".align"));
    ASSERT_THAT(chinese, SizeIs(part.size));
    ASSERT_THAT(english, SizeIs(part.size));
    ASSERT_THAT(links, SizeIs(part.size));
    for (size_t i = 0; i < part.size; ++i) {
      std::istringstream stream(links[i]);
      int source = 0, target = 0;
      char dash = 0;
      while (stream >> source >> dash >> target) {
        EXPECT_LT(source, word_count(chinese[i])) << chinese[i];
        EXPECT_LT(target, word_count(english[i])) << english[i];
      }
      EXPECT_TRUE(stream.eof()) << links[i];
    }
  }
}

TEST(CorpusGenerate, ReplacesOtherFilesOnlyIfAskedTo) {
  const TemporaryFolder folder;
  const auto generate = [&](const std::string& pairs, std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"corpus", "generate", "--train", pairs,      "--dev",
                                      "2",      "--test",   "2",       "--output", folder.path()};
    words.insert(words.end(), more.begin(), more.end());
    return run("eatt", words);
  };
  folder.write("train.zh", "old\n");
  const auto refused = generate("10");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_EQ(refused.err, "eatt: " + (folder / "train.zh").string() +
                             ": exists and has other content, so it is not replaced; choose "
                             "another name, or add --overwrite\n");
  EXPECT_EQ(read_text(folder / "train.zh"), "old\n");
  EXPECT_FALSE(std::filesystem::exists(folder / "dev.zh"));  // Nothing half written.

  const auto replaced = generate("10", {"--overwrite", "--quiet"});
  EXPECT_EQ(replaced.exit_code, 0) << replaced.err;
  EXPECT_THAT(replaced.err, IsEmpty());
  EXPECT_THAT(split_lines(read_text(folder / "train.zh")), SizeIs(10));
  EXPECT_EQ(generate("10").exit_code, 0) << "the same command again";
  EXPECT_EQ(generate("8").exit_code, 1) << "the first 8 pairs are the same, the file is longer";
  EXPECT_EQ(generate("12").exit_code, 1) << "the first 10 pairs are the same, the file is shorter";
  EXPECT_THAT(split_lines(read_text(folder / "train.zh")), SizeIs(10));
}

TEST(CorpusGenerate, HelpSaysThatTheCorpusIsSyntheticAndWhatTheAlignmentCounts) {
  const auto result = run("eatt", {"corpus", "generate", "--help"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, AllOf(HasSubstr("SYNTHETIC"), HasSubstr("replaced"), HasSubstr("--raw"),
                                HasSubstr("characters"), HasSubstr("Example:")));
}

TEST(CorpusGenerate, WrongUsageIsOneLineAndExitCodeTwo) {
  const TemporaryFolder folder;
  const std::string output = folder.path().string();
  const std::vector<std::vector<std::string>> wrong = {
      {},
      {"--output", output, "--pair", "xx-yy"},
      {"--output", output, "--train", "-5"},
      {"--output", output, "--train", "many"},
      {"--output", output, "--train", "99999999999999"},
      {"--output", output, "--seed", "1.5"}};
  for (const auto& options : wrong) {
    std::vector<std::string> arguments = {"corpus", "generate"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const auto result = run("eatt", arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_THAT(split_lines(result.err), SizeIs(1));
  }
  EXPECT_THAT(run("eatt", {"corpus", "generate", "--pair", "xx-yy", "--output", output}).err,
              HasSubstr("known pairs: zh-en"));
}

TEST(CorpusGenerate, AnOutputThatCannotBeWrittenIsExitCodeOne) {
  const TemporaryFolder folder;
  const auto file = folder.write("file", "x");
  const auto result = run("eatt", {"corpus", "generate", "--output", file.string()});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr(file.string()));
}

}  // namespace
}  // namespace eatt
