#pragma once

#include "text/builtin/composer.h"

namespace eatt::builtin::zh_en {

// Phrases that tell when: in front in Chinese, at the end in English. The Chinese words alone tell
// whether they speak of the past or the future, and with them the tense of the English verb.
Phrase recent_past(Composer& c);   // 昨天 上午, 上 个 星期一, 三 天 前
Phrase distant_past(Composer& c);  // 大约 50 年 前, 二〇一四年 三月 五日, 去年 三月
Phrase near_future(Composer& c);   // 明天 下午, 下 个 月, 三 天 后
Phrase habit_time(Composer& c);    // 每天 早上, 每 个 星期天

Phrase long_duration(Composer& c);   // 三 年: "for three years"
Phrase short_duration(Composer& c);  // 两 个 小时: "for two hours"

}  // namespace eatt::builtin::zh_en
