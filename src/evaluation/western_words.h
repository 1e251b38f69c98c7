#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/text/unicode.h"
#include "base/text/utf8.h"

// The rules for Western text that 13a, zh and TER share. Written as substitutions, one after the
// other, over the whole line they are:
//   1. a space around each of  { | } ~ [ \ ] ^ _ ` ! " # $ % & ( ) * + : ; < = > ? @ /
//   2. X. -> X .   X, -> X ,     unless X is a digit
//   3. .X -> . X   ,X -> , X     unless X is a digit
//   4. 9- -> 9 -
// scan_western_words reaches the same words in one pass over the bytes. Only rules 2 and 3 need
// care: a substitution consumes both of its characters, so in a run of stops every second one is
// overlooked by rule 2, and rule 3 must find it.
namespace eatt::evaluation {

// Up to `digit`: bytes that continue a word.
enum class ByteKind : uint8_t { word, digit, space, split, stop, dash, quote, multibyte };

constexpr std::array<ByteKind, 256> make_byte_kinds() {
  std::array<ByteKind, 256> kinds{};
  for (int byte = 0; byte < 256; ++byte) {
    ByteKind kind = ByteKind::word;
    if (byte >= 0x80) kind = ByteKind::multibyte;
    if (byte >= '0' && byte <= '9') kind = ByteKind::digit;
    if (byte == ' ' || (byte >= 0x09 && byte <= 0x0d) || (byte >= 0x1c && byte <= 0x1f)) {
      kind = ByteKind::space;
    }
    if ((byte >= '{' && byte <= '~') || (byte >= '[' && byte <= '`') ||
        (byte > ' ' && byte <= '&') || (byte >= '(' && byte <= '+') ||
        (byte >= ':' && byte <= '@') || byte == '/') {
      kind = ByteKind::split;
    }
    if (byte == '.' || byte == ',') kind = ByteKind::stop;
    if (byte == '-') kind = ByteKind::dash;
    if (byte == '\'') kind = ByteKind::quote;
    kinds[static_cast<size_t>(byte)] = kind;
  }
  return kinds;
}

inline constexpr std::array<ByteKind, 256> kByteKinds = make_byte_kinds();

struct WesternRules {
  bool padded = true;        // The substitutions see a space before and after the line.
  bool possessives = false;  // it's -> it 's
};

// Appends the words of `line`, as views of it. `stands_alone(code)` tells which characters outside
// ASCII are words of their own.
template <typename StandsAlone>
class WesternScanner {
 public:
  WesternScanner(std::string_view line, WesternRules rules, StandsAlone stands_alone,
                 std::vector<std::string_view>& words)
      : line_(line), rules_(rules), stands_alone_(stands_alone), words_(words) {}

  void scan() {
    while (at_ < line_.size()) step();
    end_word();
  }

 private:
  static constexpr size_t kNoWord = static_cast<size_t>(-1);

  ByteKind kind(size_t at) const { return kByteKinds[static_cast<unsigned char>(line_[at])]; }

  void step() {
    switch (kind(at_)) {
      case ByteKind::space:
        end_word();
        ++at_;
        break;
      case ByteKind::split:
        alone(1);
        break;
      case ByteKind::stop:
        stops();
        break;
      case ByteKind::multibyte:
        multibyte();
        break;
      case ByteKind::dash:
        at_ > 0 && kind(at_ - 1) == ByteKind::digit ? alone(1) : go_on(1);
        break;
      case ByteKind::quote:
        if (rules_.possessives && possessive_begins()) end_word();
        go_on(1);
        break;
      case ByteKind::word:
      case ByteKind::digit:
        go_on(1);
        at_ = next_special(at_);
    }
  }

  // The position of the next byte that does not simply continue a word. Looks at 64 bytes at a
  // time: words have no predictable length, and a loop that ends with each costs more than their
  // bytes.
  size_t next_special(size_t at) {
    while (at < line_.size()) {
      if (at >= block_end_) read_block(at);
      const uint64_t specials = block_specials_ >> (at - block_);
      if (specials != 0) return at + static_cast<size_t>(std::countr_zero(specials));
      at = block_end_;
    }
    return at;
  }

  void read_block(size_t at) {
    block_ = at;
    block_end_ = std::min(line_.size(), at + 64);
    block_specials_ = 0;
    for (size_t i = at; i < block_end_; ++i) {
      block_specials_ |= uint64_t{kind(i) > ByteKind::digit} << (i - at);
    }
  }

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

  void multibyte() {
    const Utf8Character character = decode_multibyte_utf8(line_, at_);
    if (is_python_space(character.code)) {
      end_word();
      at_ += character.size;
    } else if (stands_alone_(character.code)) {
      alone(character.size);
    } else {
      go_on(character.size);
    }
  }

  // A run of stops. All stand alone except, perhaps, the last: if rule 2 overlooks it, and no
  // character that rule 3 needs follows, it stays with what follows. Rule 2 takes the stops 1, 3,
  // 5, ... of the run if a character that is no digit comes before it, else 2, 4, 6, ...
  void stops() {
    size_t end = at_ + 1;
    while (end < line_.size() && kind(end) == ByteKind::stop) ++end;
    const bool odd = (end - at_) % 2 == 1;
    const bool number_before = at_ == 0 ? !rules_.padded : kind(at_ - 1) == ByteKind::digit;
    const bool number_after = end == line_.size() ? !rules_.padded : kind(end) == ByteKind::digit;
    const bool last_stays = number_after && odd == number_before;
    if (last_stays && end - at_ == 1) {
      go_on(1);
      return;
    }
    while (at_ + 1 < end) alone(1);
    if (last_stays) {
      end_word();
      go_on(1);
    } else {
      alone(1);
    }
  }

  // 's with a space after it; rule 1 has put spaces around what it splits off.
  bool possessive_begins() const {
    if (line_.substr(at_ + 1, 1) != "s") return false;
    const size_t after = at_ + 2;
    return after == line_.size() || line_[after] == ' ' || kind(after) == ByteKind::split;
  }

  std::string_view line_;
  WesternRules rules_;
  StandsAlone stands_alone_;
  std::vector<std::string_view>& words_;
  size_t at_ = 0;
  size_t word_ = kNoWord;
  size_t block_ = 0;  // Bytes [block_, block_end_) have been looked at …
  size_t block_end_ = 0;
  uint64_t block_specials_ = 0;  // … and these are special, the first in the lowest bit.
};

template <typename StandsAlone>
void scan_western_words(std::string_view line, WesternRules rules, StandsAlone stands_alone,
                        std::vector<std::string_view>& words) {
  WesternScanner<StandsAlone>(line, rules, stands_alone, words).scan();
}

}  // namespace eatt::evaluation
