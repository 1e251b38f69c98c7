#include <ATen/Parallel.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/error.h"
#include "kernels/rows/rows.h"
#include "model/building_blocks.h"
#include "model/products.h"
#include "training/update/learner.h"

namespace eatt {
namespace {

using kernels::LabelledLogits;
using kernels::RowLoss;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

// Logits of so many words are in memory at a time. Few enough for the third cache of most CPUs; but
// each block reads all weights and adds to all their gradients, so blocks must not be too small.
int64_t words_of_block(int64_t model_dim) { return std::max<int64_t>(256, 2 * model_dim); }

// What a block of words needs, beside its rows.
struct OutputBlocks {
  OutputBlocks(const torch::Tensor& hidden, const torch::Tensor& weight, int64_t words)
      : forward(weight, /*transposed=*/true),
        backward(weight),
        logits(torch::empty({words, weight.size(0)}, hidden.options())) {}
  product::Packed forward, backward;
  torch::Tensor logits;  // [words of a block, vocab]; become their gradient.
};

kernels::Factor rows_of(const torch::Tensor& matrix, int64_t first) {
  const int64_t width = matrix.size(1);
  return {matrix.data_ptr<float>() + first * width, static_cast<size_t>(width)};
}

// Words are worth a thread of their own in groups of this size; a group's logits stay in a core's
// cache between the passes over them.
constexpr int64_t kWordsAtOnce = 4;

// The losses of a block of words; logits become their gradient.
void block_loss(const LabelledLogits& block, const kernels::Teaching* teaching, float* logits,
                float* taught, RowLoss* losses) {
  at::parallel_for(0, static_cast<int64_t>(block.rows), kWordsAtOnce,
                   [&](int64_t from, int64_t to) {
                     for (int64_t row = from; row < to; ++row) {
                       const auto offset = static_cast<size_t>(row) * block.vocab;
                       const LabelledLogits word = {logits + offset, block.labels + row, 1,
                                                    block.vocab, block.smoothing};
                       if (teaching != nullptr) {
                         kernels::taught_cross_entropy(word, *teaching, logits + offset,
                                                       taught + offset, losses + row);
                         continue;
                       }
                       float log_sum = 0;
                       kernels::smoothed_cross_entropy(word, losses + row, &log_sum);
                       kernels::smoothed_cross_entropy_backward(word, &log_sum, 1, logits + offset);
                     }
                   });
}

// hidden [words, model_dim], weight [vocab, model_dim]; the teacher's as its own model has them.
void check(const OutputQuestion& question, const torch::Tensor& hidden,
           const torch::Tensor& weight) {
  const int64_t words = hidden.size(0), vocab = weight.size(0);
  expects(hidden.size(1) == weight.size(1), "hidden states are as wide as the output layer");
  if (const Teacher* teacher = question.teacher) {
    expects(teacher->weight.size(0) == vocab, "the teacher has the same vocabulary");
    expects(teacher->hidden.size(0) == words, "the teacher has read the same words");
    expects(teacher->hidden.size(1) == teacher->weight.size(1),
            "the teacher's hidden states are as wide as its output layer");
  }
  const int64_t* labels = question.labels.data_ptr<int64_t>();
  expects(question.labels.numel() == words, "there is a label for every word");
  expects(
      std::all_of(labels, labels + words, [&](int64_t word) { return word >= 0 && word < vocab; }),
      "labels are words of the vocabulary");
}

// Both gradients are computed along with the loss, block by block of words: the logits of all words
// are never in memory.
struct OutputLoss : torch::autograd::Function<OutputLoss> {
  // → {sum, likelihood}
  static tensor_list forward(AutogradContext* context, const torch::Tensor& given_hidden,
                             const torch::Tensor& weight, const OutputQuestion& question) {
    RECORD_FUNCTION("eatt::output_loss", c10::ArrayRef<const c10::IValue>{});
    const auto hidden = given_hidden.contiguous();
    const int64_t words = hidden.size(0);
    check(question, hidden, weight);
    Results results = {.losses = std::vector<RowLoss>(static_cast<size_t>(words)),
                       .d_hidden = torch::empty_like(hidden),
                       .d_weight = torch::empty_like(weight)};
    if (words == 0) results.d_weight.zero_();
    const int64_t most = words_of_block(hidden.size(1)), blocks = (words + most - 1) / most;
    if (blocks > 0) fill(hidden, weight, question, blocks, results);
    RowLoss total{};  // In the rows' order: the same for any number of threads.
    for (const auto& loss : results.losses) {
      total.smoothed += loss.smoothed;
      total.likelihood += loss.likelihood;
    }
    context->save_for_backward({results.d_hidden, results.d_weight});
    context->saved_data["used"] = false;
    auto likelihood = torch::full({}, total.likelihood, hidden.options());
    context->mark_non_differentiable({likelihood});
    return {torch::full({}, total.smoothed, hidden.options()), likelihood};
  }

  static tensor_list backward(AutogradContext* context, tensor_list incoming) {
    auto& used = context->saved_data["used"];
    expects(!used.toBool(), "backward() runs once: it scales the gradients in place");
    used = true;
    const auto gradients = context->get_saved_variables();
    const torch::NoGradGuard no_grad;
    return {gradients[0].mul_(incoming[0]), gradients[1].mul_(incoming[0]), torch::Tensor()};
  }

 private:
  struct Results {
    std::vector<RowLoss> losses;  // [words]
    torch::Tensor d_hidden, d_weight;
  };

  static void fill(const torch::Tensor& hidden, const torch::Tensor& weight,
                   const OutputQuestion& question, int64_t blocks, Results& results) {
    const int64_t words = hidden.size(0), vocab = weight.size(0), dim = hidden.size(1);
    const int64_t most = (words + blocks - 1) / blocks;
    OutputBlocks output(hidden, weight, most);
    const Teacher* teacher = question.teacher;
    std::optional<product::Packed> teacher_weight;
    torch::Tensor taught;
    kernels::Teaching teaching{};
    if (teacher != nullptr) {
      teacher_weight.emplace(teacher->weight, /*transposed=*/true);
      taught = torch::empty_like(output.logits);
      teaching = {.weight = teacher->share, .temperature = teacher->temperature};
    }
    float* logits = output.logits.data_ptr<float>();
    for (int64_t block = 0; block < blocks; ++block) {
      const int64_t first = words * block / blocks, count = words * (block + 1) / blocks - first;
      output.forward.multiply(rows_of(hidden, first), count, logits);
      float* taught_logits = nullptr;
      if (teacher != nullptr) {
        taught_logits = taught.data_ptr<float>();
        teacher_weight->multiply(rows_of(teacher->hidden, first), count, taught_logits);
      }
      block_loss({.logits = logits,
                  .labels = question.labels.data_ptr<int64_t>() + first,
                  .rows = static_cast<size_t>(count),
                  .vocab = static_cast<size_t>(vocab),
                  .smoothing = question.smoothing},
                 teacher != nullptr ? &teaching : nullptr, logits, taught_logits,
                 results.losses.data() + first);
      output.backward.multiply({logits, static_cast<size_t>(vocab)}, count,
                               results.d_hidden.data_ptr<float>() + first * dim);
      const product::Packed states(hidden.slice(0, first, first + count));
      states.multiply({logits, static_cast<size_t>(vocab), /*transposed=*/true}, vocab,
                      results.d_weight.data_ptr<float>(), /*accumulate=*/block > 0);
    }
  }
};

}  // namespace

Loss output_loss(const torch::Tensor& hidden, const torch::Tensor& weight,
                 const OutputQuestion& question) {
  const Teacher* teacher = question.teacher;
  if (fused_kernels_take(hidden) && fused_kernels_take(weight) && weight.is_contiguous()) {
    const auto sums = OutputLoss::apply(hidden, weight, question);
    return {sums[0], sums[1].detach(), question.labels.numel()};
  }
  const auto logits = project(hidden, weight);
  Loss loss = smoothed_loss(logits, question.labels, question.smoothing);
  if (teacher == nullptr) return loss;
  const auto taught = project(teacher->hidden, teacher->weight);
  loss.sum = loss.sum * (1 - teacher->share) +
             distillation_loss(logits, taught, teacher->temperature) * teacher->share;
  return loss;
}

}  // namespace eatt
