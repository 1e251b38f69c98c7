#pragma once

#include <string>
#include <vector>

#include "text/data/data_set.h"
#include "text/language/language_profile.h"
#include "text/pieces/pieces.h"

namespace eatt {

// One side of a data set.
struct LanguageSide {
  std::string language;  // "und" if it is not known.
  const Pieces* pieces = nullptr;
};

// Profiles of both languages, learned from up to 10,000 pairs spread evenly over the data set: the
// same data gives the same profiles. Languages that are not known, or of which there is hardly any
// text, get none.
std::vector<LanguageProfile> learn_profiles(const DataSet& data, const LanguageSide& source,
                                            const LanguageSide& target);

}  // namespace eatt
