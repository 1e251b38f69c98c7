#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "study/tables.h"

// What the tables of results are made of.
namespace eatt::study {

using Row = std::vector<std::string>;

inline std::string two_digits(double value) { return fmt::format("{:.2f}", value); }
inline std::string percent(double share) { return two_digits(100 * share); }

// "36.48 ± 0.21", or without the deviation where there is one seed.
inline std::string with_deviation(const Mean& mean) {
  if (mean.count == 0) return {};
  if (mean.count == 1) return two_digits(mean.mean);
  return fmt::format("{:.2f} ± {:.2f}", mean.mean, mean.deviation);
}

inline void append(Row& to, const Row& cells) { to.insert(to.end(), cells.begin(), cells.end()); }

inline constexpr char kPaperUnderstatesBest[] =
    "The paper's formulas assume binary codes, so they understate the energy of best";

// The scores by name of cell.
class Scores {
 public:
  using Value = std::function<std::optional<double>(const CellScores&)>;

  explicit Scores(const std::vector<CellScores>& all) : all_(all) {}

  // Of the first seed; null if that cell is not done.
  const CellScores* find(std::string_view name) const {
    const auto found = std::ranges::find_if(
        all_, [&](const CellScores& one) { return one.name == name && one.seed == 1; });
    return found == all_.end() ? nullptr : &*found;
  }

  // Of all seeds.
  Mean mean(std::string_view name, const Value& value) const {
    std::vector<double> values;
    for (const CellScores& one : all_) {
      const auto number = one.name == name ? value(one) : std::nullopt;
      if (number) values.push_back(*number);
    }
    return mean_of(values);
  }

  std::string dev(std::string_view name) const {
    const CellScores* one = find(name);
    return one == nullptr ? std::string() : two_digits(one->dev_bleu);
  }

 private:
  const std::vector<CellScores>& all_;
};

// Of what goes on inside the models, in inside_tables.cc.
ResultTable density_table(const Scores& scores);
ResultTable case_table(const Scores& scores);
ResultTable energy_table(const Scores& scores);

}  // namespace eatt::study
