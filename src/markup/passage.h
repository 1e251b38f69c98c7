#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "markup/glossary.h"
#include "text/sentences/sentences.h"

namespace eatt::markup {

// Something that stands inside a text and has to be put into its translation.
struct Node {
  enum class Kind {
    element,  // Tags around a part of the text: `open` and `close`.
    kept,     // Bytes that are not translated, `open`, at a place of the text.
    fixed,    // A term of the glossary: `open` replaces its translation.
  };
  static constexpr int kNoParent = -1;

  Kind kind = Kind::kept;
  std::string open = {}, close = {};
  int parent = kNoParent;    // The element around it.
  TextRange source = {};     // What it covers of the text; `kept` covers nothing.
  bool is_visible = false;   // Of `kept`: white space before and behind it matters.
  bool space_before = true;  // In the source; true at the ends of the text too.
  bool space_after = true;
};

// A text to translate and what stands in it.
struct Passage {
  std::string text;
  std::vector<Node>
      nodes;  // In the order in which they begin; an element comes before its content.
};

// What a passage is made with.
struct PassageRules {
  const Glossary* glossary = nullptr;
  bool keeps_placeholders = true;
  bool is_html = false;       // Text has character references, and white space is collapsed.
  bool writes_spaces = true;  // Whether the source language puts spaces between words.
};

// Takes text and markup in the order of the document and makes the text that the model reads.
class PassageBuilder {
 public:
  explicit PassageBuilder(const PassageRules& rules) : rules_(rules) {}

  void add_text(std::string_view raw);
  void open_element(std::string_view tag);
  void close_element(std::string_view tag);
  void add_kept(std::string_view bytes, bool is_visible);
  // White space that nobody wrote but that a line break implies.
  void add_implied_space();

  // The text has no white space at its ends. The builder can be used again.
  Passage take();

 private:
  void append(std::string_view text);
  void tell_waiting(bool is_space);
  int parent() const { return open_.empty() ? Node::kNoParent : open_.back(); }

  const PassageRules& rules_;
  Passage passage_;
  std::string pending_;       // White space that is written before the next word.
  bool has_cut_ = false;      // Whether something visible was cut out behind the last word.
  std::vector<int> open_;     // Elements that are not closed yet.
  bool after_space_ = true;   // Whether what was added last, visible things only, is a space.
  size_t first_waiting_ = 0;  // Nodes from here on: the next thing tells what is behind them.
};

// Marks that follow a word without a space: not those that open something, and no dashes.
bool closes_up(char32_t code);

// The bytes of a text without white space at its ends; in HTML, references such as &nbsp; may be
// white space too.
TextRange without_outer_space(std::string_view raw, bool is_html);

// Whether there is a letter in the text; numbers and signs alone are left as they are.
bool has_letter(std::string_view text);

}  // namespace eatt::markup
