#include "text/pieces/normalizer.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/text/utf8.h"

namespace eatt {
namespace {

constexpr uint32_t kIsValue = uint32_t{1} << 31;
constexpr uint32_t kHasLeaf = uint32_t{1} << 8;
constexpr uint32_t kWideOffset = uint32_t{1} << 9;
constexpr uint32_t kRow = 256;  // The builder fills whole rows.
constexpr std::string_view kReplacementCharacter = "\xef\xbf\xbd";

}  // namespace

NormalizationRules::NormalizationRules(std::string_view rules) : is_empty_(rules.empty()) {
  uint32_t bytes = 0;
  if (rules.size() <= sizeof bytes || rules.back() != '\0') return;
  std::memcpy(&bytes, rules.data(), sizeof bytes);
  rules.remove_prefix(sizeof bytes);
  if (bytes >= rules.size() || bytes % (kRow * sizeof(uint32_t)) != 0) return;
  units_ = rules.substr(0, bytes);
  replacements_ = rules.substr(bytes);
}

uint32_t NormalizationRules::unit(uint32_t position) const {
  uint32_t bits;
  std::memcpy(&bits, units_.data() + size_t{position} * sizeof bits, sizeof bits);
  return bits;
}

// Where the children of a unit and its leaf are found: this, XOR their byte.
uint32_t NormalizationRules::children(uint32_t position) const {
  const uint32_t bits = unit(position);
  return position ^ (bits >> 10 << ((bits & kWideOffset) != 0 ? 8 : 0));
}

bool NormalizationRules::are_sound() const {
  const auto size = static_cast<uint32_t>(units_.size() / sizeof(uint32_t));
  if (size == 0) return is_empty_;
  if ((unit(0) & kIsValue) != 0) return false;  // Every lookup starts at the children of the root.
  for (uint32_t position = 0; position < size; ++position) {
    if ((unit(position) & kIsValue) != 0) continue;
    const uint32_t target = children(position);
    if ((target | (kRow - 1)) >= size) return false;
    if ((unit(position) & kHasLeaf) == 0) continue;
    if ((unit(target) & ~kIsValue) >= replacements_.size()) return false;
  }
  return true;
}

NormalizationRules::Match NormalizationRules::longest_match(std::string_view text) const {
  Match longest;
  if (units_.empty()) return longest;
  uint32_t target = children(0);
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const uint32_t position = target ^ byte;
    if ((unit(position) & (kIsValue | 0xff)) != byte) break;
    target = children(position);
    if ((unit(position) & kHasLeaf) == 0) continue;
    longest.size = i + 1;
    longest.replacement = replacements_.data() + (unit(target) & ~kIsValue);
  }
  return longest;
}

bool NormalizationRules::may_apply(std::string_view text) const {
  if (units_.empty()) return false;
  uint32_t target = children(0);
  for (const char next : text) {
    const auto byte = static_cast<unsigned char>(next);
    const uint32_t position = target ^ byte;
    if ((unit(position) & (kIsValue | 0xff)) != byte) return false;
    if ((unit(position) & kHasLeaf) != 0) return true;
    target = children(position);
  }
  return true;
}

Normalizer::Normalizer(const PieceModel::Normalizer& settings, bool space_as_suffix,
                       const PieceTrie& verbatim)
    : settings_(settings),
      space_as_suffix_(space_as_suffix),
      verbatim_(verbatim.empty() ? nullptr : &verbatim),
      rules_(settings.rules) {
  if (verbatim_ == nullptr) find_plain_characters();
}

void Normalizer::find_plain_characters() {
  constexpr char32_t kAscii = 0x80;
  std::string text;
  const auto may_apply = [&](char32_t character, size_t bytes) {
    text.clear();
    append_utf8(character, text);
    return rules_.may_apply(std::string_view(text).substr(0, bytes));
  };
  for (char32_t first = 0; first < kAscii; ++first) {
    bool is_plain = first != U' ';
    for (char32_t second = 0; second < kAscii && is_plain; ++second) {
      const std::array<char, 2> both = {static_cast<char>(first), static_cast<char>(second)};
      is_plain = !rules_.may_apply({both.data(), both.size()});
    }
    is_plain_[first] = is_plain;
  }
  // Characters that differ in the last byte only come in rows of 64; few rows have any rule.
  for (char32_t row = kAscii; row < is_plain_.size(); row += 64) {
    const bool has_rules = may_apply(row, row < 0x800 ? 1 : 2);
    for (char32_t character = row; character < row + 64; ++character) {
      is_plain_[character] = !has_rules || !may_apply(character, 3);
    }
  }
}

// How many bytes at the front stay as they are, for certain: plain characters, and of ASCII only
// those before the end or another ASCII character.
size_t Normalizer::plain_front(std::string_view text) const {
  size_t size = 0;
  const auto is_ascii = [&](size_t i) { return static_cast<unsigned char>(text[i]) < 0x80; };
  while (size < text.size()) {
    const Utf8Character character = decode_utf8(text, size);
    if (!character.is_valid() || character.code >= is_plain_.size()) break;
    if (!is_plain_[character.code]) break;
    const size_t end = size + character.size;
    if (character.size == 1 && end < text.size() && !is_ascii(end)) break;
    size = end;
  }
  return size;
}

// What becomes of the front of `text`, which is not empty.
NormalizationRules::Match Normalizer::next(std::string_view text) const {
  if (verbatim_ != nullptr) {
    if (const size_t size = verbatim_->longest_prefix(text); size > 0) {
      return {size, text.substr(0, size)};
    }
  }
  if (const auto match = rules_.longest_match(text); match.size > 0) return match;
  const Utf8Character character = decode_utf8(text, 0);
  if (!character.is_valid()) return {1, kReplacementCharacter};
  return {character.size, text.substr(0, character.size)};
}

void Normalizer::normalize(std::string_view text, std::string& normalized) const {
  normalized.clear();
  const bool trims = settings_.remove_extra_spaces;
  while (trims && !text.empty()) {
    const auto front = next(text);
    if (front.replacement != " ") break;
    text.remove_prefix(front.size);
  }
  if (text.empty()) return;
  const std::string_view space = settings_.escape_spaces ? kSpaceMark : " ";
  if (settings_.add_space_in_front && !space_as_suffix_) normalized += space;
  bool after_space = trims;
  while (!text.empty()) {
    if (const size_t plain = plain_front(text); plain > 0) {
      normalized += text.substr(0, plain);
      text.remove_prefix(plain);
      after_space = false;
      if (text.empty()) break;
    }
    auto front = next(text);
    text.remove_prefix(front.size);
    if (after_space) {
      const size_t spaces = front.replacement.find_first_not_of(' ');
      front.replacement.remove_prefix(std::min(spaces, front.replacement.size()));
    }
    if (front.replacement.empty()) continue;
    for (const char byte : front.replacement) {
      if (byte == ' ') {
        normalized += space;
      } else {
        normalized += byte;
      }
    }
    after_space = trims && front.replacement.back() == ' ';
  }
  while (trims && normalized.ends_with(space)) normalized.resize(normalized.size() - space.size());
  if (settings_.add_space_in_front && space_as_suffix_) normalized += space;
}

void Normalizer::append_rules_applied(std::string_view text, std::string& normalized) const {
  while (!text.empty()) {
    const auto front = next(text);
    normalized += front.replacement;
    text.remove_prefix(front.size);
  }
}

}  // namespace eatt
