// Options that people type by habit because other toolkits have them. Where we call them otherwise,
// the message about an unknown option says how.
#pragma once

#include "cli/command.h"

namespace eatt::cli {

// How text in one file is trained on, which `train` itself does not read.
extern const char kTsvHint[];

// The training options of Marian, fairseq, OpenNMT and Sockeye, for `eatt train`.
void add_training_habits(Command& command);

// Their options of search, and those of CTranslate2, for commands that translate.
void add_search_habits(Command& command);

// Their options for files, models and devices, for `eatt translate`.
void add_translation_habits(Command& command);

}  // namespace eatt::cli
