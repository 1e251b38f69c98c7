#include "energy/model_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"

namespace eatt::energy {
namespace {

struct NamedTable {
  std::string_view name;
  ModelTable table;
};
constexpr std::array<NamedTable, 6> kTables = {{{"levels", ModelTable::levels},
                                                {"models", ModelTable::models},
                                                {"duties", ModelTable::duties},
                                                {"classes", ModelTable::classes},
                                                {"densities", ModelTable::densities},
                                                {"layers", ModelTable::layers}}};

}  // namespace

std::vector<const ModelAccount*> ModelReport::accounts() const {
  std::vector<const ModelAccount*> all = {&model, &vanilla};
  for (const auto* twin : {&int8, &vanilla_int8}) {
    if (*twin) all.push_back(&**twin);
  }
  for (const ModelAccount& other : compared) all.push_back(&other);
  return all;
}

ModelReport make_model_report(ModelAccount model, std::vector<ModelAccount> compared,
                              std::vector<Chip> chips, std::string search) {
  ModelReport report{.search = std::move(search),
                     .chips = std::move(chips),
                     .model = std::move(model),
                     .vanilla = {},
                     .int8 = {},
                     .vanilla_int8 = {},
                     .compared = std::move(compared)};
  report.vanilla = vanilla_twin(report.model, report.model.precision);
  if (report.model.precision == Precision::float32) {
    report.int8 = in_precision(report.model, Precision::int8);
    report.vanilla_int8 = vanilla_twin(report.model, Precision::int8);
  }
  return report;
}

std::vector<Chip> usual_chips(Precision precision) {
  std::vector<Chip> chips;
  for (const Chip& chip : built_in_chips()) {
    if (precision == Precision::float32 || chip.price(Operation::mul, Number::int8))
      chips.push_back(chip);
  }
  return chips;
}

std::vector<ModelTable> model_tables(std::string_view name) {
  std::vector<ModelTable> tables;
  std::string names;
  for (const NamedTable& known : kTables) {
    const bool is_usual = name.empty() && known.table != ModelTable::layers;
    if (name == known.name || name == "all" || is_usual) tables.push_back(known.table);
    names += fmt::format("{}, ", known.name);
  }
  if (!tables.empty()) return tables;
  throw UsageError(fmt::format("--table is '{}'; expected {}or all", name, names));
}

}  // namespace eatt::energy
