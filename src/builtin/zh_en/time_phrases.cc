#include <string>

#include "builtin/zh_en/lexicon.h"
#include "builtin/zh_en/noun_phrases.h"

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

Phrase named(Composer& c, const Name& name) { return c.linked(name.chinese, name.english); }

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

namespace {

constexpr Name kWeekdays[] = {
    {"星期一", "Monday"},    {"星期五", "Friday"},  {"星期天", "Sunday"},  {"星期六", "Saturday"},
    {"星期三", "Wednesday"}, {"星期二", "Tuesday"}, {"星期四", "Thursday"}};

struct DayPart {
  Name name;
  int first_hour, last_hour;
};
constexpr DayPart kDayParts[] = {
    {{"晚上", "evening"}, 6, 10}, {{"上午", "morning"}, 7, 10}, {{"下午", "afternoon"}, 2, 5}};

constexpr Name kMonths[] = {{"三月", "March"},     {"五月", "May"},        {"六月", "June"},
                            {"九月", "September"}, {"一月", "January"},    {"八月", "August"},
                            {"十月", "October"},   {"四月", "April"},      {"七月", "July"},
                            {"二月", "February"},  {"十一月", "November"}, {"十二月", "December"}};

constexpr int kFirstYear = 2010;
constexpr int kYears = 12;
// Not all days of a month, so that each occurs often enough to be learned.
constexpr int kDays[] = {1, 2, 3, 5, 8, 10, 12, 15, 18, 20, 25, 28};

constexpr std::string_view kChineseDigits[] = {"〇", "一", "二", "三", "四",
                                               "五", "六", "七", "八", "九"};

// 二〇一四: years are read digit by digit.
std::string year_in_chinese(int year) {
  std::string text;
  for (const char digit : std::to_string(year)) text += kChineseDigits[digit - '0'];
  return text;
}

// 1 → 一, 12 → 十二, 28 → 二十八.
std::string day_in_chinese(int day) {
  std::string text;
  if (day >= 20) text += kChineseDigits[day / 10];
  if (day >= 10) text += "十";
  if (day % 10 != 0) text += kChineseDigits[day % 10];
  return text;
}

Phrase weekday(Composer& c) { return named(c, c.pick(kWeekdays)); }
Phrase month(Composer& c) { return named(c, c.pick(kMonths)); }

Phrase year(Composer& c) {
  const int number = kFirstYear + static_cast<int>(c.below(kYears));
  return c.linked(year_in_chinese(number) + "年", std::to_string(number));
}

Phrase day_of_month(Composer& c) {
  const int number = kDays[c.below(std::size(kDays))];
  return c.linked(day_in_chinese(number) + "日", std::to_string(number));
}

Phrase date(Composer& c) {
  switch (c.below(4)) {
    case 0:
      return c.rule("{year}", "in {year}", {{"year", year(c)}});
    case 1:
      return c.rule("{year} {month}", "in {month} {year}",
                    {{"year", year(c)}, {"month", month(c)}});
    default:
      return c.rule("{year} {month} {day}", "on {month} {day} , {year}",
                    {{"year", year(c)}, {"month", month(c)}, {"day", day_of_month(c)}});
  }
}

Phrase ago(Composer& c, const Phrase& span) {
  return c.rule("{span} 前/1", "{span} ago/1", {{"span", span}});
}

Phrase around(Composer& c, const Phrase& span) {
  if (c.chance(0.5)) return c.rule("大约/1 {span} 前/2", "around/1 {span} ago/2", {{"span", span}});
  return ago(c, span);
}

Phrase some_days(Composer& c) { return c.rule("{n} 天/1", "{n} days/1", {{"n", small_number(c)}}); }
Phrase some_weeks(Composer& c) {
  return c.rule("{n} 个 星期/1", "{n} weeks/1", {{"n", number_between(c, 2, 5)}});
}
Phrase some_months(Composer& c) {
  return c.rule("{n} 个 月/1", "{n} months/1", {{"n", small_number(c)}});
}
Phrase some_years(Composer& c, const Phrase& number) {
  return c.rule("{n} 年/1", "{n} years/1", {{"n", number}});
}

// 昨天 上午 九 点: the hour comes first in English.
Phrase day_and_hour(Composer& c, const Phrase& day) {
  const DayPart& day_part = c.pick(kDayParts);
  const Phrase part = named(c, day_part.name);
  if (c.chance(0.5)) return c.rule("{day} {part}", "{day} {part}", {{"day", day}, {"part", part}});
  const Phrase hour = number_between(c, day_part.first_hour, day_part.last_hour);
  return c.rule("{day} {part} {hour} 点/1", "at {hour} o'clock/1 {day} {part}",
                {{"day", day}, {"part", part}, {"hour", hour}});
}

}  // namespace

Phrase days_ago(Composer& c, Detail detail) {
  switch (c.below(detail == Detail::hour ? 10 : 7)) {
    case 0:
    case 1:
      return c.linked("昨天", "yesterday");
    case 2:
      return c.linked("前天", "the day before yesterday");
    case 3:
      return c.rule("上/1 个 星期/2", "last/1 week/2");
    case 4:
    case 5:
      return c.rule("上/1 个 {day}", "last/1 {day}", {{"day", weekday(c)}});
    case 6:
      return ago(c, some_days(c));
    case 7:
      return c.rule("今天/1 早上/2", "this/1 morning/2");
    default:
      return day_and_hour(c, c.linked("昨天", "yesterday"));
  }
}

Phrase years_ago(Composer& c) {
  return around(c, some_years(c, c.chance(0.7) ? tens(c) : small_number(c)));
}

Phrase long_ago(Composer& c) {
  switch (c.below(11)) {
    case 0:
      return c.linked("去年", "last year");
    case 1:
      return c.rule("上/1 个 月/2", "last/1 month/2");
    case 2:
      return c.rule("去年/1 {month}", "in {month} last/1 year/1", {{"month", month(c)}});
    case 3:
    case 4:
    case 5:
    case 6:
    case 7:
      return date(c);
    case 8:
      return around(c, c.chance(0.5) ? some_months(c) : some_weeks(c));
    default:
      return years_ago(c);
  }
}

Phrase soon(Composer& c, Detail detail) {
  switch (c.below(detail == Detail::hour ? 8 : 6)) {
    case 0:
    case 1:
      return c.linked("明天", "tomorrow");
    case 2:
      return c.linked("后天", "the day after tomorrow");
    case 3:
      return c.rule("下/1 个 星期/2", "next/1 week/2");
    case 4:
    case 5:
      return c.rule("下/1 个 {day}", "next/1 {day}", {{"day", weekday(c)}});
    case 6:
      return day_and_hour(c, c.linked("明天", "tomorrow"));
    default:
      return c.rule("今天/1 晚上/2", "this/1 evening/2");
  }
}

Phrase in_days(Composer& c, Detail detail) {
  if (c.chance(0.85)) return soon(c, detail);
  return c.rule("{span} 后/1", "in/1 {span}", {{"span", some_days(c)}});
}

Phrase later_on(Composer& c) {
  switch (c.below(4)) {
    case 0:
      return c.linked("明年", "next year");
    case 1:
      return c.rule("下/1 个 月/2", "next/1 month/2");
    case 2:
      return c.rule("明年/1 {month}", "in {month} next/1 year/1", {{"month", month(c)}});
    default: {
      const Phrase span = c.chance(0.5) ? some_months(c) : some_years(c, small_number(c));
      return c.rule("{span} 后/1", "in/1 {span}", {{"span", span}});
    }
  }
}

Phrase habit_time(Composer& c, Detail detail) {
  switch (c.below(detail == Detail::hour ? 6 : 4)) {
    case 0:
      return c.rule("每/1 个 星期/2", "every/1 week/2");
    case 1:
      return c.rule("每/1 个 {day}", "every/1 {day}", {{"day", weekday(c)}});
    case 4:
      return c.rule("每天/1 早上/2", "every/1 morning/2");
    case 5:
      return c.rule("每天/1 晚上/2", "every/1 evening/2");
    default:
      return c.linked("每天", "every day");
  }
}

Phrase month_and_day(Composer& c) {
  return c.rule("{month} {day}", "on {month} {day}",
                {{"month", month(c)}, {"day", day_of_month(c)}});
}

Phrase years_long(Composer& c) {
  const Phrase span = c.chance(0.3) ? some_months(c) : some_years(c, small_number(c));
  return c.rule("{span}", "for {span}", {{"span", span}});
}

Phrase hours_long(Composer& c) {
  return c.rule("{n} 个 小时/1", "for {n} hours/1", {{"n", number_between(c, 2, 5)}});
}

}  // namespace eatt::builtin::zh_en
