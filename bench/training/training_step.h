#pragma once

#include <torch/torch.h>

#include <memory>
#include <string>
#include <vector>

#include "bundle/mechanisms.h"
#include "model/transformer.h"
#include "training/update/learner.h"

namespace eatt {

struct StepOptions {
  std::string mechanism = "vanilla";  // As `eatt train --attention` takes it, for all three roles.
  int dim = 128;
  int heads = 4;
  int ffn = 512;
  int layers = 4;        // Of the encoder, and as many of the decoder.
  int vocab = 8000;      // One for both sides; all three embeddings are one matrix.
  int tokens = 2000;     // Target tokens to predict, end markers included; at least so many.
  int length = 16;       // Tokens of the longer side of the longest pair, end marker included.
  uint64_t seed = 1;     // Of the batch and of the weights.
  double dropout = 0.1;  // On embeddings and on results of sub-layers.
};

// A padded batch as the trainer makes it.
struct StepBatch {
  TokenBatch source;     // Each sentence ends with the end marker.
  TokenBatch target;     // Each begins with the begin marker.
  torch::Tensor places;  // [words]: where in target.tokens.flatten() a word is to be predicted.
  torch::Tensor labels;  // [words]
};

// Which part of an update is under way; what the profile tells apart beside operations.
enum class Phase { forward, loss, backward, update };

// One update as the trainer does it, again and again on one batch.
class TrainingStep {
 public:
  explicit TrainingStep(const StepOptions& options);

  // How many workers share an update from now on; weights start anew.
  void use_workers(int workers);

  // An update, by the trainer's own Learner.
  void run();
  // The same by one worker, step by step: `enter` hears of each phase before it starts, if
  // it is not null.
  void run_in_phases(void (*enter)(Phase));

  struct Outcome {
    double loss;           // Nats per word, smoothed.
    double gradient_norm;  // Before clipping.
  };
  // Loss and gradient with dropout off; changes no weight.
  Outcome check();

  // PREFIX.tsv: a line per parameter, name and sizes; PREFIX.f32: their numbers in that order;
  // PREFIX.batch: a line per pair, source ids, a tab, target ids (both markers included).
  void save(const std::string& prefix);

  int64_t parameter_count() { return learner_->parameters().values().numel(); }
  const StepBatch& batch() const { return batch_; }

 private:
  torch::Tensor forward_loss(void (*enter)(Phase));

  StepOptions options_;
  StepBatch batch_;
  std::vector<std::vector<PiecePair>> pairs_;  // The same batch, as the Learner takes it.
  std::unique_ptr<Learner> learner_;
  uint64_t updates_ = 0;
};

}  // namespace eatt
