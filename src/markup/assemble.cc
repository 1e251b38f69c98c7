#include "markup/assemble.h"

#include <algorithm>
#include <set>

#include "base/text/unicode.h"
#include "base/text/utf8.h"
#include "markup/alignment.h"
#include "markup/entities.h"
#include "markup/placement.h"
#include "text/sentences/punctuation.h"

namespace eatt::markup {
namespace {

// Bytes of the text at which something begins or ends.
std::vector<size_t> borders_of(const Passage& passage) {
  std::vector<size_t> borders;
  for (const Node& node : passage.nodes) {
    borders.push_back(node.source.begin);
    borders.push_back(node.source.end);
  }
  std::ranges::sort(borders);
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  return borders;
}

// Writes tokens and nodes from left to right. The white space before a token, its gap, is written
// as late as possible, so that end tags stand before it and start tags behind it.
class Writer {
 public:
  Writer(const Passage& passage, const TokenAlignment& alignment, std::string_view text,
         bool is_html)
      : passage_(passage),
        tokens_(alignment.target),
        places_(place_nodes(passage, alignment, text)),
        text_(text),
        is_html_(is_html),
        children_(passage.nodes.size() + 1) {
    for (size_t i = 0; i < passage.nodes.size(); ++i) {
      children_[static_cast<size_t>(passage.nodes[i].parent + 1)].push_back(i);
    }
    // At one place, what covers nothing comes before what begins there.
    for (auto& list : children_) {
      std::ranges::stable_sort(list, {}, [&](size_t node) {
        return std::pair(places_[node].begin, places_[node].begin < places_[node].end);
      });
    }
  }

  std::string run() {
    write_children(0, {0, tokens_.size()});
    write_gap(tokens_.size());
    return std::move(output_);
  }

 private:
  void write_children(size_t list, TextRange room) {
    size_t at = room.begin;
    for (const size_t i : children_[list]) {
      write_tokens(at, places_[i].begin);
      at = places_[i].end;
      write_node(i);
    }
    write_tokens(at, room.end);
  }

  void write_node(size_t i) {
    const Node& node = passage_.nodes[i];
    const TextRange place = places_[i];
    switch (node.kind) {
      case Node::Kind::element:
        if (place.begin < place.end || node.space_before) write_gap(place.begin);
        output_ += node.open;
        write_children(i + 1, place);
        output_ += node.close;
        break;
      case Node::Kind::kept:
        if (node.is_visible) {
          write_visible(node, place.begin, node.open);
        } else {
          if (node.space_before) write_gap(place.begin);
          output_ += node.open;
        }
        break;
      case Node::Kind::fixed:
        write_term(node, place);
        break;
    }
  }

  void write_term(const Node& node, TextRange place) {
    std::string term;
    starts_sentence(place.begin) ? append_capitalized(node.open, term) : void(term = node.open);
    if (is_html_) term = escape_text(term);
    if (place.begin == place.end) return write_visible(node, place.begin, term);
    write_gap(place.begin);
    write_wanted_space(term);
    write(term);
    next_gap_ = place.end;
  }

  // With white space on both sides if it had some in the source. What the translation has there
  // goes to one side; only what is missing is added.
  void write_visible(const Node& node, size_t gap, std::string_view bytes) {
    if (node.space_before || !node.space_after) write_gap(gap);
    if (wants_space_ || (node.space_before && !last_is_opening())) write_space();
    write(bytes);
    wants_space_ = node.space_after;
  }

  void write_tokens(size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      write_gap(i);
      const std::string_view token = tokens_[i].of(text_);
      write_wanted_space(token);
      write(is_html_ ? escape_text(token) : token);
    }
  }

  // The white space before token `i`, if it is not written yet.
  void write_gap(size_t i) {
    if (i < next_gap_) return;
    next_gap_ = i + 1;
    const size_t begin = i == 0 ? 0 : tokens_[i - 1].end;
    const size_t end = i == tokens_.size() ? text_.size() : tokens_[i].begin;
    if (begin == end) return;
    output_ += text_.substr(begin, end - begin);
    after_space_ = true;
  }

  void write(std::string_view text) {
    output_ += text;
    last_ = decode_utf8_before(text, text.size()).code;
    after_space_ = false;
    wants_space_ = false;
  }

  void write_space() {
    if (!after_space_) output_ += ' ';
    after_space_ = true;
  }

  // Between something visible and a word, but not before a full stop.
  void write_wanted_space(std::string_view next) {
    if (wants_space_ && !closes_up(decode_utf8(next, 0).code)) write_space();
  }

  bool last_is_opening() const { return is_opening_bracket(last_) || is_opening_quote(last_); }

  // Whether a word that stands at this token begins a sentence.
  bool starts_sentence(size_t token) const {
    while (token > 0 && is_quote(utf8_front_of(token - 1))) --token;
    return token == 0 || is_sentence_end(utf8_front_of(token - 1));
  }
  char32_t utf8_front_of(size_t token) const {
    return decode_utf8(text_, tokens_[token].begin).code;
  }

  const Passage& passage_;
  const std::vector<TextRange>& tokens_;
  std::vector<TextRange> places_;
  std::string_view text_;
  bool is_html_;
  std::vector<std::vector<size_t>> children_;  // As in placement: of no element, of node 0, ….

  std::string output_;
  size_t next_gap_ = 0;       // Gaps before this one are written.
  char32_t last_ = 0;         // The last character that is to be seen.
  bool after_space_ = true;   // Whether white space or nothing comes before.
  bool wants_space_ = false;  // Whether the last thing had white space behind it in the source.
};

}  // namespace

std::string assemble_passage(const Passage& passage, const Translation& translation, bool is_html) {
  const std::string& text = translation.hypotheses.front().text;
  if (passage.nodes.empty()) return is_html ? escape_text(text) : text;
  const TokenAlignment alignment = align_tokens(passage.text, borders_of(passage), translation);
  return Writer(passage, alignment, text, is_html).run();
}

}  // namespace eatt::markup
