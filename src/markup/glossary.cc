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

std::string first_character(std::string_view text) {
  return lower_case(text.substr(0, decode_utf8(text, 0).size));
}

size_t count_characters(std::string_view text) {
  size_t count = 0;
  for (size_t at = 0; at < text.size(); at += decode_utf8(text, at).size) ++count;
  return count;
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

Glossary::Glossary(std::span<const GlossaryEntry> entries) {
  check_glossary(entries);
  for (const GlossaryEntry& entry : entries) {
    const std::string term = with_single_spaces(strip(entry.source));
    const bool has_capitals = lower_case(term) != term;
    (has_capitals ? exact_ : any_case_)[term] = strip(entry.target);
    lengths_[first_character(term)].push_back(count_characters(term));
  }
  for (auto& [first, lengths] : lengths_) {
    std::ranges::sort(lengths, std::greater());
    lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
  }
}

// The target of the longest term that begins at `begin`, and where it ends; null if there is none.
const std::string* Glossary::longest_at(std::string_view text, size_t begin, size_t& end) const {
  const auto lengths = lengths_.find(first_character(text.substr(begin)));
  if (lengths == lengths_.end()) return nullptr;
  // The text as terms are stored, and of each of its characters where it ends.
  std::string stored;
  std::vector<std::pair<size_t, size_t>> ends;  // In `stored`, in `text`.
  for (size_t at = begin; at < text.size() && ends.size() < lengths->second.front();) {
    const Utf8Character character = decode_utf8(text, at);
    const bool is_space = is_white_space(character.code);
    const bool repeats = is_space && stored.ends_with(' ');
    if (!repeats) stored += is_space ? " " : text.substr(at, character.size);
    at += character.size;
    if (repeats) ends.pop_back();
    ends.emplace_back(stored.size(), at);
  }
  for (const size_t length : lengths->second) {
    if (length > ends.size() || !is_word_border(text, ends[length - 1].second)) continue;
    const std::string part = stored.substr(0, ends[length - 1].first);
    end = ends[length - 1].second;
    if (const auto found = exact_.find(part); found != exact_.end()) return &found->second;
    const auto found = any_case_.find(lower_case(part));
    if (found != any_case_.end()) return &found->second;
  }
  return nullptr;
}

std::vector<Glossary::Match> Glossary::find(std::string_view text) const {
  std::vector<Match> matches;
  if (is_empty()) return matches;
  for (size_t at = 0; at < text.size();) {
    size_t end = 0;
    const std::string* target = is_word_border(text, at) ? longest_at(text, at, end) : nullptr;
    if (target != nullptr) matches.push_back({{at, end}, target});
    at = target != nullptr ? end : at + decode_utf8(text, at).size;
  }
  return matches;
}

}  // namespace eatt::markup
