#include "energy/counted_translation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "energy/counted_model.h"

namespace eatt::energy::testing {
namespace {

size_t longest_of(const RecordedRun& run) {
  size_t longest = run.steps.size();
  for (const SearchTask& task : run.tasks) longest = std::max(longest, task.source.size() + 1);
  return longest;
}

bool same_rows(const std::vector<StepRow>& a, const std::vector<StepRow>& b) {
  return std::ranges::equal(a, b, [](const StepRow& x, const StepRow& y) {
    return x.sentence == y.sentence && x.parent == y.parent && x.piece == y.piece;
  });
}

float largest_difference(const Tensor<Fp32>& logits, const RecordedStep& step) {
  float largest = 0;
  for (size_t row = 0; row < step.rows.size(); ++row) {
    for (size_t i = 0; i < step.pieces[row].size(); ++i) {
      const float ours = logits.look(row, static_cast<size_t>(step.pieces[row][i])).value;
      largest = std::max(largest, std::abs(ours - step.logits[row][i]));
    }
  }
  return largest;
}

// Appends what differs in a number of a line.
class Differences {
 public:
  explicit Differences(std::string& text) : text_(text) {}

  void compare(const LedgerLine& line, const Work& counted, const Work& claimed) {
    for (const Operation operation : kOperations) {
      for (const Number number : kNumbers) {
        compare(line, fmt::format("{} {}", name_of(operation), name_of(number)),
                counted.operations.at(operation, number), claimed.operations.at(operation, number));
      }
    }
    for (const Data data : kData) {
      compare(line, fmt::format("bytes of {} read", name_of(data)), counted.moved(data).read,
              claimed.moved(data).read);
      compare(line, fmt::format("bytes of {} written", name_of(data)), counted.moved(data).written,
              claimed.moved(data).written);
    }
  }

 private:
  void compare(const LedgerLine& line, const std::string& what, uint64_t counted,
               uint64_t claimed) {
    if (counted == claimed) return;
    text_ += fmt::format("{}: {}: counted {}, claimed {}\n", to_text(line), what, counted, claimed);
  }

  std::string& text_;
};

}  // namespace

CountedTranslation counted_translation(const Bundle& bundle, Precision precision, RecordedRun run) {
  CountedTranslation result;
  Tally tally;
  CountedModel model(bundle, precision, longest_of(run), run.codes);
  CountedSearch search(run);
  model.start(run.tasks);
  for (const RecordedStep& step : run.steps) {
    expects(same_rows(search.rows(), step.rows), "both searches go on with the same hypotheses");
    const Tensor<Fp32> logits = model.step(step.rows, step.pieces);
    result.largest_difference =
        std::max(result.largest_difference, largest_difference(logits, step));
    search.advance(step);
  }
  expects(search.done(), "both searches end with the same step");
  expects(run.codes.empty(), "all codes of the run were used");
  result.results = search.results();
  result.ledger = tally.ledger();
  return result;
}

std::string differences(const Ledger& counted, const Ledger& claimed) {
  std::set<LedgerLine> lines;
  for (const Ledger* ledger : {&counted, &claimed}) {
    for (const auto& [line, work] : ledger->lines()) lines.insert(line);
  }
  std::string text;
  for (const LedgerLine& line : lines)
    Differences(text).compare(line, counted.at(line), claimed.at(line));
  return text;
}

}  // namespace eatt::energy::testing
