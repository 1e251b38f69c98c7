// The routes of LibreTranslate, with its parameters, answers and messages.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "serving/api/fields.h"
#include "serving/api/translation.h"
#include "serving/models/languages.h"

namespace eatt::serving {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(std::string message, int status = 400) {
  throw ApiError{.status = status, .code = "", .message = std::move(message)};
}

Json guess_json(const LanguageGuess& guess) {
  return {{"confidence", std::round(guess.confidence * 100)}, {"language", guess.language}};
}

// What a client asked for.
struct LibreRequest {
  TranslationOrder order;  // Without a model if nothing is to be done: see is_copy.
  size_t alternatives = 0;
  bool is_list = false;
  bool is_copy = false;  // Source and target are the same language.
  std::optional<LanguageGuess> detected = {};
};

void expect_language(const ModelSet& models, const std::string& code) {
  const std::vector<std::string> known = models.languages();
  const bool found = !code.empty() && std::ranges::any_of(known, [&](const std::string& language) {
    return is_language(code, language);
  });
  if (!found) refuse(fmt::format("{} is not supported", code));
}

// Sets the model, from the parameters `source` and `target`.
void choose_model(const Fields& fields, LibreRequest& request) {
  const ModelSet& models = *request.order.models;
  std::string source = fields.text("source");
  const std::string target = fields.text("target");
  if (source == "auto") {
    const TranslationOrder& order = request.order;
    request.detected = guess_languages(models, order.texts, order.markup.html).front();
    source = request.detected->language;
  }
  expect_language(models, source);
  expect_language(models, target);
  request.order.model = models.for_languages(source, target);
  // Between scripts of one language there may be a model.
  request.is_copy =
      source == target || (is_language(source, target) && request.order.model == nullptr);
  if (request.is_copy || request.order.model != nullptr) return;
  refuse(fmt::format("{} ({}) is not available as a target language from {} ({})",
                     language_name(target), target, language_name(source), source));
}

LibreRequest read_request(Service& service, const CallPtr& call) {
  const ApiLimits& limits = service.options.limits;
  const Fields fields(call->request(), limits.body);
  service.admit(call, fields.text("api_key", ""));
  LibreRequest request;
  auto [texts, is_list] = fields.texts("q");
  check_texts(texts, limits);
  service.log_texts(call, texts);
  request.order.models = service.models.current();
  request.order.texts = std::move(texts);
  request.is_list = is_list;
  request.alternatives = fields.count("alternatives", limits.alternatives);
  const std::string format = fields.text("format", "text");
  if (format != "text" && format != "html")
    refuse(fmt::format("{} format is not supported", format));
  request.order.markup = {.html = format == "html", .glossary = service.glossary()};
  const int hypotheses = static_cast<int>(request.alternatives) + 1;
  request.order.search.beam_size = std::max(service.options.beam_size, hypotheses);
  request.order.search.n_best = hypotheses;
  choose_model(fields, request);
  return request;
}

Json answer_json(const LibreRequest& request, const std::vector<std::string>& texts,
                 const std::vector<std::vector<std::string>>& alternatives) {
  Json json;
  if (request.alternatives > 0) {
    json["alternatives"] = request.is_list ? Json(alternatives) : Json(alternatives.front());
  }
  if (request.detected) {
    const Json guess = guess_json(*request.detected);
    json["detectedLanguage"] =
        request.is_list ? Json(std::vector<Json>(texts.size(), guess)) : guess;
  }
  json["translatedText"] = request.is_list ? Json(texts) : Json(texts.front());
  return json;
}

// Alternatives that read like the translation, or like each other, are left out.
std::vector<std::string> alternatives_of(const TranslatedText& text, size_t most) {
  std::vector<std::string> found = {text.text()};
  for (size_t i = 1; i < text.hypotheses() && found.size() <= most; ++i) {
    std::string other = text.text(i);
    if (std::ranges::find(found, other) == found.end()) found.push_back(std::move(other));
  }
  found.erase(found.begin());
  return found;
}

}  // namespace

Handler::Cancel translate(Service& service, const CallPtr& call) {
  auto request = std::make_shared<LibreRequest>(read_request(service, call));
  if (request->is_copy) {
    const auto& texts = request->order.texts;
    const std::vector<std::vector<std::string>> none(std::max<size_t>(texts.size(), 1));
    service.send(call, json_response(answer_json(*request, texts, none)));
    return {};
  }
  TranslationOrder order = request->order;
  return submit_translation(
      service, call, std::move(order),
      [&service, call, request](const TranslationOrder&, const std::vector<TranslatedText>& done) {
        std::vector<std::string> texts;
        std::vector<std::vector<std::string>> alternatives;
        for (const TranslatedText& text : done) {
          texts.push_back(text.text());
          alternatives.push_back(alternatives_of(text, request->alternatives));
        }
        service.send(call, json_response(answer_json(*request, texts, alternatives)));
      });
}

Response detect(Service& service, const CallPtr& call) {
  const Fields fields(call->request(), service.options.limits.body);
  service.admit(call, fields.text("api_key", ""));
  const std::vector<std::string> texts = {fields.text("q")};
  check_texts(texts, service.options.limits);
  service.log_texts(call, texts);
  Json json = Json::array();
  for (const LanguageGuess& guess :
       guess_languages(*service.models.current(), texts, /*html=*/false)) {
    json.push_back(guess_json(guess));
  }
  return json_response(json);
}

Response languages(Service& service, const CallPtr&) {
  const auto models = service.models.current();
  Json json = Json::array();
  for (const std::string& language : models->languages()) {
    std::vector<std::string> targets = {language};  // As LibreTranslate: itself, too.
    for (const auto& model : models->models) {
      const bool is_new = std::ranges::find(targets, model->target()) == targets.end();
      if (model->source() == language && is_new) targets.push_back(model->target());
    }
    std::ranges::sort(targets);
    json.push_back({{"code", language}, {"name", language_name(language)}, {"targets", targets}});
  }
  return json_response(json);
}

Response frontend_settings(Service& service, const CallPtr&) {
  const auto models = service.models.current();
  const LoadedModel& first = *models->models.front();
  const auto language = [](const std::string& code) -> Json {
    return {{"code", code}, {"name", language_name(code)}};
  };
  const bool keys = !service.options.api_keys.empty();
  return json_response(
      {{"apiKeys", keys},
       {"charLimit", service.options.limits.characters},
       {"filesTranslation", true},
       {"frontendTimeout", 500},
       {"keyRequired", keys},
       {"language", {{"source", language(first.source())}, {"target", language(first.target())}}},
       {"suggestions", false},
       {"supportedFilesFormat", {".txt", ".html"}}});
}

Response suggest(Service& service, const CallPtr& call) {
  const Fields fields(call->request(), service.options.limits.body);
  service.admit(call, fields.text("api_key", ""));
  refuse("Suggestions are disabled on this server", 403);
}

}  // namespace eatt::serving
