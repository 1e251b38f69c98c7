#pragma once

#include <filesystem>
#include <string>

#include "bundle/bundle.h"
#include "bundle/write_bundle.h"
#include "model/transformer.h"
#include "runtime/layers/model.h"
#include "text/data/data_set.h"
#include "text/pieces/pieces.h"
#include "training/update/learner.h"

namespace eatt {

// A bundle with its pieces and its model, ready to compute.
struct BundleModel {
  // Throws an Error if the bundle is damaged.
  explicit BundleModel(const std::filesystem::path& path)
      : bundle(Bundle::open(path)),
        source_pieces(bundle.source_piece_model(), bundle.manifest().source_pieces),
        target_pieces(bundle.target_piece_model(), bundle.manifest().target_pieces),
        transformer(load_transformer(bundle)) {}

  Bundle bundle;
  Pieces source_pieces, target_pieces;
  Transformer transformer;
};

// A libtorch model for the runtime: the decoder of `eatt translate` on weights that were never
// written to disk. It points to some of the weights, so it must not be used while an update changes
// them.
class RuntimeModel {
 public:
  RuntimeModel(const Architecture& architecture, NamedWeights weights);

  const Model& model() const { return model_; }

 private:
  NamedWeights weights_;
  Model model_;
};

// What a bundle needs besides architecture and weights.
struct BundleOrigin {
  std::string source_language, target_language;
  std::string source_piece_model, target_piece_model;  // Bytes; equal if there is one for both.
  std::string training_toml, results_json, languages_json;  // May be empty.
  std::map<std::string, std::string> made;
  std::string golden_source;  // A sentence to store with its translation; empty: none.
};

// Writes a bundle, with the score scales folded into the projections. Returns its manifest.
Manifest export_bundle(const std::filesystem::path& path, Architecture architecture,
                       NamedWeights weights, const BundleOrigin& origin,
                       OtherFiles others = OtherFiles::refused);

// Initializes a learner from a bundle with the same pieces and any mechanisms: tensors of the same
// name and shape are copied; the others are logged and keep their random values. Projections that
// read codes in the learner's model and did not in the bundle are converted by the text that
// `checked_data` returns, which is called only then. Throws an Error if the pieces differ or
// nothing fits.
void start_from_bundle(const std::filesystem::path& bundle, const Pieces& source,
                       const Pieces& target, const std::function<const DataSet&()>& checked_data,
                       Learner& learner);

// The teacher of word-level distillation. Throws an Error if its pieces differ.
Transformer load_teacher(const std::filesystem::path& bundle, const Pieces& source,
                         const Pieces& target);

}  // namespace eatt
