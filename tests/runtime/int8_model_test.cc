// The int8 model against the float model of the same bundle, on the same binary codes.
#include <gtest/gtest.h>

#include <cmath>
#include <deque>

#include "kernels/selection/selection_codes.h"
#include "random_model.h"
#include "runtime/layers/observer.h"
#include "runtime/layers/transformer.h"

namespace eatt {
namespace {

using namespace testing;

// Keeps the codes of one model and feeds them to the next.
class CodeTape : public Observer {
 public:
  void codes(const CodeRows& codes) override {
    const size_t words = codes.planes() * codes.rows * kernels::code_words(codes.dim);
    if (!playing_) {
      tape_.emplace_back(codes.bits, codes.bits + words);
      return;
    }
    std::ranges::copy(tape_.front(), codes.bits);
    tape_.pop_front();
  }
  void play() { playing_ = true; }
  bool empty() const { return tape_.empty(); }

 private:
  bool playing_ = false;
  std::deque<std::vector<uint64_t>> tape_;
};

std::vector<float> logits_of(const Model& model, CodeTape& codes) {
  TransformerSteps steps(model, {.observer = &codes});
  steps.start(random_sources(3, 9, 100, 4));
  std::vector<StepRow> rows = {{0, -1, kStartPiece}, {1, -1, kStartPiece}, {2, -1, kStartPiece}};
  std::vector<float> logits;
  for (int32_t step = 0; step < 6; ++step) {
    const StepScores scores = steps.step(rows);
    logits.insert(logits.end(), scores.logits, scores.logits + rows.size() * scores.columns);
    for (int32_t row = 0; row < 3; ++row)
      rows[static_cast<size_t>(row)] = {row, row, 10 + 7 * step + row};
  }
  return logits;
}

void expect_logits_of_the_float_model(const Architecture& a) {
  CodeTape codes;
  const auto expected = logits_of(random_model(a, Precision::float32), codes);
  codes.play();
  const auto found = logits_of(random_model(a, Precision::int8), codes);
  EXPECT_TRUE(codes.empty());
  ASSERT_EQ(found.size(), expected.size());
  double errors = 0, squares = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    errors += std::pow(found[i] - expected[i], 2);
    squares += std::pow(expected[i], 2);
  }
  EXPECT_LT(std::sqrt(errors / squares), 0.03);  // Two layers of products rounded to 1 in 127.
}

class EachMechanism : public ::testing::TestWithParam<Mechanism> {};
INSTANTIATE_TEST_SUITE_P(Int8Model, EachMechanism,
                         ::testing::Values(Mechanism::vanilla, Mechanism::eatt,
                                           Mechanism::selection, Mechanism::l1, Mechanism::dense,
                                           Mechanism::randinit),
                         [](const auto& one) { return std::string(mechanism_name(one.param)); });

TEST_P(EachMechanism, LogitsAreThoseOfTheFloatModelButForRounding) {
  Architecture a = odd_architecture(GetParam());
  // Scales that are not folded yet: folding is part of what is compared.
  a.cross.scale = {.kind = ScaleKind::learned, .divisor = 2};
  expect_logits_of_the_float_model(a);
}

TEST(Int8Model, WithSignedCodesHasTheLogitsOfTheFloatModelButForRounding) {
  for (const Mechanism mechanism : {Mechanism::eatt, Mechanism::selection}) {
    for (const size_t levels : {1, 2, 3, 6}) {
      Architecture a = odd_architecture(mechanism);
      a.code_levels = levels;
      a.threshold.value = 0.4;
      a.cross.scale = {.kind = ScaleKind::learned, .divisor = 2};
      expect_logits_of_the_float_model(a);
    }
  }
}

}  // namespace
}  // namespace eatt
