#include "energy/ledger.h"

#include <fmt/format.h>

namespace eatt::energy {

std::string to_text(const LedgerLine& line) {
  const auto& [stack, layer, sub_layer] = line.place;
  std::string text(name_of(stack));
  if (layer > 0) text += fmt::format(" layer {}", layer);
  if (sub_layer != SubLayer::none) text += fmt::format(", {}", name_of(sub_layer));
  return text + fmt::format(", {}", name_of(line.duty));
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
