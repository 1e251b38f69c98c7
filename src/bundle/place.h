#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <string>
#include <string_view>

namespace eatt {

// Where in the model something happens, and what for: the one set of words that runtime, energy
// and reports share.

enum class Stack { encoder, decoder };
inline constexpr std::array<std::string_view, 2> kStackNames = {"encoder", "decoder"};

enum class SubLayer { none, self_attention, cross_attention, feed_forward };
inline constexpr std::array<std::string_view, 4> kSubLayerNames = {
    "none", "self-attention", "cross-attention", "feed-forward"};

struct Place {
  Stack stack = Stack::encoder;
  size_t layer = 0;  // From 1. 0 is outside the layers: embeddings, final norm, vocabulary, search,
                     // and what is done once for all cross-attentions.
  SubLayer sub_layer = SubLayer::none;

  friend auto operator<=>(const Place&, const Place&) = default;
};

// What a step is for. The first seven make up an attention and the feed-forward layer behind it.
enum class Duty {
  query,
  key,
  scores,
  value,
  context,  // Softmax and weighted sum of values.
  output,
  ffn,
  norm,
  residual,
  embedding,
  vocabulary,
  search,
};
inline constexpr std::array<std::string_view, 12> kDutyNames = {
    "query", "key",  "scores",   "value",     "context",    "output",
    "ffn",   "norm", "residual", "embedding", "vocabulary", "search"};

// The three attentions of an encoder-decoder.
enum class Role { encoder_self, decoder_self, cross };
inline constexpr std::array<std::string_view, 3> kRoleNames = {"enc-self", "dec-self", "cross"};
inline constexpr std::array kRoles = {Role::encoder_self, Role::decoder_self, Role::cross};

constexpr std::string_view name_of(Stack stack) { return kStackNames[static_cast<size_t>(stack)]; }
constexpr std::string_view name_of(SubLayer sub_layer) {
  return kSubLayerNames[static_cast<size_t>(sub_layer)];
}
constexpr std::string_view name_of(Duty duty) { return kDutyNames[static_cast<size_t>(duty)]; }
constexpr std::string_view name_of(Role role) { return kRoleNames[static_cast<size_t>(role)]; }

// The attention at a place; meaningful where the sub-layer is an attention.
constexpr Role role_of(const Place& place) {
  if (place.sub_layer == SubLayer::cross_attention) return Role::cross;
  return place.stack == Stack::encoder ? Role::encoder_self : Role::decoder_self;
}

// The attention of a layer; layers count from 1.
constexpr Place place_of(Role role, size_t layer) {
  return {role == Role::encoder_self ? Stack::encoder : Stack::decoder, layer,
          role == Role::cross ? SubLayer::cross_attention : SubLayer::self_attention};
}

// "decoder layer 2, cross-attention"
std::string to_text(const Place& place);

}  // namespace eatt
