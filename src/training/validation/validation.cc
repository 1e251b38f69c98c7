#include "training/validation/validation.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/computing.h"
#include "text/corpus/languages.h"
#include "training/run/bundles.h"
#include "training/validation/validation_set.h"

namespace eatt {

double Densities::mean() const {
  double sum = 0;
  double count = 0;
  const auto add = [&](double density) {
    if (density < 0) return;
    sum += density;
    ++count;
  };
  for (const auto* role : {&encoder_self, &decoder_self, &cross_query}) {
    std::ranges::for_each(*role, add);
  }
  add(cross_key);
  return count > 0 ? sum / count : -1;
}

double ValidationScores::value(ValidMetric metric) const {
  switch (metric) {
    case ValidMetric::bleu:
      return bleu.value();
    case ValidMetric::chrf:
      return chrf.value();
    case ValidMetric::cross_entropy:
      return cross_entropy;
    case ValidMetric::perplexity:
      break;
  }
  return perplexity;
}

nlohmann::json to_json(const Densities& densities) {
  nlohmann::json result = nlohmann::json::object();
  const auto add = [&](const char* name, const std::vector<double>& layers) {
    if (std::ranges::any_of(layers, [](double density) { return density >= 0; }))
      result[name] = layers;
  };
  add("encoder_self", densities.encoder_self);
  add("decoder_self", densities.decoder_self);
  add("cross_query", densities.cross_query);
  if (densities.cross_key >= 0) result["cross_key"] = densities.cross_key;
  return result;
}

nlohmann::json to_json(const ValidationScores& scores) {
  nlohmann::json result = {{"cross_entropy", scores.cross_entropy},
                           {"perplexity", scores.perplexity}};
  if (scores.bleu) {
    result["bleu"] = {{"score", *scores.bleu}, {"signature", scores.bleu_signature}};
    result["chrf"] = {{"score", *scores.chrf}};
  }
  if (scores.densities.any()) result["density"] = to_json(scores.densities);
  return result;
}

ValidationScores validate_bundle(const std::filesystem::path& bundle, const TextPair& text,
                                 evaluation::Tokenizer tokenizer) {
  return with_plain_errors([&] {
    set_up_computing();
    BundleModel model(bundle);
    check_languages(
        {model.bundle.manifest().source_language, model.bundle.manifest().target_language},
        "the model", {"--valid-sets", text.source.string(), text.target.string()});
    const ValidationSet set(text, model.source_pieces, model.target_pieces);
    return set.score(model.transformer, /*translate=*/true, tokenizer);
  });
}

}  // namespace eatt
