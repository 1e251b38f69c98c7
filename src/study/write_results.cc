#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/files/atomic_file.h"
#include "study/tables.h"

namespace eatt::study {
namespace {

using Json = nlohmann::ordered_json;

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const std::string& cell : cells) {
    row += " " + (cell.empty() ? std::string("–") : replaced(cell, "|", "\\|")) + " |";
  }
  return row + "\n";
}

std::string csv_row(const std::vector<std::string>& cells) {
  std::string row;
  for (size_t i = 0; i < cells.size(); ++i) {
    const bool quotes = cells[i].find_first_of(",\"\n") != std::string::npos;
    row += i == 0 ? "" : ",";
    row += quotes ? "\"" + replaced(cells[i], "\"", "\"\"") + "\"" : cells[i];
  }
  return row + "\n";
}

Json to_json(const EnergyShares& energy) {
  return {{"alignment_paper", energy.alignment_paper}, {"attention_paper", energy.attention_paper},
          {"block_paper", energy.block_paper},         {"alignment_exact", energy.alignment_exact},
          {"attention_exact", energy.attention_exact}, {"block_exact", energy.block_exact},
          {"model_exact", energy.model_exact}};
}

Json to_json(const CellScores& scores) {
  Json object = {{"name", scores.name},
                 {"seed", scores.seed},
                 {"dev_bleu", scores.dev_bleu},
                 {"dev_cross_entropy", scores.dev_cross_entropy}};
  if (scores.test_bleu) object["test_bleu"] = *scores.test_bleu;
  object["energy_over_vanilla"] = {{"asic", to_json(scores.energy)},
                                   {"fpga", to_json(scores.fpga)}};
  object["microjoules_per_sentence"] = {{"attention_paper", scores.microjoules.attention_paper},
                                        {"attention_exact", scores.microjoules.attention_exact},
                                        {"model_exact", scores.microjoules.model_exact}};
  if (scores.densities.any()) {
    object["density"] = {{"encoder_self", scores.densities.encoder_self},
                         {"decoder_self", scores.densities.decoder_self},
                         {"cross_query", scores.densities.cross_query}};
    if (scores.densities.cross_key) object["density"]["cross_key"] = *scores.densities.cross_key;
  }
  return object;
}

// Of a cell of the case study, as `eatt inspect` says it.
std::string_view attention_of(std::string_view cell) {
  if (cell == kVanilla) return "vanilla";
  return cell == kEatt ? "E-ATT, binary codes" : "E-ATT, signed codes";
}

// What `eatt report` draws as heat maps: of each sentence, the models beside each other.
std::string alignments_json(const std::vector<CellScores>& scores) {
  Json sentences = Json::array();
  for (size_t i = 0; i < kMostCaseSentences; ++i) {
    for (const CellScores& cell : scores) {
      if (i >= cell.alignments.size()) continue;
      const SentenceAlignment& one = cell.alignments[i];
      sentences.push_back({{"source", one.source},
                           {"target", one.target},
                           {"weights", one.weights},
                           {"model", cell.name},
                           {"attention", attention_of(cell.name)}});
    }
  }
  return sentences.empty() ? "" : Json({{"sentences", sentences}}).dump() + "\n";
}

}  // namespace

std::string markdown_of(const std::vector<ResultTable>& tables, std::string_view heading) {
  std::string text;
  for (const ResultTable& table : tables) {
    text += fmt::format("{} {}\n\n", heading, table.title);
    text += markdown_row(table.columns);
    text += "|";
    for (size_t i = 0; i < table.columns.size(); ++i) text += "---|";
    text += "\n";
    for (const auto& row : table.rows) text += markdown_row(row);
    text += table.note.empty() ? "\n" : "\n" + table.note + "\n\n";
  }
  return text;
}

std::string csv_of(const std::vector<ResultTable>& tables) {
  std::string text;
  for (const ResultTable& table : tables) {
    std::vector<std::string> header = {"table"};
    header.insert(header.end(), table.columns.begin(), table.columns.end());
    text += csv_row(header);
    for (const auto& cells : table.rows) {
      std::vector<std::string> row = {table.name};
      row.insert(row.end(), cells.begin(), cells.end());
      text += csv_row(row);
    }
  }
  return text;
}

std::string json_of(const std::vector<ResultTable>& tables, const std::vector<CellScores>& scores) {
  Json object = {{"tables", Json::array()}, {"cells", Json::array()}};
  for (const ResultTable& table : tables) {
    object["tables"].push_back({{"name", table.name},
                                {"title", table.title},
                                {"columns", table.columns},
                                {"rows", table.rows},
                                {"note", table.note}});
  }
  for (const CellScores& one : scores) object["cells"].push_back(to_json(one));
  return object.dump(1) + "\n";
}

std::vector<ResultTable> write_results(const StudyOptions& options,
                                       const std::vector<CellReport>& reports) {
  const StudyFolder folder{options.output};
  const auto scores = read_scores(options, reports);
  const auto tables = result_tables(options, reports, scores);
  write_file_atomically(folder.results("md"), "# Results\n\n" + markdown_of(tables));
  write_file_atomically(folder.results("csv"), csv_of(tables));
  write_file_atomically(folder.results("json"), json_of(tables, scores));
  if (const std::string text = alignments_json(scores); !text.empty())
    write_file_atomically(folder.alignments(), text);
  return tables;
}

}  // namespace eatt::study
