#include "builtin/zh_en/numbers.h"

#include "builtin/zh_en/lexicon.h"

namespace eatt::builtin::zh_en {
namespace {

constexpr int kFirstSmall = 2;
constexpr Name kSmall[] = {{"两", "two"},   {"三", "three"}, {"四", "four"},
                           {"五", "five"},  {"六", "six"},   {"七", "seven"},
                           {"八", "eight"}, {"九", "nine"},  {"十", "ten"}};

constexpr Name kTens[] = {{"二十", "twenty"},  {"三十", "thirty"}, {"五十", "fifty"},
                          {"四十", "forty"},   {"六十", "sixty"},  {"八十", "eighty"},
                          {"七十", "seventy"}, {"九十", "ninety"}};

constexpr std::string_view kDigits[] = {"50", "30", "20", "80"};

constexpr Name kHundreds[] = {{"三百", "three hundred"},
                              {"两百", "two hundred"},
                              {"五百", "five hundred"},
                              {"八百", "eight hundred"}};
constexpr Name kThousands[] = {{"三千", "three thousand"},
                               {"两千", "two thousand"},
                               {"五千", "five thousand"},
                               {"八千", "eight thousand"}};
// Chinese counts in ten thousands (万), English in thousands.
constexpr Name kTenThousands[] = {{"两万", "twenty thousand"},
                                  {"三万", "thirty thousand"},
                                  {"五万", "fifty thousand"},
                                  {"八万", "eighty thousand"}};

Phrase named(Composer& c, const Name& number) { return c.linked(number.chinese, number.english); }

}  // namespace

Phrase number_between(Composer& c, int first, int last) {
  const int number = first + static_cast<int>(c.below(static_cast<size_t>(last - first + 1)));
  return named(c, kSmall[number - kFirstSmall]);
}

Phrase small_number(Composer& c) {
  return c.chance(0.7) ? number_between(c, 2, 5) : number_between(c, 2, 10);
}

Phrase tens(Composer& c) {
  if (c.chance(0.6)) return named(c, c.pick(kTens));
  const std::string_view digits = c.pick(kDigits);
  return c.linked(digits, digits);
}

Phrase hundreds(Composer& c) { return named(c, c.pick(kHundreds)); }
Phrase thousands(Composer& c) { return named(c, c.pick(kThousands)); }
Phrase ten_thousands(Composer& c) { return named(c, c.pick(kTenThousands)); }

}  // namespace eatt::builtin::zh_en
