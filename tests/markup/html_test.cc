// HTML in, HTML out: what is text, and where tags go.
#include <gmock/gmock.h>

#include "markup/aligned.h"
#include "markup/markup.h"

namespace eatt::markup {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Document html(std::string_view text, std::string_view language = "en") {
  return Document(text, {.html = true, .glossary = {}, .keep_placeholders = false}, language);
}

// The document whose translation is the text itself.
std::string echoed(std::string_view text) {
  const Document document = html(text);
  std::vector<Translation> translations;
  for (const std::string& part : document.texts()) translations.push_back(echo(part));
  return document.assemble(translations);
}

// Of a document with one text.
std::string translated(std::string_view text, std::string_view target,
                       const std::vector<int>& source_of) {
  const Document document = html(text);
  EXPECT_EQ(document.texts().size(), 1u);
  const Translation translation = aligned_translation(document.texts().front(), target, source_of);
  return document.assemble({&translation, 1});
}

TEST(Html, BlocksSeparateTextsAndInlineElementsDoNot) {
  EXPECT_THAT(html("<h1>One</h1>\n<p>Two <b>bold</b> words.</p><ul><li>A<li>B</ul>").texts(),
              ElementsAre("One", "Two bold words.", "A", "B"));
  EXPECT_THAT(html("<td>left<td>right").texts(), ElementsAre("left", "right"));
  EXPECT_THAT(html("one<br>two<br>\n<br>three").texts(), ElementsAre("one two", "three"));
}

TEST(Html, WhiteSpaceIsOneSpaceForTheModel) {
  EXPECT_THAT(html("<p>\n  a\n  <i>\tb </i> c\n</p>").texts(), ElementsAre("a b c"));
}

TEST(Html, ChineseLineBreaksBecomeNoSpaces) {
  EXPECT_THAT(html("你好<br>世界", "zh").texts(), ElementsAre("你好世界"));
}

TEST(Html, WhatIsNoTextStaysByteForByte) {
  for (const std::string_view same : {
           "<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8><style>b { c: d }</style>",
           "<script>if (a < b && c) document.write('<p>no</p>');</script>",
           "<pre>\n  keep   this\n</pre>",
           "<textarea>a <b> c</textarea>",
           "<p translate=\"no\">not <b>this</b></p>",
           "<div class='x notranslate y'><div>nor</div> this</div>",
           "<!-- a comment -->",
           "<![CDATA[ some <data> ]]>",
           "<td>&nbsp;</td><td> 42 </td><td>—</td>",
           "<p",
           "</",
           "<",
           "",
       }) {
    const Document document = html(same);
    EXPECT_THAT(document.texts(), IsEmpty()) << same;
    EXPECT_EQ(document.assemble({}), same);
  }
}

TEST(Html, TheTranslationOfEveryWordByItselfIsTheDocument) {
  for (const std::string_view same : {
           "<p class=\"a>b\" title='x'>Hello <b>bold</b> world.</p>",
           "<p><a href='?a=1&b=2'>Link</a>, <em>very <b>deep</b></em> text</p>",
           "One <img src=a.png alt='a <b>'> two",
           "Use <code>ls -l</code> to list.",
           "A <span translate=no>Big <i>Name</i></span> here",
           "5 &lt; 6 &amp; 7 &gt; 3 in words",
           "<B>Upper</B> case <x-tag y/> kept",
           "one <!-- note -->two",
           "H<sub>2</sub>O is water",
           "a &unknown; b",
       }) {
    EXPECT_EQ(echoed(same), same);
  }
}

TEST(Html, ReferencesAreCharactersForTheModelAndEscapedAgain) {
  EXPECT_THAT(html("caf&eacute; &#8212; &#x41;&amp;B &euro;5 & 2").texts(),
              ElementsAre("café — A&B €5 & 2"));
  EXPECT_EQ(echoed("a &quot;b&quot; &lt;c&gt;"), "a \"b\" &lt;c&gt;");
}

TEST(Html, ReferencesWithoutASemicolonAreWhatBrowsersShow) {
  EXPECT_EQ(echoed("&copy 2020 AT&ampT, 5 &lt 6 &#169 &#xa9!"), "© 2020 AT&amp;T, 5 &lt; 6 © ©!");
  EXPECT_EQ(echoed("&copyright and caf&eacute"), "©right and café");
  EXPECT_EQ(echoed("&hearts are names &nothing & &; &#x &#"),
            "&amp;hearts are names ¬hing &amp; &amp;; &amp;#x &amp;#");
}

TEST(Html, TagsFollowTheWordsTheyCover) {
  EXPECT_EQ(translated("the <b>red</b> house", "das rote Haus", {0, 1, 2}), "das <b>rote</b> Haus");
  EXPECT_EQ(translated("the <b>red</b> house", "la casa roja", {0, 2, 1}), "la casa <b>roja</b>");
  EXPECT_EQ(translated("<i>he <b>has</b></i> seen it", "it seen has he", {3, 2, 1, 0}),
            "it seen <i><b>has</b> he</i>");
  EXPECT_EQ(translated("<b>yes</b> and <i>no</i>", "no and yes", {2, 1, 0}),
            "<i>no</i> and <b>yes</b>");
}

TEST(Html, AnElementTakesTheRunWithMostOfItsWords) {
  // a1 x a2 a3: the first is too far away.
  EXPECT_EQ(translated("<b>a b c</b> d e", "A X Y B C", {0, 3, 4, 1, 2}), "A X Y <b>B C</b>");
  // A word that is aligned with nothing may stand between.
  EXPECT_EQ(translated("<b>a b</b> c", "A u B C", {0, -1, 1, 2}), "<b>A u B</b> C");
}

TEST(Html, AnElementWithoutAWordOfItsOwnStaysWhereItWas) {
  EXPECT_EQ(translated("I saw <b>the</b> man", "vidi hominem", {1, 3}), "vidi <b></b>hominem");
  EXPECT_EQ(translated("go <a name=x></a>home now", "nun heim gehen", {2, 1, 0}),
            "nun <a name=x></a>heim gehen");
}

TEST(Html, PunctuationStaysOutside) {
  EXPECT_EQ(translated("I am <b>here</b>.", "Ich bin <b>da</b>.", {0, 1, 2}).find("<b>"), 8u);
  EXPECT_EQ(translated("I am <b>here</b>.", "Ich bin da.", {0, 1, 2}), "Ich bin <b>da</b>.");
}

TEST(Html, VoidElementsStandNextToTheirNeighbours) {
  EXPECT_EQ(translated("one<br>two three", "eins drei zwei", {0, 2, 1}), "eins<br> drei zwei");
  EXPECT_EQ(translated("see <img src=i> here now", "nun hier sehen", {2, 1, 0}),
            "nun <img src=i> hier sehen");
}

TEST(Html, TagsThatDoNotNestEndATextAndStay) {
  for (const std::string_view same : {"<b>one <i>two</b> three</i> four", "one</b> two <i>three",
                                      "<a>one<p>two</a>three</p>", "x <b/>y</b> z"}) {
    EXPECT_EQ(echoed(same), same);
  }
  EXPECT_THAT(html("<p>one <b>two</p><p>three</b> four</p>").texts(),
              ElementsAre("one", "two", "three", "four"));
}

TEST(Html, ElementsOfAnyDepthAreRead) {
  std::string deep;
  for (int i = 0; i < 50'000; ++i) deep += "<b>x ";
  for (int i = 0; i < 50'000; ++i) deep += "</b>";
  EXPECT_EQ(echoed(deep), deep);
}

TEST(Html, AnEmptyTranslationKeepsAllTags) {
  Translation nothing;
  nothing.hypotheses.emplace_back();
  EXPECT_EQ(html("<p>a <b>b <i>c</i></b><br>d</p>").assemble({&nothing, 1}),
            "<p><b><i></i></b><br></p>");
}

}  // namespace
}  // namespace eatt::markup
