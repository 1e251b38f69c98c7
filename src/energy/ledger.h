#pragma once

#include <compare>
#include <map>
#include <string>

#include "energy/operations.h"

namespace eatt::energy {

// What an operation was for. The first four are where queries and keys are made.
enum class Duty {
  encoder_self,
  decoder_self,
  cross_query,
  cross_key,
  scores,
  context,  // Softmax and weighted values.
  value,
  output,
  ffn,
  norm,
  residual,
  embedding,
  vocabulary,
  search,
};
inline constexpr std::array<std::string_view, 14> kDutyNames = {
    "enc-self", "dec-self", "cross-query", "cross-key", "scores",    "context",    "value",
    "output",   "ffn",      "norm",        "residual",  "embedding", "vocabulary", "search"};
inline constexpr std::array kDuties = {
    Duty::encoder_self, Duty::decoder_self, Duty::cross_query, Duty::cross_key, Duty::scores,
    Duty::context,      Duty::value,        Duty::output,      Duty::ffn,       Duty::norm,
    Duty::residual,     Duty::embedding,    Duty::vocabulary,  Duty::search};

constexpr std::string_view name_of(Duty duty) { return kDutyNames[static_cast<size_t>(duty)]; }

enum class Stack { encoder, decoder };
inline constexpr std::array<std::string_view, 2> kStackNames = {"encoder", "decoder"};
constexpr std::string_view name_of(Stack stack) { return kStackNames[static_cast<size_t>(stack)]; }

enum class SubLayer { none, self_attention, cross_attention, feed_forward };
inline constexpr std::array<std::string_view, 4> kSubLayerNames = {
    "none", "self-attention", "cross-attention", "feed-forward"};
constexpr std::string_view name_of(SubLayer sub_layer) {
  return kSubLayerNames[static_cast<size_t>(sub_layer)];
}

// Where in the model it was done.
struct Place {
  Stack stack = Stack::encoder;
  int layer = 0;  // From 1; 0: outside of them (embedding, last norm, vocabulary, search; and what
                  // is done once for all cross-attentions).
  SubLayer sub_layer = SubLayer::none;

  friend auto operator<=>(const Place&, const Place&) = default;
};

struct LedgerLine {
  Place place;
  Duty duty = Duty::encoder_self;

  friend auto operator<=>(const LedgerLine&, const LedgerLine&) = default;
};

std::string to_text(const Place& place);      // "decoder layer 2, cross-attention"
std::string to_text(const LedgerLine& line);  // "decoder layer 2, cross-attention, scores"

// All work of a model, by place and duty. Lines without any work are not there.
class Ledger {
 public:
  // Adds work; nothing at all makes no line.
  void add(const LedgerLine& line, const Work& work);

  const std::map<LedgerLine, Work>& lines() const& { return lines_; }
  const std::map<LedgerLine, Work>& lines() const&& = delete;  // They would be gone.
  Work at(const LedgerLine& line) const;                       // Nothing, if the line is not there.
  Work of(Duty duty) const;
  Work total() const;

  Ledger& operator+=(const Ledger& other);
  friend bool operator==(const Ledger&, const Ledger&) = default;

 private:
  std::map<LedgerLine, Work> lines_;
};

}  // namespace eatt::energy
