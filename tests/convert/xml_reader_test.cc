#include "convert/xml_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "support/files.h"
#include "text/sample_text.h"

namespace eatt::convert {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

// Writes down what it is told.
class Recorder : public XmlHandler {
 public:
  void start(std::string_view name, const XmlAttributes& attributes) override {
    told += fmt::format(
        "<{}{}>", name,
        attributes.find("xml:lang") ? " " + std::string(*attributes.find("xml:lang")) : "");
  }
  void end(std::string_view name) override { told += fmt::format("</{}>", name); }
  void text(std::string_view text) override {
    told += text;
    longest = std::max(longest, text.size());
  }
  std::string told;
  size_t longest = 0;
};

std::string told_of(std::string_view document) {
  const TemporaryFolder folder;
  Recorder recorder;
  read_xml(folder.write("a.xml", document).string(), recorder, [](uint64_t) {});
  return recorder.told;
}

// The message about a document, without the path before the file's name.
std::string error_of(std::string_view document) {
  try {
    told_of(document);
  } catch (const Error& error) {
    const std::string_view message = error.what();
    return std::string(message.substr(message.find("a.xml")));
  }
  return "no error";
}

// The same letters in UTF-16, little-endian, with its mark.
std::string utf16(std::string_view ascii) {
  std::string bytes = "\xff\xfe";
  for (const char letter : ascii) bytes += {letter, '\0'};
  return bytes;
}

TEST(XmlReader, TellsElementsAttributesAndText) {
  EXPECT_EQ(told_of("<n:a xml:lang='en'>x &lt; <b/>&#228;<![CDATA[<c>]]></n:a>"),
            "<a en>x < <b></b>\xc3\xa4<c></a>");
}

TEST(XmlReader, ReadsUtf8WithAMarkUtf16Latin1AndGzip) {
  EXPECT_EQ(told_of("\xef\xbb\xbf<a>\xc3\xa4</a>"), "<a>\xc3\xa4</a>");
  EXPECT_EQ(told_of(utf16("<?xml version='1.0' encoding='UTF-16'?><a>x</a>")), "<a>x</a>");
  EXPECT_EQ(told_of("<?xml version='1.0' encoding='ISO-8859-1'?><a>\xe4</a>"), "<a>\xc3\xa4</a>");
  EXPECT_EQ(told_of(testing::gzip("<a>x</a>")), "<a>x</a>");
}

TEST(XmlReader, ErrorsNameFileLineAndColumn) {
  EXPECT_EQ(error_of("<a>\n <b>x</c></a>"),
            "a.xml: line 2, column 8: not well-formed XML (mismatched tag)");
  EXPECT_THAT(error_of("<a>\nfish & chips</a>"),
              AllOf(HasSubstr("line 2, column 7"), HasSubstr("not escaped")));
  EXPECT_THAT(error_of("<a>x\xe4y</a>"), HasSubstr("bytes that are not in the file's encoding"));
  EXPECT_THAT(error_of("one\teins\n"),
              AllOf(HasSubstr("line 1, column 1"), HasSubstr("this is not XML")));
  EXPECT_THAT(error_of("<?xml version='1.0' encoding='koi8-r'?><a/>"),
              HasSubstr("convert the file to UTF-8 first"));
}

TEST(XmlReader, ATruncatedDocumentIsAnErrorWhereverItEnds) {
  const std::string document = "<?xml version='1.0'?><a b='c'>text<!-- d --><![CDATA[e]]></a>";
  for (size_t size = 0; size < document.size(); ++size) {
    EXPECT_THAT(error_of(document.substr(0, size)), HasSubstr("a.xml: line 1, column "))
        << document.substr(0, size);
  }
  EXPECT_THAT(error_of("<a>text"), HasSubstr("the file ends early"));
  EXPECT_THAT(error_of(""), HasSubstr("the file has no XML element"));
}

TEST(XmlReader, NothingOutsideTheFileIsRead) {
  const TemporaryFolder folder;
  const std::string secret = folder.write("secret", "secret text").string();
  EXPECT_EQ(told_of("<!DOCTYPE a SYSTEM '" + secret + "'><a>x</a>"), "<a>x</a>");
  EXPECT_THAT(error_of("<!DOCTYPE a [<!ENTITY e SYSTEM '" + secret + "'>]><a>&e;</a>"),
              AllOf(HasSubstr("an entity is in another file"), HasSubstr("not read")));
  EXPECT_THAT(error_of("<!DOCTYPE a SYSTEM 'a.dtd'><a>&nbsp;</a>"),
              HasSubstr("the entity '&nbsp;' is not defined in this file"));
}

TEST(XmlReader, EntitiesThatMultiplyTextAreStopped) {
  EXPECT_EQ(told_of("<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;&e;</a>"), "<a>xx</a>");
  std::string bomb = "<!DOCTYPE a [<!ENTITY e0 '0123456789'>";
  for (int i = 1; i < 12; ++i) {
    bomb += fmt::format("<!ENTITY e{} '", i);
    for (int copy = 0; copy < 10; ++copy) bomb += fmt::format("&e{};", i - 1);
    bomb += "'>";
  }
  EXPECT_THAT(error_of(bomb + "]><a>&e11;</a>"), HasSubstr("far more text than the file has"));
  EXPECT_THAT(error_of("<!DOCTYPE a [<!ENTITY e '&f;'><!ENTITY f '&e;'>]><a>&e;</a>"),
              HasSubstr("recursive entity reference"));
}

TEST(XmlReader, DepthIsLimited) {
  const auto nested = [](int depth) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += "<a>";
    for (int i = 0; i < depth; ++i) text += "</a>";
    return text;
  };
  EXPECT_NE(told_of(nested(256)), "");
  EXPECT_THAT(error_of(nested(257)), HasSubstr("elements are nested more than 256 deep"));
  EXPECT_THAT(error_of(nested(100'000)), HasSubstr("column 769: elements are nested"));
}

TEST(XmlReader, ATagOrCommentOrPrologThatFillsMemoryIsRefused) {
  const std::string much(20 << 20, 'x');
  EXPECT_THAT(error_of("<a><b c='" + much + "'/></a>"),
              HasSubstr("a tag or comment of more than 16 MB"));
  EXPECT_THAT(error_of("<a>" + much + "<!--" + much + "--></a>"),
              HasSubstr("a tag or comment of more than 16 MB"));
  EXPECT_THAT(error_of(std::string(20 << 20, '\n') + "<a/>"),
              HasSubstr("the first element comes after more than 16 MB"));
}

TEST(XmlReader, WhatAHandlerThrowsComesOut) {
  class Refusing : public Recorder {
    void text(std::string_view) override { throw Error("refused"); }
  };
  const TemporaryFolder folder;
  Refusing handler;
  EXPECT_THROW(
      read_xml(folder.write("a.xml", "<a>x<b>y</b></a>").string(), handler, [](uint64_t) {}),
      Error);
  EXPECT_EQ(handler.told, "<a>");
}

}  // namespace
}  // namespace eatt::convert
