#include "runtime/api/option_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"

namespace eatt {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(OptionFields, NamesSetTheirFields) {
  SearchOptions search;
  TranslatorOptions translator;
  const auto set = [&](const char* name, const char* value) {
    set_option(name, value, search, translator);
  };
  set("beam-size", "5");
  set("length-penalty", "0.6");
  set("early-stopping", "true");
  set("seed", "18446744073709551615");
  set("precision", "int8");
  set("long-input", "error");
  set("no-hash", "1");
  set("no-split", "false");
  set("alignment", "hard");
  EXPECT_EQ(search.beam_size, 5);
  EXPECT_EQ(search.length_penalty, 0.6);
  EXPECT_TRUE(search.early_stopping);
  EXPECT_EQ(search.seed, 18446744073709551615u);
  EXPECT_EQ(translator.precision, "int8");
  EXPECT_FALSE(translator.split_long_input);
  EXPECT_FALSE(translator.verify_hashes);
  EXPECT_TRUE(translator.split_sentences);
  EXPECT_TRUE(translator.wants_attention);
}

TEST(OptionFields, WrongNamesAndValuesAreRefused) {
  SearchOptions search;
  TranslatorOptions translator;
  const auto setting = [&](const char* name, const char* value) {
    return [=, &search, &translator] { set_option(name, value, search, translator); };
  };
  EXPECT_THAT(setting("beam", "5"), ThrowsMessage<UsageError>(HasSubstr("no option 'beam'")));
  EXPECT_THAT(setting("beam-size", "5x"),
              ThrowsMessage<UsageError>(HasSubstr("expected an integer from 1 to 10000")));
  EXPECT_THAT(setting("beam-size", ""), ThrowsMessage<UsageError>(HasSubstr("beam-size is ''")));
  EXPECT_THAT(setting("normalize", "much"), ThrowsMessage<UsageError>(HasSubstr("a number")));
  EXPECT_THAT(setting("long-input", "cut"), ThrowsMessage<UsageError>(HasSubstr("error or split")));
  EXPECT_THAT(setting("alignment", "soft"), ThrowsMessage<UsageError>(HasSubstr("expected hard")));
  EXPECT_THAT(setting("sampling", "yes"), ThrowsMessage<UsageError>(HasSubstr("true")));
}

TEST(OptionFields, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const auto& field : search_fields()) EXPECT_TRUE(names.insert(field.name).second);
  for (const auto& field : translator_fields()) EXPECT_TRUE(names.insert(field.name).second);
}

}  // namespace
}  // namespace eatt
