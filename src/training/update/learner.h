#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "bundle/bundle.h"
#include "model/transformer.h"
#include "training/options/training_options.h"
#include "training/run/checkpoint.h"
#include "training/update/batches.h"
#include "training/update/optimizer.h"
#include "training/validation/validation_set.h"

namespace eatt {

// What one update did, per target piece.
struct UpdateResult {
  double loss = 0;        // What was minimised: smoothing and distillation included.
  double likelihood = 0;  // −log p of the words, in nats.
  double gradient_norm = 0;
  int64_t words = 0;
  int64_t source_words = 0;
  std::string problem;  // Empty, or why the update was skipped: "the loss is nan; …".
};

// A model and its optimiser: turns batches into updates. Knows nothing of files or of time.
class Learner {
 public:
  // Weights start from the seed of the options. `workers` parts of each batch are computed side by
  // side; results depend on their number in the last digits.
  Learner(const Architecture& architecture, const TrainingOptions& options, int workers = 1,
          torch::Device device = torch::kCPU);

  // The teacher of word-level distillation; of the same target vocabulary.
  void set_teacher(Transformer teacher);

  // One update from all batches together, each word counting alike; workers share every batch. If
  // loss or gradient are not
  // finite, or the loss is beyond all sense, nothing changes and `problem` says what was found.
  // Dropout is drawn from `dropout_seed` alone. Codes are counted where `density` is given.
  UpdateResult update(std::span<const std::vector<PiecePair>> batches, double learning_rate,
                      uint64_t dropout_seed, DensityCounter* density = nullptr);

  Transformer& model() { return workers_[0].model; }
  ParameterBuffer& parameters() const { return *workers_[0].parameters; }
  Adam& adam() { return *adam_; }
  torch::Device device() const { return device_; }
  TrainingRows rows() { return {parameters(), *adam_, smoothed_}; }
  // After weights were put into the model from outside, before the first update.
  void restart_average();

  // Runs `body` with the averaged weights in the model, where there is an average.
  void with_kept_weights(const std::function<void()>& body);

 private:
  // A copy of the model with the same values, and gradients and randomness of its own.
  struct Worker {
    Transformer model{nullptr};
    std::unique_ptr<ParameterBuffer> parameters;
    std::shared_ptr<Random> random;
  };
  Worker make_worker(const Architecture& architecture);
  void backward(Worker& worker, const TrainingBatch& batch, double share, UpdateResult& result,
                DensityCounter* density);
  double gather_gradients();
  std::string find_problem(const UpdateResult& result) const;

  TrainingOptions options_;
  torch::Device device_;
  std::vector<Worker> workers_;  // The first is the model that is saved.
  Transformer teacher_{nullptr};
  std::unique_ptr<Adam> adam_;
  torch::Tensor smoothed_;
};

// The seed of the dropout of attempt number `attempt`.
uint64_t dropout_seed(int64_t seed, int64_t attempt);

}  // namespace eatt
