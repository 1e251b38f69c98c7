#include "markup/entities.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <unordered_map>

#include "base/text/utf8.h"

namespace eatt::markup {
namespace {

// The named characters of HTML 4, and &apos;. Those of Latin-1 from U+00A0 on, without gaps:
constexpr std::string_view kLatin =
    "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg "
    "plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 "
    "iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml "
    "Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave "
    "Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil "
    "egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde "
    "ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";

struct NamedCharacter {
  std::string_view name;
  char32_t code;
};
constexpr auto kOthers = std::to_array<NamedCharacter>({
    {"quot", 0x22},      {"amp", 0x26},      {"apos", 0x27},      {"lt", 0x3c},
    {"gt", 0x3e},        {"OElig", 0x152},   {"oelig", 0x153},    {"Scaron", 0x160},
    {"scaron", 0x161},   {"Yuml", 0x178},    {"fnof", 0x192},     {"circ", 0x2c6},
    {"tilde", 0x2dc},    {"Alpha", 0x391},   {"Beta", 0x392},     {"Gamma", 0x393},
    {"Delta", 0x394},    {"Epsilon", 0x395}, {"Zeta", 0x396},     {"Eta", 0x397},
    {"Theta", 0x398},    {"Iota", 0x399},    {"Kappa", 0x39a},    {"Lambda", 0x39b},
    {"Mu", 0x39c},       {"Nu", 0x39d},      {"Xi", 0x39e},       {"Omicron", 0x39f},
    {"Pi", 0x3a0},       {"Rho", 0x3a1},     {"Sigma", 0x3a3},    {"Tau", 0x3a4},
    {"Upsilon", 0x3a5},  {"Phi", 0x3a6},     {"Chi", 0x3a7},      {"Psi", 0x3a8},
    {"Omega", 0x3a9},    {"alpha", 0x3b1},   {"beta", 0x3b2},     {"gamma", 0x3b3},
    {"delta", 0x3b4},    {"epsilon", 0x3b5}, {"zeta", 0x3b6},     {"eta", 0x3b7},
    {"theta", 0x3b8},    {"iota", 0x3b9},    {"kappa", 0x3ba},    {"lambda", 0x3bb},
    {"mu", 0x3bc},       {"nu", 0x3bd},      {"xi", 0x3be},       {"omicron", 0x3bf},
    {"pi", 0x3c0},       {"rho", 0x3c1},     {"sigmaf", 0x3c2},   {"sigma", 0x3c3},
    {"tau", 0x3c4},      {"upsilon", 0x3c5}, {"phi", 0x3c6},      {"chi", 0x3c7},
    {"psi", 0x3c8},      {"omega", 0x3c9},   {"thetasym", 0x3d1}, {"upsih", 0x3d2},
    {"piv", 0x3d6},      {"ensp", 0x2002},   {"emsp", 0x2003},    {"thinsp", 0x2009},
    {"zwnj", 0x200c},    {"zwj", 0x200d},    {"lrm", 0x200e},     {"rlm", 0x200f},
    {"ndash", 0x2013},   {"mdash", 0x2014},  {"lsquo", 0x2018},   {"rsquo", 0x2019},
    {"sbquo", 0x201a},   {"ldquo", 0x201c},  {"rdquo", 0x201d},   {"bdquo", 0x201e},
    {"dagger", 0x2020},  {"Dagger", 0x2021}, {"bull", 0x2022},    {"hellip", 0x2026},
    {"permil", 0x2030},  {"prime", 0x2032},  {"Prime", 0x2033},   {"lsaquo", 0x2039},
    {"rsaquo", 0x203a},  {"oline", 0x203e},  {"frasl", 0x2044},   {"euro", 0x20ac},
    {"image", 0x2111},   {"weierp", 0x2118}, {"real", 0x211c},    {"trade", 0x2122},
    {"alefsym", 0x2135}, {"larr", 0x2190},   {"uarr", 0x2191},    {"rarr", 0x2192},
    {"darr", 0x2193},    {"harr", 0x2194},   {"crarr", 0x21b5},   {"lArr", 0x21d0},
    {"uArr", 0x21d1},    {"rArr", 0x21d2},   {"dArr", 0x21d3},    {"hArr", 0x21d4},
    {"forall", 0x2200},  {"part", 0x2202},   {"exist", 0x2203},   {"empty", 0x2205},
    {"nabla", 0x2207},   {"isin", 0x2208},   {"notin", 0x2209},   {"ni", 0x220b},
    {"prod", 0x220f},    {"sum", 0x2211},    {"minus", 0x2212},   {"lowast", 0x2217},
    {"radic", 0x221a},   {"prop", 0x221d},   {"infin", 0x221e},   {"ang", 0x2220},
    {"and", 0x2227},     {"or", 0x2228},     {"cap", 0x2229},     {"cup", 0x222a},
    {"int", 0x222b},     {"there4", 0x2234}, {"sim", 0x223c},     {"cong", 0x2245},
    {"asymp", 0x2248},   {"ne", 0x2260},     {"equiv", 0x2261},   {"le", 0x2264},
    {"ge", 0x2265},      {"sub", 0x2282},    {"sup", 0x2283},     {"nsub", 0x2284},
    {"sube", 0x2286},    {"supe", 0x2287},   {"oplus", 0x2295},   {"otimes", 0x2297},
    {"perp", 0x22a5},    {"sdot", 0x22c5},   {"lceil", 0x2308},   {"rceil", 0x2309},
    {"lfloor", 0x230a},  {"rfloor", 0x230b}, {"lang", 0x2329},    {"rang", 0x232a},
    {"loz", 0x25ca},     {"spades", 0x2660}, {"clubs", 0x2663},   {"hearts", 0x2665},
    {"diams", 0x2666},
});

const std::unordered_map<std::string_view, char32_t>& named_characters() {
  static const auto names = [] {
    std::unordered_map<std::string_view, char32_t> map;
    char32_t code = 0xa0;
    for (size_t at = 0; at < kLatin.size();) {
      const size_t end = std::min(kLatin.find(' ', at), kLatin.size());
      map.emplace(kLatin.substr(at, end - at), code++);
      at = end + 1;
    }
    for (const NamedCharacter& other : kOthers) map.emplace(other.name, other.code);
    return map;
  }();
  return names;
}

// Of "#38" and "#x26". Control characters and what Unicode has no character for are none.
std::optional<char32_t> numbered_character(std::string_view digits) {
  digits.remove_prefix(1);
  const bool hexadecimal = digits.starts_with('x') || digits.starts_with('X');
  if (hexadecimal) digits.remove_prefix(1);
  uint32_t code = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), code, hexadecimal ? 16 : 10);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  const bool is_control = code < 0x20 || (code >= 0x7f && code < 0xa0);
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  if ((is_control && code != '\t' && code != '\n' && code != '\r') || is_surrogate ||
      code > 0x10ffff) {
    return std::nullopt;
  }
  return static_cast<char32_t>(code);
}

bool is_reference_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '#';
}

// Names that need no semicolon.
bool is_early_name(std::string_view name) {
  constexpr std::array<std::string_view, 4> kAscii = {"amp", "gt", "lt", "quot"};
  if (std::ranges::find(kAscii, name) != kAscii.end()) return true;
  const auto found = named_characters().find(name);
  return found != named_characters().end() && found->second >= 0xa0 && found->second <= 0xff;
}

std::optional<char32_t> character_of(std::string_view name) {
  if (name.starts_with('#')) return numbered_character(name);
  const auto found = named_characters().find(name);
  return found == named_characters().end() ? std::nullopt : std::optional(found->second);
}

// Of letters and digits behind '&' that no semicolon follows: how many belong to a reference.
size_t open_reference(std::string_view letters) {
  if (letters.starts_with('#')) {
    const bool hexadecimal = letters.size() > 1 && (letters[1] == 'x' || letters[1] == 'X');
    const std::string_view digits = hexadecimal ? "0123456789abcdefABCDEF" : "0123456789";
    const size_t begin = hexadecimal ? 2 : 1;
    const size_t end = std::min(letters.find_first_not_of(digits, begin), letters.size());
    return end > begin ? end : 0;
  }
  size_t length = letters.size();
  while (length > 0 && !is_early_name(letters.substr(0, length))) --length;
  return length;
}

}  // namespace

std::optional<Reference> read_reference(std::string_view text) {
  constexpr size_t kLongest = 33;  // The longest name of HTML 5.
  size_t end = 1;
  while (end < text.size() && end <= kLongest && is_reference_character(text[end])) ++end;
  const bool is_closed = end < text.size() && text[end] == ';';
  std::string_view name = text.substr(1, end - 1);
  if (!is_closed) name = name.substr(0, open_reference(name));
  const std::optional<char32_t> code = character_of(name);
  if (name.empty() || (!is_closed && !code)) return std::nullopt;
  Reference reference{.bytes = 1 + name.size() + (is_closed ? 1 : 0), .text = ""};
  if (code) append_utf8(*code, reference.text);
  return reference;
}

std::string escape_text(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

}  // namespace eatt::markup
