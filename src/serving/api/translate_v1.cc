// POST /v1/translate: translations with everything that is known about them.
#include "serving/api/translate_v1.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "energy/chip.h"
#include "energy_report/model_report.h"
#include "runtime/api/word_alignment.h"
#include "serving/api/energy_json.h"
#include "serving/api/translation.h"
#include "serving/http/form.h"
#include "text/pieces/words.h"

namespace eatt::serving {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostAttentionWeights = size_t{1} << 20;  // Of all texts of a request.

[[noreturn]] void refuse(const char* code, std::string message) {
  throw ApiError{.status = 400, .code = code, .message = std::move(message)};
}

// A request with its model.
struct V1Work {
  V1Request request;
  TranslationOrder order;
  std::optional<energy::Chip> chip = {};
  std::optional<LanguageGuess> detected = {};
};

const LoadedModel* choose_model(const ModelSet& models, V1Work& work) {
  V1Request& request = work.request;
  if (request.source == "auto") {
    work.detected = guess_source(models, request.texts, request.html, request.target);
    request.source = work.detected->language;
  }
  if (!request.model.empty()) {
    const LoadedModel* model = models.named(request.model);
    if (model == nullptr) {
      refuse("unknown_model", fmt::format("There is no model {}; see /v1/models", request.model));
    }
    const bool reads = work.detected || is_language(request.source, model->source());
    if (reads && is_language(request.target, model->target())) return model;
    refuse("unsupported_languages", fmt::format("The model {} translates from {} to {}",
                                                model->name, model->source(), model->target()));
  }
  const LoadedModel* model = models.for_languages(request.source, request.target);
  if (model != nullptr) return model;
  refuse("unsupported_languages",
         fmt::format("No model translates from {} to {}; see /v1/models",
                     request.source.empty() ? "any language" : request.source,
                     request.target.empty() ? "any language" : request.target));
}

energy::Chip choose_chip(const std::string& name, Precision precision) {
  if (name.empty()) return energy::usual_chips(precision).front();
  for (const energy::Chip& chip : energy::built_in_chips()) {
    if (chip.name == name) return chip;
  }
  refuse("unknown_chip", fmt::format("There is no chip {}; see /v1/models", name));
}

V1Work read_work(Service& service, const CallPtr& call) {
  service.admit(call, "");
  if (media_type(call->request().header("content-type")) != "application/json") {
    throw ApiError{.status = 415,
                   .code = "",
                   .message =
                       "Unsupported media type; send application/json, and say so in "
                       "Content-Type"};
  }
  V1Work work{.request = parse_v1_request(call->request().body, service.options.limits),
              .order = {}};
  V1Request& request = work.request;
  service.log_texts(call, request.texts);
  TranslationOrder& order = work.order;
  order.models = service.models.current();
  order.model = choose_model(*order.models, work);
  if (request.energy) work.chip = choose_chip(request.chip, order.model->precision);
  order.texts = request.texts;
  order.markup = {.html = request.html, .glossary = service.glossary()};
  if (!request.glossary.empty()) {
    order.markup.glossary =
        std::make_shared<const markup::Glossary>(request.glossary, service.glossary());
  }
  order.search = request.search;
  if (order.search.beam_size == 0) {
    order.search.beam_size = std::max(service.options.beam_size, order.search.n_best);
  }
  order.wants_attention = request.alignment;
  order.wants_scores = true;
  return work;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string_view word : split_words(text)) words.emplace_back(word);
  return words;
}

Json sentence_json(const V1Request& request, const std::string& source,
                   const Translation& translation) {
  const Hypothesis& best = translation.hypotheses.front();
  Json json;
  json["source_words"] = words_of(source);
  json["target_words"] = words_of(best.text);
  if (request.alignment) {
    json["alignment"] = Json::array();
    for (const WordLink& link : hard_alignment(translation, best, AlignmentUnits::word)) {
      json["alignment"].push_back({link.source, link.target});
    }
  }
  if (request.word_scores) json["word_scores"] = word_scores(best);
  return json;
}

// Sums over the parts of a text.
double score_of(const TranslatedText& text, size_t hypothesis) {
  double sum = 0;
  for (const Translation& part : text.parts) {
    sum += part.hypotheses[std::min(hypothesis, part.hypotheses.size() - 1)].score;
  }
  return sum;
}

Json translation_json(const V1Request& request, const TranslatedText& text) {
  Json json = {{"text", text.text()}, {"score", score_of(text, 0)}};
  json["finished"] = std::ranges::all_of(
      text.parts, [](const Translation& part) { return part.hypotheses.front().finished; });
  if (request.alignment || request.word_scores) {
    json["sentences"] = Json::array();
    for (size_t i = 0; i < text.parts.size(); ++i) {
      json["sentences"].push_back(sentence_json(request, text.document.texts()[i], text.parts[i]));
    }
  }
  if (request.search.n_best > 1) {
    json["alternatives"] = Json::array();
    for (size_t i = 1; i < text.hypotheses(); ++i) {
      json["alternatives"].push_back({{"text", text.text(i)}, {"score", score_of(text, i)}});
    }
  }
  return json;
}

// Four digits are more than a picture shows, and half as many bytes.
Json rounded(float weight) { return std::round(1e4 * static_cast<double>(weight)) / 1e4; }

template <typename Inner>
Json rounded(const std::vector<Inner>& values) {
  Json json = Json::array();
  for (const auto& value : values) json.push_back(rounded(value));
  return json;
}

size_t attention_weights(const Architecture& architecture, const TranslatedText& text) {
  if (text.parts.empty()) return 0;
  const Translation& part = text.parts.front();
  return architecture.decoder_layers() * architecture.heads * (part.source_pieces.size() + 1) *
         (part.hypotheses.front().pieces.size() + 1);
}

void check_attention(const V1Work& work, const std::vector<TranslatedText>& texts) {
  size_t weights = 0;
  for (const TranslatedText& text : texts) {
    weights += attention_weights(work.order.model->manifest.architecture, text);
  }
  if (weights <= kMostAttentionWeights) return;
  refuse("limit", fmt::format("The attention of this request has {} weights, more than {}; send "
                              "less text",
                              weights, kMostAttentionWeights));
}

// Of the first part of a text: a map of many sentences would be read by nobody.
Json attention_json(const V1Work& work, const CallPtr& call, const TranslatedText& text) {
  if (text.parts.empty()) return nullptr;
  const Hypothesis& best = text.parts.front().hypotheses.front();
  const AttentionMaps maps = work.order.model->replay->attention(
      text.document.texts().front(), best.text, [call] { call->check(); });
  return {{"source_pieces", maps.source_pieces},
          {"target_pieces", maps.target_pieces},
          {"layers", maps.layers},
          {"heads", maps.heads},
          {"weights", rounded(maps.weights)}};
}

Json energy_json(Service& service, const V1Work& work, const CallPtr& call,
                 const std::vector<TranslatedText>& texts) {
  std::vector<std::string> sources;
  for (const TranslatedText& text : texts) {
    sources.insert(sources.end(), text.document.texts().begin(), text.document.texts().end());
  }
  const LoadedModel& model = *work.order.model;
  const energy::Activity activity =
      model.replay->activity(sources, work.order.search, [call] { call->check(); });
  EnergyAnswer answer =
      energy_answer(*work.chip, model.manifest.architecture, model.precision, activity);
  if (answer.arithmetic_joules) {
    service.metrics.energy_counted(work.chip->name, *answer.arithmetic_joules);
  }
  return std::move(answer.json);
}

void answer(Service& service, const CallPtr& call, const V1Work& work,
            const std::vector<TranslatedText>& texts) {
  if (work.request.attention) check_attention(work, texts);
  Json json = {{"model", work.order.model->name}, {"translations", Json::array()}};
  for (const TranslatedText& text : texts) {
    json["translations"].push_back(translation_json(work.request, text));
    if (work.request.attention) {
      json["translations"].back()["attention"] = attention_json(work, call, text);
    }
  }
  if (work.chip) json["energy"] = energy_json(service, work, call, texts);
  if (work.detected) {
    json["detected"] = {{"language", work.detected->language},
                        {"confidence", work.detected->confidence}};
  }
  json["milliseconds"] = call->milliseconds();
  service.send(call, json_response(json));
}

}  // namespace

Handler::Cancel translate_v1(Service& service, const CallPtr& call) {
  auto work = std::make_shared<V1Work>(read_work(service, call));
  TranslationOrder order = work->order;
  return submit_translation(
      service, call, std::move(order),
      [&service, call, work](const TranslationOrder&, std::vector<TranslatedText> done) {
        if (!work->request.attention && !work->chip) return answer(service, call, *work, done);
        auto texts = std::make_shared<std::vector<TranslatedText>>(std::move(done));
        service.background.post([&service, call, work, texts] {
          service.guarded(call, [&] { answer(service, call, *work, *texts); });
        });
      });
}

Response models_v1(Service& service, const CallPtr&) {
  Json json = {{"models", Json::array()}, {"chips", Json::array()}};
  for (const auto& model : service.models.current()->models) {
    const Architecture& a = model->manifest.architecture;
    json["models"].push_back(
        {{"name", model->name},
         {"source", model->source()},
         {"target", model->target()},
         {"precision", precision_name(model->precision)},
         {"parameters", model->parameters},
         {"layers", {{"encoder", a.encoder_layers()}, {"decoder", a.decoder_layers()}}},
         {"width", a.model_dim},
         {"heads", a.heads},
         {"attention",
          {{"encoder_self", print_mechanisms(a.encoder_self.layers)},
           {"decoder_self", print_mechanisms(a.decoder_self.layers)},
           {"cross", print_mechanisms(a.cross.layers)}}},
         {"vocabulary", a.target_vocab}});
  }
  for (const energy::Chip& chip : energy::built_in_chips()) {
    json["chips"].push_back({{"name", chip.name}, {"title", chip.title}});
  }
  const ApiLimits& limits = service.options.limits;
  json["limits"] = {{"characters", limits.characters},
                    {"batch", limits.batch},
                    {"alternatives", limits.alternatives},
                    {"beam_size", limits.beam_size}};
  json["version"] = service.options.version;
  return json_response(json);
}

}  // namespace eatt::serving
