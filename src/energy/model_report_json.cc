#include <nlohmann/json.hpp>

#include "energy/ledger_json.h"
#include "energy/model_report.h"
#include "energy/paper_operations.h"

namespace eatt::energy {
namespace {

using Json = nlohmann::ordered_json;

Json text_json(const TextSize& text) {
  return {{"sentences", text.sentences},
          {"source_words", text.source_words},
          {"source_pieces", text.source_pieces},
          {"target_pieces", text.target_pieces}};
}

double over(double value, uint64_t count) {
  return count == 0 ? 0 : value / static_cast<double>(count);
}

Json rates_json(double joules, const TextSize& text) {
  return {{"joules", joules},
          {"joules_per_sentence", over(joules, text.sentences)},
          {"joules_per_target_piece", over(joules, text.target_pieces)},
          {"joules_per_1000_source_words", 1000 * over(joules, text.source_words)}};
}

// Null where a chip does not know the numbers of the work.
Json price_json(const Chip& chip, const Work& work, const ModelAccount& account) {
  if (!knows(chip, work)) return nullptr;
  Json json;
  json["arithmetic"] = rates_json(arithmetic_joules(chip, work, account.footprint), account.text);
  if (const auto whole = joules_with_memory(chip, work, account.footprint))
    json["with_memory"] = rates_json(*whole, account.text);
  return json;
}

Json memory_json(const Chip& chip, const ModelAccount& account) {
  Json json;
  const Work work = account.ledger.total();
  if (!knows(chip, work)) return json;
  const Price all = price(chip, work, account.footprint);
  if (!all.memory) return json;
  for (const Data data : kData) {
    json[std::string(name_of(data))] = {{"memory", all.moved(data).memory},
                                        {"joules", all.moved(data).picojoules * 1e-12}};
  }
  return json;
}

Json left_out_json(const Chip& chip, const ModelAccount& account) {
  Json json = Json::object();
  const Work work = account.ledger.total();
  if (!knows(chip, work)) return json;
  const OperationCounts left_out = price(chip, work, account.footprint).left_out;
  for (const Operation operation : kOperations) {
    for (const Number number : kNumbers) {
      if (left_out.at(operation, number) > 0)
        json[class_name(operation, number)] = left_out.at(operation, number);
    }
  }
  return json;
}

Json on_chips(const ModelReport& report, const auto& value) {
  Json json;
  for (const Chip& chip : report.chips) json[chip.name] = value(chip);
  return json;
}

Json work_json(const ModelReport& report, const Work& work, const ModelAccount& account) {
  Ledger alone;
  alone.add({}, work);
  Json json;
  const Json lines = ledger_json(alone);
  for (const char* key : {"operations", "bytes"}) {
    json[key] = lines.empty() || !lines[0].contains(key) ? Json::object() : lines[0][key];
  }
  json["chips"] =
      on_chips(report, [&](const Chip& chip) { return price_json(chip, work, account); });
  return json;
}

Json paper_json(const ModelReport& report, const ModelAccount& account, Level level) {
  const OperationCount count = paper_operations(account.architecture, account.text, level);
  return {{"additions", count.additions},
          {"multiplications", count.multiplications},
          {"chips", on_chips(report, [&](const Chip& chip) {
             return rates_json(paper_joules(chip, account, level), account.text);
           })}};
}

Json account_json(const ModelReport& report, const ModelAccount& account) {
  Json json;
  json["name"] = account.name;
  json["ran"] = account.ran;
  json["mechanisms"] = mechanisms_text(account.architecture);
  json["precision"] = precision_name(account.precision);
  json["text"] = text_json(account.text);
  for (const Data data : kData)
    json["footprint_bytes"][std::string(name_of(data))] = account.footprint.of(data);
  for (const Level level : kLevels) {
    Json& of_level = json["levels"][std::string(name_of(level))];
    of_level["exact"] = work_json(report, work_of(account.ledger, level), account);
    of_level["paper"] = paper_json(report, account, level);
  }
  json["levels"]["model"]["exact"] = work_json(report, account.ledger.total(), account);
  for (const Duty duty : kDuties) {
    const Work work = account.ledger.of(duty);
    if (work != Work{})
      json["duties"][std::string(name_of(duty))] = work_json(report, work, account);
  }
  json["memory"] = on_chips(report, [&](const Chip& chip) { return memory_json(chip, account); });
  json["left_out"] =
      on_chips(report, [&](const Chip& chip) { return left_out_json(chip, account); });
  json["ledger"] = ledger_json(account.ledger);
  return json;
}

Json densities_json(const ModelAccount& account) {
  const auto layers = [&](const std::vector<CodeActivity>& codes) {
    Json json = Json::array();
    for (const CodeActivity& of_layer : codes)
      json.push_back(of_layer.rows == 0 ? Json()
                                        : Json(density_of(of_layer, account.architecture)));
    return json;
  };
  Json json;
  json["enc-self"] = layers(account.activity.encoder_self);
  json["dec-self"] = layers(account.activity.decoder_self);
  json["cross-query"] = layers(account.activity.cross_query);
  json["cross-key"] = account.activity.cross_key.rows == 0
                          ? Json()
                          : Json(density_of(account.activity.cross_key, account.architecture));
  return json;
}

}  // namespace

std::string model_report_json(const ModelReport& report) {
  Json json;
  json["search"] = report.search;
  for (const Chip& chip : report.chips) json["chips"][chip.name] = chip.title;
  json["densities"] = densities_json(report.model);
  for (const ModelAccount* account : report.accounts())
    json["models"].push_back(account_json(report, *account));
  return json.dump(2) + "\n";
}

}  // namespace eatt::energy
