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
constexpr char kAsic[] = "asic", kFpga[] = "fpga";

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

// A model of the report, on one of its chips.
struct Priced {
  JsonNode model;
  const char* chip;

  double exact(std::string_view level) const {
    const JsonNode chips = model["levels"][level]["exact"]["chips"];
    return chips[chip]["arithmetic"]["joules_per_sentence"].number();
  }
  double paper(std::string_view level) const {
    return model["levels"][level]["paper"]["chips"][chip]["joules_per_sentence"].number();
  }
};

EnergyShares shares_of(const Priced& ours, const Priced& vanilla) {
  const auto exact = [&](const char* level) { return ours.exact(level) / vanilla.exact(level); };
  const auto paper = [&](const char* level) { return ours.paper(level) / vanilla.paper(level); };
  return {.alignment_paper = paper("alignment"),
          .attention_paper = paper("attention"),
          .block_paper = paper("block"),
          .alignment_exact = exact("alignment"),
          .attention_exact = exact("attention"),
          .block_exact = exact("block"),
          .model_exact = exact("model")};
}

void read_energy(const JsonNode& report, CellScores& scores) {
  const JsonNode model = model_of_kind(report, "model"), twin = model_of_kind(report, "vanilla");
  const Priced ours{model, kAsic};
  scores.energy = shares_of(ours, {twin, kAsic});
  scores.fpga = shares_of({model, kFpga}, {twin, kFpga});
  scores.microjoules = {.attention_paper = ours.paper("attention") * 1e6,
                        .attention_exact = ours.exact("attention") * 1e6,
                        .model_exact = ours.exact("model") * 1e6};
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
    if (has_score(folder, id, "test"))
      scores.test_bleu = bleu_of(JsonFile(folder.score_of(id, "test")).root());
    read_energy(energy.root(), scores);
    if (has_score(folder, id, "alignments"))
      scores.alignments = alignments_of(JsonFile(folder.score_of(id, "alignments")).root());
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
