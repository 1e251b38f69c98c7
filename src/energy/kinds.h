#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "base/error.h"
#include "bundle/mechanisms.h"

namespace eatt::energy {

// What is counted, under the names that tables, JSON and options use.

// How much of a Transformer block is looked at; each level contains the one before.
enum class Level {
  alignment,  // query, key, scores
  attention,  // and value, context
  block,      // and output, ffn
};
inline constexpr std::array<std::string_view, 3> kLevelNames = {"alignment", "attention", "block"};
inline constexpr std::array kLevels = {Level::alignment, Level::attention, Level::block};

// Two sets of counting rules, never mixed within one figure.
enum class Accounting {
  paper,  // The paper's closed forms.
  exact,  // What an implementation has to do: every row and every difference is counted.
};
inline constexpr std::array<std::string_view, 2> kAccountingNames = {"paper", "exact"};
inline constexpr std::array kAccountings = {Accounting::paper, Accounting::exact};

inline std::string_view name_of(Mechanism mechanism) { return mechanism_name(mechanism); }
constexpr std::string_view name_of(Level level) { return kLevelNames[static_cast<size_t>(level)]; }
constexpr std::string_view name_of(Accounting accounting) {
  return kAccountingNames[static_cast<size_t>(accounting)];
}

// The steps of one attention and the feed-forward layer after it.
inline constexpr std::array kBlockDuties = {Duty::query,   Duty::key,    Duty::scores, Duty::value,
                                            Duty::context, Duty::output, Duty::ffn};
inline bool is_in_a_block(Duty duty) {
  return std::ranges::find(kBlockDuties, duty) != kBlockDuties.end();
}

// The lowest level that contains one of kBlockDuties.
inline Level level_of(Duty duty) {
  expects(is_in_a_block(duty), "levels are made of the duties of a block");
  if (duty == Duty::query || duty == Duty::key || duty == Duty::scores) return Level::alignment;
  return duty == Duty::value || duty == Duty::context ? Level::attention : Level::block;
}

}  // namespace eatt::energy
