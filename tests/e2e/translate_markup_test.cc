// `eatt translate` on HTML, placeholders and glossaries, and `eatt detect`.
#include <gmock/gmock.h>

#include <algorithm>

#include "support/files.h"
#include "support/run.h"
#include "support/speaking_bundle.h"
#include "text/language/language_profile.h"

namespace eatt {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using testing::run;
using testing::RunResult;
using ::testing::StartsWith;
using testing::TemporaryFolder;
using Arguments = std::vector<std::string>;

class TranslateMarkup : public ::testing::Test {
 protected:
  RunResult translate(Arguments arguments, std::string_view input) const {
    arguments.insert(arguments.begin(), {"translate", bundle_});
    return run("eatt", arguments, input);
  }
  // Of a run that must succeed.
  std::string output(const Arguments& arguments, std::string_view input) const {
    const RunResult result = translate(arguments, input);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  }

  TemporaryFolder folder_;
  std::string bundle_ = testing::write_speaking_bundle(folder_ / "model").string();
};

TEST_F(TranslateMarkup, HtmlKeepsItsTagsAndCode) {
  const std::string out =
      output({"--html"},
             "<!DOCTYPE html>\n<h1>Ein Haus</h1>\n<p class=x>Das <b>ist</b> ein Haus.</p>\n"
             "<pre>\n  a  b\n</pre>\n");
  EXPECT_THAT(out, StartsWith("<!DOCTYPE html>\n<h1>"));
  EXPECT_THAT(out, ContainsRegex("</h1>\n<p class=x>.*<b>.*</b>.*</p>\n<pre>"));
  EXPECT_THAT(out, ::testing::EndsWith("<pre>\n  a  b\n</pre>\n"));
}

TEST_F(TranslateMarkup, TheTextOfHtmlIsTranslatedAsALineIs) {
  const std::string line = output({}, "Das ist ein Haus.\n");
  EXPECT_EQ(output({"--html"}, "<p>Das ist ein Haus.</p>\n"),
            "<p>" + line.substr(0, line.size() - 1) + "</p>\n");
}

TEST_F(TranslateMarkup, PlaceholdersAndIndentationStay) {
  const std::string out =
      output({"--keep-placeholders"}, "  Das ist https://a.org/b.\n\n{x} 42\nEin %s Haus\n");
  EXPECT_THAT(out, StartsWith("  "));
  EXPECT_THAT(out, HasSubstr("https://a.org/b"));
  EXPECT_THAT(out, HasSubstr("\n\n{x} 42\n"));
  EXPECT_THAT(out, HasSubstr("%s"));
  EXPECT_EQ(std::ranges::count(out, '\n'), 4);
}

TEST_F(TranslateMarkup, TermsOfTheGlossaryHaveTheirTranslation) {
  const std::string file = folder_.write("terms.tsv", "Haus\tROTHAUS\nHund\tX\tY\n").string();
  EXPECT_THAT(translate({"--glossary", file}, "Das Haus\n").err, HasSubstr("line 2 "));
  const std::string good = folder_.write("good.tsv", "Haus\tROTHAUS\n").string();
  EXPECT_THAT(output({"--glossary", good}, "Das Haus ist alt.\n"), HasSubstr("ROTHAUS"));
  EXPECT_THAT(output({"--glossary", good, "--html"}, "<p>Das <b>Haus</b>"), HasSubstr("ROTHAUS"));
}

TEST_F(TranslateMarkup, WhatCountsTheModelsWordsIsExcluded) {
  for (const Arguments& arguments :
       {Arguments{"--html", "--alignment", "hard"}, Arguments{"--html", "--n-best", "1"},
        Arguments{"--keep-placeholders", "--word-scores"},
        Arguments{"--html", "--output-format", "json"}}) {
    const RunResult result = translate(arguments, "x\n");
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr("excludes"));
  }
}

LanguageProfile profile_of(const std::string& language, std::string_view sentence) {
  ProfileLearner learner;
  for (int i = 0; i < 100; ++i) learner.add(sentence);
  return learner.finish(language);
}

// A bundle with profiles of two languages.
std::string write_bundle_with_languages(const std::filesystem::path& path) {
  testing::RandomBundle bundle(testing::tiny_architecture(Mechanism::eatt), 1);
  bundle.contents().languages_json = print_profiles(
      {profile_of("en", "The quick brown fox jumps over the lazy dog while we are watching."),
       profile_of("de",
                  "Der schnelle braune Fuchs springt über den faulen Hund und wir schauen.")});
  write_bundle(path, bundle.contents());
  return path.string();
}

TEST(Detect, TellsTheLanguageOfEachLine) {
  const TemporaryFolder folder;
  const std::string bundle = write_bundle_with_languages(folder / "model");
  const RunResult result =
      run("eatt", {"detect", bundle}, "the brown dog\nder braune Hund\n\nлиса\n");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, ContainsRegex("^en\t.*\nde\t.*\nund\t1.000\nund\t1.000\n$"));
  const RunResult all = run("eatt", {"detect", bundle, "--all"}, "the brown dog\n");
  EXPECT_THAT(all.out, ContainsRegex("^en\t[.0-9]*\tund\t[.0-9]*\tde\t[.0-9]*\n$"));
}

TEST(Detect, ProfilesAreCheckedAndKeptByQuantizing) {
  const TemporaryFolder folder;
  const std::string bundle = write_bundle_with_languages(folder / "model");
  const RunResult check = run("eatt", {"selftest", bundle});
  EXPECT_THAT(check.out, HasSubstr("languages.json has profiles of en ("));
  const std::string quantized = (folder / "int8").string();
  const RunResult made = run("eatt", {"quantize", bundle, "-o", quantized});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(testing::read_text(folder / "int8/languages.json"),
            testing::read_text(folder / "model/languages.json"));
}

TEST(Detect, AModelWithoutProfilesIsNamed) {
  const TemporaryFolder folder;
  const std::string bundle = testing::write_speaking_bundle(folder / "model").string();
  const RunResult result = run("eatt", {"detect", bundle}, "x\n");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("model: has no languages.json"));
}

}  // namespace
}  // namespace eatt
