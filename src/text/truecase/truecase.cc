#include "text/truecase/truecase.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <fstream>
#include <istream>

#include "base/error.h"
#include "base/text/letter_case.h"
#include "base/text/utf8.h"

namespace eatt {
namespace {

constexpr std::string_view kLineForm = "`word (count/total) other-form (count) …`";

// Copies `line`, handing each word's core and whether it begins a sentence to `recase`, which
// appends what shall stand there.
template <typename Recase>
std::string recase_words(std::string_view line, TextForm form, const Recase& recase) {
  std::string out;
  out.reserve(line.size() + 8);
  SentenceStarts starts(form);
  WordScanner words(line);
  while (words.next()) {
    const WordParts parts = split_word(words.word(), form);
    out += words.gap();
    out += parts.opening;
    recase(parts.core, starts.at_start(), out);
    out += parts.closing;
    starts.pass(parts);
  }
  out += words.gap();
  return out;
}

bool is_count(std::string_view text) {
  double count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  return error == std::errc() && end == text.data() + text.size() && count > 0;
}

bool is_parenthesised(std::string_view text) {
  return text.size() > 2 && text.front() == '(' && text.back() == ')';
}

// "(12)"
bool is_form_count(std::string_view text) {
  return is_parenthesised(text) && is_count(text.substr(1, text.size() - 2));
}

// "(12/15)"
bool is_best_count(std::string_view text) {
  const size_t slash = text.find('/');
  return slash != std::string_view::npos && is_parenthesised(text) &&
         is_count(text.substr(1, slash - 1)) &&
         is_count(text.substr(slash + 1, text.size() - slash - 2));
}

[[noreturn]] void refuse(const std::string& where, std::string_view found) {
  throw Error(fmt::format(
      "{}: found {}, expected {}; give a model made by `eatt corpus truecase train` or by Moses",
      where, found, kLineForm));
}

}  // namespace

Truecaser::Truecaser(const std::filesystem::path& model_file, TextForm form) : form_(form) {
  std::ifstream file(model_file, std::ios::binary);
  if (!file) {
    throw Error(fmt::format("{}: cannot be opened: {}; make it with `eatt corpus truecase train`",
                            model_file.string(), system_message(errno)));
  }
  read(file, model_file.string());
}

Truecaser::Truecaser(std::istream& model, const std::string& name, TextForm form) : form_(form) {
  read(model, name);
}

void Truecaser::read(std::istream& model, const std::string& name) {
  std::string line;
  for (size_t number = 1; std::getline(model, line); ++number) {
    read_line(line, fmt::format("{}: line {}", name, number));
  }
  if (model.bad()) throw Error(fmt::format("{}: cannot be read: {}", name, system_message(errno)));
}

void Truecaser::read_line(std::string_view line, const std::string& where) {
  if (!is_valid_utf8(line)) refuse(where, "bytes that are not UTF-8");
  WordScanner fields(line);
  if (!fields.next()) refuse(where, "an empty line");
  const std::string best(fields.word());
  if (!fields.next()) refuse(where, fmt::format("'{}' without a count", best));
  if (!is_best_count(fields.word())) refuse(where, fmt::format("the count '{}'", fields.word()));
  // Of two lines for one word the later is taken, as Moses does.
  best_[lower_case(best)] = best;
  known_.insert(best);
  while (fields.next()) {
    const std::string form(fields.word());
    if (!fields.next()) refuse(where, fmt::format("'{}' without a count", form));
    if (!is_form_count(fields.word())) refuse(where, fmt::format("the count '{}'", fields.word()));
    known_.insert(form);
  }
}

std::string Truecaser::apply(std::string_view line) const {
  return recase_words(line, form_, [this](std::string_view word, bool at_start, std::string& out) {
    append_recased(word, at_start, out);
  });
}

void Truecaser::append_recased(std::string_view word, bool at_start, std::string& out) const {
  if (!at_start && known_.contains(word)) {
    out += word;
    return;
  }
  const auto best = best_.find(lower_case(word));
  out += best == best_.end() ? word : std::string_view(best->second);
}

std::string undo_truecase(std::string_view line, TextForm form) {
  return recase_words(line, form, [](std::string_view word, bool at_start, std::string& out) {
    if (at_start) {
      append_capitalized(word, out);
    } else {
      out += word;
    }
  });
}

}  // namespace eatt
