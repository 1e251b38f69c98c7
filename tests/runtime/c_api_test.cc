#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "runtime/api/eatt.h"
#include "runtime/api/translator.h"
#include "support/files.h"
#include "support/speaking_bundle.h"

namespace eatt {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class CApi : public ::testing::Test {
 protected:
  CApi() {
    set("cpu-threads", "1");
    set("attention", "1");
    translator_.reset(eatt_translator_open(bundle_.c_str(), options_.get(), &error_));
    EXPECT_NE(translator_, nullptr) << error_;
  }
  ~CApi() override { eatt_string_free(error_); }

  void set(const char* name, const char* value) {
    EXPECT_EQ(eatt_options_set(options_.get(), name, value, &error_), 1) << error_;
    EXPECT_EQ(error_, nullptr);
  }
  // The text of the last error, which is then forgotten.
  std::string error() {
    const std::string text = error_ != nullptr ? error_ : "<none>";
    eatt_string_free(error_);
    error_ = nullptr;
    return text;
  }

  template <auto release>
  struct Release {
    template <typename T>
    void operator()(T* handle) const {
      release(handle);
    }
  };
  testing::TemporaryFolder folder_;
  std::string bundle_ = testing::write_speaking_bundle(folder_ / "model").string();
  std::unique_ptr<eatt_options, Release<eatt_options_free>> options_{eatt_options_new()};
  std::unique_ptr<eatt_translator, Release<eatt_translator_free>> translator_;
  using Result = std::unique_ptr<eatt_result, Release<eatt_result_free>>;
  char* error_ = nullptr;
};

TEST_F(CApi, GivesWhatTheCppInterfaceGives) {
  const Translator translator(bundle_, {.threads = 1});
  char* text = eatt_translate_text(translator_.get(), nullptr, "ein wort", &error_);
  ASSERT_NE(text, nullptr) << error_;
  EXPECT_EQ(text, translator.translate("ein wort"));
  eatt_string_free(text);
  EXPECT_EQ(eatt_api_version(), EATT_API_VERSION);
}

TEST_F(CApi, ListsHypothesesWithScoresAndAlignments) {
  set("beam-size", "3");
  set("n-best", "3");
  const char* sources[] = {"ein wort", "", "noch eins"};
  const Result result(eatt_translate(translator_.get(), options_.get(), sources, 3, &error_));
  ASSERT_NE(result, nullptr) << error_;
  EXPECT_EQ(eatt_result_sentences(result.get()), 3u);
  EXPECT_EQ(eatt_result_hypotheses(result.get(), 0), 3u);
  EXPECT_STREQ(eatt_result_text(result.get(), 1, 0), "");
  EXPECT_GE(eatt_result_score(result.get(), 0, 0), eatt_result_score(result.get(), 0, 1));
  EXPECT_LT(eatt_result_log_probability(result.get(), 2, 0), 0);
  EXPECT_THAT(eatt_result_alignment(result.get(), 0, 0), MatchesRegex("([0-9]+-[0-9]+ ?)*"));
  EXPECT_STREQ(eatt_result_alignment(result.get(), 1, 0), "");
}

TEST_F(CApi, OutsideOfAResultThereIsNothing) {
  const char* sources[] = {"wort"};
  const Result result(eatt_translate(translator_.get(), nullptr, sources, 1, nullptr));
  EXPECT_EQ(eatt_result_text(result.get(), 1, 0), nullptr);
  EXPECT_EQ(eatt_result_text(result.get(), 0, 1), nullptr);
  EXPECT_EQ(eatt_result_hypotheses(result.get(), 1), 0u);
  EXPECT_TRUE(std::isnan(eatt_result_score(result.get(), 0, 9)));
  EXPECT_EQ(eatt_result_alignment(result.get(), 3, 0), nullptr);
  EXPECT_EQ(eatt_result_sentences(nullptr), 0u);
}

TEST_F(CApi, ScoresGivenTranslations) {
  const char* sources[] = {"ein wort"};
  const char* targets[] = {"wort eins"};
  const Result result(eatt_score(translator_.get(), sources, targets, 1, &error_));
  ASSERT_NE(result, nullptr) << error_;
  EXPECT_STREQ(eatt_result_text(result.get(), 0, 0), "wort eins");
  EXPECT_LT(eatt_result_log_probability(result.get(), 0, 0), 0);
}

TEST_F(CApi, TextThatIsNotUtf8IsAnErrorThatNamesTheByte) {
  EXPECT_EQ(eatt_translate_text(translator_.get(), nullptr, "wort\xff", &error_), nullptr);
  EXPECT_THAT(error(), HasSubstr("source is not valid UTF-8: byte 4 (0xff)"));
  const char* sources[] = {"ein wort", "\xc3"};
  EXPECT_EQ(eatt_translate(translator_.get(), nullptr, sources, 2, &error_), nullptr);
  EXPECT_THAT(error(), HasSubstr("sources[1] is not valid UTF-8: byte 0 (0xc3)"));
  EXPECT_EQ(eatt_translate(translator_.get(), nullptr, sources, 2, nullptr), nullptr);
  const char* targets[] = {"ein wort", "wort"};
  EXPECT_EQ(eatt_score(translator_.get(), targets, sources, 2, &error_), nullptr);
  EXPECT_THAT(error(), HasSubstr("targets[1] is not valid UTF-8"));
  const Result valid(eatt_translate(translator_.get(), nullptr, sources, 1, &error_));
  EXPECT_NE(valid, nullptr) << error_;
}

TEST_F(CApi, ErrorsAreTextsOfTheCall) {
  EXPECT_EQ(eatt_translator_open("/no/such/bundle", nullptr, &error_), nullptr);
  EXPECT_THAT(error(), HasSubstr("/no/such/bundle"));
  EXPECT_EQ(eatt_translator_open("/no/such/bundle", nullptr, nullptr), nullptr);
  EXPECT_EQ(eatt_options_set(options_.get(), "beam", "3", &error_), 0);
  EXPECT_THAT(error(), HasSubstr("no option 'beam'"));
  EXPECT_EQ(eatt_translate_text(nullptr, nullptr, "a", &error_), nullptr);
  EXPECT_THAT(error(), HasSubstr("translator is NULL"));
  EXPECT_EQ(eatt_translate_text(translator_.get(), nullptr, nullptr, &error_), nullptr);
  EXPECT_THAT(error(), HasSubstr("source is NULL"));
  EXPECT_EQ(eatt_options_set(options_.get(), "beam-size", "0", &error_), 0);
  EXPECT_THAT(error(), HasSubstr("beam-size is '0'"));
  set("n-best", "2");
  EXPECT_EQ(eatt_translate_text(translator_.get(), options_.get(), "a", &error_), nullptr);
  EXPECT_THAT(error(), HasSubstr("--n-best is 2 but --beam-size 1"));
}

}  // namespace
}  // namespace eatt
