#include "energy/ledger.h"

#include <fmt/format.h>

namespace eatt::energy {

std::string to_text(const Place& place) {
  std::string text(name_of(place.stack));
  if (place.layer > 0) text += fmt::format(" layer {}", place.layer);
  if (place.sub_layer != SubLayer::none) text += fmt::format(", {}", name_of(place.sub_layer));
  return text;
}

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

Work Ledger::of(Duty duty) const {
  Work sum;
  for (const auto& [line, work] : lines_) {
    if (line.duty == duty) sum += work;
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
