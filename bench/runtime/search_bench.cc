// What a search costs beside its model: a step at batch 32 and 32,000 pieces, with a model whose
// scores stand in memory, against the log-sum and the best pieces of each row alone. Prints
// tab-separated lines: name, value, goal, holds or short.
#include <cstdio>
#include <string>
#include <vector>

#include "../kernels/measure.h"
#include "base/random.h"
#include "kernels/rows/rows.h"
#include "runtime/search/search.h"
#include "text/pieces/pieces.h"

namespace eatt::bench {
namespace {

constexpr size_t kSentences = 32;
constexpr size_t kVocab = 32000;
constexpr int kSteps = 24;
constexpr size_t kRounds = 15;

// Scores that were computed before, never an end.
class ReadyModel : public StepModel {
 public:
  explicit ReadyModel(size_t rows) : logits_(rows * kVocab) {
    Random random(1);
    for (float& logit : logits_) {
      // Sums of uniform numbers: a bell, as trained models' logits are.
      logit = static_cast<float>(
          3 * (random.uniform() + random.uniform() + random.uniform() + random.uniform() - 2));
    }
    for (size_t row = 0; row < rows; ++row) logits_[row * kVocab + kEndPiece] = -50;
  }
  size_t vocab() const override { return kVocab; }
  void add(std::span<const NewSentence>) override {}
  void remove(int32_t) override {}
  void clear() override {}
  StepScores step(std::span<const StepRow>) override { return {logits_.data(), kVocab, {}}; }
  std::span<const float> attention(size_t) const override { return {}; }
  const float* row(size_t row) const { return logits_.data() + row * kVocab; }
  size_t max_target_pieces() const override { return 1000; }

 private:
  std::vector<float> logits_;
};

// The passes over rows that no search can do without.
void read_rows(const ReadyModel& model, size_t rows, size_t best) {
  std::vector<kernels::TopValue> values(best);
  for (size_t row = 0; row < rows; ++row) {
    float log_sum = 0;
    kernels::log_sum_exp_rows(model.row(row), 1, kVocab, &log_sum);
    kernels::top_values(model.row(row), kVocab, best, values.data());
  }
}

// Time of a step over that of reading each of its rows once, and itself.
void measure(ReadyModel& model, const std::string& name, SearchOptions options, double goal) {
  options.max_length = kSteps - 1;
  const auto beam_size = static_cast<size_t>(options.beam_size);
  const size_t rows = kSentences * (1 + (kSteps - 1) * beam_size);  // In all steps.
  const std::vector<SearchTask> tasks(kSentences, SearchTask{.source = std::vector(24, 4)});
  std::vector<double> times, ratios;
  for (size_t round = 0; round < kRounds; ++round) {
    const double ours = seconds_per_call([&] { search(model, tasks, options); }, 1);
    const size_t batch = kSentences * beam_size;
    const double reading = seconds_per_call([&] { read_rows(model, batch, beam_size); }, 4);
    times.push_back(ours * 1e3 / kSteps);
    ratios.push_back(ours / (reading / static_cast<double>(batch) * static_cast<double>(rows)));
  }
  const double ratio = median(ratios);
  std::printf("search_over_reading/%s\t%.3f\t<=%g\t%s\n", name.c_str(), ratio, goal,
              ratio <= goal ? "holds" : "short");
  std::fprintf(stderr, "%s: %.3f ms per step\n", name.c_str(), median(times));
}

void run() {
  ReadyModel model(4 * kSentences);
  measure(model, "greedy", {}, 1.1);
  measure(model, "beam_4", {.beam_size = 4}, 1.1);
  measure(model, "beam_4_early_stopping",
          {.beam_size = 4, .length_penalty = 0.6, .early_stopping = true}, 1.1);
  measure(model, "beam_4_repetition_penalty", {.beam_size = 4, .repetition_penalty = 1.2}, 2);
  measure(model, "sampling", {.sampling = true}, 4);
  measure(model, "sampling_top_k_50", {.sampling = true, .top_k = 50}, 6);
  measure(model, "sampling_top_p_0.9", {.sampling = true, .top_p = 0.9}, 6);
}

}  // namespace
}  // namespace eatt::bench

int main() { eatt::bench::run(); }
