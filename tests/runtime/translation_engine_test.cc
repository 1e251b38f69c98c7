#include "runtime/api/translation_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "base/error.h"
#include "runtime/api/word_alignment.h"
#include "runtime/fake_steps.h"
#include "support/files.h"
#include "text/sample_text.h"

namespace eatt {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using testing::FakeSteps;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

class Engine : public ::testing::Test {
 protected:
  // An engine whose translations are the source itself.
  TranslationEngine make(const TranslatorOptions& options = {}, bool reverses = false) {
    const auto make_model = [this, reverses, options]() -> std::unique_ptr<StepModel> {
      ++models_made_;
      return std::make_unique<FakeSteps>(static_cast<size_t>(pieces_.size()), reverses,
                                         options.wants_attention);
    };
    return {{{&pieces_, &pieces_, max_source_}, make_model}, options};
  }

  std::vector<std::string> texts(const TranslationEngine& engine,
                                 const std::vector<std::string>& sources,
                                 const SearchOptions& search = {}) {
    std::vector<TranslationTask> tasks;
    for (const auto& source : sources) tasks.push_back({.source = source});
    std::vector<std::string> found;
    for (const auto& translation : engine.translate(tasks, search)) {
      found.push_back(translation.hypotheses.front().text);
    }
    return found;
  }

  // Words that are one piece each.
  std::string words(size_t count) {
    std::string text;
    for (int32_t id = 4; count > 0; ++id) {
      const std::string& piece = pieces_.piece(id);
      const std::string word = piece.substr(std::min(piece.size(), kSpaceMark.size()));
      if (!piece.starts_with(kSpaceMark) || pieces_.encode(word) != std::vector{id}) continue;
      text += (text.empty() ? "" : " ") + word;
      --count;
    }
    return text;
  }

  // As the piece model writes it.
  std::string normalized(const std::string& text) { return pieces_.decode(pieces_.encode(text)); }

  Pieces pieces_{testing::sample_model(), "sample"};
  std::optional<size_t> max_source_;
  std::atomic<int> models_made_ = 0;
};

TEST_F(Engine, TranslationsComeInTheOrderOfTheTasksWhateverTheBatches) {
  const auto sources = testing::split_lines(testing::sample_text(200).source);
  std::vector<std::string> expected;
  for (const auto& source : sources) expected.push_back(normalized(source));
  for (const int threads : {1, 2, 5}) {
    for (const size_t sentences : {1, 7, 64}) {
      EXPECT_EQ(texts(make({.threads = threads, .batch_sentences = sentences}), sources), expected);
    }
  }
}

TEST_F(Engine, EmptyAndBlankSourcesHaveEmptyTranslations) {
  const auto engine = make();
  EXPECT_THAT(texts(engine, {"", "a", "  \t ", ""}), ElementsAre("", "a", "", ""));
  EXPECT_THAT(engine.translate({}, {}), SizeIs(0));
}

TEST_F(Engine, ModelsAreKeptOverBatchesAndCalls) {
  const auto engine = make({.threads = 2, .batch_sentences = 1});
  const auto sources = testing::split_lines(testing::sample_text(50).source);
  for (int i = 0; i < 5; ++i) texts(engine, sources);
  EXPECT_LE(models_made_, 2);
}

TEST_F(Engine, LongSourcesAreSplitAndTheirTranslationsJoined) {
  const std::string sentence = normalized(testing::split_lines(testing::sample_text(3).source)[1]);
  std::string text;
  for (int i = 0; i < 40; ++i) text += (i > 0 ? " " : "") + sentence;
  const auto whole = texts(make({.max_input_pieces = 100'000}), {text});
  EXPECT_THAT(whole, ElementsAre(text));
  EXPECT_THAT(texts(make({.max_input_pieces = 30}), {text, "a"}), ElementsAre(text, "a"));
  max_source_ = 25;
  EXPECT_THAT(texts(make(), {text}), ElementsAre(text));
}

TEST_F(Engine, SentencesAreTranslatedOneByOneWhereAskedFor) {
  const std::string first = words(3) + " .", second = words(5) + " .", third = words(2);
  const auto split = make({.split_sentences = true}, /*reverses=*/true);
  const auto alone = texts(split, {first, second, third});
  EXPECT_THAT(texts(split, {first + " " + second + "  " + third, first + "\t" + second}),
              ElementsAre(alone[0] + " " + alone[1] + " " + alone[2], alone[0] + "\t" + alone[1]));
  const auto whole = texts(make({}, /*reverses=*/true), {first + " " + second});
  EXPECT_NE(whole[0], alone[0] + " " + alone[1]) << "not unless asked for";
  EXPECT_EQ(texts(make({.split_sentences = true}), {" " + first + " "}),
            texts(make({}), {" " + first + " "}));
}

TEST_F(Engine, SentencesThatAreTooLongAreSplitFurther) {
  const std::string text = words(3) + " . " + words(12) + " . " + words(1);
  EXPECT_THAT(texts(make({.split_sentences = true, .max_input_pieces = 5}), {text}),
              ElementsAre(text));
  const auto strict =
      make({.split_sentences = true, .max_input_pieces = 5, .split_long_input = false});
  EXPECT_THAT([&] { texts(strict, {text}); }, ThrowsMessage<Error>(HasSubstr("line 1: has")));
  EXPECT_NO_THROW(texts(strict, {words(3) + " . " + words(3) + " ."})) << "each of them fits";
}

TEST_F(Engine, ATaskWithAPrefixStaysWhole) {
  const std::string text = words(3) + " . " + words(4) + " .";
  const TranslationTask task{.source = text, .prefix = words(1)};
  const auto translate = [&](bool split) {
    return make({.split_sentences = split}, /*reverses=*/true).translate({&task, 1}, {})[0];
  };
  EXPECT_EQ(translate(true).hypotheses[0].text, translate(false).hypotheses[0].text);
}

TEST_F(Engine, LongSourcesAreRefusedWithTheirLineIfTheyMayNotBeSplit) {
  const auto engine = make({.max_input_pieces = 3, .split_long_input = false});
  const std::vector<TranslationTask> tasks = {{.source = "a"},
                                              {.source = "a b c d e f", .number = 41}};
  EXPECT_THAT([&] { engine.translate(tasks, {}); },
              ThrowsMessage<Error>(HasSubstr("line 42: has")));
}

TEST_F(Engine, AHundredKilobytesInOneLineAreTranslatedWhole) {
  std::string text = words(1);
  while (text.size() < (1 << 17)) text += ", " + words(12);
  EXPECT_EQ(texts(make({.max_input_pieces = 200}), {text})[0], normalized(text));
}

TEST_F(Engine, AlignmentsOfSplitSourcesAreThoseOfTheWhole) {
  const std::string text =
      words(3) + ". " + words(4) + ". " + words(2) + ", " + words(5) + ". " + words(1);
  const auto links = [&](size_t most) {
    const auto engine = make({.wants_attention = true, .max_input_pieces = most});
    const TranslationTask task{.source = text};
    const auto translation = engine.translate({&task, 1}, {}).front();
    const auto& best = translation.hypotheses.front();
    EXPECT_EQ(best.attention.size(), best.pieces.size() + 1);
    EXPECT_EQ(best.piece_scores.size(), best.pieces.size() + 1);
    return print_links(hard_alignment(translation, best, AlignmentUnits::word));
  };
  EXPECT_EQ(links(1000), "0-0 1-1 2-2 3-3 4-4 5-5 6-6 7-7 8-8 9-9 10-10 11-11 12-12 13-13 14-14");
  for (const size_t most : {12u, 20u, 40u}) EXPECT_EQ(links(most), links(1000)) << most;
}

TEST_F(Engine, ReversedWordsAreAlignedBackwards) {
  const auto engine = make({.wants_attention = true}, /*reverses=*/true);
  const TranslationTask task{.source = words(3)};
  const auto translation = engine.translate({&task, 1}, {}).front();
  ASSERT_EQ(translation.source_pieces.size(), 3u);
  EXPECT_EQ(print_links(
                hard_alignment(translation, translation.hypotheses.front(), AlignmentUnits::word)),
            "0-2 1-1 2-0");
}

TEST_F(Engine, AlignmentShiftTakesTheRowOneStepLater) {
  const auto engine = make({.alignment_shift = 1, .wants_attention = true});
  const TranslationTask task{.source = words(3)};
  const auto translation = engine.translate({&task, 1}, {}).front();
  EXPECT_EQ(print_links(
                hard_alignment(translation, translation.hypotheses.front(), AlignmentUnits::word)),
            "1-0 2-1")
      << "the last word is read where the model looks at the end marker";
}

TEST_F(Engine, PrefixesBeginTheTranslation) {
  const std::string five = words(5);
  const TranslationTask task{.source = words(2), .prefix = five};
  const auto translation = make().translate({&task, 1}, {}).front();
  EXPECT_THAT(translation.hypotheses.front().text, ::testing::StartsWith(five));
}

TEST_F(Engine, SamplingDependsOnTheNumberOfTheSentenceNotOnItsPlace) {
  const auto engine = make({.threads = 1});
  const SearchOptions search{.sampling = true, .temperature = 20, .seed = 5};
  const std::vector<TranslationTask> all = {{.source = "a b c d"}, {.source = "e f g h i j"}};
  const TranslationTask alone{.source = all[1].source, .number = 1};
  EXPECT_EQ(engine.translate(all, search)[1].hypotheses[0].text,
            engine.translate({&alone, 1}, search)[0].hypotheses[0].text);
}

TEST_F(Engine, GivenTranslationsAreScored) {
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"a b c", "a b c"}, {"a b c", "a b"}, {"", ""}};
  const auto scored = make({.wants_attention = true}).score(pairs);
  ASSERT_THAT(scored, SizeIs(3));
  for (const auto& translation : scored) ASSERT_THAT(translation.hypotheses, SizeIs(1));
  EXPECT_GT(scored[0].hypotheses[0].log_probability, -0.5);
  EXPECT_LT(scored[1].hypotheses[0].log_probability, -5);
  EXPECT_EQ(scored[1].hypotheses[0].text, "a b");
  EXPECT_EQ(print_links(hard_alignment(scored[0], scored[0].hypotheses[0], AlignmentUnits::word)),
            "0-0 1-1 2-2");
}

TEST_F(Engine, LongPairsAreRefused) {
  const std::vector<std::pair<std::string, std::string>> pairs = {{"a", "a"}, {"a b c d", "a"}};
  EXPECT_THAT([&] { make({.max_input_pieces = 3}).score(pairs); },
              ThrowsMessage<Error>(HasSubstr("line 2: the source has")));
}

TEST_F(Engine, WrongOptionsAreRefusedAtOnce) {
  EXPECT_THROW(make({.threads = -1}), UsageError);
  EXPECT_THROW(make({.alignment_shift = 2}), UsageError);
  EXPECT_THROW(make({.max_input_pieces = 0}), UsageError);
  EXPECT_THAT([&] { texts(make(), {"a"}, {.coverage_penalty = 0.2}); },
              ThrowsMessage<UsageError>(HasSubstr("attention")));
}

}  // namespace
}  // namespace eatt
