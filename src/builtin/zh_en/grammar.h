#pragma once

#include "builtin/composer.h"

namespace eatt::builtin::zh_en {

// A random Chinese sentence with its one English translation.
Phrase sentence(Composer& c);

}  // namespace eatt::builtin::zh_en
