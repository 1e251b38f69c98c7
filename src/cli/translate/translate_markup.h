#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/translate/line_input.h"
#include "markup/markup.h"
#include "runtime/api/translator.h"
#include "text/detokenize/detokenizer.h"

namespace eatt::cli {

// Translates text with what stands in it: HTML, placeholders, terms of a glossary.
class MarkupTranslator {
 public:
  // What is given lives longer than this.
  MarkupTranslator(const Translator& translator, const SearchOptions& search,
                   markup::MarkupOptions options, const std::optional<Detokenizer>& detokenizer)
      : translator_(translator),
        search_(search),
        options_(std::move(options)),
        detokenizer_(detokenizer) {}

  // Of lines of plain text; the text of each best hypothesis is the line with all that it had.
  std::vector<Translation> translate_lines(std::span<const InputLine> lines) const;

  // Of a whole document. The translations of its texts are for statistics.
  std::string translate_document(std::string_view text,
                                 std::vector<Translation>& translations) const;

 private:
  markup::Document document_of(std::string_view text) const {
    return {text, options_, translator_.source_language()};
  }
  std::vector<Translation> translate(std::span<const TranslationTask> tasks) const;

  const Translator& translator_;
  const SearchOptions& search_;
  markup::MarkupOptions options_;
  const std::optional<Detokenizer>& detokenizer_;
};

}  // namespace eatt::cli
