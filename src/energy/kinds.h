#pragma once

#include <array>
#include <string_view>

#include "bundle/architecture.h"

namespace eatt::energy {

// What is counted, under the names that tables, JSON and options use.

using eatt::Mechanism;

// How much of a Transformer block is looked at; each level contains the one before.
enum class Level {
  alignment,  // query, key, scores
  attention,  // and value, context
  block,      // and output, ffn
};

// Two sets of rules, never mixed within one figure.
enum class Accounting {
  paper,  // The paper's closed forms.
  exact,  // What an implementation has to do: every row and every difference is counted.
};

// In the order of the paper's tables.
inline constexpr std::array kMechanisms = {Mechanism::vanilla,   Mechanism::dense,
                                           Mechanism::randinit,  Mechanism::eatt,
                                           Mechanism::selection, Mechanism::l1};
// The steps of one attention and the feed-forward layer behind it.
inline constexpr std::array kBlockDuties = {Duty::query,   Duty::key,    Duty::scores, Duty::value,
                                            Duty::context, Duty::output, Duty::ffn};
inline constexpr std::array kLevels = {Level::alignment, Level::attention, Level::block};
inline constexpr std::array kAccountings = {Accounting::paper, Accounting::exact};

std::string_view name_of(Mechanism mechanism);
std::string_view name_of(Level level);
std::string_view name_of(Accounting accounting);

// Whether a duty is one of kBlockDuties, and if so, the lowest level that contains it.
bool is_in_a_block(Duty duty);
Level level_of(Duty duty);

}  // namespace eatt::energy
