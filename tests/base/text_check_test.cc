#include "base/files/text_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace eatt {
namespace {

using ::testing::HasSubstr;

std::string refusal(std::string_view beginning, const std::string& name = "test.de") {
  try {
    refuse_archive(name, beginning);
    expect_text(name, beginning);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string utf16(std::u16string_view text, bool big_endian) {
  std::string bytes;
  for (const char16_t unit : text) {
    const char high = static_cast<char>(unit >> 8), low = static_cast<char>(unit & 0xff);
    bytes += big_endian ? std::string{high, low} : std::string{low, high};
  }
  return bytes;
}

TEST(TextCheck, CompressedFilesGetTheCommandThatUnpacksThem) {
  const std::string xz(
      "\xfd"
      "7zXZ\0\0",
      7);
  EXPECT_EQ(refusal(xz, "news.zh.xz"),
            "news.zh.xz: is compressed with xz, not text; unpack it with `xz -dc news.zh.xz > "
            "news.zh`, or pipe it in: `xz -dc news.zh.xz | eatt …`");
  EXPECT_THAT(refusal(xz, "my news"), HasSubstr("`xz -dc 'my news' > 'my news.txt'`"));
  EXPECT_EQ(refusal(xz, "standard input"),
            "standard input: is compressed with xz, not text; unpack it with `xz -dc` first");
  EXPECT_THAT(refusal("BZh91AY&SY", "a.de.bz2"), HasSubstr("`bzip2 -dc a.de.bz2 > a.de`"));
  EXPECT_THAT(refusal("PK\x03\x04", "a.de.zip"), HasSubstr("`unzip -p a.de.zip > a.de`"));
  EXPECT_THAT(refusal("\x28\xb5\x2f\xfd"), HasSubstr("zstd -dc"));
  EXPECT_THAT(refusal("%PDF-1.7\n"), HasSubstr("is a PDF, not text"));
  EXPECT_EQ(refusal("BZhang is a name.\n"), "");
}

TEST(TextCheck, DocumentsAreToBeSavedAsPlainText) {
  const std::string what = ": is a document, not text; save it as plain text first";
  EXPECT_EQ(refusal("PK\x03\x04", "a.docx"), "a.docx" + what);
  EXPECT_EQ(refusal("PK\x03\x04", "a.odt"), "a.odt" + what);
  const std::string header = "PK\x03\x04" + std::string(26, '\1');
  EXPECT_EQ(refusal(header + "mimetypeapplication/vnd.oasis", "standard input"),
            "standard input" + what);
  EXPECT_EQ(refusal(header + "[Content_Types].xml", "a"), "a" + what);
}

TEST(TextCheck, BytesThatMayBecomeAnArchiveAreWaitedFor) {
  for (const char* begun : {"", "B", "BZh", "BZh9", "P", "\xfd"}) {
    EXPECT_TRUE(may_become_archive(begun)) << begun;
  }
  for (const char* text : {"\n", "Pa", "BZ\n", "a"}) EXPECT_FALSE(may_become_archive(text)) << text;
}

TEST(TextCheck, Utf16IsToldWithoutAByteOrderMark) {
  for (const std::u16string_view text :
       {u"Ein Satz.\nNoch einer.\n", u"他喜欢音乐。\n明天汤姆想解决这个问题吗？\n"}) {
    EXPECT_THAT(refusal(utf16(text, false)),
                HasSubstr("is UTF-16, expected UTF-8; convert it with `iconv -f UTF-16LE -t utf-8 "
                          "test.de > test.utf8.de`"));
    EXPECT_THAT(refusal(utf16(text, true)), HasSubstr("iconv -f UTF-16BE"));
  }
  EXPECT_THAT(refusal("\xff\xfe" + utf16(u"Ein Satz.\n", false)), HasSubstr("-f utf-16 -t"));
}

TEST(TextCheck, ChineseInGb18030IsToldFromOtherEncodings) {
  // 他喜欢音乐。 明天见
  const std::string chinese =
      "\xcb\xfb\xcf\xb2\xbb\xb6\xd2\xf4\xc0\xd6\xa1\xa3 \xc3\xf7\xcc\xec\xbc\xfb\n";
  EXPECT_THAT(refusal(chinese), HasSubstr("is not UTF-8; convert it with `iconv -f GB18030 -t "
                                          "utf-8 test.de > test.utf8.de` (if it is Chinese)"));
  EXPECT_THAT(refusal(chinese, "a.zh.gz"),
              HasSubstr("`gzip -dc a.zh.gz | iconv -f GB18030 -t utf-8 > a.utf8.zh`"));
  // привет, мир in Windows-1251
  EXPECT_THAT(refusal("\xef\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0\n"), HasSubstr("iconv -f ENCODING"));
}

TEST(TextCheck, BinaryFilesAreRefused) {
  std::string bytes;
  for (int i = 0; i < 512; ++i) bytes += static_cast<char>(i * i % 251);
  EXPECT_THAT(refusal(bytes), HasSubstr("looks like a binary file"));
  EXPECT_THAT(refusal(std::string("\x7f"
                                  "ELF\0\0",
                                  6)),
              HasSubstr("is a program, not text"));
}

TEST(TextCheck, LinesThatEndWithCarriageReturnsGetTheCommandThatHelps) {
  EXPECT_EQ(refusal("one\rtwo\rthree"),
            "test.de: has lines that end with CR alone, expected LF or CRLF; convert it with `tr "
            "'\\r' '\\n' < test.de > test.lf.de`");
  EXPECT_EQ(refusal("one\r\ntwo\r\n"), "");
  EXPECT_EQ(refusal("one\r"), "");
}

TEST(TextCheck, TextWithSomeWrongBytesIsLeftToTheReader) {
  for (const std::string& text : {std::string("gr\xfc\xdf"
                                              "e aus M\xfcnchen\n"),
                                  std::string("a\0b\n", 4), std::string("wort\n\0\0\0\n", 9),
                                  std::string("\xff\xfe wort\n"), std::string()}) {
    EXPECT_EQ(refusal(text), "");
  }
}

}  // namespace
}  // namespace eatt
