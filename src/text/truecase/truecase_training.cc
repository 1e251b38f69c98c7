#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "base/files/atomic_file.h"
#include "base/text/unicode.h"
#include "base/text/utf8.h"
#include "text/truecase/truecase.h"

namespace eatt {
namespace {

constexpr uint64_t kWhole = 10;
constexpr uint64_t kTenth = 1;

struct Form {
  std::string lower;
  std::string_view text;
  uint64_t tenths;
};

// "12" or "12.3"
std::string format_tenths(uint64_t tenths) {
  const uint64_t rest = tenths % kWhole;
  return rest == 0 ? fmt::format("{}", tenths / kWhole)
                   : fmt::format("{}.{}", tenths / kWhole, rest);
}

// One line of the model from the forms of one word, the best one first.
std::string model_line(std::span<const Form> forms) {
  const uint64_t total =
      std::accumulate(forms.begin(), forms.end(), uint64_t{0},
                      [](uint64_t sum, const Form& form) { return sum + form.tenths; });
  std::string line = fmt::format("{} ({}/{})", forms[0].text, format_tenths(forms[0].tenths),
                                 format_tenths(total));
  for (const Form& form : forms.subspan(1)) {
    line += fmt::format(" {} ({})", form.text, format_tenths(form.tenths));
  }
  return line + '\n';
}

enum class Place { skipped, first, inside };

// Where in a sentence the words of a line stand, as training sees it.
class TrainingPlaces {
 public:
  explicit TrainingPlaces(TextForm form) : form_(form), raw_starts_(form) {}

  Place next(const WordParts& word) {
    return form_ == TextForm::raw ? next_raw(word) : next_token(word.core);
  }

 private:
  Place next_raw(const WordParts& word) {
    const bool first = raw_starts_.at_start();
    raw_starts_.pass(word);
    if (word.core.empty()) return Place::skipped;
    return first ? Place::first : Place::inside;
  }

  // Moses trains with a rule that is not the one it applies: openers are skipped at the start of a
  // line only; after a sentence end inside the line even an opening quote is the first word.
  Place next_token(std::string_view token) {
    if (before_first_ && opens_sentence(token)) return Place::skipped;
    const bool first = before_first_ || after_end_;
    before_first_ = false;
    after_end_ = ends_sentence(token);
    return first ? Place::first : Place::inside;
  }

  TextForm form_;
  SentenceStarts raw_starts_;
  bool before_first_ = true;
  bool after_end_ = false;
};

}  // namespace

void TruecaseTraining::add(std::string_view line) {
  TrainingPlaces places(options_.form);
  size_t words_seen = 0;
  std::string_view capitalized_first;
  for (WordScanner words(line); words.next();) {
    const WordParts parts = split_word(words.word(), options_.form);
    const Place place = places.next(parts);
    ++words_seen;
    if (place == Place::skipped) continue;
    if (place == Place::inside || (options_.use_first_words && starts_in_lower_case(parts.core))) {
      count(parts.core, kWhole);
    } else if (words_seen == 1) {
      capitalized_first = parts.core;
    }
  }
  const bool alone = words_seen == 1 && !capitalized_first.empty();
  if (options_.use_first_words && alone) count(capitalized_first, kTenth);
}

void TruecaseTraining::count(std::string_view form, uint64_t tenths) {
  const auto known = tenths_.find(form);
  if (known != tenths_.end()) {
    known->second += tenths;
  } else if (is_valid_utf8(form)) {
    tenths_.emplace(form, tenths);
  } else {
    ++invalid_words_;
  }
}

void TruecaseTraining::write(const std::filesystem::path& model_file) const {
  std::vector<Form> forms;
  forms.reserve(tenths_.size());
  for (const auto& [text, tenths] : tenths_) forms.push_back({lower_case(text), text, tenths});
  std::sort(forms.begin(), forms.end(), [](const Form& a, const Form& b) {
    if (a.lower != b.lower) return a.lower < b.lower;
    if (a.tenths != b.tenths) return a.tenths > b.tenths;
    return a.text > b.text;  // Lower-case letters have the larger code points.
  });

  AtomicFile file(model_file);
  for (auto begin = forms.begin(); begin != forms.end();) {
    const auto end = std::find_if(begin, forms.end(),
                                  [&](const Form& form) { return form.lower != begin->lower; });
    file.write(model_line({begin, end}));
    begin = end;
  }
  file.commit();
}

}  // namespace eatt
