#pragma once

#include <torch/torch.h>

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "bundle/bundle.h"
#include "model/transformer.h"
#include "training/distributed/gradient_buckets.h"
#include "training/options/training_options.h"
#include "training/run/checkpoint.h"
#include "training/update/batches.h"
#include "training/update/optimizer.h"
#include "training/validation/validation_set.h"

namespace eatt {

struct Loss {
  torch::Tensor sum;  // Smoothed cross-entropy over all words, in nats; carries the gradient.
  torch::Tensor likelihood;  // −log p of the words themselves, without smoothing; no gradient.
  int64_t words = 0;         // End markers included, padding not.
};

// Label-smoothed cross-entropy: the target is (1−ε)·[the word] + ε·[all words alike].
//   logits [words, vocab]   labels [words]: padding is removed before the output layer.
Loss smoothed_loss(const torch::Tensor& logits, const torch::Tensor& labels, double smoothing);

// Word-level distillation: cross-entropy against the teacher's distribution at a temperature,
// times temperature², so that its gradients keep their size.
//   student, teacher [words, vocab]; the teacher gets no gradient.
torch::Tensor distillation_loss(const torch::Tensor& student, const torch::Tensor& teacher,
                                double temperature);

// What a teacher says about the same words.
struct Teacher {
  torch::Tensor hidden;  // [words, its model_dim]
  torch::Tensor weight;  // [vocab, its model_dim]
  double share;          // Of the distillation loss in the sum.
  double temperature;
};

struct OutputQuestion {
  torch::Tensor labels;  // [words]
  double smoothing;
  const Teacher* teacher = nullptr;
};

// The output layer and its loss: (1−share) · smoothed_loss + share · distillation_loss of the
// logits hidden·weightᵀ. For float on the CPU, gradients are computed along with the loss, block by
// block of words, so the logits, the largest tensor of an update, are never stored; backward() then
// works only once.
//   hidden [words, model_dim]   weight [vocab, model_dim]
Loss output_loss(const torch::Tensor& hidden, const torch::Tensor& weight,
                 const OutputQuestion& question);

// Distillation of attention: KL(teacher ‖ student) of the attention weights, summed over the
// positions that ask and averaged over layers, roles and heads. Both traces have weights of the
// same shapes; the student's carry gradients.
torch::Tensor map_loss(const ModelTrace& student, const ModelTrace& teacher,
                       const TokenBatch& source, const TokenBatch& target);

// Σ (ρ − wanted)² over the inputs of attention that become codes: those of the sub-layers, and the
// encoder's output. ρ is the share of codes that are not 0; its gradient is that of the bell. The
// model of the trace was made with CodeTraining::wants_selected.
torch::Tensor density_loss(const ModelTrace& trace, const TokenBatch& source,
                           const TokenBatch& target, double wanted);

// Guided alignment: cross-entropy of the attention of one layer, the mean of its heads, against
// the guide, summed over the target positions that have links.
//   attention [batch, heads, target_len, source_len]
torch::Tensor guided_alignment_loss(const torch::Tensor& attention, const AlignmentGuide& guide);

// What one update did, per target piece.
struct UpdateResult {
  double loss = 0;        // What was minimized: smoothing and distillation included.
  double likelihood = 0;  // −log p of the words, in nats.
  // Of guided alignment: the sum of its loss and its rows; 0 without it.
  double alignment_loss = 0;
  int64_t alignment_rows = 0;
  double gradient_norm = 0;
  int64_t words = 0;
  int64_t source_words = 0;
  ReductionTimes reduction;  // With several workers.
  std::string problem;       // Empty, or why the update was skipped: "the loss is nan; …".
};

// A model and its optimizer: turns batches into updates. Knows nothing about files or time.
class Learner {
 public:
  // Weights start from the seed of the options. `workers` parts of each batch are computed side by
  // side; results depend on their number in the last digits. With a group, an update is that of all
  // its processes together, and all must start from the same weights.
  Learner(const Architecture& architecture, const TrainingOptions& options, int workers = 1,
          torch::Device device = torch::kCPU, ProcessGroup* group = nullptr);

  // The teacher of word-level distillation; of the same target vocabulary. Throws a UsageError if
  // attention is to be distilled and the teacher has other layers or heads.
  void set_teacher(Transformer teacher);

  // How much of the training is done, 0 … 1, for what changes along the way: see --soft-codes,
  // --freeze-codes and --distill-maps. 1 until it is called.
  void set_share_done(double share);

  // One update from all batches together, in which every word has the same weight; the workers
  // split every batch. If loss or gradient is not finite, or the loss has exploded, the weights
  // stay as they are and `problem` says why. Dropout depends on `dropout_seed` alone. If `density`
  // is given, the ones of the codes are counted. In a group, each process gives its own batches,
  // perhaps none, and the target words of all; the results are those of all.
  UpdateResult update(std::span<const std::vector<PiecePair>> batches, double learning_rate,
                      uint64_t dropout_seed, DensityCounter* density = nullptr,
                      int64_t words_of_all = 0);

  Transformer& model() { return workers_[0].model; }
  ParameterBuffer& parameters() const { return *workers_[0].parameters; }
  Adam& adam() { return *adam_; }
  torch::Device device() const { return device_; }
  TrainingRows rows() { return {parameters(), *adam_, smoothed_}; }
  // To be called after weights were copied into the model, before the first update.
  void restart_average();

  // Runs `body` with the averaged weights in the model, if there is an average.
  void with_kept_weights(const std::function<void()>& body);

 private:
  // A copy of the model that shares the values and has its own gradients and random numbers.
  struct Worker {
    Transformer model{nullptr};
    std::unique_ptr<ParameterBuffer> parameters;
    std::shared_ptr<Random> random;
  };
  Worker make_worker(const Architecture& architecture);
  void backward(Worker& worker, const TrainingBatch& batch, double share, UpdateResult& result,
                DensityCounter* density);
  // All batches of one worker.
  void backward(size_t worker, std::span<const std::vector<PiecePair>> batches, double share,
                UpdateResult& result, DensityCounter* density);
  size_t guided_layer() const;  // From 0.
  double gather_gradients(UpdateResult& result);
  void add_other_processes(UpdateResult& result, DensityCounter* density);
  std::string find_problem(const UpdateResult& result) const;

  Teacher ask_teacher(const TrainingBatch& batch, ModelTrace* trace);

  TrainingOptions options_;
  double share_done_ = 1;
  std::shared_ptr<double> code_hardness_ = std::make_shared<double>(1);
  std::shared_ptr<bool> codes_frozen_ = std::make_shared<bool>(false);
  torch::Device device_;
  std::vector<Worker> workers_;  // The first is the model that is saved.
  Transformer teacher_{nullptr};
  std::unique_ptr<Adam> adam_;
  torch::Tensor smoothed_;
  ProcessGroup* group_;                       // Null: this process is alone.
  std::unique_ptr<GradientBuckets> buckets_;  // Of a group.
};

// The seed for dropout in attempt number `attempt`.
uint64_t dropout_seed(int64_t seed, int64_t attempt);

}  // namespace eatt
