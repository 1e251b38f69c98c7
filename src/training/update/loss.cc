#include <ATen/Parallel.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "kernels/rows/rows.h"
#include "model/building_blocks.h"
#include "training/update/learner.h"

namespace eatt {
namespace {

using kernels::LabelledLogits;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

constexpr int64_t kGrain = 1 << 16;  // Fewer logits are not worth a thread.

// body(first row, the kernels' view of the rows from there) on libtorch's threads.
template <typename Body>
void for_each_part(const torch::Tensor& logits, const torch::Tensor& labels, double smoothing,
                   const Body& body) {
  const int64_t vocab = logits.size(1);
  const float* numbers = logits.data_ptr<float>();
  const int64_t* words = labels.data_ptr<int64_t>();
  const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(1, vocab));
  at::parallel_for(0, labels.numel(), grain, [&](int64_t begin, int64_t end) {
    body(begin, LabelledLogits{.logits = numbers + begin * vocab,
                               .labels = words + begin,
                               .rows = static_cast<size_t>(end - begin),
                               .vocab = static_cast<size_t>(vocab),
                               .smoothing = smoothing});
  });
}

void check(const torch::Tensor& logits, const torch::Tensor& labels) {
  expects(logits.dim() == 2 && labels.dim() == 1 && logits.size(0) == labels.size(0),
          "logits are [words, vocab] and labels [words]");
  const int64_t* words = labels.data_ptr<int64_t>();
  expects(std::all_of(words, words + labels.numel(),
                      [&](int64_t word) { return word >= 0 && word < logits.size(1); }),
          "labels are words of the vocabulary");
}

// By our kernels, for float logits on the CPU. Allocates nothing as large as the logits but their
// gradient. → {smoothed sum, plain sum}
struct FusedSmoothedLoss : torch::autograd::Function<FusedSmoothedLoss> {
  static tensor_list forward(AutogradContext* context, const torch::Tensor& given_logits,
                             const torch::Tensor& given_labels, double smoothing) {
    RECORD_FUNCTION("eatt::smoothed_loss", c10::ArrayRef<const c10::IValue>{});
    const auto logits = given_logits.contiguous(), labels = given_labels.contiguous();
    check(logits, labels);
    std::vector<kernels::RowLoss> losses(static_cast<size_t>(labels.numel()));
    auto log_sums = torch::empty({labels.numel()}, logits.options());
    float* sums = log_sums.data_ptr<float>();
    for_each_part(logits, labels, smoothing, [&](int64_t first, const LabelledLogits& rows) {
      kernels::smoothed_cross_entropy(rows, losses.data() + first, sums + first);
    });
    kernels::RowLoss total{};  // In the rows' order: the same for any number of threads.
    for (const auto& loss : losses) {
      total.smoothed += loss.smoothed;
      total.likelihood += loss.likelihood;
    }
    context->save_for_backward({logits, labels, log_sums});
    context->saved_data["smoothing"] = smoothing;
    auto likelihood = torch::full({}, total.likelihood, logits.options());
    context->mark_non_differentiable({likelihood});
    return {torch::full({}, total.smoothed, logits.options()), likelihood};
  }

  static tensor_list backward(AutogradContext* context, tensor_list incoming) {
    const auto saved = context->get_saved_variables();
    const auto& logits = saved[0];
    const auto scale = incoming[0].item<float>();
    auto gradient = torch::empty_like(logits);
    const int64_t vocab = logits.size(1);
    float* to = gradient.data_ptr<float>();
    const float* sums = saved[2].data_ptr<float>();
    for_each_part(logits, saved[1], context->saved_data["smoothing"].toDouble(),
                  [&](int64_t first, const LabelledLogits& rows) {
                    kernels::smoothed_cross_entropy_backward(rows, sums + first, scale,
                                                             to + first * vocab);
                  });
    return {gradient, torch::Tensor(), torch::Tensor()};
  }
};

// On any device and in any precision. Forward computes the log-probabilities; backward turns a copy
// of them into the gradient.
struct SmoothedCrossEntropy : torch::autograd::Function<SmoothedCrossEntropy> {
  // → {smoothed sum, plain sum}
  static tensor_list forward(AutogradContext* context, const torch::Tensor& logits,
                             const torch::Tensor& labels, double smoothing) {
    const auto log_probs = torch::log_softmax(logits, -1);
    const auto likelihood = log_probs.gather(-1, labels.unsqueeze(-1)).sum().neg();
    // Σ over words of −mean log p: the part of the target that is spread over all words.
    auto sum = likelihood * (1.0 - smoothing);
    if (smoothing > 0) {
      sum = sum - log_probs.sum() * (smoothing / static_cast<double>(logits.size(-1)));
    }
    context->save_for_backward({log_probs, labels});
    context->saved_data["smoothing"] = smoothing;
    context->mark_non_differentiable({likelihood});
    return {sum, likelihood};
  }

  // softmax − target, times the incoming gradient.
  static tensor_list backward(AutogradContext* context, tensor_list incoming) {
    const auto saved = context->get_saved_variables();
    const double smoothing = context->saved_data["smoothing"].toDouble();
    auto gradient = saved[0].exp();
    if (smoothing > 0) gradient.sub_(smoothing / static_cast<double>(gradient.size(-1)));
    const auto labels = saved[1].unsqueeze(-1);
    gradient.scatter_add_(-1, labels,
                          torch::full(labels.sizes(), smoothing - 1.0, gradient.options()));
    return {gradient.mul_(incoming[0]), torch::Tensor(), torch::Tensor()};
  }
};

}  // namespace

Loss smoothed_loss(const torch::Tensor& logits, const torch::Tensor& labels, double smoothing) {
  const auto sums = fused_kernels_take(logits)
                        ? FusedSmoothedLoss::apply(logits, labels, smoothing)
                        : SmoothedCrossEntropy::apply(logits, labels, smoothing);
  return {.sum = sums[0], .likelihood = sums[1].detach(), .words = labels.numel()};
}

torch::Tensor distillation_loss(const torch::Tensor& student, const torch::Tensor& teacher,
                                double temperature) {
  const auto wanted = torch::softmax(teacher.detach() / temperature, -1);
  const auto found = torch::log_softmax(student / temperature, -1);
  return (wanted * found).sum() * (-temperature * temperature);
}

torch::Tensor guided_alignment_loss(const torch::Tensor& attention, const AlignmentGuide& guide) {
  constexpr double kLeast = 1e-9;  // Keeps the logarithm finite where nothing looks.
  const auto found = attention.mean(1).flatten().index_select(0, guide.places);
  return (guide.shares * (found + kLeast).log()).sum().neg();
}

namespace {

// Where a side has tokens and no padding: [batch, len].
torch::Tensor tokens_of(const TokenBatch& side) {
  const auto positions = torch::arange(side.tokens.size(1), side.lengths.options());
  return positions.lt(side.lengths.unsqueeze(1));
}

}  // namespace

torch::Tensor map_loss(const ModelTrace& student, const ModelTrace& teacher,
                       const TokenBatch& source, const TokenBatch& target) {
  constexpr double kLeast = 1e-9;  // Keeps the logarithm of hidden keys finite.
  std::vector<torch::Tensor> losses;
  const auto add = [&](const std::vector<AttentionTrace>& ours,
                       const std::vector<AttentionTrace>& theirs, const torch::Tensor& exists) {
    for (size_t i = 0; i < ours.size(); ++i) {
      const auto wanted = theirs[i].weights.detach().clamp_min(kLeast);
      const auto found = ours[i].weights.clamp_min(kLeast);
      const auto divergence = (wanted * (wanted.log() - found.log())).sum(-1);
      losses.push_back((divergence * exists).sum() / static_cast<double>(wanted.size(1)));
    }
  };
  const auto in_source = tokens_of(source).unsqueeze(1), in_target = tokens_of(target).unsqueeze(1);
  add(student.encoder_self, teacher.encoder_self, in_source);
  add(student.decoder_self, teacher.decoder_self, in_target);
  add(student.cross, teacher.cross, in_target);
  return torch::stack(losses).mean();
}

torch::Tensor density_loss(const ModelTrace& trace, const TokenBatch& source,
                           const TokenBatch& target, double wanted) {
  const auto in_source = tokens_of(source).unsqueeze(-1),
             in_target = tokens_of(target).unsqueeze(-1);
  auto loss = torch::zeros({}, in_source.options().dtype(torch::kFloat));
  const auto add = [&](const torch::Tensor& selected, const torch::Tensor& exists) {
    if (!selected.defined()) return;
    const auto size = exists.sum() * selected.size(-1);
    loss = loss + ((selected * exists).sum() / size - wanted).square();
  };
  for (const AttentionTrace& layer : trace.encoder_self) add(layer.query_selected, in_source);
  for (const AttentionTrace& layer : trace.decoder_self) add(layer.query_selected, in_target);
  torch::Tensor memory;  // All cross-attentions read the same.
  for (const AttentionTrace& layer : trace.cross) {
    add(layer.query_selected, in_target);
    if (layer.key_selected.defined()) memory = layer.key_selected;
  }
  add(memory, in_source);
  return loss;
}

}  // namespace eatt
