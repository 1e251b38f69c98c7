#include "training/run/export_bundle.h"

#include "bundle/write_bundle.h"
#include "runtime/api/golden.h"
#include "training/run/runtime_model.h"

namespace eatt {
namespace {

// How the finished model translates a sentence, for other machines to compare with.
GoldenPair make_golden(const Architecture& architecture, const NamedWeights& weights,
                       const BundleOrigin& origin) {
  const RuntimeModel runtime(architecture, weights);
  const Pieces source(origin.source_piece_model, "source pieces");
  const Pieces target(origin.target_piece_model, "target pieces");
  return translate_golden(runtime.model(), source, target, origin.golden_source);
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
