#pragma once

#include <map>

#include "base/error.h"
#include "energy/ledger.h"

namespace eatt::energy::testing {

// While it lives, numbers and tensors (counted_number.h, counted_tensor.h) add to it what is done
// with them, an operation at a time. One at a time.
class Tally {
 public:
  Tally() {
    expects(current_ == nullptr, "one tally counts at a time");
    current_ = this;
  }
  ~Tally() { current_ = nullptr; }
  Tally(const Tally&) = delete;
  Tally& operator=(const Tally&) = delete;

  static Tally& current() {
    expects(current_ != nullptr, "counted numbers need a tally");
    return *current_;
  }

  // Of the line that is charged now.
  Work& work() {
    expects(work_ != nullptr, "work is charged to a line");
    return *work_;
  }

  Ledger ledger() const {
    Ledger ledger;
    for (const auto& [line, work] : lines_) ledger.add(line, work);
    return ledger;
  }

 private:
  friend class Charge;

  static inline Tally* current_ = nullptr;
  std::map<LedgerLine, Work> lines_;
  Work* work_ = nullptr;
};

// While it lives, work is charged to this line; then again to what was charged before.
class Charge {
 public:
  Charge(const Place& place, Duty duty) : tally_(Tally::current()), before_(tally_.work_) {
    tally_.work_ = &tally_.lines_[{place, duty}];
  }
  ~Charge() { tally_.work_ = before_; }
  Charge(const Charge&) = delete;
  Charge& operator=(const Charge&) = delete;

 private:
  Tally& tally_;
  Work* before_;
};

}  // namespace eatt::energy::testing
