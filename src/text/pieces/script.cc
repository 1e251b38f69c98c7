#include "text/pieces/script.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>

namespace eatt {
namespace {

struct Range {
  char32_t first;
  char32_t last;
  Script script;
};

// Scripts that have several blocks, in order; all others are identified by their block alone.
constexpr std::array kRanges = {
    Range{0x0041, 0x02af, Script::latin},        Range{0x0370, 0x03ff, Script::greek},
    Range{0x0400, 0x052f, Script::cyrillic},     Range{0x0530, 0x058f, Script::armenian},
    Range{0x0590, 0x05ff, Script::hebrew},       Range{0x0600, 0x06ff, Script::arabic},
    Range{0x0750, 0x077f, Script::arabic},       Range{0x0870, 0x08ff, Script::arabic},
    Range{0x1100, 0x11ff, Script::hangul},       Range{0x1c80, 0x1c8f, Script::cyrillic},
    Range{0x1d00, 0x1dbf, Script::latin},        Range{0x1e00, 0x1eff, Script::latin},
    Range{0x1f00, 0x1fff, Script::greek},        Range{0x2c60, 0x2c7f, Script::latin},
    Range{0x2de0, 0x2dff, Script::cyrillic},     Range{0x2e80, 0x312f, Script::east_asian},
    Range{0x3130, 0x318f, Script::hangul},       Range{0x3190, 0x9fff, Script::east_asian},
    Range{0xa640, 0xa69f, Script::cyrillic},     Range{0xa720, 0xa7ff, Script::latin},
    Range{0xa960, 0xa97f, Script::hangul},       Range{0xab30, 0xab6f, Script::latin},
    Range{0xac00, 0xd7ff, Script::hangul},       Range{0xf900, 0xfaff, Script::east_asian},
    Range{0xfb00, 0xfb06, Script::latin},        Range{0xfb13, 0xfb17, Script::armenian},
    Range{0xfb1d, 0xfb4f, Script::hebrew},       Range{0xfb50, 0xfdff, Script::arabic},
    Range{0xfe70, 0xfeff, Script::arabic},       Range{0xff21, 0xff5a, Script::latin},
    Range{0xff66, 0xff9d, Script::east_asian},   Range{0xffa0, 0xffdc, Script::hangul},
    Range{0x1aff0, 0x1b16f, Script::east_asian}, Range{0x20000, 0x3ffff, Script::east_asian},
};

}  // namespace

Script script_of(char32_t character) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(character))) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
      return Script::any;
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      break;
    default:
      return Script::common;
  }
  const auto* range = std::ranges::lower_bound(kRanges, character, {}, &Range::last);
  if (range != kRanges.end() && range->first <= character) return range->script;
  return static_cast<Script>(static_cast<uint32_t>(Script::first_block) + character / 128);
}

}  // namespace eatt
