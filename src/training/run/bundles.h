#pragma once

#include <filesystem>
#include <string>

#include "bundle/bundle.h"
#include "bundle/manifest.h"
#include "model/bundle_weights.h"
#include "runtime/layers/model.h"
#include "text/pieces/pieces.h"
#include "training/update/learner.h"

namespace eatt {

// A bundle with all it takes to compute with it.
struct BundleModel {
  // Throws an Error if the bundle is not sound.
  explicit BundleModel(const std::filesystem::path& path)
      : bundle(Bundle::open(path)),
        source_pieces(bundle.source_piece_model(), bundle.manifest().source_pieces),
        target_pieces(bundle.target_piece_model(), bundle.manifest().target_pieces),
        transformer(load_transformer(bundle)) {}

  Bundle bundle;
  Pieces source_pieces, target_pieces;
  Transformer transformer;
};

// A model of libtorch as the runtime computes with it: the decoder of `eatt translate`, on weights
// that were never written to disk. Some of it points to the weights themselves: not for use while
// an update changes them.
class RuntimeModel {
 public:
  RuntimeModel(const Architecture& architecture, NamedWeights weights);

  const Model& model() const { return model_; }

 private:
  NamedWeights weights_;
  Model model_;
};

// What a bundle needs beside architecture and weights.
struct BundleOrigin {
  std::string source_language, target_language;
  std::string source_piece_model, target_piece_model;  // Bytes; equal if there is one for both.
  std::string training_toml, results_json;             // May be empty.
  std::map<std::string, std::string> made;
  std::string golden_source;  // A sentence to translate and remember; empty: none.
};

// Writes a bundle with the factors of scores folded into the projections. Returns what was written.
Manifest export_bundle(const std::filesystem::path& path, Architecture architecture,
                       NamedWeights weights, const BundleOrigin& origin);

// Gives a learner the weights of a bundle with the same pieces, whatever its mechanisms: what has
// the same name and shape is taken, the rest is named in the log and keeps its random start. Throws
// an Error if the pieces differ or nothing fits.
void start_from_bundle(const std::filesystem::path& bundle, const Pieces& source,
                       const Pieces& target, Learner& learner);

// The teacher of word-level distillation. Throws an Error if its pieces differ.
Transformer load_teacher(const std::filesystem::path& bundle, const Pieces& source,
                         const Pieces& target);

}  // namespace eatt
