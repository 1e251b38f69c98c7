#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace eatt {

// Plain text from tokenized text, whose words and punctuation marks are separated by spaces, as
// Moses, the Penn Treebank and segmenters of Chinese write it: "Tom 's dog , \" Rex \" , barks ."
// becomes "Tom's dog, "Rex", barks." Text that is plain already stays as it is, but for runs of
// white space, which become one space.
class Detokenizer {
 public:
  // The language of the text, a code such as "en" or "pt-BR". It decides which signs open
  // and close („“, »«), about apostrophes (l'homme), about spaces before ! ? ; : (French), % and an
  // ellipsis (German), and whether there are spaces at all (Chinese, Japanese). "und" or nothing:
  // what holds for most languages.
  explicit Detokenizer(std::string_view language = {});

  std::string detokenize(std::string_view text) const;

 private:
  struct Token;
  struct OpenQuotes;

  std::vector<Token> tokens_of(std::string_view text) const;
  void attach(Token& token, const Token* before, const Token* after, OpenQuotes& quotes) const;
  void attach_apostrophe(Token& token, const Token* before, OpenQuotes& quotes) const;
  bool attach_quote(Token& token, OpenQuotes& quotes) const;
  bool closes_up(std::string_view mark) const;
  bool has_space(const Token& left, const Token& right) const;

  std::string language_;  // Without region; empty if it is not known.
};

}  // namespace eatt
