#pragma once

#include <torch/torch.h>

namespace eatt {

struct Loss {
  torch::Tensor sum;  // Smoothed cross-entropy over all words, in nats; carries the gradient.
  torch::Tensor likelihood;  // −log p of the words themselves, without smoothing; no gradient.
  int64_t words = 0;         // End markers included, padding not.
};

// What the loss may do with the logits, the largest tensor of a training step.
enum class LogitsUse {
  keep,     // Leave them: the caller needs them, too.
  consume,  // Overwrite them: backward() writes the gradient in their place, and works only once.
};

// Label-smoothed cross-entropy: the target is (1−ε)·[the word] + ε·[all words alike].
//   logits [words, vocab]   labels [words]: padding is removed before the output layer.
Loss smoothed_loss(const torch::Tensor& logits, const torch::Tensor& labels, double smoothing,
                   LogitsUse use = LogitsUse::keep);

// Word-level distillation: cross-entropy against the teacher's distribution at a temperature,
// times temperature², so that its gradients keep their size.
//   student, teacher [words, vocab]; the teacher gets no gradient.
torch::Tensor distillation_loss(const torch::Tensor& student, const torch::Tensor& teacher,
                                double temperature);

}  // namespace eatt
