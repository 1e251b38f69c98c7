#include "text/pieces/normalization_rules.h"

#include <cstring>

#include "base/text/utf8.h"

namespace eatt {
namespace {

constexpr uint32_t kIsValue = uint32_t{1} << 31;
constexpr uint32_t kHasLeaf = uint32_t{1} << 8;
constexpr uint32_t kWideOffset = uint32_t{1} << 9;
constexpr uint32_t kRow = 256;  // The builder fills whole rows.

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

void NormalizationRules::apply(std::string_view text, std::string& normalized) const {
  if (units_.empty()) {
    normalized += text;
    return;
  }
  while (!text.empty()) {
    const Match match = longest_match(text);
    const size_t size = match.size > 0 ? match.size : utf8_length(text[0]);
    normalized += match.size > 0 ? match.replacement : text.substr(0, size);
    text.remove_prefix(size);
  }
}

}  // namespace eatt
