#include <nlohmann/json.hpp>

#include "base/files/atomic_file.h"
#include "base/text/json.h"
#include "study/tables.h"

namespace eatt::study {
namespace {

constexpr size_t kMostBytes = 64 << 20;
constexpr uint64_t kMostSeeds = 1'000'000;

std::vector<std::string> texts(const JsonNode& list) {
  std::vector<std::string> result;
  for (const JsonNode& item : list.items()) result.push_back(item.text());
  return result;
}

std::vector<double> numbers(const JsonNode& list) {
  std::vector<double> result;
  for (const JsonNode& item : list.items()) result.push_back(item.number());
  return result;
}

ResultTable table_of(const JsonNode& node) {
  ResultTable table{.name = node["name"].text(),
                    .title = node["title"].text(),
                    .columns = texts(node["columns"]),
                    .rows = {},
                    .note = node["note"].text()};
  for (const JsonNode& row : node["rows"].items()) {
    table.rows.push_back(texts(row));
    if (table.rows.back().size() != table.columns.size()) row.fail("a text for each column");
  }
  return table;
}

EnergyShares shares_of(const JsonNode& node) {
  return {.alignment_paper = node["alignment_paper"].number(),
          .attention_paper = node["attention_paper"].number(),
          .block_paper = node["block_paper"].number(),
          .alignment_exact = node["alignment_exact"].number(),
          .attention_exact = node["attention_exact"].number(),
          .block_exact = node["block_exact"].number(),
          .model_exact = node["model_exact"].number()};
}

CellScores scores_of(const JsonNode& node) {
  const JsonNode energy = node["energy_over_vanilla"], joules = node["microjoules_per_sentence"];
  CellScores scores;
  scores.name = node["name"].text();
  scores.seed = static_cast<int>(node["seed"].integer(0, kMostSeeds));
  scores.dev_bleu = node["dev_bleu"].number();
  scores.dev_cross_entropy = node["dev_cross_entropy"].number();
  if (const auto test = node.find("test_bleu")) scores.test_bleu = test->number();
  scores.energy = shares_of(energy["asic"]);
  scores.fpga = shares_of(energy["fpga"]);
  scores.microjoules = {.attention_paper = joules["attention_paper"].number(),
                        .attention_exact = joules["attention_exact"].number(),
                        .model_exact = joules["model_exact"].number()};
  if (const auto density = node.find("density")) {
    scores.densities.encoder_self = numbers((*density)["encoder_self"]);
    scores.densities.decoder_self = numbers((*density)["decoder_self"]);
    scores.densities.cross_query = numbers((*density)["cross_query"]);
    if (const auto key = density->find("cross_key")) scores.densities.cross_key = key->number();
  }
  return scores;
}

}  // namespace

Results read_results(const std::filesystem::path& file) {
  const JsonOrigin origin{file.string(), "remove it and run the study again"};
  const nlohmann::json object = parse_json(read_file(file, kMostBytes), origin,
                                           {.max_bytes = kMostBytes, .max_values = 1 << 20});
  const JsonNode root(object, origin);
  Results results;
  for (const JsonNode& table : root["tables"].items()) results.tables.push_back(table_of(table));
  for (const JsonNode& cell : root["cells"].items()) results.scores.push_back(scores_of(cell));
  return results;
}

}  // namespace eatt::study
