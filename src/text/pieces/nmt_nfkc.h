#pragma once

#include <string_view>

namespace eatt {

// SentencePiece's nmt_nfkc, the normalisation of every model that we learn: Unicode's NFKC with odd
// spaces as spaces and invisible characters removed. Compiled, as it stands in model files; see
// normalizer.h. The table is SentencePiece's own (nmt_nfkc.bin, Apache licence 2.0).
std::string_view nmt_nfkc_rules();

}  // namespace eatt
