#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "convert/converted.h"

namespace eatt::convert {
namespace {

using ::testing::AllOf;
using testing::convert_text;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::ThrowsMessage;

// A memory of these units.
std::string tmx(std::string_view units) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE tmx SYSTEM \"tmx14.dtd\">\n"
         "<tmx version=\"1.4\"><header srclang=\"en\" segtype=\"sentence\"/><body>\n" +
         std::string(units) + "</body></tmx>\n";
}

// A unit in English and German.
std::string unit(std::string_view english, std::string_view german) {
  return "<tu><tuv xml:lang=\"en\"><seg>" + std::string(english) +
         "</seg></tuv><tuv xml:lang=\"de\"><seg>" + std::string(german) + "</seg></tuv></tu>\n";
}

TEST(Tmx, UnitsBecomePairsInTheirOrder) {
  const auto result = convert_text(tmx(unit("One.", "Eins.") + unit("Two &amp; three", "Zwei")));
  EXPECT_THAT(result.pairs, ElementsAre(Pair("One.", "Eins."), Pair("Two & three", "Zwei")));
  EXPECT_EQ(result.counts.pairs, 2u);
}

TEST(Tmx, EitherLanguageMayBeTheSource) {
  const auto result = convert_text(tmx(unit("One.", "Eins.")), "de", "en");
  EXPECT_THAT(result.pairs, ElementsAre(Pair("Eins.", "One.")));
}

TEST(Tmx, LanguagesMatchWithTheirRegionsAndInAnyCase) {
  const std::string memory =
      tmx("<tu><tuv xml:lang=\"EN-us\"><seg>colour, US</seg></tuv>"
          "<tuv lang=\"en-GB\"><seg>colour, GB</seg></tuv>"
          "<tuv xml:lang=\"deu\"><seg>not German by this tag</seg></tuv>"
          "<tuv xml:lang=\"de_AT\"><seg>Farbe</seg></tuv></tu>");
  EXPECT_THAT(convert_text(memory).pairs, ElementsAre(Pair("colour, US", "Farbe")));
  EXPECT_THAT(convert_text(memory, "en-GB").pairs, ElementsAre(Pair("colour, GB", "Farbe")));
}

TEST(Tmx, TheExactTagWinsOverAnEarlierRegion) {
  const std::string memory = tmx(
      "<tu><tuv xml:lang=\"en-US\"><seg>region</seg></tuv><tuv "
      "xml:lang=\"en\"><seg>exact</seg></tuv>"
      "<tuv xml:lang=\"en\"><seg>second</seg></tuv><tuv xml:lang=\"de\"><seg>ja</seg></tuv></tu>");
  EXPECT_THAT(convert_text(memory).pairs, ElementsAre(Pair("exact", "ja")));
}

TEST(Tmx, CodesOfOtherFormatsAreDroppedAndHighlightedTextIsKept) {
  const std::string english =
      "Press <bpt i=\"1\">&lt;b&gt;</bpt>Start<ept i=\"1\">&lt;/b&gt;</ept>, <hi>then</hi> "
      "<it pos=\"begin\">{\\i</it>wait<ph type=\"lb\">&lt;br/&gt;</ph>here"
      "<ph>&lt;img alt=\"<sub>a picture</sub>\"&gt;</ph>.";
  const auto result = convert_text(tmx(unit(english, "Gut.")));
  EXPECT_THAT(result.pairs, ElementsAre(Pair("Press Start, then wait here.", "Gut.")));
}

TEST(Tmx, ASegmentIsOneLineWithoutSpareWhiteSpace) {
  const auto result =
      convert_text(tmx(unit("\n  One\t\ttwo\r\n  three\xe2\x80\xa8"
                            "four&#10;five  ",
                            "10\xc2\xa0"
                            "km")));
  EXPECT_THAT(result.pairs, ElementsAre(Pair("One two three four five",
                                             "10\xc2\xa0"
                                             "km")));
}

TEST(Tmx, CommentsInstructionsAndCdataAreUnderstood) {
  const auto result =
      convert_text(tmx("<!-- <tu> --><?tool <tu?><prop>ignored</prop>" +
                       unit("<![CDATA[a < b && c]]>", "<!-- no -->klein<?x y?>er")));
  EXPECT_THAT(result.pairs, ElementsAre(Pair("a < b && c", "kleiner")));
}

TEST(Tmx, UnitsWithoutBothSidesAreSkippedAndCounted) {
  const auto result = convert_text(tmx(
      unit("kept", "behalten") + "<tu><tuv xml:lang=\"en\"><seg>alone</seg></tuv></tu>" +
      "<tu><tuv xml:lang=\"fr\"><seg>seul</seg></tuv><tuv xml:lang=\"de\"><seg>x</seg></tuv></tu>" +
      "<tu/>" + unit("empty", " \n ") + unit("", "leer")));
  EXPECT_EQ(result.counts.pairs, 1u);
  EXPECT_EQ(result.counts[Skipped::no_target], 1u);
  EXPECT_EQ(result.counts[Skipped::no_source], 2u);
  EXPECT_EQ(result.counts[Skipped::empty], 2u);
}

TEST(Tmx, AnOverLongSegmentIsSkipped) {
  const auto result =
      convert_text(tmx(unit("kept", "behalten") + unit(std::string(3 << 20, 'x'), "zu lang")));
  EXPECT_THAT(result.pairs, ElementsAre(Pair("kept", "behalten")));
  EXPECT_EQ(result.counts[Skipped::too_long], 1u);
}

TEST(Tmx, WithoutOnePairTheLanguagesFoundAreNamed) {
  const std::string memory =
      tmx("<tu><tuv xml:lang=\"fr-CA\"><seg>un</seg></tuv><tuv xml:lang=\"es\"><seg>uno</seg></tuv>"
          "</tu>");
  EXPECT_THAT([&] { convert_text(memory); },
              ThrowsMessage<Error>(AllOf(HasSubstr("no pair of en and de"),
                                         HasSubstr("the languages found are es, fr-CA"))));
}

}  // namespace
}  // namespace eatt::convert
