#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "convert/converted.h"

namespace eatt::convert {
namespace {

using testing::convert_text;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::ThrowsMessage;

std::string xliff_1(
    std::string_view units,
    std::string_view languages = "source-language=\"en-US\" target-language=\"de\"") {
  return "<xliff version=\"1.2\" xmlns=\"urn:oasis:names:tc:xliff:document:1.2\"><file "
         "original=\"a.html\" datatype=\"html\" " +
         std::string(languages) + "><header><note>about it</note></header><body>" +
         std::string(units) + "</body></file></xliff>";
}

std::string xliff_2(std::string_view units) {
  return "<xliff version=\"2.0\" xmlns=\"urn:oasis:names:tc:xliff:document:2.0\" srcLang=\"en\" "
         "trgLang=\"de-CH\"><file id=\"f1\">" +
         std::string(units) + "</file></xliff>";
}

TEST(Xliff1, UnitsBecomePairsWhateverTheirGroups) {
  const auto result = convert_text(
      xliff_1("<trans-unit id=\"1\"><source>One.</source><target>Eins.</target></trans-unit>"
              "<group><group><trans-unit id=\"2\"><source>Two.</source><target>Zwei.</target>"
              "<note>not text</note></trans-unit></group></group>"));
  EXPECT_THAT(result.pairs, ElementsAre(Pair("One.", "Eins."), Pair("Two.", "Zwei.")));
}

TEST(Xliff1, InlineElementsKeepTheirTextAndNotTheirCodes) {
  const auto result = convert_text(xliff_1(
      "<trans-unit id=\"1\"><source>Press <g id=\"1\">Start</g><x id=\"2\" ctype=\"lb\"/>to "
      "<bx id=\"3\"/>go<ex id=\"3\"/> <ph id=\"4\">&lt;img&gt;</ph>on.</source><target><mrk "
      "mtype=\"seg\" mid=\"0\">Weiter <bpt id=\"5\">&lt;b&gt;</bpt>mit<ept "
      "id=\"5\">&lt;/b&gt;</ept></mrk> <mrk mtype=\"seg\" mid=\"1\">Start.</mrk></target>"
      "</trans-unit>"));
  EXPECT_THAT(result.pairs, ElementsAre(Pair("Press Start to go on.", "Weiter mit Start.")));
}

TEST(Xliff1, SuggestionsAndSegmentedSourcesAreNotPairs) {
  const auto result = convert_text(
      xliff_1("<trans-unit id=\"1\"><source>One.</source><seg-source><mrk mtype=\"seg\">One!</mrk>"
              "</seg-source><target>Eins.</target><alt-trans><source>Won.</source><target>Gewonnen."
              "</target></alt-trans></trans-unit>"));
  EXPECT_THAT(result.pairs, ElementsAre(Pair("One.", "Eins.")));
}

TEST(Xliff1, WhatIsNotTranslatedYetIsSkipped) {
  const auto result = convert_text(xliff_1(
      "<trans-unit id=\"1\"><source>a</source><target state=\"new\">a</target></trans-unit>"
      "<trans-unit id=\"2\"><source>b</source><target state=\"needs-translation\">b</target>"
      "</trans-unit><trans-unit id=\"3\"><source>c</source></trans-unit>"
      "<trans-unit id=\"4\"><source>d</source><target/></trans-unit>"
      "<trans-unit id=\"5\"><source>e</source><target state=\"final\">E</target></trans-unit>"));
  EXPECT_THAT(result.pairs, ElementsAre(Pair("e", "E")));
  EXPECT_EQ(result.counts[Skipped::untranslated], 2u);
  EXPECT_EQ(result.counts[Skipped::no_target], 1u);
  EXPECT_EQ(result.counts[Skipped::empty], 1u);
}

TEST(Xliff1, AFileInTheOtherDirectionIsTurnedAround) {
  const std::string units =
      "<trans-unit id=\"1\"><source>Eins.</source><target>One.</target></trans-unit>";
  const auto turned =
      convert_text(xliff_1(units, "source-language=\"de\" target-language=\"en-GB\""));
  EXPECT_THAT(turned.pairs, ElementsAre(Pair("One.", "Eins.")));
  const auto without_target = convert_text(xliff_1(units, "source-language=\"en\""));
  EXPECT_THAT(without_target.pairs, ElementsAre(Pair("Eins.", "One.")));
  EXPECT_THAT(
      [&] { convert_text(xliff_1(units, "source-language=\"fr\" target-language=\"es\"")); },
      ThrowsMessage<Error>(HasSubstr("the languages found are es, fr")));
}

TEST(Xliff1, NamespacePrefixesDoNotMatter) {
  const auto result = convert_text(
      "<x:xliff xmlns:x=\"urn:oasis:names:tc:xliff:document:1.2\"><x:file source-language=\"en\" "
      "target-language=\"de\"><x:body><x:trans-unit><x:source>One.</x:source><x:target>Eins."
      "</x:target></x:trans-unit></x:body></x:file></x:xliff>");
  EXPECT_THAT(result.pairs, ElementsAre(Pair("One.", "Eins.")));
}

TEST(Xliff2, EverySegmentOfAUnitIsAPair) {
  const auto result = convert_text(xliff_2(
      "<unit id=\"u1\"><originalData><data id=\"d\">&lt;br&gt;</data></originalData>"
      "<segment id=\"s1\"><source>One.</source><target>Eins.</target></segment>"
      "<ignorable><source> </source><target> </target></ignorable>"
      "<segment state=\"final\"><source><pc id=\"1\">Two</pc><ph id=\"2\" subType=\"xlf:lb\"/>and "
      "<sc id=\"3\"/>three<ec startRef=\"3\"/>.</source><target>Zwei und <mrk id=\"m\">drei</mrk>."
      "</target></segment></unit>"));
  EXPECT_THAT(result.pairs,
              ElementsAre(Pair("One.", "Eins."), Pair("Two and three.", "Zwei und drei.")));
  EXPECT_EQ(result.counts.skipped, (std::array<uint64_t, kSkippedReasons>{}));
}

TEST(Xliff2, MatchesAreNotReadAndUnfinishedSegmentsAreCounted) {
  const auto result = convert_text(xliff_2(
      "<unit id=\"u1\"><mtc:matches xmlns:mtc=\"urn:m\"><mtc:match><source>no</source><target>nein"
      "</target></mtc:match></mtc:matches><segment><source>yes</source><target>ja</target>"
      "</segment><segment><source>not yet</source></segment><segment state=\"initial\"><source>"
      "copied</source><target>copied</target></segment></unit>"));
  EXPECT_THAT(result.pairs, ElementsAre(Pair("yes", "ja")));
  EXPECT_EQ(result.counts[Skipped::no_target], 1u);
  EXPECT_EQ(result.counts[Skipped::untranslated], 1u);
}

}  // namespace
}  // namespace eatt::convert
