#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "chart/chart.h"
#include "energy/chip.h"
#include "energy_report/model_report.h"

namespace eatt::energy {
namespace {

using chart::Tone;

constexpr uint64_t kShortest = 8, kLongest = 1024;

// A twin's name says it all.
std::string label_of(const ModelAccount& account) {
  if (!account.ran()) return account.name;
  return fmt::format("{} ({}, {})", account.name, mechanisms_text(account.architecture),
                     precision_name(account.precision));
}

class EnergyChart {
 public:
  explicit EnergyChart(const ModelReport& report)
      : report_(report), chip_(chosen_chip(report)), twins_(other_twins(report)) {}

  std::string draw() const {
    std::string about = fmt::format(
        "Computed for {} ({}) from counted operations, not measured; {}. % are relative to {}.",
        chip_.name, chip_.title, search_text(report_.search), report_.vanilla().name);
    if (const std::string without = left_out(); !without.empty()) about += " " + without;
    std::vector<chart::Chart> charts = {whole_models(), parts_of_models()};
    if (auto small = int8_models()) charts.insert(charts.begin() + 1, std::move(*small));
    charts.emplace_back(lengths());
    return chart::svg_file({"Energy of translation", about}, charts, /*width=*/860);
  }

  // One sentence; empty if nothing is left out.
  std::string left_out() const {
    std::string text;
    const auto add = [&](const std::string& what) {
      (text += text.empty() ? "Not drawn: " : "; ") += what;
    };
    for (const Chip& chip : report_.chips) {
      if (&chip != &chip_) add("chip " + chip.name);
    }
    for (const ModelAccount& account : report_.accounts) {
      if (account.ran() && !is_priced(chip_, account))
        add(fmt::format("{}, which {} has no prices for", account.name, chip_.name));
    }
    return text.empty() ? text : text + ".";
  }

 private:
  static bool is_priced(const Chip& chip, const ModelAccount& account) {
    return unpriced(chip, account.ledger.total()).empty();
  }

  static const Chip& chosen_chip(const ModelReport& report) {
    for (const Chip& chip : report.chips) {
      if (std::ranges::all_of(report.accounts, [&](const ModelAccount& account) {
            return is_priced(chip, account);
          })) {
        return chip;
      }
    }
    return report.chips.front();
  }

  // The mechanisms other than vanilla and the one that the model uses everywhere.
  static std::vector<ModelAccount> other_twins(const ModelReport& report) {
    const ModelAccount& model = report.model();
    std::vector<ModelAccount> twins;
    for (const Mechanism mechanism : kMechanisms) {
      const bool has_codes = !binarises(mechanism) || has_codes_everywhere(model);
      const bool is_there = mechanism == kReferenceMechanism ||
                            mechanisms_text(model.architecture) == mechanism_name(mechanism);
      if (has_codes && !is_there)
        twins.push_back(mechanism_twin(model, mechanism, model.precision));
    }
    return twins;
  }

  // By what a model is, so that a color means the same in all charts.
  static Tone tone_of(const ModelAccount& account) {
    const Architecture& architecture = account.architecture;
    const std::string mechanism = mechanisms_text(architecture);
    if (mechanism == mechanism_name(kReferenceMechanism)) return Tone::vanilla;
    if (mechanism.find(mechanism_name(kPaperMechanism)) != mechanism.npos)
      return has_signed_codes(architecture) ? Tone::best : Tone::eatt;
    return chart::other_tone(static_cast<size_t>(architecture.encoder_self.layers.front()));
  }

  static double sentences(const ModelAccount& account) {
    return static_cast<double>(std::max<uint64_t>(1, account.activity.sentences));
  }
  double arithmetic(const ModelAccount& account, const Work& work) const {
    return arithmetic_joules(chip_, work, account) / sentences(account);
  }
  double memory(const ModelAccount& account) const {
    const Work work = account.ledger.total();
    const auto all = joules_with_memory(chip_, work, account);
    return all ? *all / sentences(account) - arithmetic(account, work) : 0;
  }

  // Arithmetic and memory of some models in % of `reference`, a bar each.
  chart::StackedBarChart with_memory(const std::vector<const ModelAccount*>& accounts,
                                     const ModelAccount& reference) const {
    const auto joules = [&](const ModelAccount& account) {
      return arithmetic(account, account.ledger.total()) + memory(account);
    };
    const bool has_memory = memory(reference) > 0;
    const double whole = std::max(joules(reference), 1e-30);
    chart::StackedBarChart chart;
    chart.x.title = fmt::format("energy of a sentence, % of {}", reference.name);
    chart.parts = has_memory ? std::vector<std::string>{"arithmetic", "memory"}
                             : std::vector<std::string>{"arithmetic"};
    for (const ModelAccount* account : accounts) {
      std::vector<double> parts = {100 * arithmetic(*account, account->ledger.total()) / whole};
      if (has_memory) parts.push_back(100 * memory(*account) / whole);
      chart.bars.push_back({label_of(*account), tone_of(*account), std::move(parts),
                            fmt::format("{:.1f} %", 100 * joules(*account) / whole)});
    }
    return chart;
  }

  chart::StackedBarChart whole_models() const {
    std::vector<const ModelAccount*> accounts;
    for (const ModelAccount& account : report_.accounts) {
      if (is_priced(chip_, account)) accounts.push_back(&account);
    }
    chart::StackedBarChart chart = with_memory(accounts, report_.vanilla());
    chart.caption = {"Whole models",
                     fmt::format("Arithmetic alone: {} has no prices of memory.", chip_.name)};
    if (chart.parts.size() > 1) {
      const ModelAccount& vanilla = report_.vanilla();
      const double sum = arithmetic(vanilla, vanilla.ledger.total());
      chart.caption.description = fmt::format(
          "Arithmetic, and memory: reading weights, activations and caches. Of {}, arithmetic is "
          "{:.1f} %.",
          vanilla.name, 100 * sum / std::max(sum + memory(vanilla), 1e-30));
    }
    return chart;
  }

  // What is small beside float32, on its own scale; nothing if the report has one precision only.
  std::optional<chart::Chart> int8_models() const {
    std::vector<const ModelAccount*> accounts;
    for (const ModelAccount& account : report_.accounts) {
      if (account.precision == Precision::int8 && is_priced(chip_, account))
        accounts.push_back(&account);
    }
    const ModelAccount& reference = report_.vanilla_int8();
    if (accounts.size() < 2 || report_.model().precision == Precision::int8) return std::nullopt;
    if (std::ranges::find(accounts, &reference) == accounts.end()) return std::nullopt;
    chart::StackedBarChart chart = with_memory(accounts, reference);
    chart.caption = {"The same in int8, enlarged",
                     "In percent of the cheapest form of vanilla attention."};
    return chart;
  }

  // Arithmetic by part of the model, for every mechanism that can be counted, at one precision:
  // beside float32, int8 would be too small to see.
  chart::StackedBarChart parts_of_models() const {
    const double whole =
        std::max(arithmetic(report_.vanilla(), report_.vanilla().ledger.total()), 1e-30);
    chart::StackedBarChart chart;
    chart.caption = {"Arithmetic by part of the model",
                     fmt::format("Models in {} and their twins with other mechanisms.",
                                 precision_name(report_.model().precision))};
    chart.x.title = fmt::format("arithmetic of a sentence, % of {}", report_.vanilla().name);
    chart.parts = {"alignment", "rest of attention", "output and feed-forward",
                   "outside the blocks"};
    const auto add = [&](const ModelAccount& account) {
      std::vector<double> parts;
      double below = 0;
      const auto add_part = [&](const Work& work) {
        const double sum = 100 * arithmetic(account, work) / whole;
        parts.push_back(std::max(0.0, sum - below));
        below = sum;
      };
      for (const Level level : kLevels) add_part(work_of(account.ledger, level));
      add_part(account.ledger.total());
      chart.bars.push_back(
          {label_of(account), tone_of(account), std::move(parts), fmt::format("{:.1f} %", below)});
    };
    for (const ModelAccount& account : report_.accounts) {
      const bool is_plain = account.dot_scores == DotScores::floating;
      if (account.precision == report_.model().precision && is_plain && is_priced(chip_, account))
        add(account);
    }
    for (const ModelAccount& twin : twins_) add(twin);
    return chart;
  }

  // Joules per target piece for a sentence of this length; nothing if it is too long for the model.
  std::optional<double> at_length(const ModelAccount& account, uint64_t length) const {
    const Architecture& a = account.architecture;
    if (has_length_limit(a) && length > a.max_length) return std::nullopt;
    const Work work = count_operations(a, account.precision, activity_of_length(account, length),
                                       account.dot_scores)
                          .total();
    return arithmetic_joules(chip_, work, account) / static_cast<double>(length);
  }

  chart::LineChart lengths() const {
    chart::LineChart chart;
    chart.caption = {"Arithmetic by length of source and translation",
                     "Per target piece, with greedy search and the densities of the text; int8 is "
                     "dashed."};
    chart.x = {.title = "positions of the sentence", .logarithmic = true};
    chart.y = {.title = "nJ per target piece", .logarithmic = true};
    for (uint64_t length = kShortest; length <= kLongest; length *= 2)
      chart.x.ticks.push_back(static_cast<double>(length));
    for (const ModelAccount& account : report_.accounts) {
      if (!is_priced(chip_, account)) continue;
      chart::Line line{.name = label_of(account),
                       .tone = tone_of(account),
                       .dashed = account.precision == Precision::int8,
                       .points = {}};
      for (const double length : chart.x.ticks) {
        if (const auto joules = at_length(account, static_cast<uint64_t>(length)))
          line.points.push_back({length, *joules * 1e9});
      }
      chart.lines.push_back(std::move(line));
    }
    return chart;
  }

  const ModelReport& report_;
  const Chip& chip_;
  std::vector<ModelAccount> twins_;
};

}  // namespace

std::string model_chart(const ModelReport& report) { return EnergyChart(report).draw(); }

std::string left_out_of_chart(const ModelReport& report) { return EnergyChart(report).left_out(); }

}  // namespace eatt::energy
