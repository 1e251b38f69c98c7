#include "text/detokenize/detokenizer.h"

#include <gtest/gtest.h>

#include "support/files.h"

namespace eatt {
namespace {

std::string plain(std::string_view text, std::string_view language = "") {
  return Detokenizer(language).detokenize(text);
}

TEST(Detokenizer, PunctuationFollowsItsWord) {
  EXPECT_EQ(plain("Yes , I know : it is late ; go ! Why ?! Well ... ok ."),
            "Yes, I know: it is late; go! Why?! Well... ok.");
  EXPECT_EQ(plain("He ( Tom ) paid $ 5 [ or 10 % ] ."), "He (Tom) paid $5 [or 10%].");
  EXPECT_EQ(plain(""), "");
  EXPECT_EQ(plain("  a \t b  "), "a b");
}

TEST(Detokenizer, QuotesOpenAndClose) {
  EXPECT_EQ(plain("He said , \" go \" , and \" no \" ."), "He said, \"go\", and \"no\".");
  EXPECT_EQ(plain("`` Go , '' he said ."), "\"Go,\" he said.");
  EXPECT_EQ(plain("“ Go , ” he said : ‘ No ’ ."), "“Go,” he said: ‘No’.");
  EXPECT_EQ(plain("Er rief : „ Komm ! “ Dann » nein « .", "de"), "Er rief: „Komm!“ Dann »nein«.");
}

TEST(Detokenizer, EnglishContractionsAndPossessives) {
  EXPECT_EQ(plain("I do n't know Tom 's dog ; we 'll see , ca n't we ?", "en"),
            "I don't know Tom's dog; we'll see, can't we?");
  EXPECT_EQ(plain("the dogs ' tails", "en"), "the dogs' tails");
  EXPECT_EQ(plain("he said ' no ' again", "en"), "he said 'no' again");
}

TEST(Detokenizer, MosesAndTreebankEscapes) {
  EXPECT_EQ(plain("Tom &apos;s &quot; well @-@ known &quot; R &amp; D &#91; 1 &#93; &amp;lt;"),
            "Tom's \"well-known\" R & D [1] &lt;");
  EXPECT_EQ(plain("10 @,@ 000 -LRB- about -RRB-"), "10,000 (about)");
}

TEST(Detokenizer, French) {
  EXPECT_EQ(plain("Qu&apos; est @-@ ce que c&apos; est ? L&apos; homme dit : « Viens ! »", "fr"),
            "Qu'est-ce que c'est ? L'homme dit : « Viens ! »");
  EXPECT_EQ(plain("Il part , a -t-il dit , aujourd &apos;hui .", "fr"),
            "Il part, a-t-il dit, aujourd'hui.");
}

TEST(Detokenizer, GermanCzechSpanishItalianRussianVietnamese) {
  EXPECT_EQ(plain("Es sind 5 % , oder ... ?", "de"), "Es sind 5 %, oder ...?");
  EXPECT_EQ(plain("Řekl : „ Ne ! “", "cs"), "Řekl: „Ne!“");
  EXPECT_EQ(plain("¿ Qué ? « Ven » , dijo . ¡ No !", "es"), "¿Qué? «Ven», dijo. ¡No!");
  EXPECT_EQ(plain("L&apos; uomo è dell&apos; Italia .", "it"), "L'uomo è dell'Italia.");
  EXPECT_EQ(plain("« Иди ! » — сказал он .", "ru"), "«Иди!» — сказал он.");
  EXPECT_EQ(plain("Tại sao tay mẹ ấm thế ?", "vi"), "Tại sao tay mẹ ấm thế?");
}

TEST(Detokenizer, ChineseAndJapaneseHaveNoSpaces) {
  EXPECT_EQ(plain("他 喜欢 “ 音乐 ” ， 你 呢 ？", "zh"), "他喜欢“音乐”，你呢？");
  EXPECT_EQ(plain("他 用 Linux 和 New York 的 5 个 软件 。", "zh"),
            "他用Linux和New York的5个软件。");
  EXPECT_EQ(plain("明天 汤姆 去 吗 ?", "zh-Hans"), "明天汤姆去吗?");
  EXPECT_EQ(plain("彼 は 来 た 。", "ja"), "彼は来た。");
  EXPECT_EQ(plain("他 来 了 。"), "他来了。") << "without a language";
}

TEST(Detokenizer, PlainTextStaysAsItIs) {
  for (const auto& [file, language] :
       {std::pair("newstest2014.en-de.en", "en"), std::pair("newstest2014.en-de.de", "de"),
        std::pair("newstest2017.zh-en.en", "en")}) {
    const auto folder = testing::shared_data("newstest");
    if (!folder) GTEST_SKIP() << "needs ../shared/data/newstest";
    const auto lines = testing::split_lines(testing::read_text(*folder / file));
    size_t changed = 0;
    for (const std::string& line : lines) {
      if (plain(line, language) == line) continue;
      ++changed;
      if (changed < 4) std::puts((line + "\n  -> " + plain(line, language)).c_str());
    }
    EXPECT_LT(100.0 * static_cast<double>(changed), 2.0 * static_cast<double>(lines.size()))
        << file;
  }
}

}  // namespace
}  // namespace eatt
