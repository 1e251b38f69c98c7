#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace eatt::markup {

// A piece of an HTML document. The bytes of all tokens, one after another, are the document.
struct HtmlToken {
  enum class Kind {
    text,
    start_tag,
    end_tag,
    comment,  // Comments, CDATA, doctypes, processing instructions, and a tag that has no end.
    kept,     // An element with its content, which is no markup: script, style, textarea, ….
  };

  Kind kind = Kind::text;
  std::string_view bytes = {};
  std::string name = {};        // Of a tag or kept element, in lower case.
  bool closes_itself = false;   // <x/>
  bool is_translatable = true;  // False for translate="no" and class="notranslate".
  size_t end_tag = 0;           // Of a start tag: the token that closes it; 0 if none does.
};

// Takes any text: whatever is no markup is text, as in browsers. The views are into `html`.
// The work grows with the length of the document only.
std::vector<HtmlToken> tokenize_html(std::string_view html);

// What an element is to the text around it.
enum class ElementKind {
  inline_element,  // Part of a sentence: <b>, <a>, and all that is not known.
  block,           // Separates texts: <p>, <li>, <td>, ….
  line_break,      // <br>, <wbr>
  object,          // Something to see inside a sentence, without text: <img>, <input>.
};
ElementKind element_kind(std::string_view name);

// <br>, <img> and others that never have an end tag.
bool is_void(std::string_view name);

// Elements whose content is not translated: script, style, pre, code, textarea and the like.
bool keeps_content(std::string_view name);

}  // namespace eatt::markup
