#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "study/paper.h"
#include "study/table_parts.h"

namespace eatt::study {
namespace {

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

// A level of attention, as shares of vanilla's.
struct Level {
  const char* name;
  double EnergyShares::*paper;  // Null: the paper has no formula of it.
  double EnergyShares::*exact;
};
constexpr std::array<Level, 4> kLevels = {
    {{"alignment", &EnergyShares::alignment_paper, &EnergyShares::alignment_exact},
     {"attention", &EnergyShares::attention_paper, &EnergyShares::attention_exact},
     {"block", &EnergyShares::block_paper, &EnergyShares::block_exact},
     {"whole model", nullptr, &EnergyShares::model_exact}}};

struct ChipShares {
  const char* name;
  EnergyShares CellScores::*shares;
};
constexpr std::array<ChipShares, 2> kChips = {
    {{"asic", &CellScores::energy}, {"fpga", &CellScores::fpga}}};

}  // namespace

ResultTable density_table(const Scores& scores) {
  ResultTable table{
      .name = "density",
      .title = "Density of codes: weight rows added per feature, in %, by layer from the bottom",
      .columns = {"model", "role", "ours", "paper (six layers)"},
      .rows = {},
      .note = {}};
  add_densities(table, scores.find(kEatt));
  add_densities(table, scores.find(kBest));
  add_densities(table, scores.find(kBestDistilled));
  return table;
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
    for (const char* name : {kVanilla, kEatt, kBest, kBestDistilled}) {
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
      .title = "Energy in % of vanilla attention",
      .columns = {"model", "part", "chip", "by the paper's formulas", "exact", "paper, printed"},
      .rows = {},
      .note = fmt::format(
          "Exact counts are of every operation of the same translation; do not compare them with "
          "the paper's formulas. The paper's figures are for 22 pieces and width 512. {}.",
          kPaperUnderstatesBest)};
  for (const char* name : {"dense", "randinit", "selection", "l1", kEatt, kBest, kBestDistilled}) {
    const CellScores* one = scores.find(name);
    if (one == nullptr) continue;
    for (const Level& level : kLevels) {
      for (const ChipShares& chip : kChips) {
        const EnergyShares& shares = one->*chip.shares;
        const auto printed = paper::energy({name, level.name, chip.name});
        table.rows.push_back({name, level.name, chip.name,
                              level.paper == nullptr ? "" : percent(shares.*level.paper),
                              percent(shares.*level.exact), printed ? two_digits(*printed) : ""});
      }
    }
  }
  return table;
}

}  // namespace eatt::study
