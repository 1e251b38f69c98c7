#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "markup/glossary.h"
#include "runtime/api/translator.h"

namespace eatt::markup {

struct MarkupOptions {
  bool html = false;                         // False: plain text, a paragraph per line.
  std::shared_ptr<const Glossary> glossary;  // Terms whose translation is fixed; null: none.
  bool keep_placeholders = true;  // URLs, addresses, {name}, %s and the like stay as they are.
};

// A document taken apart: the texts to translate, and everything needed to put their translations
// back. Whatever is not text of a sentence (layout, tags, code) is kept byte for byte. What stands
// inside a text (tags, placeholders, glossary terms) is placed by the alignment of the words.
// docs/markup.md has the rules.
class Document {
 public:
  // `source_language` is a code such as "en"; "und" or nothing if it is not known.
  Document(std::string_view text, const MarkupOptions& options, std::string_view source_language);
  Document(Document&&) noexcept;
  Document& operator=(Document&&) noexcept;
  ~Document();

  // What to translate: paragraphs without tags and white space at their ends, perhaps of several
  // sentences. Never empty strings.
  const std::vector<std::string>& texts() const;

  // Whether assemble() needs attention in the translations. Without any, or with none of it for
  // some words, nothing is lost, but tags and terms stand at a guessed place.
  bool needs_alignment() const;

  // Of the fixed translations that the terms in it bring in.
  size_t term_bytes() const;

  // The translated document. The translations are those of texts(), as many and in this order;
  // hypothesis 0 of each is used. Its text may be detokenized.
  std::string assemble(std::span<const Translation> translations) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace eatt::markup
