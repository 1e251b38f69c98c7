#pragma once

#include <optional>
#include <string>

#include "bundle/architecture.h"
#include "bundle/precision.h"
#include "energy/chip.h"
#include "energy/count_operations.h"
#include "energy/kinds.h"
#include "energy/price.h"
#include "energy/text_size.h"

namespace eatt::energy {

// A model, a text, and what translating it took.
struct ModelAccount {
  std::string name;
  Architecture architecture;
  Precision precision = Precision::float32;
  TextSize text;
  Activity activity;
  Ledger ledger;
  Footprint footprint;
  bool ran = true;  // Else counted on the activity of another.
};

ModelAccount account_of(std::string name, const Architecture& architecture, Precision precision,
                        const TextSize& text, const Activity& activity);

// What the same translation, piece by piece, would have taken with vanilla attention everywhere, or
// in another precision.
ModelAccount vanilla_twin(const ModelAccount& account, Precision precision);
ModelAccount in_precision(const ModelAccount& account, Precision precision);

// The share of ones in the codes of a model; 0 if there are none.
double density_of(const CodeActivity& codes, const Architecture& architecture);

// "eatt", or "enc-self eatt, dec-self vanilla, cross eatt:1-3,vanilla:4-6"
std::string mechanisms_text(const Architecture& architecture);

// Exact work of all duties up to a level.
Work work_of(const Ledger& ledger, Level level);

// Whether the chip prices, or deliberately leaves out, everything in the work.
bool knows(const Chip& chip, const Work& work);

// Joules of some work of an account; with memory, nothing where the chip leaves that out.
double arithmetic_joules(const Chip& chip, const Work& work, const Footprint& footprint);
std::optional<double> joules_with_memory(const Chip& chip, const Work& work,
                                         const Footprint& footprint);
// Joules of the paper's closed forms, on numbers of fp32.
double paper_joules(const Chip& chip, const ModelAccount& account, Level level);

}  // namespace eatt::energy
