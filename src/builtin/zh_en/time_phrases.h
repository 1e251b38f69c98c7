#pragma once

#include "builtin/composer.h"

namespace eatt::builtin::zh_en {

// Phrases that tell when: in front in Chinese, at the end in English. The Chinese words alone tell
// whether they speak of the past or the future, and with them the tense of the English verb.
enum class Detail {
  day,   // 昨天, 上 个 星期一
  hour,  // 昨天 上午 九 点, 今天 早上 as well
};
Phrase days_ago(Composer& c, Detail detail = Detail::hour);
Phrase long_ago(Composer& c);   // 大约 50 年 前, 二〇一四年 三月 五日
Phrase years_ago(Composer& c);  // 大约 50 年 前
Phrase soon(Composer& c, Detail detail = Detail::hour);        // 明天 下午, 下 个 星期五
Phrase in_days(Composer& c, Detail detail = Detail::hour);     // the same, and 三 天 后
Phrase later_on(Composer& c);                                  // 下 个 月, 明年, 两 年 后
Phrase habit_time(Composer& c, Detail detail = Detail::hour);  // 每天 早上, 每 个 星期天

// 三月 五日: tells the day, but neither past nor future.
Phrase month_and_day(Composer& c);

Phrase years_long(Composer& c);  // 三 年: "for three years"
Phrase hours_long(Composer& c);  // 两 个 小时: "for two hours"

}  // namespace eatt::builtin::zh_en
