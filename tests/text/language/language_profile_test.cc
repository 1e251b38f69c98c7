#include "text/language/language_profile.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "text/language/detect_language.h"

namespace eatt {
namespace {

using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Lt;
using ::testing::SizeIs;

LanguageProfile profile_of(const std::string& language, std::string_view sentences) {
  ProfileLearner learner;
  for (int i = 0; i < 100; ++i) learner.add(sentences);
  return learner.finish(language);
}

const LanguageProfile& english() {
  static const LanguageProfile profile = profile_of(
      "en", "The quick brown fox jumps over the lazy dog while the children are watching them.");
  return profile;
}
const LanguageProfile& german() {
  static const LanguageProfile profile = profile_of(
      "de", "Der schnelle braune Fuchs springt über den faulen Hund und die Kinder schauen zu.");
  return profile;
}

std::vector<LanguageGuess> detect(std::string_view text) {
  const std::vector<const LanguageProfile*> profiles = {&english(), &german()};
  return detect_language(text, profiles);
}

TEST(LanguageProfile, LettersAreLowerCaseAndWordsSeparated) {
  EXPECT_THAT(profile_letters("  Ab, 12 ÉC!", 100), ElementsAre("a", "b", " ", "é", "c"));
  EXPECT_THAT(profile_letters("你 好。ok 世", 100),
              ElementsAre("你", "好", " ", "o", "k", " ", "世"));
  EXPECT_THAT(profile_letters("abcdef", 3), SizeIs(3));
  EXPECT_THAT(profile_letters("42 - \xff\xfe", 3), SizeIs(0));
}

TEST(LanguageProfile, KnownSequencesCostLessThanOthers) {
  const auto bits = [](std::string_view text) {
    return bits_per_letter(english(), profile_letters(text, 100));
  };
  EXPECT_LT(bits("the children"), 2);
  EXPECT_GT(bits("schnelle"), bits("watching"));
  EXPECT_EQ(bits("дом"), 18);  // No letter of it is known.
}

TEST(LanguageProfile, SurvivesItsFile) {
  const std::vector<LanguageProfile> profiles = {english(), german()};
  EXPECT_EQ(parse_profiles(print_profiles(profiles), "languages.json"), profiles);
}

TEST(LanguageProfile, AFewWordsGiveNone) {
  ProfileLearner learner;
  learner.add("Hello there.");
  EXPECT_TRUE(learner.finish("en").costs.empty());
}

TEST(LanguageProfile, WrongFilesAreNamed) {
  const auto message_of = [](std::string_view json) {
    try {
      parse_profiles(json, "m/languages.json");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message_of("{}"), HasSubstr("m/languages.json: "));
  EXPECT_THAT(message_of(R"({"format": "x", "format_version": 1, "profiles": []})"),
              HasSubstr("eatt-languages"));
  EXPECT_THAT(message_of(R"({"format": "eatt-languages", "format_version": 2, "profiles": []})"),
              HasSubstr("format_version"));
  const std::string start = R"({"format": "eatt-languages", "format_version": 1, "profiles": [)";
  EXPECT_THAT(message_of(start + R"({"language": "en", "typical_bits": 2, "costs": {"a": 256}}]})"),
              HasSubstr("256"));
  EXPECT_THAT(message_of(start + R"({"language": "en", "typical_bits": 99, "costs": {"a": 1}}]})"),
              HasSubstr("typical_bits"));
  EXPECT_THAT(message_of(start + R"({"language": "en", "typical_bits": 2, "costs": {}}]})"),
              HasSubstr("costs"));
}

TEST(DetectLanguage, FindsTheLanguage) {
  EXPECT_EQ(detect("the dog jumps over the children").front().language, "en");
  EXPECT_EQ(detect("die Kinder springen über den Hund").front().language, "de");
  EXPECT_THAT(detect("the dog jumps over the children").front().confidence, Gt(0.9));
}

TEST(DetectLanguage, ConfidencesAddUpToOne) {
  double sum = 0;
  for (const LanguageGuess& guess : detect("the dog")) sum += guess.confidence;
  EXPECT_NEAR(sum, 1, 1e-9);
  EXPECT_THAT(detect("the dog"), SizeIs(3));
}

TEST(DetectLanguage, IsNotSureOfAFewLetters) {
  EXPECT_THAT(detect("ch").front().confidence, Lt(0.8));
  EXPECT_LT(detect("the").front().confidence, detect("the lazy dog").front().confidence);
}

// Each line is one of 64 words of two letters, so that text is cheap as long as it repeats lines.
TEST(DetectLanguage, NewCombinationsOfManyLettersAreNotForeign) {
  const auto word = [](int i) {
    std::string text;
    for (const int letter : {2 * i, 2 * i + 1}) {
      text +=
          {'\xe4', static_cast<char>(0xb8 + letter / 64), static_cast<char>(0x80 + letter % 64)};
    }
    return text;
  };
  ProfileLearner learner;
  for (int i = 0; i < 20 * 64; ++i) learner.add(word(i % 64));
  const LanguageProfile chinese = learner.finish("zh");
  const std::vector<const LanguageProfile*> profiles = {&chinese, &english()};
  EXPECT_LT(chinese.typical_bits, 3);
  EXPECT_GT(chinese.single_bits, 5);
  EXPECT_EQ(detect_language(word(0) + word(2) + word(4), profiles).front().language, "zh");
}

TEST(DetectLanguage, OtherScriptsAndNoLettersAreUnknown) {
  EXPECT_EQ(detect("Быстрая лиса").front().language, "und");
  EXPECT_THAT(detect("Быстрая лиса").front().confidence, Gt(0.99));
  EXPECT_EQ(detect("42 + 1").front().language, "und");
  EXPECT_EQ(detect_language("hello", {}).front().language, "und");
}

TEST(DetectLanguage, ProfilesOfOneLanguageCountAsOne) {
  const std::vector<const LanguageProfile*> profiles = {&english(), &english(), &german()};
  EXPECT_THAT(detect_language("the dog", profiles), SizeIs(3));
}

}  // namespace
}  // namespace eatt
