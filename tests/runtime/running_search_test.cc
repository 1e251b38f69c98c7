// Sentences join and leave a running search at random; each gets what it gets alone.
#include "runtime/search/running_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "base/error.h"
#include "random_model.h"
#include "random_shortlist.h"
#include "runtime/layers/observer.h"
#include "runtime/layers/transformer.h"
#include "toy_model.h"

namespace eatt {
namespace {

using namespace testing;

// Every kind of search, with few pieces so that many fit into a test.
std::vector<SearchOptions> kinds_of_search() {
  SearchOptions greedy{.max_length_factor = 1, .max_length_extra = 2};
  SearchOptions beam = greedy, n_best = greedy, sampling = greedy, alternatives = greedy;
  beam.beam_size = 4;
  beam.length_penalty = 0.6;
  n_best.beam_size = n_best.n_best = 3;
  n_best.early_stopping = true;
  sampling.sampling = true;
  sampling.beam_size = 2;
  sampling.top_k = 20;
  alternatives.alternatives = true;
  alternatives.n_best = 3;
  alternatives.repetition_penalty = 1.5;
  return {greedy, beam, n_best, sampling, alternatives};
}

struct Sentence {
  SearchTask task;
  SearchOptions options;
};

// Every second one is plain greedy search, as in a server; some have a prefix.
std::vector<Sentence> random_sentences(size_t count) {
  const auto kinds = kinds_of_search();
  const auto sources = random_sources(count, 12, 100, 3);
  std::mt19937_64 random(8);
  std::vector<Sentence> sentences;
  for (size_t i = 0; i < count; ++i) {
    Sentence sentence{{.source = sources[i], .number = i}, kinds[i % 2 * (i / 2 % kinds.size())]};
    if (random() % 5 == 0) sentence.task.prefix = {static_cast<int32_t>(50 + i % 60), 77};
    sentences.push_back(sentence);
  }
  return sentences;
}

using Found = std::map<uint64_t, std::vector<SearchHypothesis>>;

// Joins as many as fate wants at each step, up to 20 in all; one of seven leaves before its end.
Found search_with_random_joins(StepModel& model, const std::vector<Sentence>& sentences) {
  RunningSearch running(model);
  std::mt19937_64 random(6);
  std::vector<uint64_t> leaving;
  Found found;
  size_t next = 0;
  while (next < sentences.size() || !running.empty()) {
    for (auto n = random() % 4; n > 0 && next < sentences.size() && running.sentences() < 20; --n) {
      running.add(sentences[next].task, sentences[next].options, next);
      if (next % 7 == 3) leaving.push_back(next);
      ++next;
    }
    if (!leaving.empty() && random() % 3 == 0) {
      running.remove(leaving.back());
      leaving.pop_back();
    }
    for (auto& finished : running.step()) {
      EXPECT_FALSE(finished.failure);
      EXPECT_TRUE(found.emplace(finished.id, std::move(finished.hypotheses)).second);
    }
  }
  EXPECT_EQ(running.source_pieces(), 0u);
  EXPECT_EQ(running.most_rows(), 0u);
  return found;
}

void expect_as_alone(StepModel& model, StepModel& alone, const std::vector<Sentence>& sentences) {
  const Found found = search_with_random_joins(model, sentences);
  EXPECT_GT(found.size(), sentences.size() * 5 / 7);
  for (const auto& [id, hypotheses] : found) {
    SCOPED_TRACE(id);
    expect_same(hypotheses, search_one(alone, sentences[id].task, sentences[id].options));
  }
}

struct Case {
  Mechanism mechanism;
  Precision precision;
};

class EachRunningModel : public ::testing::TestWithParam<Case> {
 protected:
  Model model_ = random_model(odd_architecture(GetParam().mechanism), GetParam().precision);
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const Mechanism mechanism : {Mechanism::vanilla, Mechanism::eatt, Mechanism::selection,
                                    Mechanism::l1, Mechanism::dense, Mechanism::randinit}) {
    for (const Precision precision : {Precision::float32, Precision::int8})
      cases.push_back({mechanism, precision});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(RunningSearch, EachRunningModel, ::testing::ValuesIn(all_cases()),
                         [](const auto& one) {
                           return std::string(mechanism_name(one.param.mechanism)) +
                                  (one.param.precision == Precision::int8 ? "_int8" : "_float32");
                         });

TEST_P(EachRunningModel, SentencesThatJoinAtAnyStepAreTranslatedAsAlone) {
  TransformerSteps model(model_, {.wants_attention = true});
  TransformerSteps alone(model_, {.wants_attention = true});
  expect_as_alone(model, alone, random_sentences(100));
}

TEST_P(EachRunningModel, ShortlistsOfThoseThatJoinAndLeaveDoNotMatter) {
  const Shortlist shortlist = random_shortlist(100, 130, 8);
  TransformerSteps model(model_, {.shortlist = &shortlist});
  TransformerSteps alone(model_, {.shortlist = &shortlist});
  expect_as_alone(model, alone, random_sentences(100));
}

TEST(RunningSearch, EnsemblesWithAShortlistTakeNewSentencesToo) {
  const Model first = random_model(odd_architecture(Mechanism::eatt), Precision::int8, 1);
  const Model second = random_model(odd_architecture(Mechanism::vanilla), Precision::float32, 2);
  const Shortlist shortlist = random_shortlist(100, 130, 8);
  const auto ensemble = [&] {
    std::vector<std::unique_ptr<StepModel>> models;
    for (const Model* model : {&first, &second}) {
      models.push_back(std::make_unique<TransformerSteps>(
          *model, StepModelOptions{.wants_attention = true, .shortlist = &shortlist}));
    }
    return EnsembleModel(std::move(models), {1, 2});
  };
  EnsembleModel model = ensemble(), alone = ensemble();
  expect_as_alone(model, alone, random_sentences(100));
}

TEST(RunningSearch, TheMemoryOfSentencesThatLeftIsUsedAgain) {
  const Model model = random_model(odd_architecture(Mechanism::eatt), Precision::int8);
  ActivityRecorder recorder;
  TransformerSteps steps(model, {.observer = &recorder});
  RunningSearch running(steps);
  const auto sources = random_sources(400, 12, 100, 3);
  const SearchOptions options{.beam_size = 2, .max_length_factor = 1, .max_length_extra = 2};
  size_t finished = 0;
  for (size_t next = 0; next < sources.size() || !running.empty();) {
    while (next < sources.size() && running.sentences() < 10) {
      running.add({.source = sources[next]}, options, next);
      ++next;
    }
    if (next % 3 == 0) running.remove(next - 1);
    finished += running.step().size();
  }
  EXPECT_GT(finished, 200u);
  const auto& activity = recorder.activity();
  EXPECT_LE(activity.most_rows, 20u);
  EXPECT_LE(activity.most_source_rows, 10u * 13);
  EXPECT_LE(activity.most_cached_rows, 20u * 15);
}

TEST(RunningSearch, ASentenceThatFailsLeavesItsNeighboursAlone) {
  const auto random = random_logits(5, 9);
  const auto broken = [&](const Ids& source, const Ids& prefix) {
    auto logits = random(source, prefix);
    if (source.size() == 2 && prefix.size() == 1) logits[kA] = std::nanf("");
    return logits;
  };
  ToyModel model(broken, 9), alone(random, 9);
  RunningSearch running(model);
  const SearchTask good{.source = {4}}, bad{.source = {4, 5}};
  running.add(good, {.min_length = 3}, 1);
  running.add(bad, {.min_length = 3}, 2);
  size_t failures = 0;
  while (!running.empty()) {
    for (const auto& finished : running.step()) {
      if (finished.failure) {
        EXPECT_EQ(finished.id, 2u);
        EXPECT_THROW(std::rethrow_exception(finished.failure), Error);
        ++failures;
      } else {
        expect_same(finished.hypotheses, search_one(alone, good, {.min_length = 3}));
      }
    }
  }
  EXPECT_EQ(failures, 1u);
}

TEST(RunningSearch, WhatCannotBeSearchedForDoesNotJoin) {
  ToyModel model(random_logits(5, 9), 9);
  RunningSearch running(model);
  EXPECT_THROW(running.add({.source = {4}}, {.beam_size = 1, .n_best = 2}, 1), UsageError);
  EXPECT_THROW(running.add({.source = {4}, .prefix = {kEndPiece}}, {}, 1), Error);
  EXPECT_TRUE(running.empty());
  running.remove(1);
  EXPECT_EQ(running.step().size(), 0u);
}

TEST(RunningSearch, ThoseWhoWantNoAttentionGetNone) {
  ToyModel model(random_logits(5, 9), 9);
  model.attends = true;
  RunningSearch running(model);
  running.add({.source = {4}, .wants_attention = false}, {}, 0);
  running.add({.source = {4}}, {}, 1);
  while (!running.empty()) {
    for (const auto& finished : running.step()) {
      EXPECT_EQ(finished.hypotheses[0].attention.empty(), finished.id == 0);
    }
  }
}

}  // namespace
}  // namespace eatt
