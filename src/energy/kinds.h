#pragma once

#include <array>
#include <string_view>

#include "bundle/architecture.h"

namespace eatt::energy {

// What is counted, under the names that tables, JSON and options use.

using eatt::Mechanism;

// The steps of one attention and the feed-forward layer behind it.
enum class Part { query, key, scores, value, context, output, ffn };

// How much of a Transformer block is looked at; each level contains the one before.
enum class Level {
  alignment,  // query, key, scores
  attention,  // and value, context
  block,      // and output, ffn
};

// Where in the model an attention stands. In cross-attention the queries come from the decoder and
// the keys from the encoder's output, so they differ in density.
using eatt::Role;

// Two sets of rules, never mixed within one figure.
enum class Accounting {
  paper,  // The paper's closed forms.
  exact,  // What an implementation has to do: every row and every difference is counted.
};

// In the order of the paper's tables.
inline constexpr std::array kMechanisms = {Mechanism::vanilla,   Mechanism::dense,
                                           Mechanism::randinit,  Mechanism::eatt,
                                           Mechanism::selection, Mechanism::l1};
inline constexpr std::array kParts = {Part::query,   Part::key,    Part::scores, Part::value,
                                      Part::context, Part::output, Part::ffn};
inline constexpr std::array kLevels = {Level::alignment, Level::attention, Level::block};
inline constexpr std::array kRoles = {Role::encoder_self, Role::decoder_self, Role::cross};
inline constexpr std::array kAccountings = {Accounting::paper, Accounting::exact};

std::string_view name_of(Mechanism mechanism);
std::string_view name_of(Part part);
std::string_view name_of(Level level);
std::string_view name_of(Role role);  // enc-self, dec-self, cross
std::string_view name_of(Accounting accounting);

// The lowest level that contains the part.
Level level_of(Part part);

}  // namespace eatt::energy
