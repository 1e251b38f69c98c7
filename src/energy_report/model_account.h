#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bundle/architecture.h"
#include "bundle/precision.h"
#include "energy/chip.h"
#include "energy/count_operations.h"
#include "energy/kinds.h"
#include "energy/price.h"
#include "energy_report/text_size.h"

namespace eatt::energy {

// A model, a text, and what translating it took.
struct ModelAccount {
  std::string name;
  std::string kind;  // "model", "compared", or which twin: "vanilla", "int8", …
  Architecture architecture;
  Precision precision = Precision::float32;
  DotScores dot_scores = DotScores::floating;
  TextSize text;
  Activity activity;
  Ledger ledger;
  Footprint footprint;

  // Else a twin, counted on the activity of another.
  bool ran() const { return kind == "model" || kind == "compared"; }
};

// Of a model that ran. `kind` is "model" or "compared".
ModelAccount account_of(std::string name, std::string kind, const Architecture& architecture,
                        Precision precision, const TextSize& text, const Activity& activity);

// What the same translation, piece by piece, would have taken with one mechanism everywhere, or in
// another precision. Mechanisms that binarise need an account that has codes everywhere.
ModelAccount mechanism_twin(const ModelAccount& account, Mechanism mechanism, Precision precision,
                            DotScores dot_scores = DotScores::floating);
ModelAccount int8_twin(const ModelAccount& account);
bool has_codes_everywhere(const ModelAccount& account);

// The share of ones in the codes of a model; 0 if there are none.
double density_of(const CodeActivity& codes, const Architecture& architecture);

// "eatt", or "enc-self eatt, dec-self vanilla, cross eatt:1-3,vanilla:4-6"
std::string mechanisms_text(const Architecture& architecture);

// Exact work of all duties up to a level.
Work work_of(const Ledger& ledger, Level level);

// Classes in the work that the chip neither prices nor leaves out, by name.
std::vector<std::string> unpriced(const Chip& chip, const Work& work);

// Joules of some work of an account; with memory, nothing where the chip leaves that out. The chip
// has to know all classes.
double arithmetic_joules(const Chip& chip, const Work& work, const ModelAccount& account);
std::optional<double> joules_with_memory(const Chip& chip, const Work& work,
                                         const ModelAccount& account);
// Joules of the paper's closed forms, on numbers of fp32.
double paper_joules(const Chip& chip, const ModelAccount& account, Level level);

}  // namespace eatt::energy
