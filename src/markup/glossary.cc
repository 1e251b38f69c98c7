#include "markup/glossary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/text/unicode.h"
#include "base/text/utf8.h"
#include "text/corpus/line_reader.h"
#include "text/sentences/punctuation.h"

namespace eatt::markup {
namespace {

constexpr size_t kMaxLineBytes = 1 << 16;

// What is wrong with a term or its translation; empty if nothing is.
std::string problem_of(const GlossaryEntry& entry) {
  if (is_blank(entry.source)) return "has no term";
  if (is_blank(entry.target))
    return fmt::format("has no translation for {}", in_quotes(entry.source));
  for (const std::string& text : {entry.source, entry.target}) {
    if (!is_valid_utf8(text)) return fmt::format("is not valid UTF-8 in {}", in_quotes(text));
    if (has_control_characters(text)) {
      return fmt::format("has a tab, line break or control character in {}", in_quotes(text));
    }
  }
  return "";
}

GlossaryEntry read_entry(std::string_view line) {
  const size_t tab = std::min(line.find('\t'), line.size());
  const std::string_view target = line.substr(std::min(tab + 1, line.size()));
  return {std::string(strip(line.substr(0, tab))), std::string(strip(target))};
}

// White space as single spaces.
std::string with_single_spaces(std::string_view text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const Utf8Character character = decode_utf8(text, at);
    if (!is_white_space(character.code)) {
      result += text.substr(at, character.size);
    } else if (!result.ends_with(' ')) {
      result += ' ';
    }
    at += character.size;
  }
  return result;
}

// Whether `text` is a term as it is written, but for the white space.
bool is_written(std::string_view text, std::string_view term) {
  size_t in_term = 0;
  for (size_t at = 0; at < text.size();) {
    const Utf8Character character = decode_utf8(text, at);
    const bool is_space = is_white_space(character.code);
    const bool repeats = is_space && in_term > 0 && term[in_term - 1] == ' ';
    const std::string_view bytes = is_space ? " " : text.substr(at, character.size);
    at += character.size;
    if (repeats) continue;
    if (!term.substr(in_term).starts_with(bytes)) return false;
    in_term += bytes.size();
  }
  return in_term == term.size();
}

// Letters and digits that would continue a word; not those of scripts without spaces.
bool continues_word(char32_t code) {
  return (is_letter(code) || is_number(code) || script_of(code) == Script::any) &&
         !is_east_asian(code);
}

// Whether a word can begin or end at byte `at`.
bool is_word_border(std::string_view text, size_t at) {
  if (at == 0 || at == text.size()) return true;
  return !continues_word(decode_utf8_before(text, at).code) ||
         !continues_word(decode_utf8(text, at).code);
}

}  // namespace

std::vector<GlossaryEntry> read_glossary(const TextFile& file) {
  std::vector<GlossaryEntry> entries;
  std::map<std::string, std::string> seen;
  LineReader reader(file, kMaxLineBytes);
  const auto fail = [&](const std::string& problem) {
    throw Error(fmt::format("{}: line {} {}; expected a term, a tab and its translation",
                            reader.name(), reader.number(), problem));
  };
  for (LineReader::Line line; reader.next(line);) {
    if (line.too_long) fail(fmt::format("has more than {} bytes", kMaxLineBytes));
    if (is_blank(line.text) || line.text.starts_with('#')) continue;
    if (line.text.find('\t') == line.text.npos) fail("has no tab");
    GlossaryEntry entry = read_entry(line.text);
    if (const std::string problem = problem_of(entry); !problem.empty()) fail(problem);
    const auto [known, is_new] = seen.emplace(entry.source, entry.target);
    if (!is_new && known->second != entry.target) {
      fail(fmt::format("has another translation of {} than an earlier line",
                       in_quotes(entry.source)));
    }
    if (is_new) entries.push_back(std::move(entry));
  }
  return entries;
}

void check_glossary(std::span<const GlossaryEntry> entries) {
  for (size_t i = 0; i < entries.size(); ++i) {
    const std::string problem = problem_of(entries[i]);
    if (problem.empty()) continue;
    throw UsageError(
        fmt::format("glossary entry {} {}; expected a term and its translation", i + 1, problem));
  }
}

Glossary::Glossary(std::span<const GlossaryEntry> entries, std::shared_ptr<const Glossary> others)
    : others_(std::move(others)) {
  check_glossary(entries);
  for (const GlossaryEntry& entry : entries) add(entry);
}

void Glossary::add(const GlossaryEntry& entry) {
  std::string term = with_single_spaces(strip(entry.source));
  const std::string lower = lower_case(term);
  uint32_t node = 0;
  for (size_t at = 0; at < lower.size();) {
    const Utf8Character character = decode_utf8(lower, at);
    const auto fresh = static_cast<uint32_t>(next_.size() + 1);
    node = next_.emplace(edge(node, character.code), fresh).first->second;
    at += character.size;
  }
  if (lower == term) term.clear();
  std::vector<Term>& same = terms_[node];
  const auto known = std::ranges::find(same, term, &Term::written);
  Term& place = known == same.end() ? same.emplace_back() : *known;
  place = {.written = std::move(term), .target = std::string(strip(entry.target))};
}

// Walks down the tree as far as the text goes, then back up to a term that is written like this.
Glossary::Found Glossary::own_longest_at(std::string_view text, size_t begin) const {
  std::vector<std::pair<const std::vector<Term>*, size_t>> reached;  // With where they end.
  uint32_t node = 0;
  bool after_space = false;
  for (size_t at = begin; at < text.size();) {
    const Utf8Character character = decode_utf8(text, at);
    const bool is_space = is_white_space(character.code);
    const std::string lower = is_space ? " " : lower_case(text.substr(at, character.size));
    at += character.size;
    if (is_space && after_space) continue;
    after_space = is_space;
    for (size_t i = 0; i < lower.size();) {
      const Utf8Character part = decode_utf8(lower, i);
      const auto next = next_.find(edge(node, part.code));
      node = next == next_.end() ? 0 : next->second;
      if (node == 0) break;
      i += part.size;
    }
    if (node == 0) break;
    const auto terms = terms_.find(node);
    if (terms != terms_.end() && is_word_border(text, at)) reached.emplace_back(&terms->second, at);
  }
  for (; !reached.empty(); reached.pop_back()) {
    const auto& [terms, end] = reached.back();
    const std::string_view part = text.substr(begin, end - begin);
    const Term* any_case = nullptr;
    for (const Term& term : *terms) {
      if (term.written.empty()) any_case = &term;
      if (!term.written.empty() && is_written(part, term.written)) return {end, &term.target};
    }
    if (any_case != nullptr) return {end, &any_case->target};
  }
  return {};
}

Glossary::Found Glossary::longest_at(std::string_view text, size_t begin) const {
  const Found own = own_longest_at(text, begin);
  const Found other = others_ ? others_->longest_at(text, begin) : Found();
  return other.end > own.end ? other : own;
}

std::vector<Glossary::Match> Glossary::find(std::string_view text) const {
  std::vector<Match> matches;
  for (size_t at = 0; at < text.size();) {
    const Found found = is_word_border(text, at) ? longest_at(text, at) : Found();
    if (found.target != nullptr) matches.push_back({{at, found.end}, found.target});
    at = found.target != nullptr ? found.end : at + decode_utf8(text, at).size;
  }
  return matches;
}

}  // namespace eatt::markup
