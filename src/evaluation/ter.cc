#include "evaluation/ter.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/unicode.h"
#include "base/text/utf8.h"
#include "evaluation/metric.h"
#include "evaluation/ngram_matcher.h"
#include "evaluation/tokenizers.h"
#include "evaluation/western_words.h"

namespace eatt::evaluation {
namespace {

bool is_asian_punctuation(char32_t code) {
  return code == 0x3001 || code == 0x3002 || (code >= 0x3008 && code <= 0x3011) ||
         (code >= 0x3014 && code <= 0x301f) || (code >= 0xff61 && code <= 0xff65) ||
         code == 0x30fb || code == 0xff0e || code == 0xff0c || code == 0xff1f || code == 0xff1a ||
         code == 0xff1b || code == 0xff01 || code == 0xff02 || code == 0xff08 || code == 0xff09;
}

// Tercom treats all of U+3200 to U+3F22 as enclosed letters.
bool is_asian_character(char32_t code) {
  return (code >= 0x2e80 && code <= 0x2eff) || (code >= 0x31c0 && code <= 0x31ef) ||
         (code >= 0x3200 && code <= 0x4dbf) || (code >= 0x4e00 && code <= 0x9fff) ||
         (code >= 0xf900 && code <= 0xfaff) || (code >= 0xfe30 && code <= 0xfe4f) ||
         is_asian_punctuation(code);
}

void split_normalized(bool asian_support, std::string& text, std::vector<std::string_view>& words) {
  replace_all(text, "\n-", "");
  replace_all(text, "\n", " ");
  replace_entities(text);
  const WesternRules rules{.padded = true, .possessives = true};
  if (asian_support) {
    scan_western_words(text, rules, is_asian_character, words);
  } else {
    scan_western_words(
        text, rules, [](char32_t) { return false; }, words);
  }
}

bool is_removed(char32_t code, bool asian_support) {
  constexpr std::u32string_view kRemoved = U".,?:;!\"()";
  return kRemoved.find(code) != std::u32string_view::npos ||
         (asian_support && is_asian_punctuation(code));
}

// Removes punctuation from the words from `first` on, in place: they point into `text`. Words that
// become empty are removed.
void remove_punctuation(bool asian_support, std::string& text, size_t first,
                        std::vector<std::string_view>& words) {
  std::string kept;
  std::vector<size_t> ends;
  for (size_t i = first; i < words.size(); ++i) {
    const size_t begin = kept.size();
    for (size_t at = 0; at < words[i].size();) {
      const Utf8Character character = decode_utf8(words[i], at);
      if (!is_removed(character.code, asian_support)) {
        kept += words[i].substr(at, character.size);
      }
      at += character.size;
    }
    if (kept.size() > begin) ends.push_back(kept.size());
  }
  text = std::move(kept);
  words.resize(first);
  size_t begin = 0;
  for (const size_t end : ends) {
    words.push_back(std::string_view(text).substr(begin, end - begin));
    begin = end;
  }
}

}  // namespace

void split_for_ter(const TerOptions& options, std::string_view line, std::string& scratch,
                   std::vector<std::string_view>& words) {
  const size_t first = words.size();
  scratch.clear();
  if (options.case_sensitive) {
    scratch = line;
  } else {
    append_python_lower_case(line, scratch);
  }
  if (options.normalized) {
    split_normalized(options.asian_support, scratch, words);
  } else {
    split_on_space(scratch, words);
  }
  if (options.no_punctuation) {
    remove_punctuation(options.asian_support, scratch, first, words);
  }
}

namespace {

class TerLineScorer : public LineScorer {
 public:
  explicit TerLineScorer(const TerOptions& options) : options_(options) {}

  void score_line(std::string_view hypothesis, std::span<const std::string_view> references,
                  std::span<double> statistics) override {
    ids_.clear();
    texts_.resize(references.size() + 1);
    split(hypothesis, texts_.back());
    ids_.ids(words_, hypothesis_);
    size_t fewest = static_cast<size_t>(-1);
    size_t length = 0;
    for (size_t r = 0; r < references.size(); ++r) {
      split(references[r], texts_[r]);
      if (options_.normalized) split_again(texts_[r]);
      ids_.ids(words_, reference_);
      fewest = std::min(fewest, shifts_.count_edits(hypothesis_, reference_));
      length += reference_.size();
    }
    statistics[0] = static_cast<double>(fewest);
    statistics[1] = static_cast<double>(length) / static_cast<double>(references.size());
  }

 private:
  void split(std::string_view line, std::string& text) {
    words_.clear();
    split_for_ter(options_, strip_right(line), text, words_);
  }

  // sacreBLEU tokenizes references, and only those, a second time. Normalizing is not idempotent:
  // "Anna's." is split into "anna's" and ".", and only then is "anna's" a possessive to be split.
  void split_again(std::string& text) {
    joined_.clear();
    for (const std::string_view word : words_) {
      if (!joined_.empty()) joined_ += ' ';
      joined_ += word;
    }
    split(joined_, text);
  }

  TerOptions options_;
  std::vector<std::string> texts_;       // Words known to ids_ point into them.
  std::vector<std::string_view> words_;  // Of the line that was split last.
  std::string joined_;
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

}  // namespace eatt::evaluation
