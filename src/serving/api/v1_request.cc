#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "base/text/json.h"
#include "serving/api/fields.h"
#include "serving/api/translate_v1.h"
#include "serving/api/translation.h"

namespace eatt::serving {
namespace {

constexpr size_t kLongestName = 1000;
constexpr size_t kMostGlossaryEntries = 1000;
constexpr size_t kLongestTerm = 100;    // Characters.
constexpr size_t kLongestTarget = 200;  // Bytes.
constexpr std::array<std::string_view, 2> kFormats = {"text", "html"};

bool boolean_at(const JsonNode& body, std::string_view key) {
  const auto node = body.find(key);
  return node && node->boolean();
}

std::string text_at(const JsonNode& body, std::string_view key) {
  const auto node = body.find(key);
  return node ? node->text(kLongestName) : std::string();
}

void read_texts(const JsonNode& node, bool is_list, const ApiLimits& limits, V1Request& request) {
  request.is_list = is_list;
  if (is_list) {
    for (const JsonNode& item : node.items()) request.texts.push_back(item.text(limits.body));
  } else {
    request.texts.push_back(node.text(limits.body));
  }
  check_texts(request.texts, limits);
}

void read_search(const JsonNode& body, const ApiLimits& limits, V1Request& request) {
  const auto integer_at = [&](std::string_view key, size_t most) {
    const auto node = body.find(key);
    return node ? static_cast<int>(node->integer(1, most)) : 0;
  };
  SearchOptions& search = request.search;
  search.n_best = std::max(1, integer_at("n_best", limits.alternatives + 1));
  search.beam_size = integer_at("beam_size", limits.beam_size);
  if (search.beam_size > 0) search.beam_size = std::max(search.beam_size, search.n_best);
  if (const auto node = body.find("length_penalty")) {
    search.length_penalty = node->number();
    if (!(search.length_penalty >= 0 && search.length_penalty <= 10)) {
      node->fail("a number from 0 to 10");
    }
  }
}

void read_glossary(const JsonNode& node, V1Request& request) {
  for (const JsonNode& item : node.items()) {
    item.allow_only({"source", "target"});
    const JsonNode source = item["source"], target = item["target"];
    request.glossary.push_back({source.text(kLongestName), target.text(kLongestName)});
    if (count_characters(request.glossary.back().source) > kLongestTerm) {
      source.fail(fmt::format("at most {} characters", kLongestTerm));
    }
    if (request.glossary.back().target.size() > kLongestTarget) {
      target.fail(fmt::format("at most {} bytes", kLongestTarget));
    }
    if (request.glossary.size() > kMostGlossaryEntries) {
      node.fail(fmt::format("at most {} terms", kMostGlossaryEntries));
    }
  }
  markup::check_glossary(request.glossary);
}

}  // namespace

V1Request parse_v1_request(std::string_view text, const ApiLimits& limits) {
  const nlohmann::json json = parse_body_json(text, limits.body);
  const JsonOrigin origin{.file = "Invalid request", .advice = "see /openapi.json"};
  const JsonNode body(json, origin);
  body.allow_only({"text", "model", "source", "target", "format", "beam_size", "n_best",
                   "length_penalty", "alignment", "word_scores", "attention", "energy",
                   "glossary"});
  V1Request request;
  const auto texts = body["text"];  // Throws if it is missing.
  read_texts(texts, json["text"].is_array(), limits, request);
  request.model = text_at(body, "model");
  request.source = text_at(body, "source");
  request.target = text_at(body, "target");
  if (const auto node = body.find("format")) request.html = node->choice(kFormats) == 1;
  read_search(body, limits, request);
  request.alignment = boolean_at(body, "alignment");
  request.word_scores = boolean_at(body, "word_scores");
  request.attention = boolean_at(body, "attention");
  if (const auto node = body.find("energy")) {
    request.energy = json["energy"].is_object() || node->boolean();
    if (json["energy"].is_object()) {
      node->allow_only({"chip"});
      request.chip = text_at(*node, "chip");
    }
  }
  if (const auto node = body.find("glossary")) read_glossary(*node, request);
  return request;
}

}  // namespace eatt::serving
