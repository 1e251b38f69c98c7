#include "evaluation/signature.h"

#include <fmt/format.h>

namespace eatt::evaluation {

std::string make_signature(size_t references, const std::optional<Resampling>& resampling,
                           std::string_view details) {
  std::string text = fmt::format("nrefs:{}|", references);
  if (resampling) text += fmt::format("bs:{}|seed:{}|", resampling->resamples, resampling->seed);
  return text + fmt::format("{}|version:eatt-{}", details, EATT_VERSION);
}

}  // namespace eatt::evaluation
