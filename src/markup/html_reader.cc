// HTML to passages: texts between the borders of blocks, with inline elements inside.
#include <algorithm>
#include <unordered_map>

#include "base/text/unicode.h"
#include "markup/html_tokens.h"
#include "markup/skeleton.h"

namespace eatt::markup {
namespace {

// Deeper elements are treated as if they were not closed. No page that people read comes near.
constexpr size_t kDeepest = 100;

// A token inside a text, or several that stay together.
struct Part {
  enum class Kind { text, open, close, line_break, object, words };

  Kind kind = Kind::text;
  std::string_view raw;
  std::string_view name = {};
  size_t partner = 0;  // Of `open` and `close`: the other one, if is_paired.
  bool is_paired = false;
};

bool is_blank_text(const Part& part) {
  const TextRange words = without_outer_space(part.raw, /*is_html=*/true);
  return part.kind == Part::Kind::text && words.begin == words.end;
}

// Finds the pairs of tags that nest as they should.
void pair_tags(std::vector<Part>& parts) {
  std::vector<size_t> open;
  std::unordered_map<std::string_view, size_t> open_of_name;
  for (size_t i = 0; i < parts.size(); ++i) {
    Part& part = parts[i];
    if (part.kind == Part::Kind::open) {
      open.push_back(i);
      ++open_of_name[part.name];
    }
    if (part.kind != Part::Kind::close || open_of_name[part.name] == 0) continue;
    // What was opened later and is still open is not closed inside this element.
    for (bool found = false; !found;) {
      const size_t last = open.back();
      open.pop_back();
      --open_of_name[parts[last].name];
      found = parts[last].name == part.name;
      if (!found || open.size() >= kDeepest) continue;
      parts[last].partner = i;
      part.partner = last;
      part.is_paired = parts[last].is_paired = true;
    }
  }
}

bool is_tag(const Part& part) {
  return part.kind == Part::Kind::open || part.kind == Part::Kind::close;
}

// A tag without its partner ends a text where it stands, so that it keeps its place in the
// document. The elements around it then have their tags in two texts, and end texts too.
void unpair_around_single_tags(std::vector<Part>& parts) {
  std::vector<size_t> singles(parts.size() + 1);  // Before each part.
  for (size_t i = 0; i < parts.size(); ++i) {
    singles[i + 1] = singles[i] + (is_tag(parts[i]) && !parts[i].is_paired ? 1 : 0);
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    Part& part = parts[i];
    if (part.kind != Part::Kind::open || !part.is_paired) continue;
    if (singles[part.partner] == singles[i]) continue;
    part.is_paired = parts[part.partner].is_paired = false;
  }
}

class HtmlReader {
 public:
  HtmlReader(std::string_view html, const PassageRules& rules)
      : tokens_(tokenize_html(html)), rules_(rules) {}

  Skeleton run() {
    for (size_t i = 0; i < tokens_.size(); ++i) i = read(i);
    end_text();
    return std::move(skeleton_);
  }

 private:
  using Kind = HtmlToken::Kind;

  // Takes the token, with all that stays as it is behind it; returns the last that it took.
  size_t read(size_t i) {
    const HtmlToken& token = tokens_[i];
    switch (token.kind) {
      case Kind::text:
        parts_.push_back({.raw = token.bytes});
        return i;
      case Kind::comment:
        add_kept(token.bytes, Part::Kind::line_break);
        return i;
      case Kind::kept:
        add_element(token, token.bytes);
        return i;
      case Kind::end_tag:
        read_end_tag(token);
        return i;
      case Kind::start_tag:
        return read_start_tag(i);
    }
    return i;
  }

  void read_end_tag(const HtmlToken& token) {
    const ElementKind kind = element_kind(token.name);
    if (kind == ElementKind::block) return end_block(token.bytes);
    parts_.push_back({.kind = Part::Kind::close, .raw = token.bytes, .name = token.name});
  }

  size_t read_start_tag(size_t i) {
    const HtmlToken& token = tokens_[i];
    const bool keeps = !token.is_translatable || keeps_content(token.name);
    if (keeps && token.end_tag > 0) {
      const HtmlToken& last = tokens_[token.end_tag];
      const char* const end = last.bytes.data() + last.bytes.size();
      add_element(token, {token.bytes.data(), static_cast<size_t>(end - token.bytes.data())});
      return token.end_tag;
    }
    const ElementKind kind = element_kind(token.name);
    if (kind == ElementKind::block) {
      end_block(token.bytes);
    } else if (kind == ElementKind::line_break) {
      add_line_break(token);
    } else if (token.closes_itself || is_void(token.name)) {
      add_kept(token.bytes, Part::Kind::object);
    } else {
      parts_.push_back({.kind = Part::Kind::open, .raw = token.bytes, .name = token.name});
    }
    return i;
  }

  // An element whose content stays as it is.
  void add_element(const HtmlToken& token, std::string_view bytes) {
    switch (element_kind(token.name)) {
      case ElementKind::block:
        return end_block(bytes);
      case ElementKind::line_break:
        return add_kept(bytes, Part::Kind::line_break);
      case ElementKind::object:
        return add_kept(bytes, Part::Kind::object);
      case ElementKind::inline_element:
        return add_kept(bytes, Part::Kind::words);
    }
  }

  // Two in a row separate paragraphs.
  void add_line_break(const HtmlToken& token) {
    const auto last = std::find_if_not(parts_.rbegin(), parts_.rend(), is_blank_text);
    if (token.name == "br" && last != parts_.rend() && last->name == "br") {
      return end_block(token.bytes);
    }
    parts_.push_back({.kind = Part::Kind::line_break, .raw = token.bytes, .name = token.name});
  }

  void add_kept(std::string_view bytes, Part::Kind kind) {
    parts_.push_back({.kind = kind, .raw = bytes});
  }

  void end_block(std::string_view bytes) {
    end_text();
    skeleton_.keep(bytes);
  }

  void end_text() {
    pair_tags(parts_);
    unpair_around_single_tags(parts_);
    size_t begin = 0;
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (!is_tag(parts_[i]) || parts_[i].is_paired) continue;
      add_text(begin, i);
      skeleton_.keep(parts_[i].raw);
      begin = i + 1;
    }
    add_text(begin, parts_.size());
    parts_.clear();
  }

  void add_text(size_t begin, size_t end);
  void add_passage(size_t begin, size_t end);

  std::vector<HtmlToken> tokens_;
  const PassageRules& rules_;
  Skeleton skeleton_;
  std::vector<Part> parts_;  // Of the text that is not ended yet.
};

// Whether the part may stay outside of the text that it begins or ends.
bool is_outside(const Part& part) {
  return is_blank_text(part) || part.kind == Part::Kind::line_break ||
         part.kind == Part::Kind::object;
}

// Tags around the whole text, and what stands at its ends without being words, stay where they are.
void HtmlReader::add_text(size_t begin, size_t end) {
  std::vector<std::string_view> behind;  // The last comes first.
  for (bool changed = true; changed;) {
    changed = false;
    for (; begin < end && is_outside(parts_[begin]); ++begin) skeleton_.keep(parts_[begin].raw);
    for (; begin < end && is_outside(parts_[end - 1]); --end) behind.push_back(parts_[end - 1].raw);
    if (end - begin >= 2 && parts_[begin].kind == Part::Kind::open &&
        parts_[begin].partner == end - 1) {
      skeleton_.keep(parts_[begin++].raw);
      behind.push_back(parts_[--end].raw);
      changed = true;
    }
  }
  if (begin < end) add_passage(begin, end);
  for (auto part = behind.rbegin(); part != behind.rend(); ++part) skeleton_.keep(*part);
}

// Parts of which the first and the last are words, or tags around a part of the words.
void HtmlReader::add_passage(size_t begin, size_t end) {
  const std::string_view first = parts_[begin].raw, last = parts_[end - 1].raw;
  const char* const raw_end = last.data() + last.size();
  const std::string_view raw(first.data(), static_cast<size_t>(raw_end - first.data()));
  PassageBuilder builder(rules_);
  for (size_t i = begin; i < end; ++i) {
    const Part& part = parts_[i];
    switch (part.kind) {
      case Part::Kind::text:
        builder.add_text(part.raw);
        break;
      case Part::Kind::open:
        builder.open_element(part.raw);
        break;
      case Part::Kind::close:
        builder.close_element(part.raw);
        break;
      case Part::Kind::line_break:
        builder.add_kept(part.raw, /*is_visible=*/false);
        if (part.name == "br") builder.add_implied_space();
        break;
      case Part::Kind::object:
      case Part::Kind::words:
        builder.add_kept(part.raw, /*is_visible=*/true);
        break;
    }
  }
  skeleton_.add_text(raw, builder.take(), rules_);
}

}  // namespace

Skeleton read_html(std::string_view html, const PassageRules& rules) {
  return HtmlReader(html, rules).run();
}

}  // namespace eatt::markup
