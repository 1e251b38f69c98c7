#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "energy/chip.h"
#include "energy_report/model_report.h"
#include "energy_report/svg.h"

namespace eatt::energy {
namespace {

// A palette that is safe for color-blind readers (Okabe and Ito).
constexpr std::array<std::string_view, 10> kColours = {"#0072b2", "#e69f00", "#56b4e9", "#d55e00",
                                                       "#009e73", "#cc79a7", "#999999", "#332288",
                                                       "#882255", "#b8a800"};
constexpr std::string_view kGrid = "#dddddd";
constexpr std::string_view kAxis = "#444444";
constexpr uint64_t kShortest = 8, kLongest = 1024;

// A part of the page with axes.
struct Panel {
  Point corner;  // Upper left.
  double width = 0;
  double height = 0;

  double bottom() const { return corner.y + height; }
  double right() const { return corner.x + width; }
};

struct Series {
  const ModelAccount* account;
  std::string_view colour;
  bool dashed;  // int8
};

// 1, 2 or 5 times a power of ten, so that about `count` steps reach `most`.
double round_step(double most, double count) {
  const double rough = most / count;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) return factor * power;
  }
  return 10 * power;
}

// Three digits in the unit that suits it.
std::string joules_text(double joules) {
  const EnergyUnit unit = unit_for(joules / kPicojoule);
  return fmt::format("{:.3g} {}", joules / (kPicojoule * unit.picojoules), unit.name);
}

// A twin's name says it all.
std::string label_of(const ModelAccount& account) {
  if (!account.ran()) return account.name;
  return fmt::format("{} ({}, {})", account.name, mechanisms_text(account.architecture),
                     precision_name(account.precision));
}

class Chart {
 public:
  explicit Chart(const ModelReport& report)
      : report_(report), chip_(chosen_chip(report)), twins_(other_twins(report)) {}

  std::string draw() {
    svg_.text({30, 30}, "Energy of translation", {.size = 16, .bold = true});
    svg_.text({30, 50},
              fmt::format("{} ({}); arithmetic, computed from counted operations, not measured",
                          chip_.name, chip_.title),
              {});
    svg_.text({30, 68}, left_out(), {.size = 11});
    draw_duties({{80, 130}, 600, 330}, bar_series());
    draw_lengths({{790, 130}, 380, 330}, curve_series());
    return svg_.file();
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
      if (!account.ran()) continue;
      if (!is_priced(chip_, account)) {
        add(fmt::format("{}, which {} has no prices for", account.name, chip_.name));
      } else if (account.precision != report_.model().precision) {
        add(fmt::format("bars of {}, which is {}, not {}", account.name,
                        precision_name(account.precision),
                        precision_name(report_.model().precision)));
      }
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

  double joules(const ModelAccount& account, const Work& work) const {
    return arithmetic_joules(chip_, work, account);
  }

  // A model has the same colour in both panels.
  std::string_view colour_of(const ModelAccount& account) const {
    size_t index = 0;
    for (const auto* all : {&report_.accounts, &twins_}) {
      for (const ModelAccount& one : *all) {
        if (&one == &account) return kColours[index % kColours.size()];
        ++index;
      }
    }
    return kAxis;
  }

  void append(const ModelAccount& account, std::vector<Series>& series) const {
    series.push_back({&account, colour_of(account), account.precision == Precision::int8});
  }

  // All mechanisms at the model's precision: beside float32, int8 bars would be too small to see.
  std::vector<Series> bar_series() const {
    std::vector<Series> bars;
    for (const ModelAccount& account : report_.accounts) {
      const bool is_plain = account.dot_scores == DotScores::floating;
      if (account.precision == report_.model().precision && is_plain) append(account, bars);
    }
    for (const ModelAccount& twin : twins_) append(twin, bars);
    return bars;
  }

  std::vector<Series> curve_series() const {
    std::vector<Series> curves;
    for (const ModelAccount& account : report_.accounts) {
      if (is_priced(chip_, account)) append(account, curves);
    }
    return curves;
  }

  void draw_legend(const Panel& panel, const std::vector<Series>& series) {
    double x = panel.corner.x - 50, y = panel.bottom() + 80;
    for (const Series& one : series) {
      const std::string label = label_of(*one.account);
      const double width = 32 + 6.4 * static_cast<double>(label.size());
      if (x > panel.corner.x - 50 && x + width > panel.right() + 20) {
        x = panel.corner.x - 50;
        y += 18;
      }
      svg_.rectangle({x, y - 10}, 12, 12, one.colour);
      svg_.text({x + 18, y}, label, {});
      x += width;
    }
  }

  void draw_duties(const Panel& panel, const std::vector<Series>& bars) {
    double most = 0;
    for (const Series& series : bars) {
      for (const DutyRow& duty : kDutyRows) most = std::max(most, per_sentence(series, duty));
    }
    svg_.text({panel.corner.x - 50, panel.corner.y - 34}, "By duty and mechanism, per sentence",
              {.size = 13, .bold = true});
    svg_.text({panel.corner.x - 50, panel.corner.y - 18}, search_text(report_.search),
              {.size = 11});
    draw_legend(panel, bars);
    draw_linear_axis(panel, most);
    const double group = panel.width / static_cast<double>(kDutyRows.size());
    const double bar = 0.8 * group / static_cast<double>(bars.size());
    for (size_t i = 0; i < kDutyRows.size(); ++i) {
      const double left = panel.corner.x + group * (static_cast<double>(i) + 0.1);
      for (size_t b = 0; b < bars.size(); ++b) {
        const double value = per_sentence(bars[b], kDutyRows[i]);
        const double height = most == 0 ? 0 : panel.height * value / scale_of(most);
        svg_.rectangle({left + bar * static_cast<double>(b), panel.bottom() - height}, bar, height,
                       bars[b].colour,
                       fmt::format("{}, {}: {}", bars[b].account->name, name_of(kDutyRows[i]),
                                   joules_text(value)));
      }
      svg_.text({left + 0.4 * group, panel.bottom() + 14}, name_of(kDutyRows[i]),
                {.size = 11, .anchor = Svg::Anchor::end, .turned = -40});
    }
  }

  double per_sentence(const Series& series, const DutyRow& duty) const {
    const ModelAccount& account = *series.account;
    return joules(account, account.ledger.of(duty)) /
           static_cast<double>(std::max<uint64_t>(1, account.activity.sentences));
  }

  static double scale_of(double most) {
    const double step = round_step(most, 5);
    return std::ceil(most / step) * step;
  }

  void draw_linear_axis(const Panel& panel, double most) {
    if (most == 0) return;
    const double step = round_step(most, 5);
    for (double value = 0; value <= scale_of(most) * 1.001; value += step) {
      const double y = panel.bottom() - panel.height * value / scale_of(most);
      svg_.line({panel.corner.x, y}, {panel.right(), y}, value == 0 ? kAxis : kGrid);
      svg_.text({panel.corner.x - 6, y + 4}, value == 0 ? "0" : joules_text(value),
                {.size = 11, .anchor = Svg::Anchor::end});
    }
  }

  static std::vector<uint64_t> lengths() {
    std::vector<uint64_t> result;
    for (uint64_t length = kShortest; length <= kLongest; length *= 2) result.push_back(length);
    return result;
  }

  // Joules per target piece for a sentence of this length; nothing if it is too long for the model.
  std::optional<double> at_length(const ModelAccount& account, uint64_t length) const {
    const Architecture& a = account.architecture;
    if (has_length_limit(a) && length > a.max_length) return std::nullopt;
    const Work work = count_operations(a, account.precision, activity_of_length(account, length),
                                       account.dot_scores)
                          .total();
    return joules(account, work) / static_cast<double>(length);
  }

  void draw_lengths(const Panel& panel, const std::vector<Series>& curves) {
    svg_.text({panel.corner.x - 50, panel.corner.y - 34},
              "By length of source and translation, per target piece", {.size = 13, .bold = true});
    svg_.text({panel.corner.x - 50, panel.corner.y - 18},
              "greedy search, densities of the text; dashed: int8", {.size = 11});
    draw_legend(panel, curves);
    double least = std::numeric_limits<double>::max(), most = 0;
    std::vector<std::vector<std::optional<double>>> values;
    for (const Series& series : curves) {
      values.emplace_back();
      for (const uint64_t length : lengths()) {
        values.back().push_back(at_length(*series.account, length));
        if (const auto value = values.back().back()) {
          least = std::min(least, *value);
          most = std::max(most, *value);
        }
      }
    }
    if (most == 0) return;
    const LogScale scale{std::floor(2 * std::log10(least)) / 2,
                         std::ceil(2 * std::log10(most)) / 2};
    draw_length_axes(panel, scale);
    for (size_t s = 0; s < curves.size(); ++s)
      draw_length_curve(panel, scale, curves[s], values[s]);
  }

  struct LogScale {
    double low, high;  // Powers of ten.

    double share(double value) const { return (std::log10(value) - low) / (high - low); }
  };

  static double x_of(const Panel& panel, size_t index) {
    return panel.corner.x +
           panel.width * static_cast<double>(index) / static_cast<double>(lengths().size() - 1);
  }

  void draw_length_axes(const Panel& panel, const LogScale& scale) {
    for (double power = std::floor(scale.low); power <= scale.high; power += 1) {
      for (const double factor : {1.0, 2.0, 5.0}) {
        const double value = factor * std::pow(10, power);
        const double share = scale.share(value);
        if (share < -1e-6 || share > 1 + 1e-6) continue;
        const double y = panel.bottom() - panel.height * share;
        svg_.line({panel.corner.x, y}, {panel.right(), y}, kGrid);
        svg_.text({panel.corner.x - 6, y + 4}, joules_text(value),
                  {.size = 11, .anchor = Svg::Anchor::end});
      }
    }
    svg_.line({panel.corner.x, panel.bottom()}, {panel.right(), panel.bottom()}, kAxis);
    for (size_t i = 0; i < lengths().size(); ++i) {
      svg_.text({x_of(panel, i), panel.bottom() + 16}, fmt::format("{}", lengths()[i]),
                {.size = 11, .anchor = Svg::Anchor::middle});
    }
    svg_.text({panel.corner.x + panel.width / 2, panel.bottom() + 36}, "positions",
              {.size = 11, .anchor = Svg::Anchor::middle});
  }

  void draw_length_curve(const Panel& panel, const LogScale& scale, const Series& series,
                         const std::vector<std::optional<double>>& values) {
    std::vector<Point> points;
    for (size_t i = 0; i < values.size() && values[i]; ++i)
      points.push_back({x_of(panel, i), panel.bottom() - panel.height * scale.share(*values[i])});
    svg_.curve(points, series.colour, series.dashed);
    for (size_t i = 0; i < points.size(); ++i) {
      svg_.dot(points[i], series.colour,
               fmt::format("{}, {} positions: {}", series.account->name, lengths()[i],
                           joules_text(*values[i])));
    }
  }

  const ModelReport& report_;
  const Chip& chip_;
  std::vector<ModelAccount> twins_;
  Svg svg_{1200, 620};
};

}  // namespace

std::string model_chart(const ModelReport& report) { return Chart(report).draw(); }

std::string left_out_of_chart(const ModelReport& report) { return Chart(report).left_out(); }

}  // namespace eatt::energy
