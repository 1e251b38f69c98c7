#include <array>

#include "base/text/unicode.h"
#include "base/text/utf8.h"
#include "evaluation/tokenizers.h"

// The intl tokenizer. As substitutions over the whole line:
//   1. XP -> X P      unless X is a number      (P: punctuation, S: symbol, of any script)
//   2. PX -> P X      unless X is a number
//   3. S  -> a space on both sides
// Runs of punctuation behave like the runs of stops in western_words.h, and the line is not padded:
// "2017." keeps its stop at the end of a line.
namespace eatt::evaluation {
namespace {

enum class Kind : uint8_t { letter, number, punctuation, symbol, space };

Kind find_kind(char32_t code) {
  if (is_python_space(code)) return Kind::space;
  if (is_number(code)) return Kind::number;
  if (is_punctuation(code)) return Kind::punctuation;
  return is_symbol(code) ? Kind::symbol : Kind::letter;
}

std::array<Kind, 128> make_ascii_kinds() {
  std::array<Kind, 128> kinds{};
  for (char32_t code = 0; code < 128; ++code) kinds[code] = find_kind(code);
  return kinds;
}

Kind kind_of(char32_t code) {
  static const std::array<Kind, 128> kAscii = make_ascii_kinds();
  return code < 128 ? kAscii[code] : find_kind(code);
}

class InternationalScanner {
 public:
  InternationalScanner(std::string_view line, std::vector<std::string_view>& words)
      : line_(line), words_(words) {}

  void scan() {
    bool number_before = true;  // Nothing before the line: rule 1 finds no X, as before a number.
    while (at_ < line_.size()) {
      const Utf8Character character = decode_utf8(line_, at_);
      const Kind kind = kind_of(character.code);
      if (kind == Kind::punctuation) {
        punctuation_run(number_before);
        number_before = false;  // A run of punctuation ends before something else.
        continue;
      }
      if (kind == Kind::space) {
        end_word();
        at_ += character.size;
      } else if (kind == Kind::symbol) {
        alone(character.size);
      } else {
        go_on(character.size);
      }
      number_before = kind == Kind::number;
    }
    end_word();
  }

 private:
  static constexpr size_t kNoWord = static_cast<size_t>(-1);

  void go_on(size_t bytes) {
    if (word_ == kNoWord) word_ = at_;
    at_ += bytes;
  }

  void end_word() {
    if (word_ != kNoWord) words_.push_back(line_.substr(word_, at_ - word_));
    word_ = kNoWord;
  }

  void alone(size_t bytes) {
    end_word();
    words_.push_back(line_.substr(at_, bytes));
    at_ += bytes;
  }

  void punctuation_run(bool number_before) {
    size_t end = at_;
    size_t last = at_;
    bool odd = false;
    bool number_after = true;  // Nothing after the line: rule 2 finds no X.
    while (end < line_.size()) {
      const Utf8Character character = decode_utf8(line_, end);
      const Kind kind = kind_of(character.code);
      if (kind != Kind::punctuation) {
        number_after = kind == Kind::number;
        break;
      }
      last = end;
      end += character.size;
      odd = !odd;
    }
    const bool last_stays = number_after && odd == number_before;
    if (last_stays && last == at_) {
      go_on(end - at_);
      return;
    }
    while (at_ < last) alone(decode_utf8(line_, at_).size);
    if (last_stays) {
      end_word();
      go_on(end - at_);
    } else {
      alone(end - at_);
    }
  }

  std::string_view line_;
  std::vector<std::string_view>& words_;
  size_t at_ = 0;
  size_t word_ = kNoWord;
};

}  // namespace

void split_international(std::string_view line, std::vector<std::string_view>& words) {
  InternationalScanner(line, words).scan();
}

}  // namespace eatt::evaluation
