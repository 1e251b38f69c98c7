#include "markup/html_tokens.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "base/text/unicode.h"

namespace eatt::markup {
namespace {

bool is_letter_byte(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_space_byte(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Whether a list, with a space around each name, has this one.
bool has_name(std::string_view list, std::string_view name) {
  for (size_t at = list.find(name); at != list.npos; at = list.find(name, at + 1)) {
    if (!name.empty() && list[at - 1] == ' ' && list[at + name.size()] == ' ') return true;
  }
  return false;
}

constexpr std::string_view kBlocks =
    " address article aside base blockquote body button caption center col colgroup datalist dd "
    "details dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 "
    "h4 h5 h6 head header hgroup hr html legend li link main menu meta nav noframes noscript ol "
    "optgroup option p param pre script search section select source style summary table tbody td "
    "template textarea tfoot th thead title tr track ul ";
constexpr std::string_view kObjects =
    " area audio canvas embed iframe img input math meter object "
    "picture progress svg video ";
constexpr std::string_view kVoids =
    " area base basefont br col embed frame hr img input keygen "
    "link meta param source track wbr ";
constexpr std::string_view kKept =
    " code iframe kbd math noembed noframes pre samp script style "
    "svg textarea var xmp ";
// Whose content has no tags at all, not even those that look like some.
constexpr std::string_view kRawText = " iframe noembed noframes script style textarea xmp ";

// Finds the values of attributes inside a tag.
class AttributeReader {
 public:
  explicit AttributeReader(std::string_view tag) : tag_(tag) {}

  // The next attribute; false at the end.
  bool next(std::string_view& name, std::string_view& value) {
    const auto is_gap = [](char c) { return is_space_byte(c) || c == '/'; };
    skip(is_gap);
    if (at_ >= tag_.size() || tag_[at_] == '>') return false;
    const size_t begin = at_;
    if (tag_[at_] == '=') ++at_;  // An odd name, but a name.
    while (at_ < tag_.size() && !is_gap(tag_[at_]) && tag_[at_] != '=' && tag_[at_] != '>') ++at_;
    name = tag_.substr(begin, at_ - begin);
    value = {};
    const size_t behind_name = at_;
    skip(is_space_byte);
    if (at_ < tag_.size() && tag_[at_] == '=') {
      ++at_;
      value = read_value();
    } else {
      at_ = behind_name;
    }
    return true;
  }

  size_t position() const { return at_; }

 private:
  template <typename Belongs>
  void skip(Belongs belongs) {
    while (at_ < tag_.size() && belongs(tag_[at_])) ++at_;
  }

  std::string_view read_value() {
    skip(is_space_byte);
    if (at_ >= tag_.size()) return {};
    const char quote = tag_[at_];
    if (quote == '"' || quote == '\'') {
      const size_t begin = ++at_;
      const size_t end = std::min(tag_.find(quote, begin), tag_.size());
      at_ = std::min(end + 1, tag_.size());
      return tag_.substr(begin, end - begin);
    }
    const size_t begin = at_;
    while (at_ < tag_.size() && !is_space_byte(tag_[at_]) && tag_[at_] != '>') ++at_;
    return tag_.substr(begin, at_ - begin);
  }

  std::string_view tag_;
  size_t at_ = 0;
};

bool forbids_translation(std::string_view name, std::string_view value) {
  const std::string attribute = lower_case(name);
  if (attribute == "translate") return lower_case(value) == "no";
  if (attribute != "class") return false;
  std::string classes(value);
  std::ranges::replace_if(classes, is_space_byte, ' ');
  return has_name(' ' + classes + ' ', "notranslate");
}

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view html) : html_(html) {}

  std::vector<HtmlToken> run() {
    while (at_ < html_.size()) {
      std::optional<HtmlToken> markup = read_markup();
      if (!markup) {
        ++at_;
        continue;
      }
      const size_t size = markup->bytes.size();
      end_text();
      tokens_.push_back(std::move(*markup));
      at_ += size;
      text_begin_ = at_;
    }
    end_text();
    find_end_tags();
    return std::move(tokens_);
  }

 private:
  void end_text() {
    if (text_begin_ == at_) return;
    tokens_.push_back({.bytes = html_.substr(text_begin_, at_ - text_begin_)});
  }

  // The markup that begins here; nothing if this is text.
  std::optional<HtmlToken> read_markup() {
    if (html_[at_] != '<' || at_ + 1 >= html_.size()) return std::nullopt;
    const std::string_view rest = html_.substr(at_);
    if (rest.starts_with("<!--")) return comment("-->");
    if (rest.starts_with("<![CDATA[")) return comment("]]>");
    if (rest[1] == '!' || rest[1] == '?') return comment(">");
    if (is_letter_byte(rest[1])) return start_tag();
    if (rest[1] != '/' || rest.size() < 3) return std::nullopt;
    return is_letter_byte(rest[2]) ? end_tag() : comment(">");
  }

  // What is not closed goes on to the end of the document.
  HtmlToken comment(std::string_view close) const {
    const size_t begin = close == "-->" ? at_ + 4 : at_ + 2;
    const size_t found = html_.find(close, begin);
    const size_t end = found == html_.npos ? html_.size() : found + close.size();
    return {.kind = HtmlToken::Kind::comment, .bytes = html_.substr(at_, end - at_)};
  }

  static size_t name_end(std::string_view html, size_t at) {
    while (at < html.size() && !is_space_byte(html[at]) && html[at] != '/' && html[at] != '>') ++at;
    return at;
  }

  HtmlToken start_tag() {
    const size_t begin = name_end(html_, at_ + 1);
    HtmlToken token{.kind = HtmlToken::Kind::start_tag,
                    .name = lower_case(html_.substr(at_ + 1, begin - at_ - 1))};
    AttributeReader attributes(html_.substr(begin));
    for (std::string_view name, value; attributes.next(name, value);) {
      if (forbids_translation(name, value)) token.is_translatable = false;
    }
    const size_t end = begin + attributes.position();
    if (end >= html_.size()) return unfinished_tag();
    token.bytes = html_.substr(at_, end + 1 - at_);
    token.closes_itself = html_[end - 1] == '/';
    if (has_name(kRawText, token.name) && !token.closes_itself) add_raw_text(token);
    return token;
  }

  HtmlToken end_tag() const {
    const size_t begin = name_end(html_, at_ + 2);
    const size_t end = html_.find('>', begin);
    if (end == html_.npos) return unfinished_tag();
    return {.kind = HtmlToken::Kind::end_tag,
            .bytes = html_.substr(at_, end + 1 - at_),
            .name = lower_case(html_.substr(at_ + 2, begin - at_ - 2))};
  }

  HtmlToken unfinished_tag() const {
    return {.kind = HtmlToken::Kind::comment, .bytes = html_.substr(at_)};
  }

  // Up to the end tag of that name, or to the end of the document.
  void add_raw_text(HtmlToken& token) const {
    token.kind = HtmlToken::Kind::kept;
    size_t at = at_ + token.bytes.size();
    for (;; at += 2) {
      at = html_.find("</", at);
      if (at == html_.npos) break;
      const size_t end = name_end(html_, at + 2);
      if (end - at - 2 != token.name.size()) continue;
      if (lower_case(html_.substr(at + 2, end - at - 2)) != token.name) continue;
      at = html_.find('>', end);
      break;
    }
    token.bytes = html_.substr(at_, at == html_.npos ? html_.npos : at + 1 - at_);
  }

  // Pairs each end tag with the last open start tag of its name.
  void find_end_tags() {
    std::unordered_map<std::string_view, std::vector<size_t>> open;
    for (size_t i = 0; i < tokens_.size(); ++i) {
      const HtmlToken& token = tokens_[i];
      if (token.kind == HtmlToken::Kind::start_tag && !token.closes_itself) {
        open[token.name].push_back(i);
      } else if (token.kind == HtmlToken::Kind::end_tag && !open[token.name].empty()) {
        tokens_[open[token.name].back()].end_tag = i;
        open[token.name].pop_back();
      }
    }
  }

  std::string_view html_;
  size_t at_ = 0, text_begin_ = 0;
  std::vector<HtmlToken> tokens_;
};

}  // namespace

std::vector<HtmlToken> tokenize_html(std::string_view html) { return Tokenizer(html).run(); }

ElementKind element_kind(std::string_view name) {
  if (name == "br" || name == "wbr") return ElementKind::line_break;
  if (has_name(kBlocks, name)) return ElementKind::block;
  return has_name(kObjects, name) ? ElementKind::object : ElementKind::inline_element;
}

bool is_void(std::string_view name) { return has_name(kVoids, name); }

bool keeps_content(std::string_view name) { return has_name(kKept, name); }

}  // namespace eatt::markup
