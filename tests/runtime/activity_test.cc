// What a running model writes down for the count of its operations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <set>

#include "base/error.h"
#include "random_model.h"
#include "random_shortlist.h"
#include "runtime/layers/observer.h"
#include "runtime/layers/transformer.h"
#include "runtime/search/search.h"

namespace eatt {
namespace {

using namespace testing;

const std::vector<std::vector<int32_t>> kSources = {{5, 9, 31, 7}, {60, 4}};

std::vector<SearchTask> tasks_of(const std::vector<std::vector<int32_t>>& sources) {
  std::vector<SearchTask> tasks;
  for (const auto& source : sources) tasks.push_back({.source = source});
  return tasks;
}

energy::Activity activity_of(const Model& model, std::span<const SearchTask> tasks,
                             const SearchOptions& options) {
  ActivityRecorder recorder;
  TransformerSteps steps(model, {.observer = &recorder});
  search(steps, tasks, options);
  return recorder.activity();
}

TEST(Activity, RowsAndPairsAreThoseOfTheSentencesAndSteps) {
  const Model model = random_model(odd_architecture(Mechanism::vanilla), Precision::float32);
  ActivityRecorder recorder;
  const energy::Activity& activity = recorder.activity();
  TransformerSteps steps(model, {.observer = &recorder});
  steps.start(kSources);
  steps.step(std::vector<StepRow>{{0, -1, kStartPiece}, {1, -1, kStartPiece}});
  steps.step(std::vector<StepRow>{{0, 0, 8}, {0, 0, 9}, {1, 1, 8}});
  EXPECT_EQ(activity.sentences, 2);
  EXPECT_EQ(activity.batches, 1);
  EXPECT_EQ(activity.source_rows, 5 + 3);
  EXPECT_EQ(activity.source_pairs, 5 * 5 + 3 * 3);
  EXPECT_EQ(activity.steps, 2);
  EXPECT_EQ(activity.rows, 2 + 3);
  EXPECT_EQ(activity.self_pairs, 2 * 1 + 3 * 2);
  EXPECT_EQ(activity.cross_pairs, (5 + 3) + (5 + 5 + 3));
  EXPECT_EQ(activity.columns, 5 * 130);
  EXPECT_EQ(activity.distinct_columns, 2 * 130);
  EXPECT_EQ(activity.most_source_rows, 8);
  EXPECT_EQ(activity.longest_source, 5);
  EXPECT_EQ(activity.most_rows, 3);
  EXPECT_EQ(activity.most_cached_rows, 2 + 3);  // Two shared beginnings, three new positions.
  EXPECT_TRUE(activity.encoder_self.empty());
}

// Adds up ones by itself.
class OnesCounter : public Observer {
 public:
  void codes(const CodeRows& codes) override {
    std::set<size_t> seen;
    for (size_t row = 0; row < codes.rows; ++row) {
      for (size_t i = 0; i < codes.dim; ++i) {
        if (codes.code(row, i) == 0) continue;
        ++ones;
        seen.insert(i);
      }
    }
    rows += codes.rows;
    distinct += seen.size();
  }
  size_t rows = 0, ones = 0, distinct = 0;
};

TEST(Activity, CodesAreCountedWhereTheyAreMade) {
  const Model model = random_model(odd_architecture(Mechanism::eatt), Precision::int8);
  ActivityRecorder recorder;
  const energy::Activity& activity = recorder.activity();
  OnesCounter counter;
  ObserverChain observers({&counter, &recorder});
  TransformerSteps steps(model, {.observer = &observers});
  search(steps, tasks_of(kSources), {.beam_size = 3});
  energy::CodeActivity sum = activity.cross_key;
  for (const auto* layers : {&activity.encoder_self, &activity.decoder_self, &activity.cross_query})
    for (const energy::CodeActivity& codes : *layers) sum += codes;
  EXPECT_EQ(sum, (energy::CodeActivity{counter.rows, counter.ones, counter.distinct}));
  EXPECT_EQ(activity.cross_key.rows, activity.source_rows);
  EXPECT_EQ(activity.decoder_self.at(1).rows, activity.rows);
  EXPECT_GT(activity.cross_key.ones, 0);
}

TEST(Activity, AFeatureOfALongSourceIsReadOnceForAllItsRows) {
  const Model model = random_model(odd_architecture(Mechanism::eatt), Precision::float32);
  const auto sources = random_sources(40, 20, 100, 3);  // More rows than are computed at a time.
  const auto activity = activity_of(model, tasks_of(sources), {.max_length = 1});
  EXPECT_GT(activity.source_rows, 256);
  EXPECT_LE(activity.cross_key.distinct, 70);  // The width of the model.
}

TEST(Activity, OfSeveralBatchesIsTheSum) {
  const Model model = random_model(odd_architecture(Mechanism::selection), Precision::int8);
  const auto tasks = tasks_of(kSources);
  ActivityRecorder together;
  TransformerSteps steps(model, {.observer = &together});
  energy::Activity apart;
  for (const SearchTask& task : tasks) {
    search(steps, std::span(&task, 1), {.beam_size = 2, .length_penalty = 1});
    apart += activity_of(model, std::span(&task, 1), {.beam_size = 2, .length_penalty = 1});
  }
  EXPECT_EQ(together.activity(), apart);
  EXPECT_TRUE(apart.search.divides);
}

TEST(Activity, AShortlistLeavesFewerColumns) {
  const Model model = random_model(odd_architecture(Mechanism::eatt), Precision::int8);
  const Shortlist shortlist = random_shortlist(100, 130, 6);
  ActivityRecorder recorder;
  const energy::Activity& activity = recorder.activity();
  TransformerSteps steps(model, {.shortlist = &shortlist, .observer = &recorder});
  search(steps, std::vector<SearchTask>{{.source = kSources[0]}}, {});
  std::vector<int32_t> pieces;
  shortlist.pieces_for(kSources[0], pieces);
  EXPECT_EQ(activity.columns, activity.rows * pieces.size());
  EXPECT_EQ(activity.distinct_columns, activity.steps * pieces.size());
  EXPECT_EQ(activity.search.columns, activity.columns);
}

TEST(Activity, SearchesThatHaveNoRulesOfCountingAreRefused) {
  const Model model = random_model(odd_architecture(Mechanism::eatt), Precision::float32);
  const auto tasks = tasks_of(kSources);
  EXPECT_THROW(activity_of(model, tasks, {.sampling = true}), UsageError);
  EXPECT_THROW(activity_of(model, tasks, {.beam_size = 2, .early_stopping = true}), UsageError);
}

TEST(Knockout, FindsTheBestAndThenTheNextByTheMatchesOfTheLast) {
  EXPECT_EQ(energy::knockout_comparisons(0, 3), 0);
  EXPECT_EQ(energy::knockout_comparisons(1, 1), 0);
  EXPECT_EQ(energy::knockout_comparisons(8, 1), 7);
  EXPECT_EQ(energy::knockout_comparisons(8, 3), 7 + 2 * 3);
  EXPECT_EQ(energy::knockout_comparisons(9, 2), 8 + 4);
  EXPECT_EQ(energy::knockout_comparisons(3, 10), 2 + 2 * 2);
}

}  // namespace
}  // namespace eatt
