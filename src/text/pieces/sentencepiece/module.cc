#include "text/pieces/sentencepiece/library.h"

// What loaded.cc looks up.
extern "C" __attribute__((visibility("default")))
const eatt::SentencePieceEntry eatt_sentencepiece_entry = {eatt::load_sentencepiece_model,
                                                           eatt::make_sentencepiece_template};
