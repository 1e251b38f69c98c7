#pragma once

#include "builtin/composer.h"

namespace eatt::builtin::zh_en {

// Numbers from two upwards, so that what they count is always plural in English.
Phrase number_between(Composer& c, int first, int last);  // 两 … 十, each as often
Phrase small_number(Composer& c);                         // the same, mostly up to five
Phrase tens(Composer& c);                                 // 二十 … 九十, or in digits: 50
Phrase hundreds(Composer& c);                             // 三百: "three hundred"
Phrase thousands(Composer& c);                            // 三千: "three thousand"
Phrase ten_thousands(Composer& c);                        // 三万: "thirty thousand"

}  // namespace eatt::builtin::zh_en
