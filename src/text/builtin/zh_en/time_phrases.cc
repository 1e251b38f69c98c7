#include "text/builtin/zh_en/time_phrases.h"

#include <string>

#include "text/builtin/zh_en/lexicon.h"
#include "text/builtin/zh_en/numbers.h"

namespace eatt::builtin::zh_en {
namespace {

constexpr Name kWeekdays[] = {{"星期一", "Monday"},   {"星期五", "Friday"},   {"星期天", "Sunday"},
                              {"星期六", "Saturday"}, {"星期三", "Wednesday"}, {"星期二", "Tuesday"},
                              {"星期四", "Thursday"}};

struct DayPart {
  Name name;
  int first_hour, last_hour;
};
constexpr DayPart kDayParts[] = {
    {{"晚上", "evening"}, 6, 10}, {{"上午", "morning"}, 7, 10}, {{"下午", "afternoon"}, 2, 5}};

constexpr Name kMonths[] = {
    {"三月", "March"}, {"五月", "May"},       {"六月", "June"},      {"九月", "September"},
    {"一月", "January"}, {"八月", "August"},  {"十月", "October"},   {"四月", "April"},
    {"七月", "July"},  {"二月", "February"},  {"十一月", "November"}, {"十二月", "December"}};
constexpr std::string_view kChineseDigits[] = {"〇", "一", "二", "三", "四", "五", "六", "七", "八", "九"};
constexpr int kFirstYear = 2008;
constexpr int kYears = 16;
constexpr int kDays = 28;

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

Phrase name(Composer& c, const Name& entry) { return c.linked(entry.chinese, entry.english); }

Phrase year(Composer& c) {
  const int number = kFirstYear + static_cast<int>(c.below(kYears));
  return c.linked(year_in_chinese(number) + "年", std::to_string(number));
}

Phrase day(Composer& c) {
  const int number = 1 + static_cast<int>(c.below(kDays));
  return c.linked(day_in_chinese(number) + "日", std::to_string(number));
}

Phrase date(Composer& c) {
  const Phrase month = name(c, c.pick(kMonths));
  switch (c.below(4)) {
    case 0:
      return c.rule("{year}", "in {year}", {{"year", year(c)}});
    case 1:
      return c.rule("{year} {month}", "in {month} {year}", {{"year", year(c)}, {"month", month}});
    default:
      return c.rule("{year} {month} {day}", "on {month} {day} , {year}",
                    {{"year", year(c)}, {"month", month}, {"day", day(c)}});
  }
}

// 三 天, 两 个 星期: a span whose unit is a day or a week.
Phrase short_span(Composer& c) {
  const Phrase number = small_number(c);
  if (c.chance(0.6)) return c.rule("{n} 天/1", "{n} days/1", {{"n", number}});
  return c.rule("{n} 个 星期/1", "{n} weeks/1", {{"n", number}});
}

Phrase long_span(Composer& c) {
  if (c.chance(0.3)) return c.rule("{n} 个 月/1", "{n} months/1", {{"n", small_number(c)}});
  const Phrase number = c.chance(0.6) ? tens(c) : small_number(c);
  return c.rule("{n} 年/1", "{n} years/1", {{"n", number}});
}

Phrase ago(Composer& c, const Phrase& span) {
  if (c.chance(0.4)) return c.rule("大约/1 {span} 前/2", "around/1 {span} ago/2", {{"span", span}});
  return c.rule("{span} 前/1", "{span} ago/1", {{"span", span}});
}

// 昨天 上午 九 点: the hour goes first in English.
Phrase day_and_hour(Composer& c, std::string_view chinese_day, std::string_view english_day) {
  const Phrase day_word = c.linked(chinese_day, english_day);
  const DayPart& day_part = c.pick(kDayParts);
  const Phrase part = name(c, day_part.name);
  if (c.chance(0.6)) return c.rule("{day} {part}", "{day} {part}", {{"day", day_word}, {"part", part}});
  const Phrase hour = small_number(c, day_part.first_hour, day_part.last_hour);
  return c.rule("{day} {part} {hour} 点/1", "at {hour} o'clock/1 {day} {part}",
                {{"day", day_word}, {"part", part}, {"hour", hour}});
}

}  // namespace

Phrase recent_past(Composer& c) {
  switch (c.below(10)) {
    case 0:
    case 1:
      return c.linked("昨天", "yesterday");
    case 2:
      return c.linked("前天", "the day before yesterday");
    case 3:
      return c.rule("上/1 个 星期/2", "last/1 week/2");
    case 4:
      return c.rule("上/1 个 月/2", "last/1 month/2");
    case 5:
      return c.rule("上/1 个 {day}", "last/1 {day}", {{"day", name(c, c.pick(kWeekdays))}});
    case 6:
      return c.rule("今天/1 早上/2", "this/1 morning/2");
    case 7:
      return day_and_hour(c, "昨天", "yesterday");
    default:
      return ago(c, short_span(c));
  }
}

Phrase distant_past(Composer& c) {
  switch (c.below(8)) {
    case 0:
      return c.linked("去年", "last year");
    case 1:
      return c.rule("去年/1 {month}", "in {month} last/1 year/1",
                    {{"month", name(c, c.pick(kMonths))}});
    case 2:
    case 3:
    case 4:
      return date(c);
    default:
      return ago(c, long_span(c));
  }
}

Phrase near_future(Composer& c) {
  switch (c.below(10)) {
    case 0:
    case 1:
      return c.linked("明天", "tomorrow");
    case 2:
      return c.linked("后天", "the day after tomorrow");
    case 3:
      return c.linked("明年", "next year");
    case 4:
      return c.rule("下/1 个 星期/2", "next/1 week/2");
    case 5:
      return c.rule("下/1 个 月/2", "next/1 month/2");
    case 6:
      return c.rule("下/1 个 {day}", "next/1 {day}", {{"day", name(c, c.pick(kWeekdays))}});
    case 7:
      return day_and_hour(c, "明天", "tomorrow");
    case 8:
      return c.rule("今天/1 晚上/2", "this/1 evening/2");
    default:
      return c.rule("{span} 后/1", "in/1 {span}", {{"span", short_span(c)}});
  }
}

Phrase habit_time(Composer& c) {
  switch (c.below(6)) {
    case 0:
      return c.rule("每/1 个 星期/2", "every/1 week/2");
    case 1:
      return c.rule("每/1 个 {day}", "every/1 {day}", {{"day", name(c, c.pick(kWeekdays))}});
    case 2:
      return c.rule("每天/1 早上/2", "every/1 morning/2");
    case 3:
      return c.rule("每天/1 晚上/2", "every/1 evening/2");
    default:
      return c.linked("每天", "every day");
  }
}

Phrase long_duration(Composer& c) {
  const Phrase number = small_number(c);
  if (c.chance(0.3)) return c.rule("{n} 个 月/1", "for {n} months/1", {{"n", number}});
  return c.rule("{n} 年/1", "for {n} years/1", {{"n", number}});
}

Phrase short_duration(Composer& c) {
  const Phrase number = small_number(c);
  if (c.chance(0.6)) return c.rule("{n} 个 小时/1", "for {n} hours/1", {{"n", number}});
  return c.rule("{n} 天/1", "for {n} days/1", {{"n", number}});
}

}  // namespace eatt::builtin::zh_en
