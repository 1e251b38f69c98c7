#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "support/files.h"
#include "text/truecase/truecase.h"

namespace eatt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The lines of the model learnt from `text`.
std::vector<std::string> model_of(std::initializer_list<std::string_view> text,
                                  TruecaseTrainingOptions options = {}) {
  TruecaseTraining training(options);
  for (const std::string_view line : text) training.add(line);
  const testing::TemporaryFolder folder;
  training.write(folder / "model");
  return testing::split_lines(testing::read_text(folder / "model"));
}

TEST(TruecaseTraining, CountsWordsAwayFromTheStartOfTheLine) {
  EXPECT_THAT(model_of({"The cat saw the dog", "A dog saw Paris"}),
              ElementsAre("cat (1/1)", "dog (2/2)", "Paris (1/1)", "saw (2/2)", "the (1/1)"));
}

TEST(TruecaseTraining, WritesTheMostFrequentFormFirstAndTheOthersByCount) {
  EXPECT_THAT(model_of({"x US us Us us US US", "x Us"}), ElementsAre("US (3/7) us (2) Us (2)"));
}

TEST(TruecaseTraining, OfEquallyFrequentFormsTheLowerCaseOneIsBest) {
  EXPECT_THAT(model_of({"x The the THE"}), ElementsAre("the (1/3) The (1) THE (1)"));
}

TEST(TruecaseTraining, WordsAfterASentenceEndInsideTheLineAreNotCounted) {
  // . : ? and ! are counted themselves; the word that follows is not.
  EXPECT_THAT(model_of({"Go . Stop : Run ? Walk ! Sit down"}),
              ElementsAre("! (1/1)", ". (1/1)", ": (1/1)", "? (1/1)", "down (1/1)"));
}

TEST(TruecaseTraining, OpenersAtTheStartOfTheLineAreSkippedAndTheNextWordIsTheFirst) {
  EXPECT_THAT(model_of({"&quot; ( [ ' Hello World"}), ElementsAre("World (1/1)"));
}

TEST(TruecaseTraining, AfterASentenceEndInsideTheLineAQuoteIsTheFirstWordAsInMoses) {
  // Only at the start of a line does Moses skip quotes; here Then counts as if inside a sentence.
  EXPECT_THAT(model_of({"Stop . \" Then go"}), ElementsAre(". (1/1)", "go (1/1)", "Then (1/1)"));
}

TEST(TruecaseTraining, FirstWordsInLowerCaseCountWhenAskedTo) {
  const TruecaseTrainingOptions options{.use_first_words = true};
  EXPECT_THAT(model_of({"the end", "The start", "iPhone sales"}, options),
              ElementsAre("end (1/1)", "iPhone (1/1)", "sales (1/1)", "start (1/1)", "the (1/1)"));
}

TEST(TruecaseTraining, ALoneCapitalizedWordCountsForATenthWhenAskedTo) {
  const TruecaseTrainingOptions options{.use_first_words = true};
  EXPECT_THAT(model_of({"Chapter", "Chapter", "Chapter", "chapter", "( Index"}, options),
              ElementsAre("chapter (1/1.3) Chapter (0.3)"));
  EXPECT_THAT(model_of({"Chapter"}), IsEmpty());
}

TEST(TruecaseTraining, TenTenthsAreOne) {
  TruecaseTraining training({.use_first_words = true});
  for (int i = 0; i < 10; ++i) training.add("Chapter");
  const testing::TemporaryFolder folder;
  training.write(folder / "model");
  EXPECT_EQ(testing::read_text(folder / "model"), "Chapter (1/1)\n");
}

TEST(TruecaseTraining, CaseIsUnicodes) {
  EXPECT_THAT(model_of({"x Élan élan ÉLAN élan", "x İzmir izmir"}),
              ElementsAre("izmir (1/1)", "İzmir (1/1)", "élan (2/4) Élan (1) ÉLAN (1)"));
}

TEST(TruecaseTraining, WordsThatAreNotUtf8AreLeftOutAndCounted) {
  TruecaseTraining training({});
  training.add("a b\xFF c\xFF d");
  EXPECT_EQ(training.invalid_words(), 2u);
  EXPECT_EQ(training.distinct_forms(), 1u);
}

TEST(TruecaseTraining, EmptyAndBlankLinesTeachNothing) {
  EXPECT_THAT(model_of({"", "  ", "\t\u3000"}), IsEmpty());
}

TEST(TruecaseTraining, InRawTextPunctuationIsLookedThrough) {
  const TruecaseTrainingOptions options{.form = TextForm::raw};
  EXPECT_THAT(model_of({"\"Well,\" he said. \"Go (now)!\" He went"}, options),
              ElementsAre("he (1/1)", "now (1/1)", "said (1/1)", "went (1/1)"));
}

}  // namespace
}  // namespace eatt
