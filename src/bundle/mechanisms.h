#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bundle/place.h"

namespace eatt {

struct Architecture;
struct Int8Part;
struct TensorSpec;

// How an attention sub-layer scores a query position i against a key position j. X is the
// sub-layer's own input, Y the other side (X again in self-attention), f binarises (x > τ).
//
// This file and mechanisms.cc are the only ones of `bundle` that know the mechanisms one by one:
// their names, their traits and the tensors that are theirs. Everything else asks the traits.
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

// In the order of the paper's tables.
inline constexpr std::array kMechanisms = {Mechanism::vanilla,   Mechanism::dense,
                                           Mechanism::randinit,  Mechanism::eatt,
                                           Mechanism::selection, Mechanism::l1};
inline constexpr Mechanism kPaperMechanism = Mechanism::eatt;  // The default of architectures.
inline constexpr Mechanism kReferenceMechanism = Mechanism::vanilla;  // 100 % in energy reports.

std::string_view mechanism_name(Mechanism mechanism);
std::optional<Mechanism> mechanism_named(std::string_view name);

bool has_queries(Mechanism mechanism);           // All but randinit, whose scores are a table.
bool has_queries_and_keys(Mechanism mechanism);  // Not dense either, whose W2 stands for keys.
bool binarises(Mechanism mechanism);             // Q and K are sums of selected rows of weights.
bool scores_by_distance(Mechanism mechanism);    // Negative L1 distances; else dot products.
bool has_integer_scores(Mechanism mechanism);    // In int8: distances of sums of integers.
bool bounds_length(Mechanism mechanism);         // No sentence may be longer than max_length.

// An attention sub-layer: its name, as in "encoder.layers.0.self_attn", its role and mechanism.
struct NamedAttention {
  std::string name;
  Role role = Role::encoder_self;
  Mechanism mechanism = kPaperMechanism;
};

// The tensors of the float32 model that its scores come from.
std::vector<TensorSpec> score_tensors(const Architecture& architecture,
                                      const NamedAttention& attention);
// Those that all cross-attentions share, since they read the same encoder output.
std::vector<TensorSpec> shared_cross_tensors(const Architecture& architecture);

// The matrices of the int8 model that make queries, keys and values.
std::vector<Int8Part> int8_score_parts(const Architecture& architecture,
                                       const NamedAttention& attention);

// One mechanism per layer from a text such as `eatt` (all layers) or `eatt:1-3,vanilla:4-6`;
// layers count from 1, in any order, each exactly once. Throws a UsageError that shows the text and
// the character where it goes wrong.
std::vector<Mechanism> parse_mechanisms(std::string_view text, size_t layers);

// The shortest such text: `eatt`, `eatt:1-3,vanilla:4-6`, `eatt:1,vanilla:2,eatt:3`.
std::string print_mechanisms(std::span<const Mechanism> mechanisms);

}  // namespace eatt
