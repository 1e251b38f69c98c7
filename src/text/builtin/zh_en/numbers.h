#pragma once

#include "text/builtin/composer.h"

namespace eatt::builtin::zh_en {

// Numbers from two upwards, so that what they count is always plural in English.
Phrase small_number(Composer& c);                        // 两 … 十, as before a measure word
Phrase small_number(Composer& c, int first, int last);  // of these only, each as often
Phrase tens(Composer& c);          // 二十 … 九十, or the same in digits: 50
Phrase large_number(Composer& c);  // 一百 … 十万: "three hundred", "fifty thousand"

}  // namespace eatt::builtin::zh_en
