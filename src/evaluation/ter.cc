#include "evaluation/ter.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/unicode.h"
#include "evaluation/signature.h"
#include "evaluation/word_ids.h"
#include "evaluation/word_shifts.h"

namespace eatt::evaluation {
namespace {

class TerLineScorer : public LineScorer {
 public:
  explicit TerLineScorer(const TerOptions& options) : options_(options) {}

  void score_line(std::string_view hypothesis, std::span<const std::string_view> references,
                  std::span<double> statistics) override {
    ids_.clear();
    texts_.resize(references.size() + 1);
    words_of(hypothesis, texts_.back(), hypothesis_);
    size_t fewest = static_cast<size_t>(-1);
    size_t length = 0;
    for (size_t r = 0; r < references.size(); ++r) {
      words_of(references[r], texts_[r], reference_);
      fewest = std::min(fewest, shifts_.count_edits(hypothesis_, reference_));
      length += reference_.size();
    }
    statistics[0] = static_cast<double>(fewest);
    statistics[1] = static_cast<double>(length) / static_cast<double>(references.size());
  }

 private:
  void words_of(std::string_view line, std::string& text, std::vector<uint32_t>& ids) {
    words_.clear();
    split_for_ter(options_, strip_right(line), text, words_);
    ids_.ids(words_, ids);
  }

  TerOptions options_;
  std::vector<std::string> texts_;  // Words known to ids_ point into them.
  std::vector<std::string_view> words_;
  WordIds ids_;
  std::vector<uint32_t> hypothesis_;
  std::vector<uint32_t> reference_;
  WordShifts shifts_;
};

}  // namespace

std::unique_ptr<LineScorer> Ter::make_line_scorer() const {
  return std::make_unique<TerLineScorer>(options_);
}

double Ter::score(std::span<const double> sums) const {
  const double edits = sums[0];
  const double length = sums[1];
  if (length > 0) return 100 * (edits / length);
  return edits > 0 ? 100 : 0;  // Words where the references have none at all.
}

std::string Ter::signature(size_t references, const std::optional<Resampling>& resampling) const {
  const auto yes = [](bool option) { return option ? "yes" : "no"; };
  return make_signature(
      references, resampling,
      fmt::format("case:{}|tok:tercom|norm:{}|punct:{}|asian:{}",
                  options_.case_sensitive ? "mixed" : "lc", yes(options_.normalized),
                  yes(!options_.no_punctuation), yes(options_.asian_support)));
}

double corpus_ter(Sentences hypotheses, std::span<const Sentences> references,
                  const TerOptions& options) {
  const Ter ter(options);
  return ter.score(collect_statistics(ter, hypotheses, references).sums());
}

}  // namespace eatt::evaluation
