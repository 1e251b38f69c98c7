#include "training/export_bundle.h"

#include "base/error.h"
#include "bundle/write_bundle.h"
#include "training/greedy_search.h"

namespace eatt {
namespace {

// How the finished model translates a sentence, for other machines to compare with.
GoldenPair make_golden(const Architecture& architecture, const NamedWeights& weights,
                       const BundleOrigin& origin) {
  Transformer model(architecture, ModelTraining{});
  expects(copy_weights(weights, *model).empty(), "the weights are those of the architecture");
  model->eval();
  const Pieces source(origin.source_piece_model, "source pieces");
  const Pieces target(origin.target_piece_model, "target pieces");
  const std::vector<std::vector<int32_t>> sources = {source.encode(origin.golden_source)};
  const GreedyTranslation best = greedy_search(model, sources).front();
  return {.source = origin.golden_source,
          .target = target.decode(best.pieces),
          .score = best.log_probability};
}

}  // namespace

Manifest export_bundle(const std::filesystem::path& path, Architecture architecture,
                       NamedWeights weights, const BundleOrigin& origin) {
  fold_score_scales(architecture, weights);
  BundleContents contents;
  contents.manifest.architecture = architecture;
  contents.manifest.source_language = origin.source_language;
  contents.manifest.target_language = origin.target_language;
  contents.manifest.made = origin.made;
  contents.source_piece_model = origin.source_piece_model;
  if (origin.target_piece_model != origin.source_piece_model) {
    contents.target_piece_model = origin.target_piece_model;
  }
  contents.training_toml = origin.training_toml;
  contents.results_json = origin.results_json;
  if (!origin.golden_source.empty()) {
    contents.manifest.golden = make_golden(architecture, weights, origin);
  }
  for (auto& [name, tensor] : weights) {
    tensor = tensor.contiguous();
    contents.tensors.push_back(view_of(name, tensor));
  }
  return write_bundle(path, contents);
}

}  // namespace eatt
