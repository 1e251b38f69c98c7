#include "cli/translate/translate_markup.h"

#include <utility>

namespace eatt::cli {

std::vector<Translation> MarkupTranslator::translate(std::span<const TranslationTask> tasks) const {
  std::vector<Translation> translations = translator_.translate(tasks, search_);
  if (!detokenizer_) return translations;
  for (Translation& translation : translations) {
    std::string& text = translation.hypotheses.front().text;
    text = detokenizer_->detokenize(text);
  }
  return translations;
}

// A line is one text, or none if it has nothing to translate.
std::vector<Translation> MarkupTranslator::translate_lines(std::span<const InputLine> lines) const {
  std::vector<markup::Document> documents;
  std::vector<TranslationTask> tasks;
  for (const InputLine& line : lines) {
    documents.push_back(document_of(line.text));
    for (const std::string& text : documents.back().texts()) {
      tasks.push_back({.source = text, .number = static_cast<int64_t>(line.number)});
    }
  }
  const std::vector<Translation> translations = translate(tasks);
  std::vector<Translation> result;
  size_t first = 0;
  for (const markup::Document& document : documents) {
    const auto own = std::span(translations).subspan(first, document.texts().size());
    first += own.size();
    std::string text = document.assemble(own);
    Translation line;
    own.empty() ? void(line.hypotheses.emplace_back()) : void(line = own.front());
    line.hypotheses.front().text = std::move(text);
    result.push_back(std::move(line));
  }
  return result;
}

std::string MarkupTranslator::translate_document(std::string_view text,
                                                 std::vector<Translation>& translations) const {
  const markup::Document document = document_of(text);
  std::vector<TranslationTask> tasks;
  for (const std::string& part : document.texts()) tasks.push_back({.source = part});
  translations = translate(tasks);
  return document.assemble(translations);
}

}  // namespace eatt::cli
