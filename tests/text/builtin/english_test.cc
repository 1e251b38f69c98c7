#include <gtest/gtest.h>

#include "builtin/zh_en/lexicon.h"

namespace eatt::builtin::english {
namespace {

Words words(std::initializer_list<const char*> texts) {
  Words result;
  for (const char* text : texts) result.push_back({text});
  return result;
}

TEST(English, PluralsAreRegularOrKnown) {
  EXPECT_EQ(plural("book"), "books");
  EXPECT_EQ(plural("watch"), "watches");
  EXPECT_EQ(plural("box"), "boxes");
  EXPECT_EQ(plural("dictionary"), "dictionaries");
  EXPECT_EQ(plural("monkey"), "monkeys");
  EXPECT_EQ(plural("police officer"), "police officers");
  EXPECT_EQ(plural("child"), "children");
  EXPECT_EQ(plural("woman"), "women");
  EXPECT_EQ(plural("knife"), "knives");
  EXPECT_EQ(plural("potato"), "potatoes");
  EXPECT_EQ(plural("photo"), "photos");
  EXPECT_EQ(plural("sheep"), "sheep");
}

TEST(English, VerbsAreInflectedAtTheirFirstWord) {
  EXPECT_EQ(inflect("listen to", Form::past), "listened to");
  EXPECT_EQ(inflect("take care of", Form::gerund), "taking care of");
  EXPECT_EQ(inflect("go home", Form::third_person), "goes home");
  EXPECT_EQ(inflect("be to", Form::participle), "been to");
}

TEST(English, RegularVerbsFollowTheSpellingRules) {
  EXPECT_EQ(inflect("study", Form::third_person), "studies");
  EXPECT_EQ(inflect("study", Form::past), "studied");
  EXPECT_EQ(inflect("study", Form::gerund), "studying");
  EXPECT_EQ(inflect("play", Form::third_person), "plays");
  EXPECT_EQ(inflect("wash", Form::third_person), "washes");
  EXPECT_EQ(inflect("prepare", Form::past), "prepared");
  EXPECT_EQ(inflect("prepare", Form::gerund), "preparing");
  EXPECT_EQ(inflect("chat", Form::past), "chatted");
  EXPECT_EQ(inflect("swim", Form::gerund), "swimming");
  EXPECT_EQ(inflect("listen", Form::gerund), "listening");
}

TEST(English, IrregularVerbsTellPastFromParticiple) {
  EXPECT_EQ(inflect("write", Form::past), "wrote");
  EXPECT_EQ(inflect("write", Form::participle), "written");
  EXPECT_EQ(inflect("draw", Form::participle), "drawn");
  EXPECT_EQ(inflect("have", Form::third_person), "has");
}

TEST(English, ShortAdjectivesTakeErAndLongOnesTakeMore) {
  EXPECT_EQ(comparative("tall"), "taller");
  EXPECT_EQ(comparative("big"), "bigger");
  EXPECT_EQ(comparative("brave"), "braver");
  EXPECT_EQ(comparative("friendly"), "friendlier");
  EXPECT_EQ(comparative("famous"), "more famous");
  EXPECT_EQ(superlative("young"), "youngest");
  EXPECT_EQ(superlative("honest"), "most honest");
}

TEST(English, TheArticleGoesByTheSoundOfTheNextWord) {
  Words sentence = words({"a", "egg", "a", "book", "a", "honest", "a", "university", "a", "old"});
  correct_articles(sentence);
  EXPECT_EQ(sentence[0].text, "an");
  EXPECT_EQ(sentence[2].text, "a");
  EXPECT_EQ(sentence[4].text, "an");
  EXPECT_EQ(sentence[6].text, "a");
  EXPECT_EQ(sentence[8].text, "an");
}

TEST(English, SentencesStartWithACapital) {
  Words sentence = words({"the", "book"});
  capitalize(sentence);
  EXPECT_EQ(sentence[0].text, "The");
  EXPECT_EQ(sentence[1].text, "book");
}

}  // namespace
}  // namespace eatt::builtin::english
