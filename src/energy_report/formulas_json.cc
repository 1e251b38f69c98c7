#include <nlohmann/json.hpp>
#include <utility>

#include "energy/chip.h"
#include "energy/closed_forms.h"
#include "energy_report/formulas_report.h"

namespace eatt::energy {
namespace {

using Json = nlohmann::ordered_json;  // Keys in the order of reading.

std::string key(auto kind) { return std::string(name_of(kind)); }

// "printed" and, for figures that carry one, "slips": of any list of figures or points.
void add_printed(Json& cell, const auto& printed) {
  cell["printed"] = Json::array();
  for (const auto& figure : printed) {
    cell["printed"].push_back(value_of(figure.digits));
    if (figure.slip != Slip::none) cell["slips"].push_back(note_on(figure.slip).key);
  }
}

// A table of the paper's accounting: mechanism → chip → computed and printed per cent.
Json level_json(const FormulasRequest& request, Level level) {
  Json result;
  for (const Mechanism mechanism : kMechanisms) {
    for (const Chip& chip : paper_chips()) {
      Json& cell = result[key(mechanism)][chip.name];
      cell["computed"] =
          percent_of_vanilla({mechanism, level, Accounting::paper, request.shape}, chip);
      add_printed(cell,
                  printed_beside(request, level, mechanism, chip.name, Quantity::consumption));
    }
  }
  return result;
}

// What eatt saves in the paper's accounting; the paper prints no savings of other mechanisms.
Json savings_json(const FormulasRequest& request) {
  Json result;
  for (const Level level : kLevels) {
    for (const Chip& chip : paper_chips()) {
      Json& cell = result[key(level)][key(kPaperMechanism)][chip.name];
      cell["computed"] =
          100 -
          percent_of_vanilla({kPaperMechanism, level, Accounting::paper, request.shape}, chip);
      add_printed(cell,
                  printed_beside(request, level, kPaperMechanism, chip.name, Quantity::saving));
    }
  }
  return result;
}

Json density_json(const Density& density) {
  return {{"query", density.query}, {"key", density.key}};
}

Json densities_json(const Densities& densities) {
  Json result;
  result["source"] = densities.source == Densities::Source::paper ? "paper" : "given";
  for (const auto& role : densities.roles) {
    Json& entry = result["roles"][key(role.role)];
    entry = density_json(role.mean);
    for (const Density& layer : role.layers) entry["layers"].push_back(density_json(layer));
  }
  result["mean"] = density_json(densities.mean);
  return result;
}

// Per cent of vanilla by chip, in the exact accounting.
Json exact_percents(const FormulasRequest& request, Level level, Mechanism mechanism,
                    const Density& density) {
  Json result;
  for (const Chip& chip : paper_chips()) {
    result[chip.name] =
        percent_of_vanilla({mechanism, level, Accounting::exact, request.shape, density}, chip);
  }
  return result;
}

Json exact_json(const FormulasRequest& request) {
  Json result;
  result["densities"] = densities_json(request.densities);
  for (const Level level : kLevels) {
    for (const Mechanism mechanism : kMechanisms) {
      Json& cell = result[key(level)][key(mechanism)];
      cell = exact_percents(request, level, mechanism, request.densities.mean);
      if (!depends_on_density(mechanism)) continue;
      for (const auto& role : request.densities.roles) {
        cell["roles"][key(role.role)] = exact_percents(request, level, mechanism, role.mean);
      }
    }
  }
  return result;
}

Json operations_json(const OperationForms& forms, const FormulasRequest& request) {
  const Shape& shape = request.shape;
  const Widths widths = widths_of(shape);
  const ExpectedOperations expected = expect(forms, shape, request.densities.mean);
  Json result;
  if (is_integer(forms)) {
    const OperationCount counted = count(forms, shape);
    result["additions"] = counted.additions;
    result["multiplications"] = counted.multiplications;
  } else {
    result["additions"] = expected.additions;
    result["multiplications"] = expected.multiplications;
  }
  result["additions_form"] = to_text(forms.additions, widths);
  result["multiplications_form"] = to_text(forms.multiplications, widths);
  for (const Chip& chip : paper_chips()) {
    result["picojoules"][chip.name] = picojoules(chip, expected);
  }
  return result;
}

Json all_operations_json(const FormulasRequest& request) {
  Json result;
  for (const Accounting accounting : kAccountings) {
    Json& by_accounting = result[key(accounting)];
    for (const Mechanism mechanism : kMechanisms) {
      for (const Duty duty : kBlockDuties) {
        by_accounting["parts"][key(mechanism)][key(duty)] =
            operations_json(forms_of(mechanism, duty, accounting), request);
      }
      for (const Level level : kLevels) {
        by_accounting[key(level)][key(mechanism)] =
            operations_json(forms_of(mechanism, level, accounting), request);
      }
    }
  }
  return result;
}

Json distillation_json(const FormulasRequest& request) {
  const auto percent = [](const DistillationRow::Percent& by) {
    return Json{{key(Accounting::paper), by.paper}, {key(Accounting::exact), by.exact}};
  };
  Json result = {{"level", key(Level::attention)}, {"chip", paper_chips().front().name}};
  for (const DistillationRow& row : distillation_rows(request)) {
    Json point = {{"width", row.width}};
    add_printed(point, row.printed);
    point["attention_width"] = percent(row.attention_width);
    point["model_width"] = percent(row.model_width);
    result[key(row.mechanism)].push_back(std::move(point));
  }
  return result;
}

}  // namespace

std::string formulas_json(const FormulasRequest& request) {
  Json result;
  result["shape"] = {{"length", request.shape.length()},
                     {"width", request.shape.width()},
                     {"attention_width", request.shape.attention_width()}};
  for (const Chip& chip : paper_chips()) {
    result["chips"][chip.name] = {
        {"add_picojoules", chip.price(Operation::add, Number::fp32).value()},
        {"mul_picojoules", chip.price(Operation::mul, Number::fp32).value()}};
  }
  for (const Level level : kLevels) result[key(level)] = level_json(request, level);
  result["savings"] = savings_json(request);
  result["exact"] = exact_json(request);
  result["operations"] = all_operations_json(request);
  result["distillation"] = distillation_json(request);
  for (const SlipNote& note : slip_notes()) {
    result["slips"][std::string(note.key)] = {{"where", note.where}, {"text", note.text}};
  }
  return result.dump(2) + "\n";
}

}  // namespace eatt::energy
