#pragma once

#include <array>
#include <compare>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bundle/architecture.h"
#include "bundle/place.h"
#include "energy/activity.h"
#include "energy/operations.h"
#include "energy/step_work.h"

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

// The operations of the activity in a model of this architecture and precision, by the rules of
// docs/operation-counts.md. The model need not be the one that ran: with another mechanism or
// precision, the result is what it would have taken on the same text. Throws a UsageError if a
// layer binarizes and the activity has no codes for it.
Ledger count_operations(const Architecture& architecture, Precision precision,
                        const Activity& activity, DotScores dot_scores = DotScores::floating);

// The bytes that the model and the activity need at the same time, by kind of data.
struct Footprint {
  uint64_t weights = 0;
  uint64_t activations = 0;  // Inputs and results of the largest step.
  uint64_t caches = 0;

  uint64_t of(Data data) const {
    return data == Data::weights ? weights : data == Data::activations ? activations : caches;
  }
  friend bool operator==(const Footprint&, const Footprint&) = default;
};
Footprint footprint(const Architecture& architecture, Precision precision, const Activity& activity,
                    DotScores dot_scores = DotScores::floating);

}  // namespace eatt::energy
