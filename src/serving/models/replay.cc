#include "serving/models/replay.h"

#include <optional>
#include <stdexcept>
#include <utility>

#include "base/error.h"
#include "base/options.h"
#include "bundle/bundle.h"
#include "inspection/sentence_observer.h"
#include "runtime/api/translation_engine.h"
#include "runtime/layers/model.h"
#include "runtime/layers/observer.h"
#include "runtime/layers/transformer.h"
#include "runtime/search/search.h"
#include "runtime/shortlist/shortlist.h"
#include "text/pieces/pieces.h"

namespace eatt::serving {
namespace {

constexpr char kEndMarker[] = "</s>";
constexpr char kStartMarker[] = "<s>";

std::vector<std::string> texts_of(const std::vector<int32_t>& ids, const Pieces& pieces) {
  std::vector<std::string> texts;
  for (const int32_t id : ids) texts.push_back(pieces.piece(id));
  texts.emplace_back(kEndMarker);
  return texts;
}

std::optional<Precision> precision_of(const std::string& name) {
  if (name.empty()) return std::nullopt;
  return static_cast<Precision>(read_choice("--precision", name, kPrecisionNames));
}

}  // namespace

struct Replay::OpenModel {
  OpenModel(Bundle bundle, const TranslatorOptions& options, std::optional<Shortlist> opened)
      : source(bundle.source_piece_model(), bundle.manifest().source_pieces),
        target(bundle.target_piece_model(), bundle.manifest().target_pieces),
        source_language(bundle.manifest().source_language),
        model(load_model(std::move(bundle), precision_of(options.precision))),
        shortlist(std::move(opened)) {}

  Pieces source, target;
  std::string source_language;
  Model model;
  std::optional<Shortlist> shortlist;
};

Replay::Replay(Bundle bundle, TranslatorOptions options)
    : options_(std::move(options)), bundle_(std::move(bundle)) {}
Replay::~Replay() = default;

const Replay::OpenModel& Replay::model() const {
  const std::lock_guard lock(mutex_);
  if (model_) return *model_;
  try {
    std::optional<Shortlist> shortlist;
    if (!options_.shortlist.empty()) shortlist = Shortlist::open(options_.shortlist);
    expects(bundle_.has_value(), "the bundle was not used up by a model that could not be loaded");
    model_ = std::make_unique<OpenModel>(*std::exchange(bundle_, std::nullopt), options_,
                                         std::move(shortlist));
  } catch (const Error& error) {  // Not of what the client sent, which an Error would mean.
    throw std::runtime_error(error.what());
  }
  return *model_;
}

AttentionMaps Replay::attention(const std::string& source, const std::string& translation,
                                const BeforeStep& before_step) const {
  const OpenModel& open = model();
  const ScoreTask task = {open.source.encode(source), open.target.encode(translation)};
  AttentionMaps maps;
  maps.source_pieces = texts_of(task.source, open.source);
  maps.target_pieces = texts_of(task.target, open.target);
  maps.layers = open.model.architecture.decoder_layers();
  maps.heads = open.model.architecture.heads;
  inspection::SentenceObserver observer;
  std::vector<std::string> fed = maps.target_pieces;
  fed.insert(fed.begin(), kStartMarker);
  fed.pop_back();
  observer.begin(maps.source_pieces, fed);
  TransformerSteps steps(open.model, {.observer = &observer, .before_step = before_step});
  score_targets(steps, std::span(&task, 1));
  for (size_t layer = 1; layer <= maps.layers; ++layer) {
    auto& of_layer = maps.weights.emplace_back();
    for (size_t head = 1; head <= maps.heads; ++head) {
      of_layer.push_back(observer.cross_attention(layer, head));
    }
  }
  return maps;
}

energy::Activity Replay::activity(const std::vector<std::string>& sources,
                                  const SearchOptions& search,
                                  const BeforeStep& before_step) const {
  const OpenModel& open = model();
  ActivityRecorder recorder;
  TranslatorOptions options = options_;
  options.threads = 1;
  options.batch_sentences = 1;  // The energy of each sentence alone, whatever is served beside it.
  options.before_step = before_step;
  const Architecture& architecture = open.model.architecture;
  const TranslationEngine engine(
      {.sides = {.source = &open.source,
                 .target = &open.target,
                 .max_source_pieces = has_length_limit(architecture)
                                          ? std::optional(architecture.max_length - 1)
                                          : std::nullopt,
                 .source_language = open.source_language},
       .make_model =
           [&] {
             return std::make_unique<TransformerSteps>(
                 open.model,
                 StepModelOptions{.shortlist = open.shortlist ? &*open.shortlist : nullptr,
                                  .observer = &recorder,
                                  .before_step = before_step});
           }},
      options);
  std::vector<TranslationTask> tasks;
  for (const std::string& source : sources) tasks.push_back({.source = source});
  engine.translate(tasks, search);
  return recorder.take();
}

}  // namespace eatt::serving
