#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "distillation/distill.h"

namespace eatt {
namespace {

using ::testing::ElementsAre;
using enum HypothesisChoice;

Hypothesis hypothesis(std::string text, bool finished = true) {
  Hypothesis made;
  made.text = std::move(text);
  made.finished = finished;
  return made;
}

DistillOptions wanted(HypothesisChoice choice, bool drop_cut) {
  DistillOptions options;
  options.choice = choice;
  options.drop_cut = drop_cut;
  return options;
}

std::vector<std::string> choose(const std::vector<Translation>& translations,
                                const std::vector<std::string_view>& references,
                                const DistillOptions& options) {
  std::vector<std::string> texts;
  for (const Hypothesis* chosen : choose_hypotheses(translations, references, options)) {
    texts.push_back(chosen == nullptr ? "(none)" : chosen->text);
  }
  return texts;
}

class ChooseHypotheses : public ::testing::Test {
 protected:
  ChooseHypotheses() {
    translations_.resize(3);
    translations_[0].hypotheses = {hypothesis("a cat sat"), hypothesis("the cat sat there", false),
                                   hypothesis("the cat sits")};
    translations_[1].hypotheses = {hypothesis("one"), hypothesis("two")};
    translations_[2].hypotheses = {hypothesis("on and on and on", false)};
  }

  std::vector<Translation> translations_;
  std::vector<std::string_view> references_ = {"the cat sat there", "three", "on"};
};

TEST_F(ChooseHypotheses, BestIsTheFirstWhateverTheReference) {
  EXPECT_THAT(choose(translations_, references_, wanted(best, false)),
              ElementsAre("a cat sat", "one", "on and on and on"));
}

TEST_F(ChooseHypotheses, ReferenceIsTheNearestAndOfEquallyNearOnesTheFirst) {
  EXPECT_THAT(choose(translations_, references_, wanted(reference, false)),
              ElementsAre("the cat sat there", "one", "on and on and on"));
}

TEST_F(ChooseHypotheses, WhatWasCutIsPassedOverIfNotWanted) {
  EXPECT_THAT(choose(translations_, references_, wanted(best, true)),
              ElementsAre("a cat sat", "one", "(none)"));
  references_[0] = "the cat sits there";
  EXPECT_THAT(choose(translations_, references_, wanted(reference, true)),
              ElementsAre("the cat sits", "one", "(none)"));
}

TEST_F(ChooseHypotheses, TheTokenizerDecidesWhatAWordIs) {
  translations_.resize(1);
  translations_[0].hypotheses = {hypothesis("我们走"), hypothesis("我喜欢猫")};
  const std::vector<std::string_view> dogs = {"我喜欢狗"};
  DistillOptions options = wanted(reference, false);
  EXPECT_THAT(choose(translations_, dogs, options), ElementsAre("我们走"));
  options.tokenizer = evaluation::Tokenizer::zh;
  EXPECT_THAT(choose(translations_, dogs, options), ElementsAre("我喜欢猫"));
}

}  // namespace
}  // namespace eatt
