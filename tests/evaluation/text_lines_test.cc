#include "evaluation/text_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "base/error.h"
#include "support/files.h"

namespace eatt::evaluation {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

std::string error_of(const std::filesystem::path& path) {
  try {
    TextLines::read_file(path);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(TextLines, ALineFeedEndsALineAndNothingElse) {
  const TemporaryFolder folder;
  const TextLines text =
      TextLines::read_file(folder.write("text", "a\rb\n\nc\u2028d \u00a0\r\nlast"));
  EXPECT_THAT(text.lines(), ElementsAre("a\rb", "", "c\u2028d", "last"));
}

TEST(TextLines, SurviveBeingMoved) {
  const TemporaryFolder folder;
  TextLines text = TextLines::read_file(folder.write("text", "a b\nc\n"));
  const TextLines moved = std::move(text);
  EXPECT_THAT(moved.lines(), ElementsAre("a b", "c"));
}

TEST(TextLines, GzipIsReadAsWhatIsInIt) {
  const TemporaryFolder folder;
  const std::string path = folder / "text.gz";
  std::string long_text;
  for (int i = 0; i < 200'000; ++i) long_text += "line " + std::to_string(i) + "\n";
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, long_text.data(), static_cast<unsigned>(long_text.size()));
  gzclose(file);
  const TextLines text = TextLines::read_file(path);
  EXPECT_EQ(text.lines().size(), 200'000u);
  EXPECT_EQ(text.lines().back(), "line 199999");

  const std::string whole = testing::read_text(path);
  EXPECT_THAT(error_of(folder.write("cut.gz", whole.substr(0, whole.size() / 2))),
              HasSubstr("cut.gz: the gzip data ends early"));
  std::string broken = whole;
  broken[whole.size() / 2] ^= 0x55;
  EXPECT_THAT(error_of(folder.write("broken.gz", broken)),
              HasSubstr("broken.gz: the gzip data is damaged"));
}

TEST(TextLines, UndecodableTextIsNamedByLineAndByte) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of(folder.write("latin1", "gut\nsch\xf6n\n")),
              AllOf(HasSubstr("latin1: line 2, byte 4: found 0xf6"), HasSubstr("iconv")));
}

TEST(TextLines, EmptyMissingAndFolderEachSaySo) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of(folder.write("empty", "")), HasSubstr("empty: is empty, expected one"));
  EXPECT_THAT(error_of(folder / "missing"), HasSubstr("missing: cannot be read: No such file"));
  EXPECT_THAT(error_of(folder.path()), HasSubstr("is a folder"));
}

TEST(TextLines, DifferentNumbersOfLinesNameBothFiles) {
  const TemporaryFolder folder;
  const TextLines two = TextLines::read_file(folder.write("two", "a\nb\n"));
  const TextLines one = TextLines::read_file(folder.write("one", "a\n"));
  EXPECT_NO_THROW(expect_same_length(two, two));
  try {
    expect_same_length(two, one);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("two has 2 lines"), HasSubstr("one has 1")));
  }
}

}  // namespace
}  // namespace eatt::evaluation
