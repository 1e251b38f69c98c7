#pragma once

#include <filesystem>

#include "support/tiny_bundle.h"
#include "text/pieces/pieces.h"
#include "text/sample_text.h"

namespace eatt::testing {

// A bundle that `eatt translate` accepts: random weights, with the pieces of sample_model() on both
// sides. `language` is that of the source: the sample is in none.
inline std::filesystem::path write_speaking_bundle(const std::filesystem::path& path,
                                                   uint64_t seed = 1,
                                                   Mechanism mechanism = Mechanism::eatt,
                                                   const std::string& language = "und") {
  Architecture architecture = tiny_architecture(mechanism);
  architecture.embeddings = EmbeddingSharing::all;
  architecture.source_vocab = architecture.target_vocab = Pieces(sample_model(), "sample").size();
  RandomBundle bundle(architecture, seed);
  bundle.contents().source_piece_model = sample_model();
  bundle.contents().manifest.source_language = language;
  write_bundle(path, bundle.contents());
  return path;
}

}  // namespace eatt::testing
