#include "text/corpus/languages.h"

#include <gtest/gtest.h>

namespace eatt {
namespace {

TEST(Languages, TheEndingOfAFileNamesItsLanguage) {
  EXPECT_EQ(language_of("train.en"), "en");
  EXPECT_EQ(language_of("corpora/train.tok.de.gz"), "de");
  EXPECT_EQ(language_of("train.zh-Hant"), "zh-Hant");
  EXPECT_EQ(language_of("train.pt_BR"), "pt-BR");
}

TEST(Languages, OtherEndingsNameNone) {
  for (const char* name :
       {"train", "train.src", "train.txt", "train.tsv.gz", "train.xx", "train.en-", "train.en-1",
        "train.EN", "en", "-", "", "train.", "folder.en/train"}) {
    EXPECT_EQ(language_of(name), "") << name;
  }
}

}  // namespace
}  // namespace eatt
