#pragma once

#include <array>
#include <compare>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bundle/place.h"
#include "energy/operations.h"

namespace eatt::energy {

struct LedgerLine {
  Place place;
  Duty duty = Duty::query;

  friend auto operator<=>(const LedgerLine&, const LedgerLine&) = default;
};

std::string to_text(const LedgerLine& line);  // "decoder layer 2, cross-attention, scores"

// A row of the tables and the JSON: one or two duties. Queries and keys have a row for each
// attention.
struct DutyRow {
  std::string_view name;  // "enc-self", "scores"
  Duty duty;
  Duty other = duty;                        // "enc-self" has queries and keys.
  std::optional<Role> role = std::nullopt;  // Of one attention only.

  bool contains(const LedgerLine& line) const {
    return (line.duty == duty || line.duty == other) && (!role || role_of(line.place) == *role);
  }
};
constexpr std::string_view name_of(const DutyRow& row) { return row.name; }

inline constexpr std::array<DutyRow, 14> kDutyRows = {{
    {"enc-self", Duty::query, Duty::key, Role::encoder_self},
    {"dec-self", Duty::query, Duty::key, Role::decoder_self},
    {"cross-query", Duty::query, Duty::query, Role::cross},
    {"cross-key", Duty::key, Duty::key, Role::cross},
    {"scores", Duty::scores},
    {"context", Duty::context},
    {"value", Duty::value},
    {"output", Duty::output},
    {"ffn", Duty::ffn},
    {"norm", Duty::norm},
    {"residual", Duty::residual},
    {"embedding", Duty::embedding},
    {"vocabulary", Duty::vocabulary},
    {"search", Duty::search},
}};

// A line as reports print it.
struct LedgerRow {
  Place place;
  const DutyRow* duty;
  Work work;
};

// All work of a model, by place and duty. Lines without work are left out.
class Ledger {
 public:
  // Adds work; no line is made for zero work.
  void add(const LedgerLine& line, const Work& work);

  const std::map<LedgerLine, Work>& lines() const& { return lines_; }
  const std::map<LedgerLine, Work>& lines() const&& = delete;  // They would dangle.
  std::vector<LedgerRow> rows() const;    // By place, then in the order of kDutyRows.
  Work at(const LedgerLine& line) const;  // Nothing, if the line is not there.
  Work of(Duty duty) const;
  Work of(const DutyRow& row) const;
  Work total() const;

  Ledger& operator+=(const Ledger& other);
  friend bool operator==(const Ledger&, const Ledger&) = default;

 private:
  std::map<LedgerLine, Work> lines_;
};

}  // namespace eatt::energy
