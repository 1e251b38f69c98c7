#include "energy_report/formulas_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "base/error.h"
#include "energy/chip.h"
#include "energy/closed_forms.h"

namespace eatt::energy {
namespace {

// The largest first.
std::vector<uint64_t> distillation_widths(const Shape& shape) {
  constexpr size_t kHalvings = 3;  // As in the paper: 512 to 64.
  std::vector<uint64_t> widths = {shape.width()};
  while (widths.size() <= kHalvings && widths.back() % 2 == 0) widths.push_back(widths.back() / 2);
  widths.push_back(shape.attention_width());
  std::ranges::sort(widths, std::greater());
  widths.erase(std::unique(widths.begin(), widths.end()), widths.end());
  return widths;
}

std::vector<DistillationPoint> printed_points(const Shape& baseline, Mechanism mechanism,
                                              uint64_t width) {
  std::vector<DistillationPoint> found;
  if (baseline != paper_shape()) return found;
  for (const DistillationPoint& point : distillation_points()) {
    if (point.mechanism == mechanism && point.width == width) found.push_back(point);
  }
  return found;
}

}  // namespace

FormulasTable formulas_table(std::string_view name) {
  // In the order of the enumeration.
  constexpr std::array<std::string_view, 7> kNames = {"parts", "alignment",    "attention", "block",
                                                      "roles", "distillation", "all"};
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) {
    throw UsageError(fmt::format("table {}: expected one of {}", name, fmt::join(kNames, ", ")));
  }
  return static_cast<FormulasTable>(found - kNames.begin());
}

bool has_printed_figures(const FormulasRequest& request) { return request.shape == paper_shape(); }

std::vector<PrintedFigure> printed_beside(const FormulasRequest& request, Level level,
                                          Mechanism mechanism, std::string_view chip,
                                          Quantity quantity) {
  if (!has_printed_figures(request)) return {};
  return printed_figures(level, mechanism, chip, quantity);
}

bool depends_on_density(Mechanism mechanism) {
  return !is_integer(forms_of(mechanism, Level::block, Accounting::exact));
}

std::vector<DistillationRow> distillation_rows(const FormulasRequest& request) {
  const Shape baseline = request.shape.with_full_attention_width();
  const auto percent = [&](Mechanism mechanism, const Shape& shape) {
    const auto by = [&](Accounting accounting) {
      return percent_of_vanilla(
          {mechanism, Level::attention, accounting, shape, request.densities.mean},
          paper_chips().front(), baseline);
    };
    return DistillationRow::Percent{by(Accounting::paper), by(Accounting::exact)};
  };
  std::vector<DistillationRow> rows;
  for (const Mechanism mechanism : {kReferenceMechanism, kPaperMechanism}) {
    for (const uint64_t width : distillation_widths(request.shape)) {
      rows.push_back({mechanism, width, printed_points(baseline, mechanism, width),
                      percent(mechanism, baseline.with_attention_width(width)),
                      percent(mechanism, baseline.with_model_width(width))});
    }
  }
  return rows;
}

}  // namespace eatt::energy
