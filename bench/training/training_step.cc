#include "training_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "base/error.h"
#include "base/random.h"
#include "base/threads.h"
#include "training/update/learner.h"

namespace eatt {
namespace {

constexpr int64_t kPad = 0, kBegin = 2, kEnd = 3, kFirstWord = 4;
constexpr double kSmoothing = 0.1, kClipNorm = 1.0, kLearningRate = 1e-4;

using Sentence = std::vector<int64_t>;

Architecture architecture(const StepOptions& options) {
  Architecture a;
  a.model_dim = a.attention_dim = a.qk_dim = options.dim;
  a.heads = options.heads;
  a.ffn_dim = options.ffn;
  a.source_vocab = a.target_vocab = options.vocab;
  a.embeddings = EmbeddingSharing::all;
  const auto mechanisms = parse_mechanisms(options.mechanism, options.layers);
  for (Attention* role : {&a.encoder_self, &a.decoder_self, &a.cross}) role->layers = mechanisms;
  validate(a, "training_step_bench");
  return a;
}

TrainingOptions training_options(const StepOptions& options) {
  TrainingOptions training;
  training.seed = static_cast<int64_t>(options.seed);
  training.dropout = options.dropout;
  training.label_smoothing = kSmoothing;
  training.clip_norm = kClipNorm;
  return training;
}

// The pairs of a batch without markers.
std::vector<PiecePair> pairs_of(const StepBatch& batch) {
  std::vector<PiecePair> pairs;
  for (int64_t i = 0; i < batch.source.tokens.size(0); ++i) {
    const auto side = [i](const TokenBatch& tokens, int64_t begin, int64_t end) {
      std::vector<int32_t> pieces;
      for (int64_t j = begin; j < end; ++j) {
        pieces.push_back(static_cast<int32_t>(tokens.tokens[i][j].item<int64_t>()));
      }
      return pieces;
    };
    pairs.push_back({side(batch.source, 0, batch.source.lengths[i].item<int64_t>() - 1),
                     side(batch.target, 1, batch.target.lengths[i].item<int64_t>())});
  }
  return pairs;
}

// The trainer sorts pairs by length, so that a batch has few per cent of padding: the longer side
// has length−1 or length tokens, the other side up to four less.
struct PairLengths {
  size_t source, target;
};
PairLengths draw_lengths(Random& random, int length) {
  const auto longer = static_cast<size_t>(length) - random.below(2);
  const auto shorter = longer - random.below(5);
  return random.chance(0.5) ? PairLengths{longer, shorter} : PairLengths{shorter, longer};
}

Sentence draw_words(Random& random, size_t words, int vocab) {
  Sentence sentence(words);
  for (int64_t& word : sentence) {
    // The square of a uniform number: low ids are more frequent, as in text.
    const double x = random.uniform();
    word = kFirstWord + static_cast<int64_t>(x * x * static_cast<double>(vocab - kFirstWord));
  }
  return sentence;
}

TokenBatch padded(const std::vector<Sentence>& sentences) {
  const auto longest = std::ranges::max(sentences, {}, &Sentence::size).size();
  const auto count = static_cast<int64_t>(sentences.size());
  const auto whole = torch::TensorOptions(torch::kLong);
  TokenBatch batch{torch::full({count, static_cast<int64_t>(longest)}, kPad, whole),
                   torch::empty({count}, whole)};
  for (int64_t i = 0; i < count; ++i) {
    const Sentence& sentence = sentences[static_cast<size_t>(i)];
    batch.lengths[i] = static_cast<int64_t>(sentence.size());
    batch.tokens[i]
        .slice(0, 0, static_cast<int64_t>(sentence.size()))
        .copy_(torch::tensor(sentence));
  }
  return batch;
}

StepBatch make_batch(const StepOptions& options) {
  Random random(options.seed);
  std::vector<Sentence> sources, targets;
  Sentence places, labels;
  // Lengths count one marker a side: the source's end, the target's begin (fed) or end (predicted).
  while (static_cast<int>(labels.size()) < options.tokens) {
    const PairLengths lengths = draw_lengths(random, options.length);
    Sentence source = draw_words(random, lengths.source - 1, options.vocab);
    Sentence target = draw_words(random, lengths.target - 1, options.vocab);
    labels.insert(labels.end(), target.begin(), target.end());
    labels.push_back(kEnd);
    source.push_back(kEnd);
    target.insert(target.begin(), kBegin);
    sources.push_back(std::move(source));
    targets.push_back(std::move(target));
  }
  StepBatch batch{padded(sources), padded(targets), {}, torch::tensor(labels)};
  const int64_t width = batch.target.tokens.size(1);
  for (size_t i = 0; i < targets.size(); ++i) {
    for (size_t j = 0; j < targets[i].size(); ++j)
      places.push_back(static_cast<int64_t>(i) * width + static_cast<int64_t>(j));
  }
  batch.places = torch::tensor(places);
  return batch;
}

}  // namespace

TrainingStep::TrainingStep(const StepOptions& options)
    : options_(options), batch_(make_batch(options)), pairs_{pairs_of(batch_)} {
  use_workers(1);
}

void TrainingStep::use_workers(int workers) {
  set_thread_count(workers);
  learner_ = std::make_unique<Learner>(architecture(options_), training_options(options_), workers);
}

torch::Tensor TrainingStep::forward_loss(void (*enter)(Phase)) {
  if (enter != nullptr) enter(Phase::forward);
  Transformer& model = learner_->model();
  const auto memory = model->encode(batch_.source);
  const auto hidden = model->decode(memory, batch_.target);
  const auto words = hidden.flatten(0, 1).index_select(0, batch_.places);
  if (enter != nullptr) enter(Phase::loss);
  const Loss loss = output_loss(words, model->output_weight(),
                                {.labels = batch_.labels, .smoothing = kSmoothing});
  return loss.sum / static_cast<double>(loss.words);
}

void TrainingStep::run() { learner_->update(pairs_, kLearningRate, ++updates_); }

void TrainingStep::run_in_phases(void (*enter)(Phase)) {
  auto& gradients = learner_->parameters().gradients();
  learner_->model()->train();
  gradients.zero_();
  const auto loss = forward_loss(enter);
  if (enter != nullptr) enter(Phase::backward);
  loss.backward();
  if (enter != nullptr) enter(Phase::update);
  learner_->adam().step(kLearningRate, clip_scale(norm_of(gradients), kClipNorm));
}

TrainingStep::Outcome TrainingStep::check() {
  auto& gradients = learner_->parameters().gradients();
  learner_->model()->eval();
  gradients.zero_();
  const auto loss = forward_loss(nullptr);
  loss.backward();
  learner_->model()->train();
  // In double: summed in float, the norm of millions of numbers is off by more than 1e-4.
  return {loss.item<double>(), gradients.to(torch::kDouble).norm().item<double>()};
}

void TrainingStep::save(const std::string& prefix) {
  ParameterBuffer& parameters = learner_->parameters();
  std::ofstream names(prefix + ".tsv"), numbers(prefix + ".f32", std::ios::binary),
      batch(prefix + ".batch");
  for (size_t i = 0; i < parameters.names().size(); ++i) {
    const auto sizes = parameters.part(parameters.values(), i).sizes();
    names << parameters.names()[i] << '\t' << fmt::format("{}", fmt::join(sizes, " ")) << '\n';
  }
  const auto values = parameters.values().contiguous();
  numbers.write(reinterpret_cast<const char*>(values.data_ptr<float>()), values.nbytes());
  int64_t done = 0;
  for (int64_t i = 0; i < batch_.source.tokens.size(0); ++i) {
    const auto write = [&](const torch::Tensor& ids) {
      for (int64_t j = 0; j < ids.numel(); ++j) batch << (j ? " " : "") << ids[j].item<int64_t>();
    };
    const auto target_length = batch_.target.lengths[i].item<int64_t>();
    write(batch_.source.tokens[i].slice(0, 0, batch_.source.lengths[i].item<int64_t>()));
    batch << '\t' << kBegin << ' ';
    write(batch_.labels.slice(0, done, done + target_length));
    batch << '\n';
    done += target_length;
  }
  if (!names.flush() || !numbers.flush() || !batch.flush())
    throw Error(fmt::format("{}: cannot write; is there room in that folder?", prefix));
}

}  // namespace eatt
