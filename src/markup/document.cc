#include <algorithm>
#include <array>

#include "base/error.h"
#include "markup/assemble.h"
#include "markup/markup.h"
#include "markup/skeleton.h"

namespace eatt::markup {
namespace {

// Languages that put no spaces between words.
bool writes_spaces(std::string_view language) {
  constexpr std::array<std::string_view, 7> kWithout = {"bo", "ja", "km", "lo", "my", "th", "zh"};
  return std::ranges::find(kWithout, primary_language(language)) == kWithout.end();
}

}  // namespace

struct Document::Parts {
  bool is_html = false;
  Skeleton skeleton;
  std::vector<std::string> texts;
};

Document::Document(std::string_view text, const MarkupOptions& options,
                   std::string_view source_language)
    : parts_(std::make_unique<Parts>()) {
  const PassageRules rules{.glossary = options.glossary.get(),
                           .keeps_placeholders = options.keep_placeholders,
                           .is_html = options.html,
                           .writes_spaces = writes_spaces(source_language)};
  parts_->is_html = options.html;
  parts_->skeleton = options.html ? read_html(text, rules) : read_text(text, rules);
  for (const Passage& passage : parts_->skeleton.passages) parts_->texts.push_back(passage.text);
}

Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;
Document::~Document() = default;

const std::vector<std::string>& Document::texts() const { return parts_->texts; }

bool Document::needs_alignment() const {
  return std::ranges::any_of(parts_->skeleton.passages,
                             [](const Passage& passage) { return !passage.nodes.empty(); });
}

size_t Document::term_bytes() const { return parts_->skeleton.term_bytes; }

std::string Document::assemble(std::span<const Translation> translations) const {
  const auto& [kept, passages, term_bytes] = parts_->skeleton;
  expects(translations.size() == passages.size(), "every text of a document has a translation");
  std::string result = kept.front();
  for (size_t i = 0; i < passages.size(); ++i) {
    result += assemble_passage(passages[i], translations[i], parts_->is_html);
    result += kept[i + 1];
  }
  return result;
}

}  // namespace eatt::markup
