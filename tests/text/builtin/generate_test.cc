#include "builtin/generate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "support/files.h"

namespace eatt::builtin {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::read_text;
using ::testing::SizeIs;
using testing::split_lines;
using testing::TemporaryFolder;

const LanguagePair& zh_en() { return find_language_pair("zh-en"); }

TEST(GenerateCorpus, AnotherSeedGivesAnotherCorpus) {
  const TemporaryFolder one, two;
  generate_corpus(zh_en(), {.train = 50, .dev = 5, .test = 5, .seed = 1, .output = one.path()});
  generate_corpus(zh_en(), {.train = 50, .dev = 5, .test = 5, .seed = 2, .output = two.path()});
  EXPECT_NE(read_text(one / "train.zh"), read_text(two / "train.zh"));
}

TEST(GenerateCorpus, NoSentenceComesTwiceInOneFileOrInTwo) {
  const TemporaryFolder folder;
  generate_corpus(zh_en(), {.train = 5000, .dev = 500, .test = 500, .output = folder.path()});
  for (const std::string side : {"zh", "en"}) {
    std::set<std::string> seen;
    for (const std::string part : {"train", "dev", "test"}) {
      for (const std::string& line : split_lines(read_text(folder / (part + "." + side)))) {
        EXPECT_TRUE(seen.insert(line).second) << line;
      }
    }
    EXPECT_THAT(seen, SizeIs(6000));
  }
}

TEST(GenerateCorpus, DevAndTestStayWhenTheTrainingSetGrows) {
  const TemporaryFolder small, large;
  generate_corpus(zh_en(), {.train = 100, .dev = 50, .test = 50, .output = small.path()});
  generate_corpus(zh_en(), {.train = 300, .dev = 50, .test = 50, .output = large.path()});
  for (const char* name : {"dev.zh", "dev.en", "dev.align", "test.zh", "test.en", "test.align"}) {
    EXPECT_EQ(read_text(small / name), read_text(large / name));
  }
  const std::string beginning = read_text(small / "train.zh");
  EXPECT_EQ(read_text(large / "train.zh").substr(0, beginning.size()), beginning);
}

TEST(GenerateCorpus, RawHasTheSameSentencesWithoutSpacesAndLinksOfCharacters) {
  const TemporaryFolder spaced, raw;
  generate_corpus(zh_en(), {.train = 100, .dev = 5, .test = 5, .output = spaced.path()});
  generate_corpus(zh_en(), {.train = 100, .dev = 5, .test = 5, .raw = true, .output = raw.path()});
  EXPECT_EQ(read_text(spaced / "train.en"), read_text(raw / "train.en"));

  std::string without_spaces = read_text(spaced / "train.zh");
  std::erase(without_spaces, ' ');
  EXPECT_EQ(read_text(raw / "train.zh"), without_spaces);

  const auto chinese = split_lines(read_text(raw / "train.zh"));
  const auto links = split_lines(read_text(raw / "train.align"));
  for (size_t i = 0; i < chinese.size(); ++i) {
    const auto characters =
        std::ranges::count_if(chinese[i], [](char c) { return (c & 0xC0) != 0x80; });
    // The last character is the full stop, and it has the last link.
    const std::string last = links[i].substr(links[i].rfind(' ') + 1);
    EXPECT_EQ(std::stol(last), characters - 1) << chinese[i];
  }
}

TEST(GenerateCorpus, ZeroSentencesMakeEmptyFiles) {
  const TemporaryFolder folder;
  generate_corpus(zh_en(), {.train = 0, .dev = 0, .test = 3, .output = folder.path()});
  EXPECT_THAT(read_text(folder / "train.zh"), IsEmpty());
  EXPECT_THAT(split_lines(read_text(folder / "test.zh")), SizeIs(3));
}

TEST(GenerateCorpus, ProgressTellsHowManyPairsAreMade) {
  const TemporaryFolder folder;
  std::vector<uint64_t> steps;
  generate_corpus(zh_en(), {.train = 1000,
                            .dev = 10,
                            .test = 10,
                            .output = folder.path(),
                            .progress = [&](uint64_t done) { steps.push_back(done); }});
  ASSERT_THAT(steps, Not(IsEmpty()));
  EXPECT_TRUE(std::ranges::is_sorted(steps));
  EXPECT_LE(steps.back(), 1020u);
}

TEST(GenerateCorpus, SizesBeyondAllMeasureAreRefusedAtOnce) {
  const TemporaryFolder folder;
  EXPECT_THROW(generate_corpus(zh_en(), {.train = ~uint64_t{0}, .output = folder.path()}),
               UsageError);
  EXPECT_THROW(
      generate_corpus(zh_en(), {.train = 60'000'000, .dev = 60'000'000, .output = folder.path()}),
      UsageError);
}

TEST(GenerateCorpus, AFolderThatCannotBeMadeIsNamed) {
  const TemporaryFolder folder;
  const auto file = folder.write("file", "x");
  try {
    generate_corpus(zh_en(), {.train = 1, .output = file / "inside"});
    FAIL() << "a file is no folder";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr((file / "inside").string()));
  }
}

TEST(LanguagePairs, AnUnknownPairIsRefusedWithTheKnownOnes) {
  try {
    find_language_pair("zh-fr");
    FAIL() << "there is no zh-fr";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("'zh-fr'"));
    EXPECT_THAT(error.what(), HasSubstr("zh-en"));
  }
}

}  // namespace
}  // namespace eatt::builtin
