#include "evaluation/chrf.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/text/unicode.h"
#include "base/text/utf8.h"
#include "evaluation/metric.h"
#include "evaluation/ngram_matcher.h"
#include "evaluation/tokenizers.h"

namespace eatt::evaluation {
namespace {

bool is_ascii_punctuation(char byte) {
  return (byte >= '!' && byte <= '/') || (byte >= ':' && byte <= '@') ||
         (byte >= '[' && byte <= '`') || (byte >= '{' && byte <= '~');
}

// Splits off one ASCII punctuation character at the end of a word, or else one at its beginning; a
// word of one character stays.
void separate_punctuation(const std::vector<std::string_view>& words,
                          std::vector<std::string_view>& out) {
  for (const std::string_view word : words) {
    if (decode_utf8(word, 0).size == word.size()) {
      out.push_back(word);
    } else if (is_ascii_punctuation(word.back())) {
      out.push_back(word.substr(0, word.size() - 1));
      out.push_back(word.substr(word.size() - 1));
    } else if (is_ascii_punctuation(word.front())) {
      out.push_back(word.substr(0, 1));
      out.push_back(word.substr(1));
    } else {
      out.push_back(word);
    }
  }
}

// The order of the floating-point operations is sacreBLEU's, so that all digits agree.
double f_score(const ChrfOptions& options, std::span<const double> statistics) {
  constexpr double kEpsilon = 1e-16;
  const double factor = static_cast<double>(options.beta) * options.beta;
  const size_t orders = statistics.size() / 3;
  double smoothed = 0;
  double precisions = 0;
  double recalls = 0;
  size_t used = 0;
  for (size_t i = 0; i < orders; ++i) {
    const double hypothesis = statistics[3 * i];
    const double reference = statistics[3 * i + 1];
    const double common = statistics[3 * i + 2];
    const double precision = hypothesis > 0 ? common / hypothesis : kEpsilon;
    const double recall = reference > 0 ? common / reference : kEpsilon;
    const double denominator = factor * precision + recall;
    smoothed += denominator > 0 ? (1 + factor) * precision * recall / denominator : kEpsilon;
    if (hypothesis > 0 && reference > 0) {
      precisions += precision;
      recalls += recall;
      ++used;
    }
  }
  if (options.eps_smoothing) return 100 * smoothed / static_cast<double>(orders);
  if (used == 0) return 0;
  precisions /= static_cast<double>(used);
  recalls /= static_cast<double>(used);
  if (precisions + recalls == 0) return 0;
  return 100 * ((1 + factor) * precisions * recalls / (factor * precisions + recalls));
}

class ChrfLineScorer : public LineScorer {
 public:
  explicit ChrfLineScorer(const ChrfOptions& options)
      : options_(options),
        matches_(static_cast<size_t>(std::max(options.char_order, options.word_order))) {}

  void score_line(std::string_view hypothesis, std::span<const std::string_view> references,
                  std::span<double> statistics) override {
    ids_.clear();
    read(hypothesis, hypothesis_);
    references_.resize(references.size());
    candidate_.resize(statistics.size());
    double best = -1;
    for (size_t r = 0; r < references.size(); ++r) {
      read(references[r], references_[r]);
      compare(references_[r]);
      const double score = f_score(options_, candidate_);
      if (score <= best) continue;
      best = score;
      std::copy(candidate_.begin(), candidate_.end(), statistics.begin());
    }
  }

 private:
  struct Side {
    std::string lowercased;  // Words known to ids_ point into it.
    std::vector<uint32_t> characters;
    std::vector<uint32_t> words;
  };

  void read(std::string_view line, Side& side) {
    if (options_.lowercase) {
      side.lowercased.clear();
      append_python_lower_case(line, side.lowercased);
      line = side.lowercased;
    }
    read_characters(line, side.characters);
    if (options_.word_order == 0) return;
    words_.clear();
    separated_.clear();
    split_on_space(line, words_);
    separate_punctuation(words_, separated_);
    ids_.ids(separated_, side.words);
  }

  void read_characters(std::string_view line, std::vector<uint32_t>& characters) const {
    characters.resize(line.size());
    uint32_t* end = characters.data();
    for (size_t at = 0; at < line.size();) {
      const Utf8Character character = decode_utf8(line, at);
      *end = character.code;
      end += options_.whitespace || !is_python_space(character.code) ? 1 : 0;
      at += character.size;
    }
    characters.resize(static_cast<size_t>(end - characters.data()));
  }

  void compare(const Side& reference) {
    const auto characters = static_cast<size_t>(options_.char_order);
    const auto words = static_cast<size_t>(options_.word_order);
    const std::span<double> statistics(candidate_);
    compare(hypothesis_.characters, reference.characters, statistics.first(3 * characters));
    compare(hypothesis_.words, reference.words, statistics.subspan(3 * characters, 3 * words));
  }

  void compare(Symbols hypothesis, Symbols reference, std::span<double> statistics) {
    const size_t orders = statistics.size() / 3;
    if (orders == 0) return;
    matcher_.match(hypothesis, {&reference, 1}, std::span(matches_).first(orders));
    for (size_t n = 0; n < orders; ++n) {
      const auto ngrams = [&](Symbols symbols) {
        return static_cast<double>(symbols.size() > n ? symbols.size() - n : 0);
      };
      // Orders longer than the reference do not count against the hypothesis.
      statistics[3 * n] = ngrams(reference) > 0 ? ngrams(hypothesis) : 0;
      statistics[3 * n + 1] = ngrams(reference);
      statistics[3 * n + 2] = matches_[n];
    }
  }

  ChrfOptions options_;
  Side hypothesis_;
  std::vector<Side> references_;
  std::vector<std::string_view> words_;
  std::vector<std::string_view> separated_;
  WordIds ids_;
  NgramMatcher matcher_;
  std::vector<uint32_t> matches_;
  std::vector<double> candidate_;
};

}  // namespace

Chrf::Chrf(const ChrfOptions& options) : options_(options) {
  const auto check = [](std::string_view what, int value, int least, int most) {
    if (value >= least && value <= most) return;
    throw UsageError(fmt::format("{} is {}; expected {} to {}", what, value, least, most));
  };
  check("--chrf-char-order", options.char_order, 0, 100);
  check("--chrf-word-order", options.word_order, 0, 100);
  check("--chrf-beta", options.beta, 0, 100);
  if (options.char_order + options.word_order == 0) {
    throw UsageError(
        "--chrf-char-order and --chrf-word-order are both 0; expected at least one order");
  }
}

std::string Chrf::name() const {
  return fmt::format("chrF{}{}", options_.beta,
                     std::string(static_cast<size_t>(options_.word_order), '+'));
}

size_t Chrf::width() const {
  return 3 * static_cast<size_t>(options_.char_order + options_.word_order);
}

std::unique_ptr<LineScorer> Chrf::make_line_scorer() const {
  return std::make_unique<ChrfLineScorer>(options_);
}

double Chrf::score(std::span<const double> sums) const { return f_score(options_, sums); }

std::string Chrf::signature(size_t references, const std::optional<Resampling>& resampling) const {
  return make_signature(
      references, resampling,
      fmt::format("case:{}|eff:{}|nc:{}|nw:{}|space:{}", options_.lowercase ? "lc" : "mixed",
                  options_.eps_smoothing ? "no" : "yes", options_.char_order, options_.word_order,
                  options_.whitespace ? "yes" : "no"));
}

double corpus_chrf(Sentences hypotheses, std::span<const Sentences> references,
                   const ChrfOptions& options) {
  const Chrf chrf(options);
  return chrf.score(collect_statistics(chrf, hypotheses, references).sums());
}

}  // namespace eatt::evaluation
