#include "markup/passage.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/text/unicode.h"
#include "base/text/utf8.h"
#include "markup/entities.h"
#include "markup/placeholders.h"
#include "text/sentences/punctuation.h"

namespace eatt::markup {
namespace {

// Text as people read it, and where each of its bytes comes from.
struct DecodedText {
  std::string text;
  std::vector<size_t> origin;      // Of each byte, and of the end: where it begins in the raw text.
  std::vector<TextRange> unknown;  // References that we do not know, as they are written.

  void add(std::string_view bytes, size_t from) {
    text += bytes;
    origin.resize(text.size(), from);
  }
  std::string_view raw(TextRange range, std::string_view whole) const {
    return whole.substr(origin[range.begin], origin[range.end] - origin[range.begin]);
  }
};

DecodedText decode(std::string_view raw, bool is_html) {
  DecodedText decoded;
  for (size_t at = 0; at < raw.size();) {
    const auto reference =
        is_html && raw[at] == '&' ? read_reference(raw.substr(at)) : std::nullopt;
    if (!reference) {
      decoded.add(raw.substr(at, 1), at);
      ++at;
      continue;
    }
    const size_t begin = decoded.text.size();
    const bool is_known = !reference->text.empty();
    decoded.add(is_known ? std::string_view(reference->text) : raw.substr(at, reference->bytes),
                at);
    if (!is_known) decoded.unknown.push_back({begin, decoded.text.size()});
    at += reference->bytes;
  }
  decoded.origin.push_back(raw.size());
  return decoded;
}

// A part of a text that is not translated as the rest is.
struct Special {
  TextRange range;
  const std::string* fixed = nullptr;  // Its translation, or null if it is kept.
};

// Kept ranges, those of the second list only where they do not overlap the first's.
std::vector<TextRange> merged(std::vector<TextRange> first, std::vector<TextRange> second) {
  std::vector<TextRange> all;
  auto next = first.begin();
  for (const TextRange& range : second) {
    while (next != first.end() && next->end <= range.begin) all.push_back(*next++);
    if (next == first.end() || range.end <= next->begin) all.push_back(range);
  }
  all.insert(all.end(), next, first.end());
  return all;
}

// In order and without overlap. Terms are looked for between what is kept.
std::vector<Special> find_specials(const DecodedText& decoded, const PassageRules& rules) {
  const std::string_view text = decoded.text;
  std::vector<TextRange> kept = decoded.unknown;
  if (rules.keeps_placeholders) kept = merged(find_placeholders(text), decoded.unknown);
  std::vector<Special> specials;
  size_t begin = 0;
  const auto add_terms = [&](size_t end) {
    if (rules.glossary == nullptr) return;
    for (const auto& [range, target] : rules.glossary->find(text.substr(begin, end - begin))) {
      specials.push_back({{begin + range.begin, begin + range.end}, target});
    }
  };
  for (const TextRange& range : kept) {
    add_terms(range.begin);
    specials.push_back({range});
    begin = range.end;
  }
  add_terms(text.size());
  return specials;
}

}  // namespace

// Nodes behind which nothing was added yet learn what comes next.
void PassageBuilder::tell_waiting(bool is_space) {
  std::vector<Node>& nodes = passage_.nodes;
  for (; first_waiting_ < nodes.size(); ++first_waiting_) {
    nodes[first_waiting_].space_after = is_space;
  }
}

// Text of the sentence itself. None begins with white space; in HTML, a run of it is one space.
// Where something was cut out, the space before it stays and the one behind it goes ("see URL
// now"), but none stays before a mark that was attached to it ("see URL.").
void PassageBuilder::append(std::string_view text) {
  std::string& all = passage_.text;
  for (size_t at = 0; at < text.size();) {
    const Utf8Character character = decode_utf8(text, at);
    const std::string_view bytes = text.substr(at, character.size);
    const bool is_space = is_white_space(character.code);
    tell_waiting(is_space);
    if (is_space) {
      const bool collapses = rules_.is_html && character.code < 0x80;
      const bool repeats = (collapses || has_cut_) && !pending_.empty();
      if (!all.empty() && !repeats) pending_ += collapses ? " " : bytes;
    } else {
      const bool attaches = has_cut_ && !after_space_ && closes_up(character.code);
      if (!attaches) all += pending_;
      all += bytes;
      pending_.clear();
      has_cut_ = false;
    }
    after_space_ = is_space;
    at += character.size;
  }
}

void PassageBuilder::add_text(std::string_view raw) {
  const DecodedText decoded = decode(raw, rules_.is_html);
  const std::string_view text = decoded.text;
  size_t begin = 0;
  for (const auto& [range, fixed] : find_specials(decoded, rules_)) {
    append(text.substr(begin, range.begin - begin));
    begin = range.end;
    if (fixed == nullptr) {
      add_kept(decoded.raw(range, raw), /*is_visible=*/true);
      continue;
    }
    const size_t start = passage_.text.size();
    const bool after_space = after_space_;
    append(range.of(text));
    passage_.nodes.push_back({.kind = Node::Kind::fixed,
                              .open = *fixed,
                              .parent = parent(),
                              .source = {start, passage_.text.size()},
                              .space_before = after_space});
  }
  append(text.substr(begin));
}

void PassageBuilder::open_element(std::string_view tag) {
  const int number = static_cast<int>(passage_.nodes.size());
  const size_t at = passage_.text.size();
  passage_.nodes.push_back({.kind = Node::Kind::element,
                            .open = std::string(tag),
                            .parent = parent(),
                            .source = {at, at},
                            .space_before = after_space_});
  open_.push_back(number);
}

void PassageBuilder::close_element(std::string_view tag) {
  expects(!open_.empty(), "an element is closed that was opened");
  Node& element = passage_.nodes[static_cast<size_t>(open_.back())];
  element.close = tag;
  element.source.end = passage_.text.size();
  open_.pop_back();
}

void PassageBuilder::add_kept(std::string_view bytes, bool is_visible) {
  if (is_visible) tell_waiting(false);
  const size_t at = passage_.text.size();
  passage_.nodes.push_back({.kind = Node::Kind::kept,
                            .open = std::string(bytes),
                            .parent = parent(),
                            .source = {at, at},
                            .is_visible = is_visible,
                            .space_before = after_space_});
  if (!is_visible) return;
  after_space_ = false;
  has_cut_ = true;
}

void PassageBuilder::add_implied_space() {
  if (!after_space_ && rules_.writes_spaces) append(" ");
}

Passage PassageBuilder::take() {
  pending_.clear();
  has_cut_ = false;
  open_.clear();
  after_space_ = true;
  first_waiting_ = 0;
  return std::exchange(passage_, {});
}

bool closes_up(char32_t code) {
  return is_punctuation(code) && !is_opening_bracket(code) && !is_opening_quote(code) &&
         !is_dash(code);
}

TextRange without_outer_space(std::string_view raw, bool is_html) {
  TextRange words{raw.size(), raw.size()};
  for (size_t at = 0; at < raw.size();) {
    const auto reference =
        is_html && raw[at] == '&' ? read_reference(raw.substr(at)) : std::nullopt;
    const Utf8Character character = decode_utf8(raw, at);
    const bool is_space =
        reference ? leading_space_bytes(reference->text) > 0 : is_white_space(character.code);
    const size_t end = at + (reference ? reference->bytes : character.size);
    if (!is_space) words = {std::min(words.begin, at), end};
    at = end;
  }
  return words;
}

bool has_letter(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const Utf8Character character = decode_utf8(text, at);
    if (is_letter(character.code)) return true;
    at += character.size;
  }
  return false;
}

}  // namespace eatt::markup
