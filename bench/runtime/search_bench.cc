// What a search costs beside its model: time per step at batch 32 and 32,000 pieces, with a model
// whose scores stand in memory. Prints tab-separated lines: name, value, goal, holds or short.
#include <cstdio>
#include <vector>

#include "../kernels/timing.h"
#include "base/random.h"
#include "runtime/search.h"
#include "text/pieces.h"

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
  void start(std::span<const std::vector<int32_t>>) override {}
  StepScores step(std::span<const StepRow>) override { return {logits_.data(), kVocab, {}}; }
  std::span<const float> attention(size_t) const override { return {}; }
  size_t max_target_pieces() const override { return 1000; }

 private:
  std::vector<float> logits_;
};

double milliseconds_per_step(ReadyModel& model, SearchOptions options) {
  options.max_length = kSteps - 1;
  const std::vector<SearchTask> tasks(kSentences, SearchTask{.source = std::vector(24, 4)});
  std::vector<double> times;
  for (size_t round = 0; round < kRounds; ++round) {
    const double seconds = seconds_per_call([&] { search(model, tasks, options); }, 1);
    times.push_back(seconds * 1e3 / kSteps);
  }
  return median(times);
}

void print(const char* name, double value, double goal) {
  std::printf("%s\t%.3f\t<=%g\t%s\n", name, value, goal, value <= goal ? "holds" : "short");
  std::fflush(stdout);
}

void run() {
  ReadyModel model(4 * kSentences);
  print("search_ms_per_step/greedy", milliseconds_per_step(model, {}), 0.5);
  print("search_ms_per_step/beam_4", milliseconds_per_step(model, {.beam_size = 4}), 1.5);
  print(
      "search_ms_per_step/beam_4_early_stopping",
      milliseconds_per_step(model, {.beam_size = 4, .length_penalty = 0.6, .early_stopping = true}),
      1.5);
  print("search_ms_per_step/beam_4_repetition_penalty",
        milliseconds_per_step(model, {.beam_size = 4, .repetition_penalty = 1.2}), 3);
  print("search_ms_per_step/sampling", milliseconds_per_step(model, {.sampling = true}), 3);
  print("search_ms_per_step/sampling_top_k_50",
        milliseconds_per_step(model, {.sampling = true, .top_k = 50}), 3);
  print("search_ms_per_step/sampling_top_p_0.9",
        milliseconds_per_step(model, {.sampling = true, .top_p = 0.9}), 10);
}

}  // namespace
}  // namespace eatt::bench

int main() { eatt::bench::run(); }
