#include "energy/ledger.h"

#include <fmt/format.h>

#include <algorithm>

namespace eatt::energy {

std::string to_text(const LedgerLine& line) {
  return fmt::format("{}, {}", to_text(line.place), name_of(line.duty));
}

void Ledger::add(const LedgerLine& line, const Work& work) {
  if (work != Work{}) lines_[line] += work;
}

Work Ledger::at(const LedgerLine& line) const {
  const auto found = lines_.find(line);
  return found == lines_.end() ? Work{} : found->second;
}

std::vector<LedgerRow> Ledger::rows() const {
  std::vector<LedgerRow> rows;
  for (auto first = lines_.begin(); first != lines_.end();) {
    const auto last = std::find_if(first, lines_.end(), [&](const auto& line) {
      return line.first.place != first->first.place;
    });
    for (const DutyRow& duty : kDutyRows) {
      Work sum;
      for (auto at = first; at != last; ++at) {
        if (duty.contains(at->first)) sum += at->second;
      }
      if (sum != Work{}) rows.push_back({first->first.place, &duty, sum});
    }
    first = last;
  }
  return rows;
}

Work Ledger::of(Duty duty) const {
  Work sum;
  for (const auto& [line, work] : lines_) {
    if (line.duty == duty) sum += work;
  }
  return sum;
}

Work Ledger::of(const DutyRow& row) const {
  Work sum;
  for (const auto& [line, work] : lines_) {
    if (row.contains(line)) sum += work;
  }
  return sum;
}

Work Ledger::total() const {
  Work sum;
  for (const auto& [line, work] : lines_) sum += work;
  return sum;
}

Ledger& Ledger::operator+=(const Ledger& other) {
  for (const auto& [line, work] : other.lines_) add(line, work);
  return *this;
}

}  // namespace eatt::energy
