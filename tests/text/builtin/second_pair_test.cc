// A language pair of its own, in this one file: German and English, with words that English leaves
// alone and a verb that German sends to the end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/error.h"
#include "builtin/generate.h"
#include "support/files.h"

namespace eatt::builtin {
namespace {

using ::testing::HasSubstr;
using testing::read_text;
using ::testing::SizeIs;
using testing::split_lines;
using testing::TemporaryFolder;

struct Entry {
  std::string_view german, english;
};
constexpr Entry kPeople[] = {
    {"Anna", "Anna"}, {"Otto", "Otto"}, {"Emma", "Emma"}, {"Karl", "Karl"}};
constexpr Entry kThings[] = {{"Bücher", "books"}, {"Briefe", "letters"}, {"Lieder", "songs"}};
constexpr Entry kVerbs[] = {{"schreiben", "write"}, {"mögen", "like"}, {"lesen", "read"}};

Phrase linked(Composer& c, const Entry& entry) { return c.linked(entry.german, entry.english); }

Phrase german_sentence(Composer& c) {
  return c.rule("{who} wird/1 {what} {verb} ./2", "{who} will/1 {verb} {what} ./2",
                {{"who", linked(c, c.pick(kPeople))},
                 {"what", linked(c, c.pick(kThings))},
                 {"verb", linked(c, c.pick(kVerbs))}});
}

constexpr LanguagePair kGerman{.source = "de", .target = "en", .sentence = german_sentence};
constexpr uint64_t kSentences = std::size(kPeople) * std::size(kThings) * std::size(kVerbs);

TEST(SecondPair, OneFileAndALineInTheListMakeALanguagePair) {
  std::vector<LanguagePair> known(language_pairs().begin(), language_pairs().end());
  known.push_back(kGerman);
  const TemporaryFolder folder;
  generate_corpus(find_language_pair("de-en", known),
                  {.train = 20, .dev = 4, .test = 4, .output = folder.path()});

  const auto german = split_lines(read_text(folder / "train.de"));
  const auto english = split_lines(read_text(folder / "train.en"));
  const auto links = split_lines(read_text(folder / "train.align"));
  ASSERT_THAT(german, SizeIs(20));
  ASSERT_THAT(english, SizeIs(20));
  ASSERT_THAT(links, SizeIs(20));
  EXPECT_THAT(german[0], HasSubstr(" wird "));
  EXPECT_THAT(english[0], HasSubstr(" will "));
  EXPECT_EQ(links[0], "0-0 1-1 2-3 3-2 4-4");
}

TEST(SecondPair, EverySentenceOfASmallGrammarCanBeHad) {
  const TemporaryFolder folder;
  generate_corpus(kGerman, {.train = kSentences - 2, .dev = 1, .test = 1, .output = folder.path()});
  EXPECT_THAT(split_lines(read_text(folder / "train.de")), SizeIs(kSentences - 2));
}

TEST(SecondPair, MoreSentencesThanThereAreIsAnErrorThatTellsBothNumbers) {
  const TemporaryFolder folder;
  folder.write("train.de", "old");
  try {
    generate_corpus(
        kGerman, {.train = 1000, .dev = 1, .test = 1, .output = folder.path(), .overwrite = true});
    FAIL() << "1,002 of 36 sentences";
  } catch (const UsageError&) {
    FAIL() << "how many a grammar has is not a matter of usage";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("36 different"));
    EXPECT_THAT(error.what(), HasSubstr("1,002"));
  }
  EXPECT_EQ(read_text(folder / "train.de"), "old") << "a failure changes no file";
}

TEST(SecondPair, RawIsRefusedWhereBothLanguagesHaveSpaces) {
  const TemporaryFolder folder;
  EXPECT_THROW(generate_corpus(kGerman, {.raw = true, .output = folder.path()}), UsageError);
}

}  // namespace
}  // namespace eatt::builtin
