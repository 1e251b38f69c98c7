#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "energy/chip.h"
#include "energy_report/model_account.h"

namespace eatt::energy {

// How the text was translated.
struct ReportedSearch {
  int beam_size = 1;
  size_t batch_sentences = 1;
};
std::string search_text(const ReportedSearch& search);  // "greedy search, one sentence at a time"

// What `eatt energy model` reports: a model that ran, the models it is compared with, and the chips
// that price all of them.
struct ModelReport {
  ReportedSearch search;
  std::vector<Chip> chips;
  // The model; its vanilla twin at the same precision; of a float32 model itself and its vanilla
  // twin in int8; vanilla in int8 with integer scores; and others that ran.
  std::vector<ModelAccount> accounts;

  const ModelAccount& model() const { return accounts[0]; }
  const ModelAccount& vanilla() const { return accounts[1]; }
  // The least that vanilla attention takes: in int8, with integer scores.
  const ModelAccount& vanilla_int8() const;
};

// Throws an Error if a chip has no price for what the model does.
ModelReport make_model_report(ModelAccount model, std::vector<ModelAccount> compared,
                              std::vector<Chip> chips, const ReportedSearch& search);

// Throws the same Error before anything was translated.
void check_chips(const std::vector<Chip>& chips, const Architecture& architecture,
                 Precision precision);

// The chips that know a precision's numbers: all built-in ones for float32, and for int8 those that
// price integers.
std::vector<Chip> usual_chips(Precision precision);

enum class ModelTable { levels, models, duties, bytes, classes, densities, layers };
inline constexpr std::array<std::string_view, 8> kModelTableNames = {
    "levels", "models", "duties", "bytes", "classes", "densities", "layers", "all"};

// A table by its name, "all", or "" for all but layers. Throws a UsageError that lists the names.
std::vector<ModelTable> model_tables(std::string_view name);

std::string model_report_text(const ModelReport& report, const std::vector<ModelTable>& tables);
std::string model_report_json(const ModelReport& report);

// The report as a picture (SVG), on one chip: joules of arithmetic by duty, for the model, those it
// is compared with, and twins of every mechanism that can be counted; and joules per target piece
// for sentences of 8 to 1,024 positions, for all models of the report that the chip can price. The
// chip is the first that can price all of them, or else the first of the report.
std::string model_chart(const ModelReport& report);

}  // namespace eatt::energy
