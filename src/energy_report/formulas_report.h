#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "energy/kinds.h"
#include "energy/shape.h"

namespace eatt::energy {

// The energy figures that the paper prints, for comparison with computed ones, and its slips.

// The shape of the paper's figures: En-Vi, l = 22, d = 512.
Shape paper_shape();

// Where the paper contradicts itself or its own forms, in the order of our tables.
enum class Slip {
  none,
  selection_form,
  bias_multiplications,
  dense_alignment,
  alignment_cut,
  savings_called_consumption,
  savings_cut,
  attention_rounded_twice,
  saving_of_rounded,
  distillation_width,
  distillation_eighth,
  distillation_last,
  hybrid_caption,
};

struct SlipNote {
  Slip slip;
  char letter;             // The mark beside a figure: [c]
  std::string_view key;    // The name in JSON.
  std::string_view where;  // Table 2, appendix, …
  std::string_view text;   // What is wrong and what is right.
};

std::span<const SlipNote> slip_notes();  // All but Slip::none.
const SlipNote& note_on(Slip slip);

enum class Quantity {
  consumption,  // Per cent of vanilla.
  saving,       // 100 less that.
};

struct PrintedFigure {
  Level level;
  Mechanism mechanism;
  std::string_view chip;
  Quantity quantity;
  std::string_view digits;  // As printed: "34.10" is not "34.1".
  std::string_view where;
  Slip slip = Slip::none;
};

// Each figure once for each place where it is printed: tables, text about them, then round numbers.
std::span<const PrintedFigure> printed_figures();

// The distinct figures for one cell, each with its first place.
std::vector<PrintedFigure> printed_figures(Level level, Mechanism mechanism, std::string_view chip,
                                           Quantity quantity);

// A point of the distillation figure: attention level, asic, per cent of vanilla at width 512.
struct DistillationPoint {
  Mechanism mechanism;
  uint64_t width;
  std::string_view digits;
  Slip slip = Slip::none;
};

std::span<const DistillationPoint> distillation_points();

double value_of(std::string_view digits);

// What `eatt energy formulas` computes: the closed forms at one shape, in both accountings, beside
// the paper's printed figures where these apply.
struct FormulasRequest {
  Shape shape = paper_shape();
  Densities densities = paper_densities();
};

enum class FormulasTable { parts, alignment, attention, block, roles, distillation, all };
inline constexpr std::array<std::string_view, 7> kFormulasTableNames = {
    "parts", "alignment", "attention", "block", "roles", "distillation", "all"};

// The table of that name. Throws a UsageError that lists the names.
FormulasTable formulas_table(std::string_view name);

// Lines of at most 100 columns (for shapes of usual size), each ending with a newline.
std::string formulas_text(const FormulasRequest& request, const std::vector<FormulasTable>& tables);

// One JSON object with everything, in full precision; docs/energy.md lists the keys.
std::string formulas_json(const FormulasRequest& request);

// Shared by text and JSON:

// Whether the paper's figures belong to the request's shape.
bool has_printed_figures(const FormulasRequest& request);

// The printed figures of a cell; none unless they belong to the shape.
std::vector<PrintedFigure> printed_beside(const FormulasRequest& request, Level level,
                                          Mechanism mechanism, std::string_view chip,
                                          Quantity quantity);

// Whether the mechanism's energy in the exact accounting depends on density, hence on the role.
bool depends_on_density(Mechanism mechanism);

// A row of the distillation table: a width in both readings of the paper's figure.
struct DistillationRow {
  struct Percent {  // Of vanilla at full width: attention level, asic.
    double paper = 0;
    double exact = 0;
  };
  Mechanism mechanism = kReferenceMechanism;
  uint64_t width = 0;
  std::vector<DistillationPoint> printed;  // None or one.
  Percent attention_width;                 // k is narrowed to `width`, d stays.
  Percent model_width;                     // The whole model is narrowed: k = d = `width`.
};

// Vanilla, then eatt, at widths d, d/2, d/4, d/8 as far as these are integers, and k. The printed
// points need the paper's length and width only, whatever k is.
std::vector<DistillationRow> distillation_rows(const FormulasRequest& request);

}  // namespace eatt::energy
