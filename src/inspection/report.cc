#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/progress.h"
#include "base/text/text_layout.h"
#include "inspection/inspection.h"

namespace eatt::inspection {
namespace {

using Json = nlohmann::ordered_json;
using Align = TextTable::Align;

// The places of a table, in the words of docs/inspect.md.
constexpr std::string_view kCrossKey = "cross key";
std::string column_of(const CodeReport& report) {
  switch (role_of(report.place)) {
    case Role::encoder_self:
      return "encoder self";
    case Role::decoder_self:
      return "decoder self";
    default:
      return report.place.layer == 0 ? std::string(kCrossKey) : "cross query";
  }
}

std::string density_text(const Inspection& found) {
  if (found.codes.empty()) {
    return "density: this model has no codes, because no layer of it selects rows of weights\n";
  }
  std::map<size_t, std::map<std::string, double>> layers;
  double shared_key = -1;
  for (const CodeReport& report : found.codes) {
    if (column_of(report) == kCrossKey) {
      shared_key = report.density;
    } else {
      layers[report.place.layer][column_of(report)] = report.density;
    }
  }
  TextTable table({Align::right, Align::right, Align::right, Align::right});
  table.add_row({"layer", "encoder self", "decoder self", "cross query"});
  for (const auto& [layer, columns] : layers) {
    const auto cell = [&columns = columns](const char* column) {
      const auto entry = columns.find(column);
      return entry == columns.end() ? std::string("-") : fmt::format("{:.3f}", entry->second);
    };
    table.add_row(
        {std::to_string(layer), cell("encoder self"), cell("decoder self"), cell("cross query")});
  }
  std::string text = "density (rows of weights added per feature)\n" + table.text();
  if (shared_key >= 0) {
    text +=
        fmt::format("cross key, the encoder's output, shared by all layers: {:.3f}\n", shared_key);
  }
  return text;
}

std::string entropy_text(const Inspection& found) {
  std::map<size_t, std::map<Role, const AttentionReport*>> layers;
  for (const AttentionReport& report : found.attention) {
    layers[report.place.layer][role_of(report.place)] = &report;
  }
  TextTable table({Align::right, Align::right, Align::right, Align::right});
  table.add_row({"layer", "encoder self", "decoder self", "cross"});
  for (const auto& [layer, roles] : layers) {
    std::vector<std::string> row = {std::to_string(layer)};
    for (const Role role : kRoles) {
      const auto entry = roles.find(role);
      row.push_back(entry == roles.end() ? std::string("-")
                                         : fmt::format("{:.2f} ({:.0f} %)", entry->second->entropy,
                                                       100 * entry->second->entropy_share));
    }
    table.add_row(row);
  }
  return "entropy of attention in nats (and as a share of the most that so many keys allow)\n" +
         table.text();
}

std::string error_text(const Inspection& found) {
  if (found.errors.empty()) return {};
  TextTable table({Align::right, Align::right, Align::right, Align::right, Align::left});
  table.add_row({"layer", "predicting", "reading", "best head"});
  for (const LayerError& error : found.errors) {
    table.add_row({std::to_string(error.layer),
                   fmt::format("{:.4f}", error.predicting.error_rate()),
                   fmt::format("{:.4f}", error.reading.error_rate()),
                   fmt::format("{:.4f}", error.best_score.error_rate()),
                   fmt::format("head {}, {}", error.best.head,
                               error.best.shift == 0 ? "predicting" : "reading")});
  }
  return "alignment error (AER) against the gold links, mean of heads, of the step that predicts a "
         "word\nand of the step that reads it\n" +
         table.text();
}

std::string feature_line(const Feature& feature) {
  std::string words;
  for (const FeatureWord& word : feature.words) {
    words +=
        fmt::format("{}{} {:.0f} % of {}", words.empty() ? "" : ", ", word.word,
                    100 * static_cast<double>(word.fires) / static_cast<double>(word.positions),
                    word.positions);
  }
  return fmt::format("  {:>4}  {:>5.1f} %  {}\n", feature.number, 100 * feature.share,
                     words.empty() ? "all words alike" : words);
}

std::string feature_text(const Inspection& found) {
  std::string text;
  for (const CodeReport& report : found.codes) {
    if (report.features.empty()) continue;
    text += report.place.layer == 0
                ? fmt::format("{}, all layers\n", kCrossKey)
                : fmt::format("{}, layer {}\n", column_of(report), report.place.layer);
    for (const Feature& feature : report.features) text += feature_line(feature);
  }
  if (text.empty()) return {};
  return "most frequent features: number, share of positions where it is not zero, and the words "
         "on\nwhich it fires most beyond that share\n" +
         text;
}

std::string place_name(const CodeReport& report) {
  std::string name = column_of(report);
  std::ranges::replace(name, ' ', '_');
  return name;
}

Json score_json(const evaluation::AlignmentScore& score) {
  return {
      {"aer", score.error_rate()}, {"precision", score.precision()}, {"recall", score.recall()}};
}

Json codes_json(const CodeReport& report) {
  Json features = Json::array();
  for (const Feature& feature : report.features) {
    Json words = Json::array();
    for (const FeatureWord& word : feature.words) {
      words.push_back({{"word", word.word}, {"fires", word.fires}, {"positions", word.positions}});
    }
    features.push_back({{"feature", feature.number}, {"share", feature.share}, {"words", words}});
  }
  return {{"role", place_name(report)},
          {"layer", report.place.layer},
          {"density", report.density},
          {"features", features}};
}

std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string to_text(const Inspection& found) {
  std::string text =
      fmt::format("{} ({}): {}, {} source and {} target positions\n", found.model, found.precision,
                  format_count(found.sentences, "sentence"), format_count(found.source_positions),
                  format_count(found.target_positions));
  for (const std::string& part :
       {density_text(found), entropy_text(found), error_text(found), feature_text(found)}) {
    if (!part.empty()) text += "\n" + part;
  }
  return text;
}

std::string alignment_text(const AlignedSentence& sentence) {
  constexpr size_t kShown = 3;
  TextTable table({Align::left, Align::left, Align::left, Align::left, Align::right});
  table.add_row({"target", "looks at", "", "", "end marker"});
  for (size_t i = 0; i < sentence.target.size(); ++i) {
    std::vector<std::pair<float, size_t>> best;
    for (size_t j = 0; j < sentence.source.size(); ++j) {
      best.emplace_back(-sentence.weights[i][j], j);
    }
    std::ranges::sort(best);
    std::vector<std::string> row = {sentence.target[i]};
    for (size_t k = 0; k < kShown; ++k) {
      row.push_back(k < best.size()
                        ? fmt::format("{} {:.2f}", sentence.source[best[k].second], -best[k].first)
                        : "");
    }
    row.push_back(fmt::format("{:.2f}", sentence.end_marker[i]));
    table.add_row(row);
  }
  return table.text();
}

std::string to_json(const Inspection& found) {
  Json json = {{"model", found.model},
               {"precision", found.precision},
               {"sentences", found.sentences},
               {"source_positions", found.source_positions},
               {"target_positions", found.target_positions}};
  json["codes"] = Json::array();
  for (const CodeReport& report : found.codes) json["codes"].push_back(codes_json(report));
  json["attention"] = Json::array();
  for (const AttentionReport& report : found.attention) {
    json["attention"].push_back({{"role", name_of(role_of(report.place))},
                                 {"layer", report.place.layer},
                                 {"mechanism", report.mechanism},
                                 {"entropy", report.entropy},
                                 {"entropy_share", report.entropy_share}});
  }
  for (const LayerError& error : found.errors) {
    Json best = score_json(error.best_score);
    best["head"] = error.best.head;
    best["shift"] = error.best.shift;
    json["alignment_error"].push_back({{"layer", error.layer},
                                       {"predicting", score_json(error.predicting)},
                                       {"reading", score_json(error.reading)},
                                       {"best_head", best}});
  }
  return dump(json);
}

std::string alignments_json(const Inspection& found) {
  Json sentences = Json::array();
  for (const AlignedSentence& sentence : found.alignments) {
    Json weights = Json::array();
    for (const auto& row : sentence.weights) {
      Json& cells = weights.emplace_back(Json::array());
      for (const float weight : row) cells.push_back(std::round(weight * 1e4) / 1e4);
    }
    sentences.push_back({{"source", sentence.source},
                         {"target", sentence.target},
                         {"weights", weights},
                         {"model", found.model},
                         {"attention", found.mechanism}});
  }
  return Json({{"sentences", sentences}}).dump(-1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace eatt::inspection
