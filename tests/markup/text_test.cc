// Plain text: layout, placeholders and glossaries.
#include <gmock/gmock.h>

#include <ctime>

#include "base/error.h"
#include "markup/aligned.h"
#include "markup/markup.h"
#include "markup/placeholders.h"
#include "support/files.h"

namespace eatt::markup {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Document document_of(std::string_view text, std::vector<GlossaryEntry> glossary = {}) {
  auto terms = std::make_shared<const Glossary>(glossary);
  return Document(text, {.html = false, .glossary = std::move(terms), .keep_placeholders = true},
                  "en");
}

std::string translated(const Document& document, std::string_view target,
                       const std::vector<int>& source_of) {
  EXPECT_EQ(document.texts().size(), 1u);
  const Translation translation = aligned_translation(document.texts().front(), target, source_of);
  return document.assemble({&translation, 1});
}

TEST(PlainText, LayoutSurvives) {
  const std::string_view text = "\n  One line. And more.\r\n\r\n\tTwo\n   \n--- \nThree  \n\n";
  const Document document = document_of(text);
  EXPECT_THAT(document.texts(), ElementsAre("One line. And more.", "Two", "Three"));
  EXPECT_FALSE(document.needs_alignment());
  const std::vector<Translation> translations = {echo("Eins. Zwei."), echo("Z"), echo("D")};
  EXPECT_EQ(document.assemble(translations), "\n  Eins. Zwei.\r\n\r\n\tZ\n   \n--- \nD  \n\n");
}

TEST(PlainText, WhatIsNoHtmlIsNotEscaped) {
  const Document document = document_of("a < b & c");
  const Translation translation = echo(document.texts().front());
  EXPECT_EQ(document.assemble({&translation, 1}), "a < b & c");
}

std::vector<std::string> placeholders(std::string_view text) {
  std::vector<std::string> found;
  for (const TextRange& range : find_placeholders(text)) found.emplace_back(range.of(text));
  return found;
}

TEST(Placeholders, AddressesEndBeforeThePunctuationOfTheSentence) {
  EXPECT_THAT(placeholders("See https://a.org/x?y=1&z=%20, or (http://b.org/c_(d))."),
              ElementsAre("https://a.org/x?y=1&z=%20", "http://b.org/c_(d)"));
  EXPECT_THAT(placeholders("Mail first.last+tag@mail.example.org. Or www.x.org!"),
              ElementsAre("first.last+tag@mail.example.org", "www.x.org"));
  EXPECT_THAT(placeholders("请看https://a.org/b。谢谢"), ElementsAre("https://a.org/b"));
  EXPECT_THAT(placeholders("me@home, a@b@c, http://, www. x"), IsEmpty());
}

TEST(Placeholders, VariablesAndFormatsAreFound) {
  EXPECT_THAT(placeholders("Hi {name}, {{count}} of ${total} or %s, %1$d, %-5.2f and %(who)s %d%%"),
              ElementsAre("{name}", "{{count}}", "${total}", "%s", "%1$d", "%-5.2f", "%(who)s",
                          "%d", "%%"));
  EXPECT_THAT(
      placeholders("{n, plural, one {# file} other {# files}} <x id=\"1\"/> `ls -l` %USER%"),
      ElementsAre("{n, plural, one {# file} other {# files}}", "<x id=\"1\"/>", "`ls -l`",
                  "%USER%"));
}

TEST(Placeholders, OrdinaryTextHasNone) {
  EXPECT_THAT(placeholders("50% of 100 % did; a < b > c; it's 5 $ (no { brace); 20%discount"),
              IsEmpty());
}

TEST(Placeholders, AreCutOutAndPutBackByTheWordsAroundThem) {
  const Document document = document_of("Visit https://a.org now.");
  EXPECT_THAT(document.texts(), ElementsAre("Visit now."));
  EXPECT_TRUE(document.needs_alignment());
  EXPECT_EQ(translated(document, "Besuche jetzt.", {0, 1}), "Besuche https://a.org jetzt.");
  EXPECT_EQ(translated(document, "Jetzt besuchen.", {1, 0}), "Jetzt besuchen https://a.org.");
}

TEST(Placeholders, KeepTheSpacesTheyHad) {
  EXPECT_EQ(translated(document_of("Hello, {name}!"), "Hallo,!", {0}), "Hallo, {name}!");
  EXPECT_EQ(translated(document_of("You have %d messages"), "Sie haben Nachrichten", {0, 1, 2}),
            "Sie haben %d Nachrichten");
  EXPECT_EQ(translated(document_of("size: {a}{b} bytes"), "Größe: Bytes", {0, 1}),
            "Größe: {a}{b} Bytes");
  EXPECT_EQ(translated(document_of("Go to www.a.org"), "Gehe zu", {0, 1}), "Gehe zu www.a.org");
}

TEST(Placeholders, ALineOfNothingElseStays) {
  EXPECT_THAT(document_of("https://a.org\n{x} %s\n").texts(), IsEmpty());
}

TEST(GlossaryTerms, ReplaceTheWordsAlignedWithThem) {
  EXPECT_EQ(translated(document_of("the red house is old", {{"red house", "Rotes Haus"}}),
                       "das kleine Gebäude ist alt", {0, 1, 2, 3, 4}),
            "das Rotes Haus ist alt");
}

TEST(GlossaryTerms, AreLeftWhereTheTranslationHasThem) {
  // The alignment is wrong, but the term is there.
  EXPECT_EQ(translated(document_of("the house is old", {{"house", "Haus"}}), "das Haus ist alt",
                       {0, 2, 1, 3}),
            "das Haus ist alt");
}

TEST(GlossaryTerms, WithoutAWordAreInserted) {
  EXPECT_EQ(translated(document_of("a b c", {{"b", "B!"}}), "x y", {0, 2}), "x B! y");
}

TEST(GlossaryTerms, BeginASentenceWithACapital) {
  EXPECT_EQ(translated(document_of("Energy is low", {{"energy", "die Energie"}}), "Kraft ist klein",
                       {0, 1, 2}),
            "Die Energie ist klein");
}

TEST(GlossaryTerms, MatchWholeWordsTheLongestFirst) {
  const std::vector<GlossaryEntry> entries = {
      {"cat", "C"}, {"cat food", "CF"}, {"Apple", "A"}, {"机器", "M"}};
  const Glossary glossary(entries);
  const auto found = [&](std::string_view text) {
    std::vector<std::string> targets;
    for (const auto& match : glossary.find(text)) targets.push_back(*match.target);
    return targets;
  };
  EXPECT_THAT(found("A Cat, cat  FOOD and cats"), ElementsAre("C", "CF"));
  EXPECT_THAT(found("Apple apple APPLE"), ElementsAre("A"));
  EXPECT_THAT(found("用机器翻译"), ElementsAre("M"));
}

TEST(GlossaryTerms, ThatAreTheWholeTextNeedNoTranslation) {
  const Document document = document_of("  Cat\n", {{"cat", "Katze"}});
  EXPECT_THAT(document.texts(), IsEmpty());
  EXPECT_EQ(document.assemble({}), "  Katze\n");
}

TEST(GlossaryTerms, GoBeforeThoseOfAnotherGlossaryOfTheSameLength) {
  const std::vector<GlossaryEntry> file = {{"cat", "F"}, {"dog", "FD"}, {"cat food", "FF"}};
  const std::vector<GlossaryEntry> own = {{"cat", "O"}, {"dog bed", "OB"}};
  const Glossary glossary(own, std::make_shared<const Glossary>(file));
  std::vector<std::string> targets;
  for (const auto& match : glossary.find("cat dog cat food dog bed"))
    targets.push_back(*match.target);
  EXPECT_THAT(targets, ElementsAre("O", "FD", "FF", "OB"));
}

TEST(GlossaryTerms, ThatDifferInCapitalsAreFoundAsTheyAreWritten) {
  const std::vector<GlossaryEntry> entries = {
      {"us", "uns"}, {"US", "USA"}, {"New  York", "NY"}, {"new york city", "nyc"}, {"İzmir", "Z"}};
  const Glossary glossary(entries);
  const auto found = [&](std::string_view text) {
    std::vector<std::string> targets;
    for (const auto& match : glossary.find(text)) {
      targets.push_back(*match.target + "=" + std::string(match.source.of(text)));
    }
    return targets;
  };
  EXPECT_THAT(found("US, us, Us"), ElementsAre("USA=US", "uns=us", "uns=Us"));
  EXPECT_THAT(found("New \t York. New York  CITY, new York"),
              ElementsAre("NY=New \t York", "nyc=New York  CITY"));
  EXPECT_THAT(found("in İzmir"), ElementsAre("Z=İzmir"));
}

// Terms that begin alike share their way through the text.
TEST(GlossaryTerms, ThatBeginAlikeTakeNoLongerThanOne) {
  std::string text, begin;
  for (int i = 0; i < 5000; ++i) text += "中";
  std::vector<GlossaryEntry> entries;
  for (int i = 1; i < 100; ++i) entries.push_back({(begin += "中") + "国", "C"});
  const auto seconds = [&](std::span<const GlossaryEntry> terms) {
    const Glossary glossary(terms);
    const auto start = std::clock();
    EXPECT_THAT(glossary.find(text), IsEmpty());
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  const double one = seconds(std::span(entries).last(1));
  EXPECT_LT(seconds(entries), 10 * one + 0.01);  // It was 25 times as long.
}

TEST(GlossaryFile, IsReadLineByLine) {
  const testing::TemporaryFolder folder;
  const auto file = folder.write("terms.tsv", "# note\n\ncat\tKatze\n new york \tNew York\r\n");
  const auto entries = read_glossary(file.string());
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[1].source, "new york");
  EXPECT_EQ(entries[1].target, "New York");
}

TEST(GlossaryFile, WrongLinesAreNamed) {
  const testing::TemporaryFolder folder;
  const auto message_of = [&](std::string_view text) {
    const auto file = folder.write("terms.tsv", text);
    try {
      read_glossary(file.string());
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message_of("a\tb\nno tab\n"), HasSubstr("line 2 has no tab"));
  EXPECT_THAT(message_of("a\t \n"), HasSubstr("has no translation for 'a'"));
  EXPECT_THAT(message_of("a\tb\na\tc\n"), HasSubstr("another translation of 'a'"));
  EXPECT_THAT(message_of("a\tb\tc\n"), HasSubstr("tab"));
  const std::vector<GlossaryEntry> blank = {{"", "x"}};
  EXPECT_THROW(check_glossary(blank), UsageError);
}

}  // namespace
}  // namespace eatt::markup
