#include "training/validation/validation_set.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/threads.h"
#include "evaluation/bleu.h"
#include "evaluation/chrf.h"
#include "evaluation/text_lines.h"
#include "model/computing.h"
#include "runtime/api/translation_engine.h"
#include "runtime/layers/transformer.h"
#include "text/corpus/languages.h"
#include "training/run/bundles.h"
#include "training/update/learner.h"
#include "training/validation/validation_set.h"

namespace eatt {
namespace {

constexpr size_t kBatchWords = 2048;

// [batch, len, 1]: 1 for tokens, 0 for padding.
torch::Tensor existing(const TokenBatch& side) {
  const auto positions = torch::arange(side.tokens.size(1), side.lengths.options());
  return positions.lt(side.lengths.unsqueeze(1)).unsqueeze(-1);
}

std::vector<std::string_view> views(const std::vector<std::string>& lines) {
  return {lines.begin(), lines.end()};
}

std::vector<std::string> copied(const evaluation::TextLines& text) {
  return {text.lines().begin(), text.lines().end()};
}

// Turns dropout off while it lives.
class EvalGuard {
 public:
  explicit EvalGuard(Transformer& model) : model_(model), was_training_(model->is_training()) {
    model->eval();
  }
  ~EvalGuard() { model_->train(was_training_); }
  EvalGuard(const EvalGuard&) = delete;
  EvalGuard& operator=(const EvalGuard&) = delete;

 private:
  Transformer& model_;
  bool was_training_;
};

// Batches of pairs of similar length, about kBatchWords target pieces each.
std::vector<std::vector<PiecePair>> batches_by_length(const std::vector<PiecePair>& pairs) {
  std::vector<size_t> order(pairs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return pairs[i].target.size(); });
  std::vector<std::vector<PiecePair>> batches;
  size_t pieces = kBatchWords;
  for (const size_t i : order) {
    if (pieces >= kBatchWords) {
      batches.emplace_back();
      pieces = 0;
    }
    batches.back().push_back(pairs[i]);
    pieces += pairs[i].target.size() + 1;
  }
  return batches;
}

}  // namespace

namespace {

// How many rows of weights a code adds or subtracts: the ones of its magnitude in binary.
torch::Tensor additions_of(const torch::Tensor& codes) {
  const auto size = codes.abs();
  if (size.max().item<float>() <= 1) return size;
  auto ones = torch::zeros_like(size);
  for (double digit = 1; digit <= static_cast<double>(kMostCodeLevels); digit *= 2) {
    ones += (size / digit).floor().remainder(2);
  }
  return ones;
}

}  // namespace

void DensityCounter::add(const torch::Tensor& codes, const torch::Tensor& exists, Count& count) {
  if (!codes.defined()) return;
  count.ones += (additions_of(codes.detach()) * exists).sum().item<double>();
  count.all += exists.sum().item<double>() * static_cast<double>(codes.size(-1));
}

void DensityCounter::add(const ModelTrace& trace, const TokenBatch& source,
                         const TokenBatch& target) {
  const auto source_exists = existing(source);
  const auto target_exists = existing(target);
  encoder_self_.resize(trace.encoder_self.size());
  decoder_self_.resize(trace.decoder_self.size());
  cross_query_.resize(trace.cross.size());
  for (size_t i = 0; i < trace.encoder_self.size(); ++i) {
    add(trace.encoder_self[i].query_codes, source_exists, encoder_self_[i]);
  }
  bool counted_keys = false;
  for (size_t i = 0; i < trace.cross.size(); ++i) {
    add(trace.decoder_self[i].query_codes, target_exists, decoder_self_[i]);
    add(trace.cross[i].query_codes, target_exists, cross_query_[i]);
    if (trace.cross[i].key_codes.defined() && !counted_keys) {
      add(trace.cross[i].key_codes, source_exists, cross_key_);
      counted_keys = true;
    }
  }
}

void DensityCounter::add(const DensityCounter& other) {
  const auto add_all = [](std::vector<Count>& to, const std::vector<Count>& from) {
    to.resize(std::max(to.size(), from.size()));
    for (size_t i = 0; i < from.size(); ++i) to[i] += from[i];
  };
  add_all(encoder_self_, other.encoder_self_);
  add_all(decoder_self_, other.decoder_self_);
  add_all(cross_query_, other.cross_query_);
  cross_key_ += other.cross_key_;
}

void DensityCounter::each_count(const Architecture& architecture,
                                const std::function<void(double&)>& use) {
  encoder_self_.resize(architecture.encoder_layers());
  decoder_self_.resize(architecture.decoder_layers());
  cross_query_.resize(architecture.decoder_layers());
  const auto use_both = [&](Count& count) {
    use(count.ones);
    use(count.all);
  };
  for (auto* counts : {&encoder_self_, &decoder_self_, &cross_query_}) {
    std::ranges::for_each(*counts, use_both);
  }
  use_both(cross_key_);
}

Densities DensityCounter::densities() const {
  const auto shares = [](const std::vector<Count>& counts) {
    std::vector<double> result;
    for (const Count& count : counts) result.push_back(count.share());
    return result;
  };
  return {shares(encoder_self_), shares(decoder_self_), shares(cross_query_), cross_key_.share()};
}

ValidationSet::ValidationSet(const TextPair& text, const Pieces& source_pieces,
                             const Pieces& target_pieces)
    : source_pieces_(source_pieces), target_pieces_(target_pieces) {
  const auto source_text = evaluation::TextLines::read_file(text.source);
  const auto target_text = evaluation::TextLines::read_file(text.target);
  evaluation::expect_same_length(source_text, target_text);
  sources_ = copied(source_text);
  targets_ = copied(target_text);
  pairs_.resize(sources_.size());
  for (size_t i = 0; i < pairs_.size(); ++i) {
    pairs_[i] = {source_pieces.encode(sources_[i]), target_pieces.encode(targets_[i])};
  }
}

size_t ValidationSet::longest() const {
  size_t most = 0;
  for (const PiecePair& pair : pairs_) {
    most = std::max({most, pair.source.size(), pair.target.size()});
  }
  return most;
}

ValidationScores ValidationSet::score(Transformer& model,
                                      const std::optional<Scoring>& scoring) const {
  const auto start = std::chrono::steady_clock::now();
  ValidationScores scores;
  add_losses(model, scores);
  if (scoring) {
    scores.translations = translate(model, scoring->search);
    const auto hypotheses = views(scores.translations);
    const auto references = views(targets_);
    const std::array<evaluation::Sentences, 1> one = {references};
    const evaluation::BleuOptions options{.tokenizer = scoring->tokenizer};
    scores.bleu = evaluation::corpus_bleu(hypotheses, one, options).score;
    scores.bleu_signature = evaluation::Bleu(options).signature(1);
    scores.chrf = evaluation::corpus_chrf(hypotheses, one);
  }
  scores.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return scores;
}

void ValidationSet::add_losses(Transformer& model, ValidationScores& scores) const {
  const EvalGuard eval(model);
  const auto device = model->parameters()[0].device();
  const auto batches = batches_by_length(pairs_);
  struct BatchLoss {
    DensityCounter density;
    double sum = 0;
    int64_t words = 0;
  };
  std::vector<BatchLoss> parts(batches.size());
  parallel_for(batches.size(), [&](size_t i) {
    const torch::NoGradGuard no_grad_here;
    const TrainingBatch batch = make_batch(batches[i], device);
    ModelTrace trace = {.wants_weights = false};
    const auto hidden = model->decode(model->encode(batch.source, &trace), batch.target, &trace);
    const auto logits = model->logits(hidden.flatten(0, 1).index_select(0, batch.places));
    parts[i].sum = smoothed_loss(logits, batch.labels, 0).likelihood.item<double>();
    parts[i].words = batch.words();
    parts[i].density.add(trace, batch.source, batch.target);
  });
  BatchLoss all;
  for (const BatchLoss& part : parts) {
    all.sum += part.sum;
    all.words += part.words;
    all.density.add(part.density);
  }
  scores.cross_entropy = all.sum / static_cast<double>(all.words);
  scores.perplexity = std::exp(scores.cross_entropy);
  scores.densities = all.density.densities();
}

std::vector<std::string> ValidationSet::translate(Transformer& model,
                                                  const SearchOptions& search) const {
  const RuntimeModel runtime(model->architecture(), weights_of(*model));
  const Architecture& architecture = model->architecture();
  std::optional<size_t> longest;
  if (has_length_limit(architecture)) longest = architecture.max_length - 1;
  const auto make_model = [&] { return std::make_unique<TransformerSteps>(runtime.model()); };
  const TranslationEngine engine({.sides = {.source = &source_pieces_,
                                            .target = &target_pieces_,
                                            .max_source_pieces = longest},
                                  .make_model = make_model},
                                 {});
  std::vector<TranslationTask> tasks;
  for (const std::string& source : sources_) tasks.push_back({.source = source});
  std::vector<std::string> lines;
  for (Translation& translation : engine.translate(tasks, search))
    lines.push_back(std::move(translation.hypotheses.front().text));
  return lines;
}

double Densities::mean() const {
  double sum = 0;
  double count = 0;
  const auto add = [&](double density) {
    if (density < 0) return;
    sum += density;
    ++count;
  };
  for (const auto* role : {&encoder_self, &decoder_self, &cross_query}) {
    std::ranges::for_each(*role, add);
  }
  add(cross_key);
  return count > 0 ? sum / count : -1;
}

double ValidationScores::value(ValidMetric metric) const {
  switch (metric) {
    case ValidMetric::bleu:
      return bleu.value();
    case ValidMetric::chrf:
      return chrf.value();
    case ValidMetric::cross_entropy:
      return cross_entropy;
    case ValidMetric::perplexity:
      break;
  }
  return perplexity;
}

nlohmann::json to_json(const Densities& densities) {
  nlohmann::json result = nlohmann::json::object();
  const auto add = [&](const char* name, const std::vector<double>& layers) {
    if (std::ranges::any_of(layers, [](double density) { return density >= 0; }))
      result[name] = layers;
  };
  add("encoder_self", densities.encoder_self);
  add("decoder_self", densities.decoder_self);
  add("cross_query", densities.cross_query);
  if (densities.cross_key >= 0) result["cross_key"] = densities.cross_key;
  return result;
}

nlohmann::json to_json(const ValidationScores& scores) {
  nlohmann::json result = {{"cross_entropy", scores.cross_entropy},
                           {"perplexity", scores.perplexity}};
  if (scores.bleu) {
    result["bleu"] = {{"score", *scores.bleu}, {"signature", scores.bleu_signature}};
    result["chrf"] = {{"score", *scores.chrf}};
  }
  if (scores.densities.any()) result["density"] = to_json(scores.densities);
  return result;
}

ValidationScores validate_bundle(const std::filesystem::path& bundle, const TextPair& text,
                                 const Scoring& scoring) {
  return with_plain_errors([&] {
    set_up_computing();
    BundleModel model(bundle);
    check_languages(
        {model.bundle.manifest().source_language, model.bundle.manifest().target_language},
        "the model", {"--valid-sets", text.source.string(), text.target.string()});
    const ValidationSet set(text, model.source_pieces, model.target_pieces);
    return set.score(model.transformer, scoring);
  });
}

}  // namespace eatt
