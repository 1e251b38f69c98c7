// Random HTML, translated with random alignments: no tag is ever lost, doubled or moved out of its
// element, and the text without tags is the translation.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/random.h"
#include "markup/aligned.h"
#include "markup/html_tokens.h"
#include "markup/markup.h"
#include "text/pieces/words.h"

namespace eatt::markup {
namespace {

// A random run of words, inline elements and void elements.
class RandomHtml {
 public:
  explicit RandomHtml(uint64_t seed) : random_(seed) {}

  std::string document() {
    std::string html = "<div>";
    for (uint64_t i = 0; i < 1 + random_.below(3); ++i) {
      html += "<p>" + content(0) + "</p>\n";
    }
    return html + "</div>";
  }

  // A permutation of words, some of them without a source word.
  Translation translation(const std::string& source) {
    const auto words = static_cast<int>(count_words(source));
    std::vector<int> order(static_cast<size_t>(words));
    std::iota(order.begin(), order.end(), 0);
    if (random_.chance(0.8)) random_.shuffle(std::span(order));
    while (random_.chance(0.3))
      order.push_back(static_cast<int>(random_.below(static_cast<uint64_t>(words))));
    std::string target;
    for (int& source_word : order) {
      target += (target.empty() ? "w" : " w") + std::to_string(random_.below(1000));
      if (random_.chance(0.1)) target += "<&";
      if (random_.chance(0.2)) source_word = -1;
    }
    return aligned_translation(source, target, order);
  }

  std::string content(int depth) {
    std::string html;
    for (uint64_t i = 0; i < random_.below(6); ++i) {
      const uint64_t kind = random_.below(10);
      const std::string number = std::to_string(++count_);
      if (kind < 5 || depth > 4) {
        html += " word" + number + (random_.chance(0.7) ? " " : "");
      } else if (kind < 8) {
        const std::string name = random_.chance(0.5) ? "b" : "a";
        html += "<" + name + " id=" + number + ">" + content(depth + 1) + "</" + name + ">";
      } else {
        html += (random_.chance(0.5) ? "<br id=" : "<!-- ") + number;
        html += html[html.rfind('<') + 1] == '!' ? " -->" : ">";
      }
    }
    return html;
  }

 private:
  Random random_;
  int count_ = 0;
};

// The tags of a document, each with those inside it, in an order that does not depend on that of
// siblings. Sets `text` to what is outside of tags.
std::string nesting_of(std::string_view html, std::string& text) {
  std::vector<std::pair<std::string, std::vector<std::string>>> open(1);
  const auto close = [&] {
    auto [tag, inside] = open.back();
    open.pop_back();
    std::ranges::sort(inside);
    for (const std::string& other : inside) tag += "[" + other + "]";
    return tag;
  };
  for (const HtmlToken& token : tokenize_html(html)) {
    switch (token.kind) {
      case HtmlToken::Kind::text:
        text += token.bytes;
        break;
      case HtmlToken::Kind::start_tag:
        if (is_void(token.name)) {
          open.back().second.emplace_back(token.bytes);
        } else {
          open.push_back({std::string(token.bytes), {}});
        }
        break;
      case HtmlToken::Kind::end_tag: {
        if (open.size() < 2) return "an end tag too many";
        if (!open.back().first.starts_with("<" + token.name)) return "a wrong end tag";
        const std::string element = close();
        open.back().second.push_back(element);
        break;
      }
      default:
        open.back().second.emplace_back(token.bytes);
    }
  }
  return open.size() == 1 ? close() : "an end tag is missing";
}

std::string without_spaces(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

std::string escaped(std::string text) {
  for (size_t at = 0; (at = text.find("<&", at)) != text.npos; at += 9) {
    text.replace(at, 2, "&lt;&amp;");
  }
  return text;
}

TEST(RandomHtml, KeepsEveryTagInItsElementAndTheTextAsItIs) {
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    RandomHtml random(seed);
    const std::string html = random.document();
    const Document document(html, {.html = true, .glossary = {}}, "en");
    std::vector<Translation> translations;
    std::string expected_text;
    for (const std::string& text : document.texts()) {
      translations.push_back(random.translation(text));
      expected_text += escaped(translations.back().hypotheses.front().text);
    }
    const std::string result = document.assemble(translations);
    std::string before, after;
    ASSERT_EQ(nesting_of(html, before), nesting_of(result, after)) << html << "\n" << result;
    ASSERT_EQ(without_spaces(after), without_spaces(expected_text)) << html << "\n" << result;
  }
}

// With nothing around it, the very spaces of the translation stay too.
TEST(RandomHtml, AddsAndRemovesNoSpace) {
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    RandomHtml random(seed);
    const std::string html = "<i>first</i> " + random.content(0) + " last";
    const Document document(html, {.html = true, .glossary = {}}, "en");
    if (document.texts().size() != 1) continue;  // Double line breaks.
    const Translation translation = random.translation(document.texts().front());
    std::string text;
    nesting_of(document.assemble({&translation, 1}), text);
    ASSERT_EQ(text, escaped(translation.hypotheses.front().text)) << html;
  }
}

}  // namespace
}  // namespace eatt::markup
