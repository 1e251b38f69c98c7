#include "study/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/error.h"
#include "study/paper.h"

namespace eatt::study {
namespace {

using Row = std::vector<std::string>;

std::string bleu(double value) { return fmt::format("{:.2f}", value); }
std::string percent(double share) { return fmt::format("{:.2f}", 100 * share); }

// "36.48 ± 0.21", or without the deviation where there is one seed.
std::string bleu(const Mean& mean) {
  if (mean.count == 0) return {};
  if (mean.count == 1) return bleu(mean.mean);
  return fmt::format("{:.2f} ± {:.2f}", mean.mean, mean.deviation);
}

// The scores by name of cell.
class Scores {
 public:
  explicit Scores(const std::vector<CellScores>& all) : all_(all) {}

  // Of the first seed; null if that cell is not done.
  const CellScores* find(std::string_view name) const {
    const auto found = std::ranges::find_if(
        all_, [&](const CellScores& one) { return one.name == name && one.seed == 1; });
    return found == all_.end() ? nullptr : &*found;
  }

  // Of all seeds.
  Mean mean(std::string_view name,
            const std::function<std::optional<double>(const CellScores&)>& value) const {
    std::vector<double> values;
    for (const CellScores& one : all_) {
      const auto number = one.name == name ? value(one) : std::nullopt;
      if (number) values.push_back(*number);
    }
    return mean_of(values);
  }

  std::string dev(std::string_view name) const {
    const CellScores* one = find(name);
    return one == nullptr ? std::string() : bleu(one->dev_bleu);
  }

 private:
  const std::vector<CellScores>& all_;
};

Row energy_columns(const CellScores* one) {
  if (one == nullptr) return Row(3);
  return {percent(one->energy.alignment_paper), percent(one->energy.attention_exact),
          percent(one->energy.model_exact)};
}

const Row kEnergyTitles = {"alignment, paper %", "attention, exact %", "whole model, exact %"};

void append(Row& to, const Row& cells) { to.insert(to.end(), cells.begin(), cells.end()); }

ResultTable overall_table(const Scores& scores) {
  ResultTable table{.name = "overall",
                    .title = "Vanilla, the paper's E-ATT and our best setting",
                    .columns = {"model", "dev BLEU", "test BLEU", "dev cross-entropy"},
                    .rows = {},
                    .note = {}};
  append(table.columns, kEnergyTitles);
  for (const auto& task : paper::test_scores())
    table.columns.push_back(fmt::format("paper, {} test", task.task));
  for (const char* name : {kVanilla, kEatt, kBest, kBestDistilled}) {
    const Mean loss =
        scores.mean(name, [](const CellScores& one) { return one.dev_cross_entropy; });
    Row row = {name, bleu(scores.mean(name, [](const CellScores& one) { return one.dev_bleu; })),
               bleu(scores.mean(name, [](const CellScores& one) { return one.test_bleu; })),
               loss.count == 0 ? std::string() : fmt::format("{:.4f}", loss.mean)};
    append(row, energy_columns(scores.find(name)));
    for (const auto& task : paper::test_scores()) {
      row.push_back(name == kVanilla
                        ? fmt::format("{:.2f} ± {:.2f}", task.vanilla, task.vanilla_deviation)
                    : name == kEatt ? fmt::format("{:.2f} ± {:.2f}", task.eatt, task.eatt_deviation)
                                    : std::string());
    }
    table.rows.push_back(std::move(row));
  }
  table.note =
      "Means and standard deviations over the seeds. Energy is in percent of vanilla attention for "
      "the same translation, on the ASIC, by the paper's accounting or by exact counts; the "
      "paper's accounting knows binary codes only and is too low for the best setting. "
      "best-distilled has the codes of best and was trained with the vanilla model of the same "
      "seed "
      "as its teacher.";
  return table;
}

ResultTable ablation_table(const Scores& scores) {
  ResultTable table{.name = "ablation",
                    .title = "What selection and L1 distance cost",
                    .columns = {"attention", "dev BLEU"},
                    .rows = {},
                    .note = "The paper's figures are of its en-vi dev set."};
  append(table.columns, kEnergyTitles);
  table.columns.emplace_back("paper, dev BLEU");
  for (const char* name : {"vanilla", "selection", "l1", "eatt"}) {
    Row row = {name, scores.dev(name)};
    append(row, energy_columns(scores.find(name)));
    row.push_back(bleu(*paper::ablation(name)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

ResultTable hybrid_table(const Scores& scores) {
  ResultTable table{.name = "hybrid",
                    .title = "Mechanisms of self-attention and cross-attention",
                    .columns = {"self", "cross", "dev BLEU"},
                    .rows = {},
                    .note = "The paper's figures are of its en-vi dev set."};
  append(table.columns, kEnergyTitles);
  table.columns.emplace_back("paper, dev BLEU");
  for (const std::string_view self : kHybrids) {
    for (const std::string_view cross : kHybrids) {
      const std::string name = hybrid_name(self, cross);
      Row row = {std::string(self), std::string(cross), scores.dev(name)};
      append(row, energy_columns(scores.find(name)));
      row.push_back(bleu(*paper::hybrid(self, cross)));
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

ResultTable distillation_table(const Scores& scores) {
  ResultTable table{.name = "distillation",
                    .title = "Students of a vanilla teacher",
                    .columns = {"attention", "narrowed", "width / teacher's", "dev BLEU",
                                "µJ a sentence", "paper, dev BLEU", "paper, energy %"},
                    .rows = {},
                    .note =
                        "µJ are exact counts of the whole model on the ASIC. The paper halves "
                        "one width and prints energies that fit the width of attention; its "
                        "BLEU is of its en-vi dev set."};
  for (const char* attention : {kVanilla, kEatt}) {
    for (const Narrowed narrowed : {Narrowed::attention, Narrowed::model}) {
      for (int halvings = narrowed == Narrowed::model ? 1 : 0; halvings <= kHalvings; ++halvings) {
        const CellScores* one = scores.find(student_name(attention, narrowed, halvings));
        const bool printed = narrowed == Narrowed::attention;
        const paper::Student theirs = paper::student(attention, halvings);
        table.rows.push_back({attention, printed ? "attention" : "model",
                              halvings == 0 ? "1" : fmt::format("1/{}", 1 << halvings),
                              one == nullptr ? "" : bleu(one->dev_bleu),
                              one == nullptr ? "" : fmt::format("{:.2f}", one->microjoules),
                              printed ? bleu(theirs.bleu) : "",
                              printed ? fmt::format("{:.2f}", theirs.energy_percent) : ""});
      }
    }
  }
  return table;
}

// A row for each role and layer of one of our models; the paper has six layers.
void add_densities(ResultTable& table, const CellScores* one) {
  if (one == nullptr) return;
  const auto add = [&](std::string_view role, const std::vector<double>& layers) {
    Row row = {one->name, std::string(role)};
    std::string ours, theirs;
    for (const double density : layers) ours += fmt::format("{:.1f} ", 100 * density);
    for (const double density : paper::density(role)) theirs += fmt::format("{:.1f} ", density);
    row.push_back(ours.substr(0, ours.size() - 1));
    row.push_back(theirs.substr(0, theirs.size() - 1));
    table.rows.push_back(std::move(row));
  };
  add("enc-self", one->densities.encoder_self);
  add("dec-self", one->densities.decoder_self);
  add("cross-query", one->densities.cross_query);
  if (one->densities.cross_key) {
    table.rows.push_back({one->name, "cross-key",
                          fmt::format("{:.1f}", 100 * *one->densities.cross_key),
                          fmt::format("{:.1f}", paper::kCrossKeyDensity)});
  }
}

ResultTable density_table(const Scores& scores) {
  ResultTable table{.name = "density",
                    .title = "Rows that codes add, in % of the features, by layer from the bottom",
                    .columns = {"model", "role", "ours", "paper (six layers)"},
                    .rows = {},
                    .note = {}};
  add_densities(table, scores.find(kEatt));
  add_densities(table, scores.find(kBest));
  return table;
}

// "ein→a Mann→man": for each target word the source word that it looks at most.
std::string strongest_links(const SentenceAlignment& sentence) {
  std::string text;
  for (size_t i = 0; i < sentence.target.size() && i < sentence.weights.size(); ++i) {
    const auto& row = sentence.weights[i];
    const auto most = static_cast<size_t>(std::ranges::max_element(row) - row.begin());
    if (most >= sentence.source.size()) continue;
    text +=
        fmt::format("{}{}←{}", text.empty() ? "" : " ", sentence.target[i], sentence.source[most]);
  }
  return text;
}

ResultTable case_table(const Scores& scores) {
  ResultTable table{.name = "case",
                    .title = "Alignments of single sentences",
                    .columns = {"sentence", "model", "target word←source word"},
                    .rows = {},
                    .note =
                        "The source word with the most cross-attention in the last decoder layer, "
                        "mean of all heads; alignments.json has all weights, and the report draws "
                        "them."};
  for (size_t i = 0; i < kMostCaseSentences; ++i) {
    for (const char* name : {kVanilla, kEatt, kBest}) {
      const CellScores* one = scores.find(name);
      if (one == nullptr || i >= one->alignments.size()) continue;
      table.rows.push_back({std::to_string(i + 1), name, strongest_links(one->alignments[i])});
    }
  }
  return table;
}

ResultTable energy_table(const Scores& scores) {
  ResultTable table{
      .name = "energy",
      .title = "Energy in % of vanilla attention, on the ASIC",
      .columns = {"model", "alignment, paper", "attention, paper", "alignment, exact",
                  "attention, exact", "whole model, exact", "paper: alignment", "paper: attention"},
      .rows = {},
      .note =
          "The paper's accounting takes its closed forms; the exact one counts every operation "
          "of the same translation. Do not compare one with the other. The closed forms only cover "
          "binary codes, so they are too low for the best setting."};
  for (const char* name : {kVanilla, kEatt, kBest}) {
    const CellScores* one = scores.find(name);
    if (one == nullptr) continue;
    const EnergyShares& energy = one->energy;
    table.rows.push_back({name, percent(energy.alignment_paper), percent(energy.attention_paper),
                          percent(energy.alignment_exact), percent(energy.attention_exact),
                          percent(energy.model_exact),
                          name == kEatt ? fmt::format("{:.2f}", paper::kAlignmentPercent) : "",
                          name == kEatt ? fmt::format("{:.2f}", paper::kAttentionPercent) : ""});
  }
  return table;
}

ResultTable table_of(StudyKind kind, const Scores& scores) {
  switch (kind) {
    case StudyKind::overall:
      return overall_table(scores);
    case StudyKind::ablation:
      return ablation_table(scores);
    case StudyKind::hybrid:
      return hybrid_table(scores);
    case StudyKind::distillation:
      return distillation_table(scores);
    case StudyKind::density:
      return density_table(scores);
    case StudyKind::case_study:
      return case_table(scores);
    case StudyKind::energy:
      return energy_table(scores);
  }
  throw InternalError("every study has a table");
}

}  // namespace

std::vector<ResultTable> result_tables(const StudyOptions& options,
                                       const std::vector<CellReport>& reports,
                                       const std::vector<CellScores>& all) {
  const Scores scores(all);
  std::vector<ResultTable> tables;
  for (const StudyKind kind : options.kinds) tables.push_back(table_of(kind, scores));
  ResultTable failed{.name = "failed",
                     .title = "Cells that failed",
                     .columns = {"cell", "why"},
                     .rows = {},
                     .note = {}};
  for (const CellReport& report : reports) {
    if (report.state == CellState::failed) failed.rows.push_back({report.cell.id(), report.error});
  }
  if (!failed.rows.empty()) tables.push_back(std::move(failed));
  return tables;
}

}  // namespace eatt::study
