#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace eatt {

// How an attention sub-layer scores a query position i against a key position j. X is the
// sub-layer's own input, Y the other side (X again in self-attention), f binarises (x > τ).
enum class Mechanism {
  vanilla,    // dot product of Q = X·Wq + bq and K = Y·Wk + bk
  eatt,       // negative L1 distance of Q = f(X)·Wq + bq and K = f(Y)·Wk + bk
  selection,  // dot product of the same Q and K as eatt
  l1,         // negative L1 distance of the same Q and K as vanilla
  dense,      // (W2·relu(W1·Xi))_j: no keys
  randinit,   // a trained table of positions: neither queries nor keys
};

inline constexpr std::array<std::string_view, 6> kMechanismNames = {"vanilla", "eatt",  "selection",
                                                                    "l1",      "dense", "randinit"};

std::string_view mechanism_name(Mechanism mechanism);
std::optional<Mechanism> mechanism_named(std::string_view name);

bool has_queries_and_keys(Mechanism mechanism);  // All but dense and randinit.
bool binarises(Mechanism mechanism);             // eatt, selection
bool scores_by_distance(Mechanism mechanism);    // eatt, l1
bool bounds_length(Mechanism mechanism);         // dense, randinit: no sentence above max_length

// One mechanism per layer from a text such as `eatt` (all layers) or `eatt:1-3,vanilla:4-6`;
// layers count from 1, in any order, each exactly once. Throws a UsageError that shows the text and
// the character where it goes wrong.
std::vector<Mechanism> parse_mechanisms(std::string_view text, size_t layers);

// The shortest such text: `eatt`, `eatt:1-3,vanilla:4-6`, `eatt:1,vanilla:2,eatt:3`.
std::string print_mechanisms(std::span<const Mechanism> mechanisms);

}  // namespace eatt
