// Any bytes read as HTML or as text, translated with an alignment that the bytes choose: nothing is
// read out of bounds, no tag is lost or doubled, and a document without text is the same.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/unicode.h"
#include "markup/html_tokens.h"
#include "markup/markup.h"
#include "text/pieces/words.h"

namespace {

using eatt::markup::Document;

// As many words as the text has, in an order that depends on `seed`, some without a source.
eatt::Translation translate(const std::string& text, size_t seed) {
  eatt::Translation translation;
  const size_t words = eatt::count_words(text);
  eatt::Hypothesis hypothesis;
  for (size_t i = 0; i < words; ++i) {
    translation.source_pieces.push_back("\xe2\x96\x81x");
    translation.source_words.push_back(static_cast<int32_t>(i));
    hypothesis.text += i == 0 ? "y" : " y";
    hypothesis.pieces.push_back("\xe2\x96\x81y");
    hypothesis.words.push_back(static_cast<int32_t>(i));
    std::vector<float> row(words + 1);
    row[(i * (2 * seed + 1) + seed) % (words + 1)] = 1;
    hypothesis.attention.push_back(std::move(row));
  }
  hypothesis.attention.emplace_back(words + 1);
  translation.hypotheses.push_back(std::move(hypothesis));
  return translation;
}

std::vector<std::string_view> tags_of(std::string_view html) {
  std::vector<std::string_view> tags;
  for (const auto& token : eatt::markup::tokenize_html(html)) {
    if (token.kind != eatt::markup::HtmlToken::Kind::text) tags.push_back(token.bytes);
  }
  std::ranges::sort(tags);
  return tags;
}

}  // namespace

const std::vector<eatt::markup::GlossaryEntry> kEntries = {{"word", "Wort"}, {"Two words", "x"}};
const auto kTerms = std::make_shared<const eatt::markup::Glossary>(kEntries);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2 || size > 4'000) return 0;
  const bool html = data[0] % 2 == 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const Document document(text,
                          {.html = html, .glossary = kTerms, .keep_placeholders = data[0] % 4 < 2},
                          data[0] % 8 < 4 ? "en" : "zh");
  std::vector<eatt::Translation> translations;
  for (const std::string& part : document.texts()) {
    if (part.empty()) std::abort();
    translations.push_back(translate(part, data[0]));
  }
  const std::string result = document.assemble(translations);
  if (html && tags_of(text) != tags_of(result)) std::abort();
  if (document.texts().empty() && eatt::lower_case(text).find("word") == std::string::npos &&
      result != text)
    std::abort();
  return 0;
}
