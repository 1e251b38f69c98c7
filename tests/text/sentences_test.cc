#include "text/sentences/sentences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "base/text/unicode.h"

namespace eatt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Texts = std::vector<std::string>;

Texts split(std::string_view text, std::string_view language = "") {
  Texts sentences;
  for (const TextRange range : SentenceSplitter(language).split(text)) {
    sentences.emplace_back(range.of(text));
  }
  return sentences;
}

// Sentences joined by a space are found again; alone each stays whole.
void expect_found(std::string_view language, const Texts& sentences, std::string_view space = " ") {
  std::string joined;
  for (const std::string& sentence : sentences) {
    EXPECT_THAT(split(sentence, language), ElementsAre(sentence)) << language;
    if (!joined.empty()) joined += space;
    joined += sentence;
  }
  EXPECT_EQ(split(joined, language), sentences) << language << ": " << joined;
}

TEST(Sentences, EndAtPointsQuestionsAndExclamations) {
  EXPECT_THAT(split("One. Two? Three! Four"), ElementsAre("One.", "Two?", "Three!", "Four"));
  EXPECT_THAT(split("What?! Never!!! Well."), ElementsAre("What?!", "Never!!!", "Well."));
  EXPECT_THAT(split(""), IsEmpty());
  EXPECT_THAT(split(" \t "), IsEmpty());
  EXPECT_THAT(split("no mark at all"), ElementsAre("no mark at all"));
}

TEST(Sentences, RangesLeaveOutOnlyWhiteSpace) {
  const std::string text = "  One.  Two?\tThree!\u3000四。五 ";
  const auto ranges = SentenceSplitter().split(text);
  ASSERT_EQ(ranges.size(), 5u);
  EXPECT_EQ(ranges[0], (TextRange{2, 6}));
  EXPECT_EQ(ranges[1], (TextRange{8, 12}));
  EXPECT_EQ(ranges[3].end, ranges[4].begin);
  size_t end = 0;
  for (const TextRange range : ranges) {
    EXPECT_EQ(strip(text.substr(end, range.begin - end)), "");
    end = range.end;
  }
  EXPECT_EQ(strip(text.substr(end)), "");
}

TEST(Sentences, ClosingQuotesAndBracketsBelongToTheSentence) {
  EXPECT_THAT(split("He said \"go.\" (Then out.) [So.] Bye."),
              ElementsAre("He said \"go.\"", "(Then out.)", "[So.]", "Bye."));
  EXPECT_THAT(split("“Go.” ‘No!’ Then."), ElementsAre("“Go.”", "‘No!’", "Then."));
  EXPECT_THAT(split("Er rief: „Komm!“ Sie kam. »Nein.« Ende.", "de"),
              ElementsAre("Er rief: „Komm!“", "Sie kam.", "»Nein.«", "Ende."));
  EXPECT_THAT(split("Il dit : « Viens ! » Elle vient.", "fr"),
              ElementsAre("Il dit : « Viens ! »", "Elle vient."));
}

TEST(Sentences, AContinuationInLowerCaseEndsNothing) {
  EXPECT_THAT(split("\"Why?\" he asked. Yahoo! is old... and slow."),
              ElementsAre("\"Why?\" he asked.", "Yahoo! is old... and slow."));
  EXPECT_THAT(split("Wait... What is it? I… we left."),
              ElementsAre("Wait...", "What is it?", "I… we left."));
  EXPECT_THAT(split("He left (why?) and [...] The end."),
              ElementsAre("He left (why?) and [...] The end."));
}

TEST(Sentences, TokenizedTextHasItsMarksAlone) {
  EXPECT_THAT(split("Tom left . He was late ! Why ? I see ."),
              ElementsAre("Tom left .", "He was late !", "Why ?", "I see ."));
  EXPECT_THAT(split("he left . she said , no ? yes ."),
              ElementsAre("he left .", "she said , no ?", "yes ."))
      << "in lower case";
  EXPECT_THAT(split("He said : \" Go . \" Then he left ."),
              ElementsAre("He said : \" Go . \"", "Then he left ."));
  EXPECT_THAT(split("He left . \" Go \" he said ."),
              ElementsAre("He left .", "\" Go \" he said ."));
  EXPECT_THAT(split("&quot; Go . &quot; Then ."), ElementsAre("&quot; Go . &quot;", "Then ."));
  EXPECT_THAT(split("Es gilt Nr . 5 . Gut .", "de"), ElementsAre("Es gilt Nr . 5 .", "Gut ."));
  EXPECT_THAT(split("他 喜欢 音乐 。 你 呢 ? 我 也 喜欢 。", "zh"),
              ElementsAre("他 喜欢 音乐 。", "你 呢 ?", "我 也 喜欢 。"));
}

TEST(Sentences, InitialsNumbersAddressesAndListItemsEndNothing) {
  EXPECT_THAT(split("J. R. R. Tolkien wrote it. J.R. Smith and H. G. Wells read it.", "en"),
              ElementsAre("J. R. R. Tolkien wrote it.", "J.R. Smith and H. G. Wells read it."));
  EXPECT_THAT(split("It is 3.14. It costs 2.50 or .99 a piece."),
              ElementsAre("It is 3.14.", "It costs 2.50 or .99 a piece."));
  EXPECT_THAT(split("See www.eatt.org. Mail a.b@c.org! Open notes.v2.txt. Why?x=1"),
              ElementsAre("See www.eatt.org.", "Mail a.b@c.org!", "Open notes.v2.txt.", "Why?x=1"));
  EXPECT_THAT(split("1. Foo is here. 2. Bar is not. A. One. II. Two."),
              ElementsAre("1. Foo is here.", "2. Bar is not.", "A. One.", "II. Two."));
  EXPECT_THAT(split("Steps: 1. Foo it. 2. Bar it."),
              ElementsAre("Steps: 1. Foo it.", "2. Bar it."));
  EXPECT_THAT(split("1 . Foo is here . Bar ."), ElementsAre("1 . Foo is here .", "Bar ."));
  EXPECT_THAT(split("It is plan B. The others failed.", "en"),
              ElementsAre("It is plan B.", "The others failed."));
}

TEST(Sentences, English) {
  expect_found("en", {"Mr. and Mrs. Brown met Dr. Smith vs. Prof. Jones.",
                      "The train left at 9:30 p.m. on Jan. 5 from St. Louis.", "He paid 3.5 m.",
                      "It is No. 5 in the U.S. Army, i.e. the best.",
                      "Acme Inc. Chairman Lee said so etc.", "The U.S. won at 8 a.m.", "He was 25.",
                      "Then \"we left.\"", "Is it so?", "(Yes, it is.)"});
  EXPECT_THAT(split("Come at 9:30 p.m. He said no. 5 people left.", "en"),
              ElementsAre("Come at 9:30 p.m.", "He said no.", "5 people left."));
}

TEST(Sentences, German) {
  expect_found("de", {"Am 1. Mai und am 14.-16. Juni 2010 kam Dr. Meier, d. h. zu spät.",
                      "Das kostet z. B. 20 Mio. Euro bzw. 3,5 Mrd. Dollar.",
                      "Im 19. Jahrhundert regierte Wilhelm II. König war er nicht.", "Er ist 25.",
                      "Der Mann ging 1990.", "Siehe S. 12 und Abb. 3 usw.", "Die Straße ist lang.",
                      "„Komm!“, rief sie."});
}

TEST(Sentences, French) {
  expect_found("fr",
               {"M. Le Pen et Mme. Durand sont là.", "J.-P. Sartre écrit p. ex. un livre, etc.",
                "Pourquoi ?", "« C'est fini ! » dit-il.", "Il part à 9 h. ou 10 h. du soir.",
                "L'homme est né au n° 5, p. 12."});
}

TEST(Sentences, Spanish) {
  expect_found("es", {"El Sr. García vive en EE.UU. desde 1990.", "¿Qué hora es?", "¡No lo sé!",
                      "La Dra. López dijo: «Ven».", "Véase la pág. 5 y el art. 7."});
}

TEST(Sentences, Czech) {
  expect_found("cs", {"Dne 1. května přijel Ing. Novák, tj. ředitel.",
                      "Stojí 20 tis. Kč, tzn. málo.", "Proč?", "Viz str. 5 a č. 7.",
                      "V roce 1990 to bylo atd.", "Ale Karel IV. Lucemburský ne."});
}

TEST(Sentences, Russian) {
  expect_found("ru", {"А. С. Пушкин родился в 1799 г. в Москве.",
                      "Он жил на ул. Ленина, т. е. здесь.", "Это стоит 5 тыс. руб. и т. д.",
                      "Почему?", "«Иди!» — сказал он.", "См. рис. 5 и стр. 7."});
}

TEST(Sentences, Vietnamese) {
  expect_found("vi", {"TS. Nguyễn sống ở TP. Hồ Chí Minh.", "Anh ấy thích nhạc, phim, v.v.",
                      "Tại sao ?", "Tôi không biết .", "Đó là điều tốt !"});
}

TEST(Sentences, Chinese) {
  expect_found("zh",
               {"他来了。", "你好吗？", "太好了！！", "他说：“我们走吧！”",
                "价格是3.14元；很贵……是吗？", "《你好吗？》是一本书。"},
               "");
  EXPECT_THAT(split("“走吧！”他说。“好。”", "zh"), ElementsAre("“走吧！”他说。", "“好。”"))
      << "who said it belongs to what was said";
  EXPECT_THAT(split("“走吧！”大家都走了。", "zh"), ElementsAre("“走吧！”", "大家都走了。"));
  EXPECT_THAT(split("你好吗?我很好!他来了.她走了", "zh"),
              ElementsAre("你好吗?", "我很好!", "他来了.", "她走了"))
      << "with marks of ASCII";
}

TEST(Sentences, Japanese) {
  expect_found(
      "ja", {"彼は来た。", "元気ですか？", "「行こう。」と言った。", "すごい！", "３．１４です。"},
      "");
}

TEST(Sentences, ArabicHindiAndOthers) {
  expect_found("ar", {"كيف حالك؟", "أنا بخير.", "جاء د. أحمد أمس.", "شكرا!"});
  expect_found("ur", {"وہ آیا۔", "کیوں؟"});
  expect_found("hi", {"वह आया।", "डॉ. शर्मा कहाँ हैं?", "मुझे नहीं पता।"});
  EXPECT_THAT(split("वह आया।वह गया।", "hi"), ElementsAre("वह आया।", "वह गया।"));
  expect_found("hy", {"Նա եկավ։", "Ես գնացի։"});
  expect_found("am", {"እሱ መጣ።", "እሷ ሄደች።"});
  expect_found("km", {"គាត់មក។", "នាងទៅ។"});
  expect_found("ko", {"그는 왔다.", "왜 그래?", "몰라요!"});
  expect_found("el", {"Τι κάνεις;", "Είμαι καλά."});
  EXPECT_THAT(split("เขามาเมื่อ พ.ศ. 2560 กับ ดร. สมชาย แล้ว", "th"),
              ElementsAre("เขามาเมื่อ พ.ศ. 2560 กับ ดร. สมชาย แล้ว"));
}

TEST(Sentences, WithoutALanguageTheListsOfAllLanguagesAreUsed) {
  for (const std::string language : {"", "und", "xx"}) {
    expect_found(language, {"Mr. Brown met Frl. Meier and Sra. López.", "He put it on.",
                            "Then he left.", "他来了。", "Кто это?"});
  }
  EXPECT_THAT(split("am 1. Mai kam er.", "de-AT"), ElementsAre("am 1. Mai kam er."));
}

TEST(Sentences, NoBreakSpacesKeepPointsTogether) {
  EXPECT_THAT(split("Der Anm.\u00a0Meier kam. Gut."),
              ElementsAre("Der Anm.\u00a0Meier kam.", "Gut."));
}

TEST(Sentences, TextThatIsNotUtf8IsSplitToo) {
  EXPECT_THAT(split("\xff\xfe. One.\xe4 Two. \xe4\xb8"),
              ElementsAre("\xff\xfe.", "One.\xe4 Two.", "\xe4\xb8"));
}

TEST(Sentences, AreJoinedWithoutASpaceInChineseAndJapanese) {
  EXPECT_TRUE(joins_without_space("你好", "他"));
  EXPECT_TRUE(joins_without_space("OK。", "他"));
  EXPECT_TRUE(joins_without_space("ｏｋ！", "OK"));
  EXPECT_TRUE(joins_without_space("你好!", "他"));
  EXPECT_FALSE(joins_without_space("你 好 。", "他")) << "tokenized";
  EXPECT_FALSE(joins_without_space("你好 ok", "他"));
  EXPECT_FALSE(joins_without_space("한국어", "한"));
  EXPECT_FALSE(joins_without_space("Yes.", "No."));
  EXPECT_FALSE(joins_without_space("", "No."));
}

TEST(Sentences, MegabytesTakeLittleTime) {
  for (const std::string unit : {"a", "a. ", "A. ", ". ", ".", "? ! ", ".\" ", "( . ", " ", ".  ",
                                 "\" . ", "。", "1. ", "...a ", "a/", "- . "}) {
    std::string text;
    while (text.size() < (1 << 20)) text += unit;
    const auto start = std::chrono::steady_clock::now();
    EXPECT_NO_THROW(split(text)) << unit;
    // Milliseconds are usual; work that grew with the square of the length would take minutes.
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20)) << unit;
  }
}

}  // namespace
}  // namespace eatt
