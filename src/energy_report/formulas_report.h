#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "energy/shape.h"
#include "energy_report/paper_tables.h"

namespace eatt::energy {

// What `eatt energy formulas` computes: the closed forms at one shape, in both accountings, beside
// the paper's printed figures where these apply.
struct FormulasRequest {
  Shape shape = paper_shape();
  Densities densities = paper_densities();
};

enum class FormulasTable { parts, alignment, attention, block, roles, distillation, all };

// The table of that name. Throws a UsageError that lists the names.
FormulasTable formulas_table(std::string_view name);

// Lines of at most 100 columns (for shapes of usual size), each ending with a newline.
std::string formulas_text(const FormulasRequest& request, FormulasTable table);

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
