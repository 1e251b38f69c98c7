#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>

#include "base/error.h"
#include "base/options.h"
#include "energy/chip.h"
#include "energy/closed_forms.h"
#include "energy_report/formulas_report.h"

namespace eatt::energy {
namespace {

constexpr std::array kSlipNotes = {
    SlipNote{Slip::selection_form, 'a', "selection-form", "Appendix",
             "eatt's additions at alignment level are printed 2ld + l^d; the figures follow from "
             "2ld+l²d"},
    SlipNote{Slip::bias_multiplications, 'b', "bias-multiplications", "Appendix",
             "a bias is counted as ld multiplications besides ld additions; it has additions only "
             "(the forms then leave out both)"},
    SlipNote{Slip::dense_alignment, 'c', "dense-alignment", "Table 2",
             "51.10 is the form at l = 23; at l = 22 it gives 51.05"},
    SlipNote{Slip::alignment_cut, 'd', "alignment-cut", "Table 2",
             "0.449 is cut to 0.44; the appendix rounds it to 0.45"},
    SlipNote{Slip::savings_called_consumption, 'e', "savings-called-consumption", "Appendix",
             "99.55 and 99.95 are called energy consumption ratios; they are what is saved"},
    SlipNote{Slip::savings_cut, 'f', "savings-cut", "Abstract",
             "99 is cut, not rounded; \"more than 99 %\" in the introduction is right by the "
             "paper's forms"},
    SlipNote{Slip::attention_rounded_twice, 'g', "attention-rounded-twice",
             "Table 2, table of results and its text",
             "34.0947 rounds to 34.09, as in the appendix; 34.10 is what 34.095 rounds to"},
    SlipNote{Slip::saving_of_rounded, 'h', "saving-of-rounded", "Table of results, caption",
             "65.90 is 100 less 34.10; the appendix has 65.91, which is right"},
    SlipNote{Slip::distillation_width, 'i', "distillation-width", "Distillation figure, caption",
             "the model's own width is said to be halved, which would save more; the printed "
             "energies hold if the attention width k alone is halved and d stays 512"},
    SlipNote{Slip::distillation_eighth, 'j', "distillation-8.53", "Distillation figure",
             "8.53 is what half of the printed 17.05 rounds to; the form gives 8.52"},
    SlipNote{Slip::distillation_last, 'k', "distillation-4.28", "Distillation figure",
             "4.28 follows neither from the form, 4.26, nor from half of 8.53, 4.27"},
    SlipNote{Slip::hybrid_caption, 'l', "hybrid-caption", "Table of hybrids, caption",
             "rows and columns are swapped: the rows are self-attention, the columns "
             "cross-attention"},
};

using enum Level;
using enum Mechanism;
using enum Quantity;

constexpr std::string_view kAbstract = "Abstract";
constexpr std::string_view kTable2 = "Table 2";
constexpr std::string_view kResults = "Table of results";
constexpr std::string_view kResultsCaption = "Table of results, caption";
constexpr std::string_view kResultsText = "Text on the results";
constexpr std::string_view kConclusion = "Conclusion";
constexpr std::string_view kAppendixTable = "Appendix, table";
constexpr std::string_view kAppendixText = "Appendix, text";

constexpr std::array kPrintedFigures = {
    PrintedFigure{alignment, vanilla, "asic", consumption, "100.00", kTable2},
    PrintedFigure{alignment, dense, "asic", consumption, "51.10", kTable2, Slip::dense_alignment},
    PrintedFigure{alignment, randinit, "asic", consumption, "0.00", kTable2},
    PrintedFigure{alignment, eatt, "asic", consumption, "0.44", kTable2, Slip::alignment_cut},
    PrintedFigure{attention, vanilla, "asic", consumption, "100.00", kTable2},
    PrintedFigure{attention, dense, "asic", consumption, "67.59", kTable2},
    PrintedFigure{attention, randinit, "asic", consumption, "33.80", kTable2},
    PrintedFigure{attention, eatt, "asic", consumption, "34.10", kTable2,
                  Slip::attention_rounded_twice},

    PrintedFigure{attention, vanilla, "asic", consumption, "100.00", kResults},
    PrintedFigure{attention, vanilla, "fpga", consumption, "100.00", kResults},
    PrintedFigure{attention, eatt, "asic", consumption, "34.10", kResults,
                  Slip::attention_rounded_twice},
    PrintedFigure{attention, eatt, "fpga", consumption, "33.83", kResults},
    PrintedFigure{attention, eatt, "asic", saving, "65.90", kResultsCaption,
                  Slip::saving_of_rounded},
    PrintedFigure{attention, eatt, "fpga", saving, "66.17", kResultsCaption},
    PrintedFigure{attention, eatt, "asic", consumption, "34.10", kResultsText,
                  Slip::attention_rounded_twice},
    PrintedFigure{attention, eatt, "fpga", consumption, "33.83", kResultsText},

    PrintedFigure{alignment, eatt, "asic", consumption, "0.45", kAppendixTable},
    PrintedFigure{alignment, eatt, "fpga", consumption, "0.05", kAppendixTable},
    PrintedFigure{attention, eatt, "asic", consumption, "34.09", kAppendixTable},
    PrintedFigure{attention, eatt, "fpga", consumption, "33.83", kAppendixTable},
    PrintedFigure{block, eatt, "asic", consumption, "83.17", kAppendixTable},
    PrintedFigure{block, eatt, "fpga", consumption, "83.10", kAppendixTable},

    PrintedFigure{attention, eatt, "asic", consumption, "34.09", kAppendixText},
    PrintedFigure{attention, eatt, "fpga", consumption, "33.83", kAppendixText},
    PrintedFigure{attention, eatt, "asic", saving, "65.91", kAppendixText},
    PrintedFigure{attention, eatt, "fpga", saving, "66.17", kAppendixText},
    PrintedFigure{alignment, eatt, "asic", saving, "99.55", kAppendixText,
                  Slip::savings_called_consumption},
    PrintedFigure{alignment, eatt, "fpga", saving, "99.95", kAppendixText,
                  Slip::savings_called_consumption},
    PrintedFigure{block, eatt, "asic", consumption, "83.17", kAppendixText},
    PrintedFigure{block, eatt, "fpga", consumption, "83.10", kAppendixText},

    // In whole per cent, without naming a chip; they hold for asic, which the paper puts first.
    PrintedFigure{alignment, eatt, "asic", saving, "99", kAbstract, Slip::savings_cut},
    PrintedFigure{attention, eatt, "asic", saving, "66", kAbstract},
    PrintedFigure{block, eatt, "asic", saving, "17", kConclusion},
};

constexpr std::array kDistillationPoints = {
    DistillationPoint{vanilla, 512, "100"},
    DistillationPoint{vanilla, 256, "50"},
    DistillationPoint{vanilla, 128, "25"},
    DistillationPoint{vanilla, 64, "12.5"},
    DistillationPoint{eatt, 512, "34.09"},
    DistillationPoint{eatt, 256, "17.05"},
    DistillationPoint{eatt, 128, "8.53", Slip::distillation_eighth},
    DistillationPoint{eatt, 64, "4.28", Slip::distillation_last},
};

}  // namespace

Shape paper_shape() { return Shape(22, 512); }

std::span<const SlipNote> slip_notes() { return kSlipNotes; }

const SlipNote& note_on(Slip slip) {
  const auto note = std::ranges::find(kSlipNotes, slip, &SlipNote::slip);
  expects(note != kSlipNotes.end(), "every slip has a note");
  return *note;
}

std::span<const PrintedFigure> printed_figures() { return kPrintedFigures; }

std::vector<PrintedFigure> printed_figures(Level level, Mechanism mechanism, std::string_view chip,
                                           Quantity quantity) {
  std::vector<PrintedFigure> found;
  for (const PrintedFigure& figure : kPrintedFigures) {
    if (figure.level == level && figure.mechanism == mechanism && figure.chip == chip &&
        figure.quantity == quantity &&
        std::ranges::find(found, figure.digits, &PrintedFigure::digits) == found.end()) {
      found.push_back(figure);
    }
  }
  return found;
}

std::span<const DistillationPoint> distillation_points() { return kDistillationPoints; }

double value_of(std::string_view digits) {
  double value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  expects(error == std::errc() && stop == end, "printed figures are plain decimal numbers");
  return value;
}

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
  return static_cast<FormulasTable>(read_choice("--table", name, kFormulasTableNames));
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
