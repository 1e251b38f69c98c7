#include <nlohmann/json.hpp>

#include "energy/closed_forms.h"
#include "energy_report/model_report.h"

namespace eatt::energy {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormatVersion = 2;  // 1 had only titles under "chips".

Json search_json(const ReportedSearch& search) {
  return {{"beam_size", search.beam_size},
          {"batch_sentences", search.batch_sentences},
          {"length_penalty", search.length_penalty},
          {"normalize", search.normalize},
          {"word_penalty", search.word_penalty},
          {"min_length", search.min_length},
          {"max_length", search.max_length},
          {"max_length_factor", search.max_length_factor},
          {"max_length_extra", search.max_length_extra},
          {"allow_unk", search.allow_unknown},
          {"shortlist", search.shortlist.empty() ? Json() : Json(search.shortlist)},
          {"split_sentences", false}};
}

Json text_json(const ModelAccount& account) {
  const TextSize& text = account.text;
  return {{"lines", text.lines},
          {"sentences", account.activity.sentences},
          {"source_words", text.source_words},
          {"source_pieces", text.source_pieces},
          {"target_pieces", text.target_pieces}};
}

// Null where there is nothing to divide by.
Json over(double value, uint64_t count) {
  return count == 0 ? Json() : Json(value / static_cast<double>(count));
}

Json rates_json(double joules, const ModelAccount& account) {
  return {{"joules", joules},
          {"joules_per_sentence", over(joules, account.activity.sentences)},
          {"joules_per_target_piece", over(joules, account.text.target_pieces)},
          {"joules_per_1000_source_words", over(1000 * joules, account.text.source_words)}};
}

Json on_chips(const ModelReport& report, const auto& value) {
  Json json;
  for (const Chip& chip : report.chips) json[chip.name] = value(chip);
  return json;
}

// If a chip cannot price it: no joules, but the list of classes that it does not know.
Json price_json(const Chip& chip, const Work& work, const ModelAccount& account) {
  const auto unknown = unpriced(chip, work);
  if (!unknown.empty()) return {{"unpriced", unknown}};
  Json json;
  json["arithmetic"] = rates_json(arithmetic_joules(chip, work, account), account);
  if (const auto whole = joules_with_memory(chip, work, account))
    json["with_memory"] = rates_json(*whole, account);
  return json;
}

// Where data is stored, and what a chip leaves out; for models that it cannot price, the classes
// that it does not know.
Json chip_details(const Chip& chip, const ModelAccount& account) {
  const Work work = account.ledger.total();
  if (const auto unknown = unpriced(chip, work); !unknown.empty()) return {{"unpriced", unknown}};
  const Price all = price(chip, work, account.footprint);
  Json json;
  if (all.memory) {
    for (const Data data : kData) {
      json["memory"][std::string(name_of(data))] = {
          {"lies_in", all.moved(data).memory}, {"joules", all.moved(data).picojoules * kPicojoule}};
    }
  }
  json["left_out"] = Json::object();
  for (const Operation operation : kOperations) {
    for (const Number number : kNumbers) {
      if (all.left_out.at(operation, number) > 0)
        json["left_out"][class_name(operation, number)] = all.left_out.at(operation, number);
    }
  }
  return json;
}

// Operations and bytes as in a line of the ledger, and prices.
Json work_json(const ModelReport& report, const Work& work, const ModelAccount& account) {
  Ledger alone;
  alone.add({}, work);
  const Json lines = ledger_json(alone);
  Json json;
  for (const char* key : {"operations", "bytes"})
    json[key] = lines.empty() ? Json::object() : lines[0].value(key, Json::object());
  json["chips"] =
      on_chips(report, [&](const Chip& chip) { return price_json(chip, work, account); });
  return json;
}

Json paper_json(const ModelReport& report, const ModelAccount& account, Level level) {
  const OperationCount count = paper_operations(account.architecture, account.activity, level);
  return {{"additions", count.additions},
          {"multiplications", count.multiplications},
          {"chips", on_chips(report, [&](const Chip& chip) {
             return rates_json(paper_joules(chip, account, level), account);
           })}};
}

Json levels_json(const ModelReport& report, const ModelAccount& account) {
  Json json;
  for (const Level level : kLevels) {
    Json& of_level = json[std::string(name_of(level))];
    of_level["exact"] = work_json(report, work_of(account.ledger, level), account);
    of_level["paper"] = paper_json(report, account, level);
  }
  json["model"]["exact"] = work_json(report, account.ledger.total(), account);
  return json;
}

// The lines of the ledger with their prices.
Json lines_json(const ModelReport& report, const ModelAccount& account) {
  Json json = ledger_json(account.ledger);
  size_t i = 0;
  for (const LedgerRow& row : account.ledger.rows()) {
    json[i++]["chips"] = on_chips(report, [&](const Chip& chip) {
      const Json all = price_json(chip, row.work, account);
      if (all.contains("unpriced")) return all;
      Json joules = {{"arithmetic_joules", all["arithmetic"]["joules"]}};
      if (all.contains("with_memory")) joules["with_memory_joules"] = all["with_memory"]["joules"];
      return joules;
    });
  }
  return json;
}

Json densities_json(const ModelAccount& account) {
  const auto one = [&](const CodeActivity& codes) {
    return codes.rows == 0 ? Json() : Json(density_of(codes, account.architecture));
  };
  const auto layers = [&](const std::vector<CodeActivity>& codes) {
    Json json = Json::array();
    for (const CodeActivity& of_layer : codes) json.push_back(one(of_layer));
    return json;
  };
  return {{"enc-self", layers(account.activity.encoder_self)},
          {"dec-self", layers(account.activity.decoder_self)},
          {"cross-query", layers(account.activity.cross_query)},
          {"cross-key", one(account.activity.cross_key)}};
}

Json account_json(const ModelReport& report, const ModelAccount& account) {
  Json json;
  json["name"] = account.name;
  json["kind"] = kind_name(account);
  json["ran"] = account.ran();
  json["mechanisms"] = mechanisms_text(account.architecture);
  json["precision"] = precision_name(account.precision);
  json["text"] = text_json(account);
  if (account.ran()) json["densities"] = densities_json(account);
  for (const Data data : kData)
    json["footprint_bytes"][std::string(name_of(data))] = account.footprint.of(data);
  json["levels"] = levels_json(report, account);
  for (const DutyRow& duty : kDutyRows) {
    const Work work = account.ledger.of(duty);
    if (work != Work{})
      json["duties"][std::string(name_of(duty))] = work_json(report, work, account);
  }
  json["chips"] = on_chips(report, [&](const Chip& chip) { return chip_details(chip, account); });
  json["ledger"] = lines_json(report, account);
  return json;
}

}  // namespace

std::string model_report_json(const ModelReport& report) {
  Json json;
  json["format_version"] = kFormatVersion;
  json["search"] = search_json(report.search);
  for (const Chip& chip : report.chips) json["chips"][chip.name] = Json::parse(chip.json);
  for (const ModelAccount& account : report.accounts)
    json["models"].push_back(account_json(report, account));
  return json.dump(2) + "\n";
}

namespace {

using Json = nlohmann::ordered_json;  // Keys in the order of reading.

std::string key(auto kind) { return std::string(name_of(kind)); }

Json operations_json(const OperationCounts& counts) {
  Json result = Json::object();
  for (const Operation operation : kOperations) {
    for (const Number number : kNumbers) {
      const uint64_t count = counts.at(operation, number);
      if (count > 0) result[key(operation)][key(number)] = count;
    }
  }
  return result;
}

Json bytes_json(const Work& work) {
  Json result = Json::object();
  for (const Data data : kData) {
    const Traffic& moved = work.moved(data);
    if (moved.read > 0) result[key(data)]["read"] = moved.read;
    if (moved.written > 0) result[key(data)]["written"] = moved.written;
  }
  return result;
}

}  // namespace

Json ledger_json(const Ledger& ledger) {
  Json lines = Json::array();
  for (const auto& [place, duty, work] : ledger.rows()) {
    lines.push_back(Json{{"stack", key(place.stack)},
                         {"layer", place.layer},
                         {"sub_layer", key(place.sub_layer)},
                         {"duty", duty->name},
                         {"operations", operations_json(work.operations)},
                         {"bytes", bytes_json(work)}});
  }
  return lines;
}

}  // namespace eatt::energy
