
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.h"
#include "base/files/text_file.h"
#include "base/random.h"
#include "support/files.h"
#include "support/run.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
using testing::read_text;
using testing::TemporaryFolder;

std::string unpacked(const fs::path& path) {
  const auto source = open_bytes(path.string());
  std::string text;
  for (char part[4096]; const size_t got = source->read(part);) text.append(part, got);
  return text;
}

// Letters that hardly compress, so that many blocks are written.
std::string noise(size_t size) {
  Random random(7);
  std::string text(size, ' ');
  for (char& c : text) c = static_cast<char>('!' + random.below(90));
  return text;
}

TEST(TextOutput, APlainNameGetsTheTextItself) {
  const TemporaryFolder folder;
  TextOutput output(folder / "a.txt");
  output.write("one\n");
  output.write("two\n");
  EXPECT_FALSE(fs::exists(folder / "a.txt"));
  output.commit();
  EXPECT_EQ(read_text(folder / "a.txt"), "one\ntwo\n");
}

TEST(TextOutput, ANameEndingInGzGetsGzipThatReadsBackWhateverTheWrites) {
  const TemporaryFolder folder;
  const std::string text = noise(1 << 20);
  TextOutput output(folder / "a.gz");
  for (size_t at = 0, size = 0; at < text.size(); at += size) {
    size = std::min(text.size() - at, 1 + size * 3);
    output.write(std::string_view(text).substr(at, size));
  }
  output.commit();
  EXPECT_EQ(unpacked(folder / "a.gz"), text);
  EXPECT_EQ(testing::run("/usr/bin/gzip", {"-t", folder / "a.gz"}).exit_code, 0);
}

TEST(TextOutput, NothingWrittenIsAnEmptyGzipFile) {
  const TemporaryFolder folder;
  TextOutput output(folder / "a.gz");
  output.commit();
  EXPECT_EQ(unpacked(folder / "a.gz"), "");
  EXPECT_GT(fs::file_size(folder / "a.gz"), 0u);
}

TEST(TextOutput, TheSameTextGivesTheSameBytes) {
  const TemporaryFolder folder;
  for (const char* name : {"a.gz", "b.gz"}) {
    TextOutput output(folder / name);
    output.write("the same text\n");
    output.commit();
  }
  EXPECT_EQ(read_text(folder / "a.gz"), read_text(folder / "b.gz"));
}

TEST(TextOutput, WithoutCommitTheOldFileStays) {
  const TemporaryFolder folder;
  folder.write("a.gz", "old");
  {
    TextOutput output(folder / "a.gz");
    output.write(noise(1 << 20));
  }
  EXPECT_EQ(read_text(folder / "a.gz"), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
}

TEST(TextOutput, SeveralGzipMembersInOneFileAreReadOneAfterAnother) {
  const TemporaryFolder folder;
  for (const char* name : {"a.gz", "b.gz"}) {
    TextOutput output(folder / name);
    output.write(std::string(name) + "\n");
    output.commit();
  }
  const auto both = folder.write("both", read_text(folder / "a.gz") + read_text(folder / "b.gz"));
  EXPECT_EQ(unpacked(both), "a.gz\nb.gz\n");
}

}  // namespace
}  // namespace eatt
