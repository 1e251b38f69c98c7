#include "text/corpus/line_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <future>
#include <thread>

#include "base/error.h"
#include "support/files.h"
#include "text/sample_text.h"

namespace eatt {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::gzip;
using ::testing::HasSubstr;
using testing::TemporaryFolder;
using ::testing::ThrowsMessage;

std::vector<std::string> lines_of(const std::filesystem::path& file, size_t max_bytes = 1000) {
  LineReader reader(file.string(), max_bytes);
  std::vector<std::string> lines;
  LineReader::Line line;
  while (reader.next(line)) {
    lines.push_back(line.too_long ? "<" + std::to_string(line.size) + ">" : std::string(line.text));
    EXPECT_EQ(reader.number(), lines.size());
  }
  return lines;
}

TEST(LineReader, TheLastLineMayLackItsEnd) {
  const TemporaryFolder folder;
  EXPECT_THAT(lines_of(folder.write("a", "one\ntwo\n")), ElementsAre("one", "two"));
  EXPECT_THAT(lines_of(folder.write("b", "one\ntwo")), ElementsAre("one", "two"));
  EXPECT_THAT(lines_of(folder.write("c", "\n\nx\n\n")), ElementsAre("", "", "x", ""));
  EXPECT_THAT(lines_of(folder.write("d", "")), ElementsAre());
}

TEST(LineReader, OneCarriageReturnBeforeTheEndIsDropped) {
  const TemporaryFolder folder;
  EXPECT_THAT(lines_of(folder.write("a", "one\r\ntwo\r\r\nin\rside\r\nlast\r")),
              ElementsAre("one", "two\r", "in\rside", "last"));
}

TEST(LineReader, AByteOrderMarkIsDroppedAtTheStartOnly) {
  const TemporaryFolder folder;
  EXPECT_THAT(lines_of(folder.write("a", "\xef\xbb\xbfone\n\xef\xbb\xbftwo\n")),
              ElementsAre("one", "\xef\xbb\xbftwo"));
  EXPECT_THAT(lines_of(folder.write("b", "\xef\xbb\xbf")), ElementsAre());
}

TEST(LineReader, NoOtherCharacterEndsALine) {
  const TemporaryFolder folder;
  EXPECT_THAT(lines_of(folder.write("a",
                                    "a\x0b"
                                    "b\x0c"
                                    "c\u0085d\u2028e\n")),
              ElementsAre("a\x0b"
                          "b\x0c"
                          "c\u0085d\u2028e"));
}

TEST(LineReader, OverlongLinesAreMeasuredButNotKept) {
  const TemporaryFolder folder;
  const std::string exact(1000, 'e'), over(1001, 'o'), huge(5'000'000, 'h');
  EXPECT_THAT(lines_of(folder.write("a", exact + "\n" + over + "\nx\n" + huge + "\ny")),
              ElementsAre(exact, "<1001>", "x", "<5000000>", "y"));
  EXPECT_THAT(lines_of(folder.write("b", exact + "\r\n" + huge)), ElementsAre(exact, "<5000000>"));
}

TEST(LineReader, LinesAcrossBlocksStayWhole) {
  const TemporaryFolder folder;
  std::string text;
  std::vector<std::string> expected;
  for (int i = 0; text.size() < (3 << 20); ++i) {
    expected.push_back(std::to_string(i) + std::string(static_cast<size_t>(i) % 700, 'x'));
    text += expected.back() + "\n";
  }
  EXPECT_EQ(lines_of(folder.write("plain", text)), expected);
  EXPECT_EQ(lines_of(folder.write("packed", gzip(text))), expected);
}

TEST(LineReader, GzipIsRecognisedByContentNotByName) {
  const TemporaryFolder folder;
  EXPECT_THAT(lines_of(folder.write("a.txt", gzip("one\ntwo\n"))), ElementsAre("one", "two"));
  EXPECT_THAT(lines_of(folder.write("b.gz", "not packed\n")), ElementsAre("not packed"));
  EXPECT_THAT(lines_of(folder.write("c.gz", gzip(""))), ElementsAre());
}

TEST(LineReader, GzipMembersFollowEachOtherAndPaddingIsIgnored) {
  const TemporaryFolder folder;
  EXPECT_THAT(
      lines_of(folder.write("a.gz", gzip("one\nt") + gzip("wo\n") + std::string(512, '\0'))),
      ElementsAre("one", "two"));
}

TEST(LineReader, TruncatedGzipSaysSo) {
  const TemporaryFolder folder;
  const std::string packed = gzip(testing::sample_text(500).source);
  for (const size_t size : {packed.size() - 1, packed.size() / 2, size_t{12}, size_t{2}}) {
    const auto file = folder.write("cut.gz", packed.substr(0, size));
    EXPECT_THAT([&] { lines_of(file); },
                ThrowsMessage<Error>(AllOf(HasSubstr("cut.gz"), HasSubstr("ends early"),
                                           HasSubstr(std::to_string(size) + " packed"))));
  }
}

TEST(LineReader, DamagedGzipSaysSo) {
  const TemporaryFolder folder;
  std::string packed = gzip(testing::sample_text(500).source);
  packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] ^ 0xff);
  EXPECT_THAT([&] { lines_of(folder.write("bad.gz", packed)); },
              ThrowsMessage<Error>(AllOf(HasSubstr("bad.gz"), HasSubstr("damaged"))));
  EXPECT_THAT([&] { lines_of(folder.write("tail.gz", gzip("one\n") + "rubbish behind it")); },
              ThrowsMessage<Error>(AllOf(HasSubstr("tail.gz"), HasSubstr("damaged"))));
}

TEST(LineReader, WhatCannotBeReadIsNamed) {
  const TemporaryFolder folder;
  EXPECT_THAT([&] { lines_of(folder / "missing"); },
              ThrowsMessage<Error>(AllOf(HasSubstr("missing"), HasSubstr("No such file"))));
  EXPECT_THAT([&] { lines_of(folder.path()); }, ThrowsMessage<Error>(HasSubstr("is a folder")));
}

TEST(LineReader, APipeThatGivesByteByByteIsReadWhole) {
  const TemporaryFolder folder;
  const auto pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::jthread writer([&] {
    std::FILE* file = std::fopen(pipe.c_str(), "w");
    std::setbuf(file, nullptr);
    for (const char byte : gzip("one\ntwo\n")) std::fputc(byte, file);
    std::fclose(file);
  });
  EXPECT_THAT(lines_of(pipe), ElementsAre("one", "two"));
}

TEST(LineReader, ALineIsGivenBeforeThereIsMoreHoweverShort) {
  for (const std::string first : {"\n", "a\n", "\xef\n"}) {
    const TemporaryFolder folder;
    const auto pipe = folder / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    std::promise<void> seen;
    std::jthread writer([&] {
      std::FILE* file = std::fopen(pipe.c_str(), "w");
      std::fputs(first.c_str(), file);
      std::fflush(file);
      EXPECT_EQ(seen.get_future().wait_for(std::chrono::seconds(20)), std::future_status::ready);
      std::fclose(file);
    });
    LineReader reader(pipe.string(), 100);
    LineReader::Line line;
    EXPECT_TRUE(reader.next(line));
    EXPECT_EQ(std::string(line.text) + "\n", first);
    seen.set_value();
  }
}

TEST(LineReader, LinesLongerThanTheBufferAreKeptIfTheyMay) {
  const TemporaryFolder folder;
  const std::string huge(5'000'000, 'h');
  EXPECT_THAT(lines_of(folder.write("a", "x\n" + huge + "\ny\n"), huge.size()),
              ElementsAre("x", huge, "y"));
}

TEST(LineReader, SkippingCountsLinesLikeReading) {
  const TemporaryFolder folder;
  LineReader reader(folder.write("a", "1\n2\n3\n4\n").string(), 100);
  EXPECT_EQ(reader.skip(2), 2u);
  LineReader::Line line;
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line.text, "3");
  EXPECT_EQ(reader.skip(10), 1u);
  EXPECT_FALSE(reader.next(line));
}

}  // namespace
}  // namespace eatt
