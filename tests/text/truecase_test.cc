#include "text/truecase/truecase.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "base/error.h"
#include "support/files.h"

namespace eatt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::string_view kModel =
    "the (90/100) The (8) THE (2)\n"
    "house (5/5)\n"
    "Paris (7/7)\n"
    "McDonald (2/3) MCDONALD (1)\n"
    "I (9/9)\n"
    "élan (1/1)\n";

Truecaser truecaser(std::string_view model = kModel, TextForm form = TextForm::tokenized) {
  std::istringstream stream{std::string(model)};
  return Truecaser(stream, "model", form);
}

std::string refusal_of(std::string_view model) {
  try {
    truecaser(model);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Truecase, TheFirstWordTakesItsMostFrequentForm) {
  const Truecaser tc = truecaser();
  EXPECT_EQ(tc.apply("The house"), "the house");
  EXPECT_EQ(tc.apply("THE house"), "the house");
  EXPECT_EQ(tc.apply("Paris burns"), "Paris burns");
  EXPECT_EQ(tc.apply("paris burns"), "Paris burns");
  EXPECT_EQ(tc.apply("Élan !"), "élan !");
}

TEST(Truecase, WordsInsideASentenceKeepAFormThatIsKnown) {
  EXPECT_EQ(truecaser().apply("x The THE MCDONALD"), "x The THE MCDONALD");
}

TEST(Truecase, WordsInsideASentenceInAnUnknownFormTakeTheMostFrequentOne) {
  EXPECT_EQ(truecaser().apply("x tHe HOUSE mcdonald i"), "x the house McDonald I");
}

TEST(Truecase, UnknownWordsStayAsTheyAre) {
  EXPECT_EQ(truecaser().apply("Zebra Zoo . Zulu"), "Zebra Zoo . Zulu");
}

TEST(Truecase, SentencesBeginAfterAPeriodColonQuestionOrExclamationMark) {
  const Truecaser tc = truecaser();
  EXPECT_EQ(tc.apply("x . The : The ? The ! The"), "x . the : the ? the ! the");
  EXPECT_EQ(tc.apply("x ; The , The ... The 。 The"), "x ; The , The ... The 。 The");
}

TEST(Truecase, QuotesAndBracketsAtTheStartLeaveTheNextWordTheFirst) {
  const Truecaser tc = truecaser();
  EXPECT_EQ(tc.apply("( [ \" ' The"), "( [ \" ' the");
  EXPECT_EQ(tc.apply("&quot; &apos; &#91; &#93; The"), "&quot; &apos; &#91; &#93; the");
  EXPECT_EQ(tc.apply("x . \" The"), "x . \" the");
  EXPECT_EQ(tc.apply("x \" The"), "x \" The");
  EXPECT_EQ(tc.apply("{ The"), "{ The");  // Not one of Moses' openers.
}

TEST(Truecase, WhiteSpaceAndMarkupCharactersSurvive) {
  const Truecaser tc = truecaser();
  EXPECT_EQ(tc.apply("  The\t\thouse\u00A0THE \r"), "  the\t\thouse\u00A0THE \r");
  EXPECT_EQ(tc.apply("The|DT <b> The </b> a<b c>d | ||"), "The|DT <b> The </b> a<b c>d | ||");
  EXPECT_EQ(tc.apply(""), "");
  EXPECT_EQ(tc.apply("   "), "   ");
}

TEST(Truecase, BytesThatAreNotUtf8Survive) {
  EXPECT_EQ(truecaser().apply("The\xFF The \xE2\x80"), "The\xFF The \xE2\x80");
}

TEST(Truecase, UndoCapitalizesSentenceStarts) {
  EXPECT_EQ(undo_truecase("the end . it : was ? good ! bye"), "The end . It : Was ? Good ! Bye");
  EXPECT_EQ(undo_truecase("( \" &quot; the end"), "( \" &quot; The end");
  EXPECT_EQ(undo_truecase("  élan\tvital "), "  Élan\tvital ");
  EXPECT_EQ(undo_truecase(""), "");
}

TEST(Truecase, UndoGivesBackASentenceThatBeganWithACapital) {
  const Truecaser tc = truecaser();
  for (const std::string sentence :
       {"The house in Paris . The end", "\" The house ! \" I said", "Paris : The McDonald",
        "Zebra the THE", "( The ) x", "Élan"}) {
    EXPECT_EQ(undo_truecase(tc.apply(sentence)), sentence);
  }
}

TEST(Truecase, ReadsModelsWithPartialCountsWindowsLineEndsAndNoFinalLineEnd) {
  const Truecaser tc = truecaser("the (1.1/1.3) The (0.2)\r\nParis (1e+15/1e+15)");
  EXPECT_EQ(tc.apply("The PARIS The"), "the Paris The");
}

TEST(Truecase, OfTwoModelLinesForOneWordTheLaterDecides) {
  const Truecaser tc = truecaser("us (2/2)\nUS (3/3)\n");
  EXPECT_EQ(tc.apply("us us US"), "US us US");
}

TEST(Truecase, AnEmptyModelChangesNothing) {
  EXPECT_EQ(truecaser("").apply("The House"), "The House");
}

TEST(Truecase, DamagedModelLinesAreNamedWithWhatWasFoundAndExpected) {
  EXPECT_THAT(refusal_of("the (1/1)\nhouse\n"),
              AllOf(HasSubstr("model: line 2"), HasSubstr("'house' without a count"),
                    HasSubstr("expected `word (count/total)")));
  EXPECT_THAT(refusal_of("the (1)\n"), HasSubstr("line 1: found the count '(1)'"));
  EXPECT_THAT(refusal_of("the (1/0)\n"), HasSubstr("found the count '(1/0)'"));
  EXPECT_THAT(refusal_of("the (1/1x)\n"), HasSubstr("found the count '(1/1x)'"));
  EXPECT_THAT(refusal_of("the (/)\n"), HasSubstr("found the count '(/)'"));
  EXPECT_THAT(refusal_of("the /\n"), HasSubstr("found the count '/'"));
  EXPECT_THAT(refusal_of("the (2/3) The\n"), HasSubstr("'The' without a count"));
  EXPECT_THAT(refusal_of("the (2/3) The (1/3)\n"), HasSubstr("found the count '(1/3)'"));
  EXPECT_THAT(refusal_of("the (2/2)\n\n"), HasSubstr("line 2: found an empty line"));
  EXPECT_THAT(refusal_of("th\xFF (2/2)\n"), HasSubstr("not UTF-8"));
}

TEST(Truecase, AMissingModelSaysHowToMakeOne) {
  const testing::TemporaryFolder folder;
  try {
    const Truecaser tc(folder / "absent");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("absent"), HasSubstr("truecase train")));
  }
}

TEST(Truecase, AFolderInPlaceOfAModelIsAnError) {
  const testing::TemporaryFolder folder;
  EXPECT_THROW(Truecaser{folder.path()}, Error);
}

TEST(TruecaseRawText, PunctuationThatSticksToWordsIsLookedThrough) {
  const Truecaser tc = truecaser(kModel, TextForm::raw);
  EXPECT_EQ(tc.apply("“The house!” The (HOUSE), x."), "“the house!” the (house), x.");
  EXPECT_EQ(tc.apply("- The house: Paris, The"), "- the house: Paris, The");
  EXPECT_EQ(undo_truecase("„the house“ is „his“. the end…", TextForm::raw),
            "„The house“ is „his“. The end…");
  EXPECT_EQ(undo_truecase("¿dónde? ¡ahí!", TextForm::raw), "¿Dónde? ¡Ahí!");
}

TEST(TruecaseRawText, AbbreviationsDoNotEndASentence) {
  for (const std::string text : {"In the U.S. the J. house", "Am 18. bis", "The Foo Inc., which"}) {
    EXPECT_EQ(undo_truecase(text, TextForm::raw), text);
  }
  EXPECT_EQ(undo_truecase("It was 1999. the end", TextForm::raw), "It was 1999. The end");
}

}  // namespace
}  // namespace eatt
