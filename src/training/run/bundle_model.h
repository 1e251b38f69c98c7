#pragma once

#include <filesystem>

#include "bundle/bundle.h"
#include "model/bundle_weights.h"
#include "text/pieces/pieces.h"

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

}  // namespace eatt
