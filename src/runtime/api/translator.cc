#include "runtime/api/translator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <mutex>

#include "base/error.h"
#include "base/options.h"
#include "base/progress.h"
#include "base/sha256.h"
#include "bundle/bundle.h"
#include "energy/activity.h"
#include "runtime/api/translation_engine.h"
#include "runtime/layers/model.h"
#include "runtime/layers/observer.h"
#include "runtime/layers/transformer.h"
#include "runtime/search/step_model.h"
#include "runtime/shortlist/shortlist.h"

namespace eatt {
namespace {

std::optional<Precision> precision_of(const std::string& name) {
  if (name.empty()) return std::nullopt;
  return static_cast<Precision>(read_choice("--precision", name, kPrecisionNames));
}

// Equal weights if there are none.
std::vector<double> checked_weights(size_t bundles, std::span<const double> weights) {
  if (bundles == 0) throw UsageError("no bundle was given; expected one at least");
  if (weights.empty()) return std::vector<double>(bundles, 1.0);
  if (weights.size() != bundles) {
    throw UsageError(fmt::format("{} given for {}; expected one for each",
                                 format_count(weights.size(), "weight"),
                                 format_count(bundles, "bundle")));
  }
  for (const double weight : weights) {
    if (std::isfinite(weight) && weight > 0) continue;
    throw UsageError(fmt::format("a weight is {}; expected numbers above 0", weight));
  }
  return {weights.begin(), weights.end()};
}

std::string piece_model_name(const Bundle& bundle, const std::string& file) {
  return (bundle.path() / file).string();
}

}  // namespace

struct Translator::Parts {
  void open(std::span<const std::string> bundles);
  void take_pieces(const Bundle& bundle);
  void check_pieces(const Bundle& bundle) const;
  const Pieces& target_pieces() const { return target ? *target : *source; }
  std::unique_ptr<StepModel> make_steps();
  std::optional<size_t> max_source_pieces() const;
  Observer* add_recorder();

  TranslatorOptions options;
  std::string first_bundle;
  std::string source_language, target_language;  // Of the first bundle.
  std::vector<Model> models;
  std::vector<double> weights;
  std::optional<Pieces> source;
  std::optional<Pieces> target;  // Absent if there is one for both sides.
  std::optional<Shortlist> shortlist;
  std::mutex mutex;                        // Of the recorders.
  std::deque<ActivityRecorder> recorders;  // Of each StepModel; none moves when one is added.
  std::unique_ptr<TranslationEngine> engine;
};

void Translator::Parts::open(std::span<const std::string> bundles) {
  const auto precision = precision_of(options.precision);
  if (options.records_activity && bundles.size() > 1)
    throw UsageError(
        "operations can be counted for one model only, not for an ensemble; give one bundle");
  for (const std::string& path : bundles) {
    Bundle bundle = Bundle::open(path, {.verify_hashes = options.verify_hashes});
    source ? check_pieces(bundle) : take_pieces(bundle);
    models.push_back(load_model(std::move(bundle), precision));
  }
  if (!options.shortlist.empty()) {
    shortlist = Shortlist::open(options.shortlist);
    shortlist->check_vocabulary(source->sha256(), target_pieces().sha256(), first_bundle);
  }
  engine = std::make_unique<TranslationEngine>(
      TranslationEngine::Parts{.sides = {.source = &*source,
                                         .target = &target_pieces(),
                                         .max_source_pieces = max_source_pieces(),
                                         .source_language = source_language},
                               .make_model = [this] { return make_steps(); }},
      options);
}

void Translator::Parts::take_pieces(const Bundle& bundle) {
  const Manifest& manifest = bundle.manifest();
  first_bundle = bundle.path().string();
  source_language = manifest.source_language;
  target_language = manifest.target_language;
  source.emplace(bundle.source_piece_model(), piece_model_name(bundle, manifest.source_pieces));
  if (manifest.joint_pieces()) return;
  target.emplace(bundle.target_piece_model(), piece_model_name(bundle, manifest.target_pieces));
}

void Translator::Parts::check_pieces(const Bundle& bundle) const {
  const auto check = [&](const char* side, const Pieces& own, std::string_view other) {
    if (own.sha256() == sha256_hex(other)) return;
    throw Error(fmt::format(
        "{} and {}: the {} pieces differ, so their models cannot translate together; train them on "
        "one vocabulary",
        first_bundle, bundle.path().string(), side));
  };
  check("source", *source, bundle.source_piece_model());
  check("target", target_pieces(), bundle.target_piece_model());
}

// Called by any thread.
Observer* Translator::Parts::add_recorder() {
  const std::lock_guard lock(mutex);
  return &recorders.emplace_back();
}

// Called by any thread.
std::unique_ptr<StepModel> Translator::Parts::make_steps() {
  std::vector<std::unique_ptr<StepModel>> steps;
  for (const Model& model : models) {
    StepModelOptions own;
    own.wants_attention = options.wants_attention;
    own.alignment_layer = options.alignment_layer;
    own.alignment_head = options.alignment_head;
    own.shortlist = shortlist ? &*shortlist : nullptr;
    own.before_step = options.before_step;
    if (options.records_activity) own.observer = add_recorder();
    steps.push_back(std::make_unique<TransformerSteps>(model, own));
  }
  if (steps.size() == 1) return std::move(steps.front());
  return std::make_unique<EnsembleModel>(std::move(steps), weights);
}

// The end marker takes one of the positions.
std::optional<size_t> Translator::Parts::max_source_pieces() const {
  std::optional<size_t> least;
  for (const Model& model : models) {
    if (!has_length_limit(model.architecture)) continue;
    const size_t own = model.architecture.max_length - 1;
    least = std::min(own, least.value_or(own));
  }
  return least;
}

Translator::Translator(const std::string& bundle, const TranslatorOptions& options)
    : Translator(std::span(&bundle, 1), {}, options) {}

Translator::Translator(std::span<const std::string> bundles, std::span<const double> weights,
                       const TranslatorOptions& options)
    : parts_(std::make_unique<Parts>()) {
  parts_->weights = checked_weights(bundles.size(), weights);
  parts_->options = options;
  parts_->open(bundles);
}

Translator::Translator(Translator&&) noexcept = default;
Translator& Translator::operator=(Translator&&) noexcept = default;
Translator::~Translator() = default;

std::vector<Translation> Translator::translate(std::span<const TranslationTask> tasks,
                                               const SearchOptions& search) const {
  return parts_->engine->translate(tasks, search);
}

std::string Translator::translate(const std::string& source, const SearchOptions& search) const {
  const TranslationTask task{.source = source};
  return translate(std::span(&task, 1), search).front().hypotheses.front().text;
}

std::vector<Translation> Translator::score(
    std::span<const std::pair<std::string, std::string>> pairs, uint64_t first_number) const {
  return parts_->engine->score(pairs, first_number);
}

energy::Activity Translator::activity() const {
  energy::Activity sum;
  for (const ActivityRecorder& recorder : parts_->recorders) sum += recorder.activity();
  return sum;
}

size_t Translator::source_pieces(const std::string& text) const {
  return parts_->source->encode(text).size();
}

std::optional<size_t> Translator::max_source_pieces() const { return parts_->max_source_pieces(); }

std::unique_ptr<StepModel> Translator::make_step_model() const { return parts_->make_steps(); }
const TextParts& Translator::texts() const { return parts_->engine->texts(); }

const std::string& Translator::source_language() const { return parts_->source_language; }
const std::string& Translator::target_language() const { return parts_->target_language; }

}  // namespace eatt
