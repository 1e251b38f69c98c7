#include "study/scores.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/text/json.h"

namespace eatt::study {
namespace {

using nlohmann::json;

constexpr size_t kMostBytes = 64 << 20;
constexpr char kChip[] = "asic";

// A file of JSON that lives as long as the nodes that look into it.
class JsonFile {
 public:
  explicit JsonFile(const std::filesystem::path& path)
      : origin_{path.string(), "remove it and run the study again"},
        value_(parse_json(read_file(path, kMostBytes), origin_,
                          {.max_bytes = kMostBytes, .max_values = 1 << 22})) {}
  JsonNode root() const { return {value_, origin_}; }

 private:
  JsonOrigin origin_;
  json value_;
};

double bleu_of(const JsonNode& scores) { return scores["bleu"]["score"].number(); }

std::vector<double> numbers(const std::optional<JsonNode>& list) {
  std::vector<double> result;
  if (!list) return result;
  for (const JsonNode& item : list->items()) result.push_back(item.number());
  return result;
}

DensityRows densities_of(const JsonNode& scores) {
  DensityRows rows;
  const auto found = scores.find("density");
  if (!found) return rows;
  rows.encoder_self = numbers(found->find("encoder_self"));
  rows.decoder_self = numbers(found->find("decoder_self"));
  rows.cross_query = numbers(found->find("cross_query"));
  if (const auto key = found->find("cross_key")) rows.cross_key = key->number();
  return rows;
}

JsonNode model_of_kind(const JsonNode& report, std::string_view kind) {
  for (const JsonNode& model : report["models"].items()) {
    if (model["kind"].text() == kind) return model;
  }
  report["models"].fail("a model of each kind");
}

double exact_joules(const JsonNode& model, std::string_view level) {
  return model["levels"][level]["exact"]["chips"][kChip]["arithmetic"]["joules_per_sentence"]
      .number();
}

double paper_joules(const JsonNode& model, std::string_view level) {
  return model["levels"][level]["paper"]["chips"][kChip]["joules_per_sentence"].number();
}

void read_energy(const JsonNode& report, CellScores& scores) {
  const JsonNode model = model_of_kind(report, "model"), twin = model_of_kind(report, "vanilla");
  const auto exact = [&](std::string_view level) {
    return exact_joules(model, level) / exact_joules(twin, level);
  };
  const auto paper = [&](std::string_view level) {
    return paper_joules(model, level) / paper_joules(twin, level);
  };
  scores.energy = {.alignment_paper = paper("alignment"),
                   .attention_paper = paper("attention"),
                   .alignment_exact = exact("alignment"),
                   .attention_exact = exact("attention"),
                   .model_exact = exact("model")};
  scores.microjoules = exact_joules(model, "model") * 1e6;
}

std::vector<std::string> texts(const JsonNode& list) {
  std::vector<std::string> result;
  for (const JsonNode& item : list.items()) result.emplace_back(item.text());
  return result;
}

std::vector<SentenceAlignment> alignments_of(const JsonNode& file) {
  std::vector<SentenceAlignment> result;
  for (const JsonNode& sentence : file["sentences"].items()) {
    SentenceAlignment& one = result.emplace_back();
    one.source = texts(sentence["source"]);
    one.target = texts(sentence["target"]);
    for (const JsonNode& row : sentence["weights"].items()) one.weights.push_back(numbers(row));
  }
  return result;
}

}  // namespace

std::vector<CellScores> read_scores(const StudyOptions& options,
                                    const std::vector<CellReport>& reports) {
  const StudyFolder folder{options.output};
  std::vector<CellScores> all;
  for (const CellReport& report : reports) {
    if (report.state != CellState::done) continue;
    const std::string id = report.cell.id();
    const JsonFile dev(folder.score_of(id, "dev")), energy(folder.score_of(id, "energy"));
    CellScores scores;
    scores.name = report.cell.name;
    scores.seed = report.cell.seed;
    scores.dev_bleu = bleu_of(dev.root());
    scores.dev_cross_entropy = dev.root()["cross_entropy"].number();
    scores.densities = densities_of(dev.root());
    if (!options.test_sets.empty())
      scores.test_bleu = bleu_of(JsonFile(folder.score_of(id, "test")).root());
    read_energy(energy.root(), scores);
    if (const auto file = folder.score_of(id, "alignments"); std::filesystem::exists(file))
      scores.alignments = alignments_of(JsonFile(file).root());
    all.push_back(std::move(scores));
  }
  return all;
}

Mean mean_of(const std::vector<double>& values) {
  Mean result;
  result.count = values.size();
  if (values.empty()) return result;
  const auto count = static_cast<double>(values.size());
  result.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  if (values.size() > 1) result.deviation = std::sqrt(squares / (count - 1));
  return result;
}

}  // namespace eatt::study
