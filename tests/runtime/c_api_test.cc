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
    set("alignment", "hard");
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
  std::string bundle_ =
      testing::write_speaking_bundle(folder_ / "model", 1, Mechanism::eatt, "zh").string();
  using Options = std::unique_ptr<eatt_options, Release<eatt_options_free>>;
  using Opened = std::unique_ptr<eatt_translator, Release<eatt_translator_free>>;
  Options options_{eatt_options_new()};
  Opened translator_;
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

TEST_F(CApi, SearchOptionsOfOpeningAreDefaultsThatACallOverrides) {
  set("beam-size", "3");
  set("n-best", "3");
  const Opened own(eatt_translator_open(bundle_.c_str(), options_.get(), &error_));
  ASSERT_NE(own, nullptr) << error_;
  const char* sources[] = {"ein wort"};
  const Result all(eatt_translate(own.get(), nullptr, sources, 1, &error_));
  EXPECT_EQ(eatt_result_hypotheses(all.get(), 0), 3u);
  const Options fewer(eatt_options_new());
  EXPECT_EQ(eatt_options_set(fewer.get(), "n-best", "2", &error_), 1);
  const Result two(eatt_translate(own.get(), fewer.get(), sources, 1, &error_));
  EXPECT_EQ(eatt_result_hypotheses(two.get(), 0), 2u);
}

TEST_F(CApi, OptionsOfTheModelThatComeTooLateAreRefused) {
  set("precision", "int8");
  EXPECT_EQ(eatt_translate_text(translator_.get(), options_.get(), "a", &error_), nullptr);
  EXPECT_THAT(error(), HasSubstr("option 'precision' is 'int8' here, but the translator was opened "
                                 "without it; it has to be set before eatt_translator_open()"));
  set("precision", "");
  set("cpu-threads", "2");
  const char* sources[] = {"a"};
  EXPECT_EQ(eatt_translate(translator_.get(), options_.get(), sources, 1, &error_), nullptr);
  EXPECT_THAT(error(), HasSubstr("'cpu-threads' is '2' here, but the translator was opened with "
                                 "'1'"));
}

TEST_F(CApi, OptionsWithoutEffectAreRefused) {
  const Options layer(eatt_options_new());
  EXPECT_EQ(eatt_options_set(layer.get(), "alignment-layer", "1", &error_), 1);
  EXPECT_EQ(eatt_translator_open(bundle_.c_str(), layer.get(), &error_), nullptr);
  EXPECT_THAT(error(), HasSubstr("'alignment-layer' has no effect without 'alignment' 'hard'"));
  set("seed", "3");
  EXPECT_EQ(eatt_translate_text(translator_.get(), options_.get(), "a", &error_), nullptr);
  EXPECT_THAT(error(), HasSubstr("'seed' needs 'sampling'"));
  EXPECT_EQ(eatt_options_set(options_.get(), "--beam-size", "3", &error_), 0);
  EXPECT_THAT(error(), HasSubstr("without hyphens in front: beam-size, n-best"));
  EXPECT_EQ(eatt_options_set(options_.get(), "maxi-batch", "3", &error_), 0);
  EXPECT_THAT(error(), HasSubstr("the library has no option 'maxi-batch'"));
}

TEST_F(CApi, SplitsSentencesAsTheCommandLineDoes) {
  const char* both = "ein wort . noch eins .";
  const Translator whole(bundle_, {.threads = 1});
  const Translator split(bundle_, {.threads = 1, .split_sentences = true});
  ASSERT_NE(whole.translate(both), split.translate(both));
  const auto translate = [&](const eatt_options* options) {
    const Opened own(eatt_translator_open(bundle_.c_str(), options, &error_));
    char* text = eatt_translate_text(own.get(), nullptr, both, &error_);
    EXPECT_NE(text, nullptr) << error_;
    const std::string copy = text != nullptr ? text : "";
    eatt_string_free(text);
    return copy;
  };
  EXPECT_EQ(translate(nullptr), split.translate(both));
  const Options no_split(eatt_options_new());
  EXPECT_EQ(eatt_options_set(no_split.get(), "no-split", "1", &error_), 1);
  EXPECT_EQ(translate(no_split.get()), whole.translate(both));
}

TEST_F(CApi, TheCoveragePenaltyWorksWhenItIsSetBeforeOpening) {
  const Options coverage(eatt_options_new());
  EXPECT_EQ(eatt_options_set(coverage.get(), "coverage-penalty", "0.2", &error_), 1);
  const Opened with(eatt_translator_open(bundle_.c_str(), coverage.get(), &error_));
  const char* sources[] = {"ein wort"};
  const Result result(eatt_translate(with.get(), nullptr, sources, 1, &error_));
  ASSERT_NE(result, nullptr) << error_;
  EXPECT_EQ(eatt_result_alignment(result.get(), 0, 0), nullptr);
  const Opened without(eatt_translator_open(bundle_.c_str(), nullptr, &error_));
  EXPECT_EQ(eatt_translate(without.get(), coverage.get(), sources, 1, &error_), nullptr);
  EXPECT_THAT(error(), HasSubstr("when opening the translator"));
}

}  // namespace
}  // namespace eatt
