// Several workers make the updates of one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <mutex>
#include <thread>

#include "../model/small_models.h"
#include "group_of_threads.h"
#include "training/update/learner.h"

namespace eatt {
namespace {

using namespace testing;

TrainingOptions plain_options() {
  TrainingOptions options;
  options.dropout = 0;
  options.clip_norm = 1;
  // Adam divides by the size of a gradient, even where that is nothing but rounding; with an
  // epsilon above it, weights differ by no more than gradients do.
  options.adam_epsilon = 1e-3;
  return options;
}

using Batches = std::vector<std::vector<PiecePair>>;

// Two batches for each of two workers: an update with --optimizer-delay 2.
const Batches kAll = {{{{4, 5, 6}, {7, 8}}, {{9}, {10, 11, 4}}},
                      {{{5, 5}, {6}}},
                      {{{6, 7, 8, 9}, {4, 5, 6, 7}}},
                      {{{10}, {12}}, {{11, 12}, {9, 10}}}};
constexpr int64_t kWords = 19;  // End markers included.

Batches part(int rank) {
  const auto begin = kAll.begin() + 2 * rank;
  return {begin, begin + 2};
}

// The same weights for all, away from where they start.
void shake_alike(Learner& learner) {
  torch::manual_seed(11);
  shake(*learner.model(), 0.3);
}

// A learner alone, and two that share its work.
struct Learners {
  explicit Learners(Mechanism mechanism, const TrainingOptions& options = plain_options())
      : mechanism_(mechanism), options_(options) {
    alone = std::make_unique<Learner>(small_architecture(mechanism, 2), options);
    shake_alike(*alone);
  }

  // Learners are made one after the other: libtorch's generator is one for all threads.
  std::unique_ptr<Learner> made(ProcessGroup& group, int threads = 1) {
    std::unique_lock lock(mutex_);
    auto learner = std::make_unique<Learner>(small_architecture(mechanism_, 2), options_, threads,
                                             torch::kCPU, &group);
    shake_alike(*learner);
    lock.unlock();
    group.any(false);  // Nobody makes an update, which seeds the generator, before all are made.
    return learner;
  }

  std::unique_ptr<Learner> alone;

 private:
  Mechanism mechanism_;
  TrainingOptions options_;
  std::mutex mutex_;
};

double largest_difference(Learner& a, Learner& b) {
  return (a.parameters().values() - b.parameters().values()).abs().max().item<double>();
}

// All codes of a model on all batches, as one row.
torch::Tensor codes_of(Learner& learner) {
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> codes;
  for (const auto& pairs : kAll) {
    const TrainingBatch batch = make_batch(pairs);
    ModelTrace trace = {.wants_weights = false};
    Transformer& model = learner.model();
    model->decode(model->encode(batch.source, &trace), batch.target, &trace);
    for (const auto* role : {&trace.encoder_self, &trace.decoder_self, &trace.cross}) {
      for (const AttentionTrace& layer : *role) {
        for (const auto& made : {layer.query_codes, layer.key_codes}) {
          if (made.defined()) codes.push_back(made.flatten());
        }
      }
    }
  }
  return codes.empty() ? torch::zeros({0}) : torch::cat(codes);
}

class WorkersOf : public ::testing::TestWithParam<Mechanism> {};
INSTANTIATE_TEST_SUITE_P(Mechanisms, WorkersOf, kAllMechanisms, name_of_case);

TEST_P(WorkersOf, OneUpdateOfTwoIsThatOfOneWithTwiceTheBatch) {
  Learners learners(GetParam());
  DensityCounter density_of_all;
  const auto expected = learners.alone->update(kAll, 0.01, 1, &density_of_all);
  as_workers(2, [&](ProcessGroup& group) {
    const auto learner = learners.made(group, /*threads=*/group.rank() + 1);
    DensityCounter density;
    const auto found = learner->update(part(group.rank()), 0.01, 1, &density, kWords);
    EXPECT_EQ(found.words, expected.words);
    EXPECT_EQ(found.source_words, expected.source_words);
    EXPECT_NEAR(found.loss, expected.loss, 1e-5);
    EXPECT_NEAR(found.likelihood, expected.likelihood, 1e-5);
    EXPECT_NEAR(found.gradient_norm, expected.gradient_norm, 1e-5 * expected.gradient_norm);
    EXPECT_NEAR(density.densities().mean(), density_of_all.densities().mean(), 1e-9);
    EXPECT_LT(largest_difference(*learner, *learners.alone), 2e-6);  // Rounding of weights near 1.
  });
}

// A code that falls on the other side of its threshold changes the gradient by more than rounding.
// Until the first does, weights agree; without codes, they do so to the end.
TEST_P(WorkersOf, FiftyUpdatesDifferOnlyOnceACodeHasFlipped) {
  constexpr int kUpdates = 50;
  Learners learners(GetParam());
  std::vector<torch::Tensor> weights, codes;
  for (uint64_t i = 0; i < kUpdates; ++i) {
    learners.alone->update(kAll, 0.01, i);
    weights.push_back(learners.alone->parameters().values().clone());
    codes.push_back(codes_of(*learners.alone));
  }
  int64_t flipped = 0;
  as_workers(2, [&](ProcessGroup& group) {
    const auto learner = learners.made(group);
    for (uint64_t i = 0; i < kUpdates; ++i) {
      learner->update(part(group.rank()), 0.01, i, nullptr, kWords);
      if (!group.is_first()) continue;
      flipped += (codes_of(*learner) != codes[i]).sum().item<int64_t>();
      if (flipped > 0) continue;
      const auto difference = (learner->parameters().values() - weights[i]).abs().max();
      EXPECT_LT(difference.item<double>(), 5e-4) << "update " << i;  // L1: 1e-4 after 50.
    }
  });
  const auto all = codes[0].numel() * kUpdates;
  RecordProperty("codes", static_cast<int>(all));
  RecordProperty("flipped_codes", static_cast<int>(flipped));
  EXPECT_LE(flipped, all / 100) << "of " << all << " codes";
}

TEST(Workers, AWorkerWithoutPairsTakesPartAllTheSame) {
  Learners learners(Mechanism::eatt);
  const Batches all = {kAll[0]};
  const auto expected = learners.alone->update(all, 0.01, 1);
  as_workers(2, [&](ProcessGroup& group) {
    const auto learner = learners.made(group);
    const auto found =
        learner->update(group.is_first() ? all : Batches{}, 0.01, 1, nullptr, expected.words);
    EXPECT_NEAR(found.loss, expected.loss, 1e-6);
    EXPECT_LT(largest_difference(*learner, *learners.alone), 2e-6);
  });
}

TEST(Workers, AllSkipAnUpdateThatIsNotFiniteInOne) {
  Learners learners(Mechanism::vanilla);
  as_workers(2, [&](ProcessGroup& group) {
    const auto learner = learners.made(group);
    if (!group.is_first()) {
      const torch::NoGradGuard no_grad;
      learner->model()->named_parameters()["decoder.layers.0.fc1.weight"][0][0] = NAN;
    }
    EXPECT_NE(learner->update(part(group.rank()), 0.01, 1, nullptr, kWords).problem, "");
    EXPECT_EQ(learner->adam().steps(), 0);
  });
}

// Buckets are handed over while backward still computes those below them.
TEST(GradientBuckets, TheFirstSumStartsBeforeBackwardEnds) {
  std::mutex mutex;
  as_workers(2, [&](ProcessGroup& group) {
    std::unique_lock lock(mutex);
    torch::manual_seed(1);
    Transformer model(small_architecture(Mechanism::eatt, 6),
                      ModelTraining{.dropout = {.residual = 0}, .codes = {}, .random = {}});
    lock.unlock();
    ParameterBuffer row(*model);
    GradientBuckets buckets(group, {model.get()}, {&row}, /*bucket_floats=*/500);
    const TrainingBatch batch = make_batch(kAll[0]);
    const auto backward = [&] {
      row.gradients().zero_();
      model->logits(model->decode(model->encode(batch.source), batch.target)).sum().backward();
    };
    backward();
    const auto own = row.gradients().clone();
    for (int update = 0; update < 2; ++update) {  // The second in the order that was agreed on.
      buckets.begin_update();
      buckets.begin_last_pass(0);
      backward();
      std::this_thread::sleep_for(std::chrono::milliseconds(200));  // So that some sums arrive.
      buckets.end_thread(0);
      const ReductionTimes times = buckets.finish();
      EXPECT_LT(times.first_started, times.backward_ended);
      EXPECT_LE(times.backward_ended, times.finished);
      EXPECT_EQ(times.bytes, row.gradients().nbytes());
      EXPECT_GT(times.bytes_in_backward, 0);
      EXPECT_LE(times.bytes_in_backward, times.bytes);
      EXPECT_TRUE(row.gradients().equal(own * 2))
          << "the workers have the same gradients; largest difference "
          << (row.gradients() - own * 2).abs().max().item<float>() << " of "
          << own.abs().max().item<float>();
    }
  });
}

}  // namespace
}  // namespace eatt
