#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "report/sections.h"
#include "study/cells.h"

// What the sections on a study share.
namespace eatt::report {

// The scores of a study, by cell.
class Cells {
 public:
  explicit Cells(const StudyRecord& record) : record_(record) {}

  std::vector<std::string> names() const {  // Each once, in the order of the manifest.
    std::vector<std::string> names;
    for (const study::CellScores& one : record_.results.scores) {
      if (std::ranges::find(names, one.name) == names.end()) names.push_back(one.name);
    }
    return names;
  }
  const study::CellScores* find(std::string_view name) const {
    const auto found = std::ranges::find(record_.results.scores, name, &study::CellScores::name);
    return found == record_.results.scores.end() ? nullptr : &*found;
  }
  study::Mean bleu(const std::string& name) const {
    return mean(name, &study::CellScores::dev_bleu);
  }
  study::Mean mean(const std::string& name, double study::CellScores::*value) const {
    std::vector<double> values;
    for (const study::CellScores& one : record_.results.scores) {
      if (one.name == name) values.push_back(one.*value);
    }
    return study::mean_of(values);
  }
  // A share of vanilla's energy in percent, mean over the seeds.
  double energy(const std::string& name, double study::EnergyShares::*share) const {
    std::vector<double> values;
    for (const study::CellScores& one : record_.results.scores) {
      if (one.name == name) values.push_back(100 * one.energy.*share);
    }
    return study::mean_of(values).mean;
  }
  std::string title(const std::string& name) const { return record_.title_of(name); }

 private:
  const StudyRecord& record_;
};

inline chart::Tone tone_of_cell(std::string_view cell) {
  if (cell == study::kVanilla) return chart::Tone::vanilla;
  if (cell == study::kEatt) return chart::Tone::eatt;
  if (cell == study::kBest || cell == study::kBestDistilled) return chart::Tone::best;
  return chart::Tone::first_other;
}

inline std::string with_deviation(const study::Mean& mean) {
  return mean.count > 1 ? fmt::format("{:.2f} ± {:.2f}", mean.mean, mean.deviation)
                        : fmt::format("{:.2f}", mean.mean);
}

// Sections of BLEU against energy and of densities, in study_charts.cc.
void add_chart_sections(const StudyRecord& record, const std::string& heading, Document& document);

}  // namespace eatt::report
