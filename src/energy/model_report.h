#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "energy/chip.h"
#include "energy/model_account.h"

namespace eatt::energy {

// What `eatt energy model` tells: a model that ran, the models it is to be compared with, and the
// chips on which all of them are priced.
struct ModelReport {
  std::string search;  // "greedy search, one sentence at a time"
  std::vector<Chip> chips;
  ModelAccount model;
  ModelAccount vanilla;                            // Its twin, at the same precision.
  std::optional<ModelAccount> int8, vanilla_int8;  // Of a float32 model.
  std::vector<ModelAccount> compared;              // Others that ran.

  // All of the above, the model first.
  std::vector<const ModelAccount*> accounts() const;
};

ModelReport make_model_report(ModelAccount model, std::vector<ModelAccount> compared,
                              std::vector<Chip> chips, std::string search);

// The chips that know a precision's numbers: all built-in ones for float32, and for int8 those that
// price integers.
std::vector<Chip> usual_chips(Precision precision);

enum class ModelTable { levels, models, duties, classes, densities, layers };

// A table by its name, "all", or "" for all but layers. Throws a UsageError that lists the names.
std::vector<ModelTable> model_tables(std::string_view name);

std::string model_report_text(const ModelReport& report, const std::vector<ModelTable>& tables);
std::string model_report_json(const ModelReport& report);

}  // namespace eatt::energy
