#pragma once

#include <span>
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

// Whether `computed` gives the printed digits when rounded to as many decimals.
bool agrees(double computed, std::string_view digits);

}  // namespace eatt::energy
