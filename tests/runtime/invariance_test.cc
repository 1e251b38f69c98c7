// A sentence's translation never depends on its neighbours.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/threads.h"
#include "random_model.h"
#include "random_shortlist.h"
#include "runtime/layers/transformer.h"
#include "runtime/search/search.h"

namespace eatt {
namespace {

using namespace testing;

struct Case {
  Mechanism mechanism;
  Precision precision;
};

std::string case_name(const Case& c) {
  return std::string(mechanism_name(c.mechanism)) +
         (c.precision == Precision::int8 ? "_int8" : "_float32");
}
void PrintTo(const Case& c, std::ostream* out) { *out << case_name(c); }

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const Mechanism mechanism : {Mechanism::vanilla, Mechanism::eatt, Mechanism::selection,
                                    Mechanism::l1, Mechanism::dense, Mechanism::randinit}) {
    for (const Precision precision : {Precision::float32, Precision::int8})
      cases.push_back({mechanism, precision});
  }
  return cases;
}

class EachModel : public ::testing::TestWithParam<Case> {
 protected:
  // Everything about the hypotheses of each source, in the order of the sources.
  std::vector<SearchHypothesis> translate(const std::vector<size_t>& order, size_t batch,
                                          const SearchOptions& options, int threads) {
    std::vector<SearchHypothesis> found(order.size());
    set_thread_count(threads);
    const size_t batches = (order.size() + batch - 1) / batch;
    parallel_for(batches, [&](size_t b) {
      TransformerSteps steps(model_, {.shortlist = shortlist_ ? &*shortlist_ : nullptr});
      const size_t first = b * batch, end = std::min(first + batch, order.size());
      std::vector<SearchTask> tasks;
      for (size_t i = first; i < end; ++i)
        tasks.push_back({.source = sources_[order[i]], .number = order[i]});
      auto results = search(steps, tasks, options);
      for (size_t i = first; i < end; ++i) found[order[i]] = std::move(results[i - first].front());
    });
    set_thread_count(0);
    return found;
  }

  void expect_equal(const std::vector<SearchHypothesis>& a,
                    const std::vector<SearchHypothesis>& b) {
    for (size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(a[i].pieces, b[i].pieces) << "sentence " << i;
      ASSERT_EQ(a[i].piece_scores, b[i].piece_scores) << "sentence " << i;  // To the last bit.
    }
  }

  void check(size_t count, const SearchOptions& options) {
    std::vector<size_t> order(count);
    std::iota(order.begin(), order.end(), size_t{0});
    const auto alone = translate(order, 1, options, 1);
    expect_equal(alone, translate(order, 7, options, 2));
    std::shuffle(order.begin(), order.end(), std::mt19937_64(5));
    expect_equal(alone, translate(order, 64, options, 1));
    expect_equal(alone, translate(order, 64, options, 2));
  }

  std::optional<Shortlist> shortlist_;  // Unless the whole vocabulary is used.
  Model model_ = random_model(odd_architecture(GetParam().mechanism), GetParam().precision);
  std::vector<std::vector<int32_t>> sources_ = random_sources(1000, 12, 100, 3);
};

INSTANTIATE_TEST_SUITE_P(Invariance, EachModel, ::testing::ValuesIn(all_cases()),
                         [](const auto& one) { return case_name(one.param); });

TEST_P(EachModel, GreedyTranslationsDoNotDependOnTheBatch) {
  check(1000, {.max_length_factor = 1, .max_length_extra = 2});
}

TEST_P(EachModel, BeamsDoNotDependOnTheBatch) {
  check(100, {.beam_size = 4, .length_penalty = 0.6, .max_length_extra = 2});
}

TEST_P(EachModel, ShortlistsOfOtherSentencesDoNotMatter) {
  shortlist_ = random_shortlist(100, 130, 8);
  check(300, {.max_length_factor = 1, .max_length_extra = 2});
  check(50, {.beam_size = 3, .max_length_extra = 2});
}

// A row alone computes its logits in one block of columns, 64 rows theirs in several.
TEST_P(EachModel, BlocksOfALargeOutputLayerDoNotMatter) {
  Architecture large = odd_architecture(GetParam().mechanism);
  large.target_vocab = 3000;
  model_ = random_model(large, GetParam().precision);
  check(100, {.max_length_factor = 1, .max_length_extra = 2});
  check(40, {.beam_size = 4, .max_length_extra = 2});
}

}  // namespace
}  // namespace eatt
