#include "text/builtin/zh_en/numbers.h"

#include "text/builtin/zh_en/lexicon.h"

namespace eatt::builtin::zh_en {
namespace {

constexpr int kFirstSmall = 2;
constexpr Name kSmall[] = {{"两", "two"}, {"三", "three"}, {"四", "four"},
                           {"五", "five"}, {"六", "six"}, {"七", "seven"},
                           {"八", "eight"}, {"九", "nine"}, {"十", "ten"}};

constexpr Name kTens[] = {{"二十", "twenty"}, {"三十", "thirty"},  {"五十", "fifty"},
                          {"四十", "forty"},  {"六十", "sixty"},   {"八十", "eighty"},
                          {"七十", "seventy"}, {"九十", "ninety"}};

constexpr std::string_view kDigits[] = {"50", "20", "30", "40", "60", "80", "70", "90"};

// Chinese counts in ten thousands (万), English in thousands.
constexpr Name kLarge[] = {
    {"三千", "three thousand"}, {"五百", "five hundred"},    {"两万", "twenty thousand"},
    {"两千", "two thousand"},   {"三百", "three hundred"},   {"五万", "fifty thousand"},
    {"一百", "one hundred"},    {"一千", "one thousand"},    {"一万", "ten thousand"},
    {"两百", "two hundred"},    {"五千", "five thousand"},   {"三万", "thirty thousand"},
    {"八百", "eight hundred"},  {"八千", "eight thousand"},  {"八万", "eighty thousand"},
    {"六百", "six hundred"},    {"十万", "one hundred thousand"},
};

}  // namespace

Phrase small_number(Composer& c) {
  const Name& number = c.pick(kSmall);
  return c.linked(number.chinese, number.english);
}

Phrase small_number(Composer& c, int first, int last) {
  const int number = first + static_cast<int>(c.below(static_cast<size_t>(last - first + 1)));
  const Name& entry = kSmall[number - kFirstSmall];
  return c.linked(entry.chinese, entry.english);
}

Phrase tens(Composer& c) {
  if (c.chance(0.4)) {
    const std::string_view digits = c.pick(kDigits);
    return c.linked(digits, digits);
  }
  const Name& number = c.pick(kTens);
  return c.linked(number.chinese, number.english);
}

Phrase large_number(Composer& c) {
  const Name& number = c.pick(kLarge);
  return c.linked(number.chinese, number.english);
}

}  // namespace eatt::builtin::zh_en
