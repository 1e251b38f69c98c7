#include "markup/skeleton.h"

#include <algorithm>
#include <utility>

#include "markup/entities.h"

namespace eatt::markup {

void Skeleton::add_text(std::string_view raw, Passage passage, const PassageRules& rules) {
  if (!has_letter(passage.text)) return keep(raw);
  for (const Node& node : passage.nodes) {
    if (node.kind == Node::Kind::fixed) term_bytes += node.open.size();
  }
  const TextRange words = without_outer_space(raw, rules.is_html);
  keep(raw.substr(0, words.begin));
  const Node* const first = passage.nodes.empty() ? nullptr : &passage.nodes.front();
  if (passage.nodes.size() == 1 && first->kind == Node::Kind::fixed &&
      first->source == TextRange{0, passage.text.size()}) {
    keep(rules.is_html ? escape_text(first->open) : first->open);
  } else {
    passages.push_back(std::move(passage));
    kept.emplace_back();
  }
  keep(raw.substr(words.end));
}

Skeleton read_text(std::string_view text, const PassageRules& rules) {
  Skeleton skeleton;
  PassageBuilder builder(rules);
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    builder.add_text(line);
    skeleton.add_text(line, builder.take(), rules);
    if (end < text.size()) skeleton.keep("\n");
    at = end + 1;
  }
  return skeleton;
}

}  // namespace eatt::markup
