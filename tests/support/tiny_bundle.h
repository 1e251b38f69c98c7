#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "bundle/architecture.h"
#include "bundle/write_bundle.h"

namespace eatt::testing {

// A model of a few thousand weights: width 8, 2 heads, 2 layers on each side, 40 source and 50
// target pieces, the same mechanism everywhere. Tests change what they are about.
Architecture tiny_architecture(Mechanism mechanism = Mechanism::eatt);

// A serialized SentencePiece (BPE) model that Pieces accepts: the markers, "▁", then the letters a
// to z, then pairs of letters, …. At least 5 pieces.
std::string piece_model(int pieces);

// Input of write_bundle: random weights of reasonable size for `architecture` (norms around 1,
// scales above 0), determined by the seed. Owns the weights that contents() points to. The
// vocabularies must be at least 5; one piece model serves both sides if they share embeddings.
class RandomBundle {
 public:
  explicit RandomBundle(const Architecture& architecture, uint64_t seed = 1);

  BundleContents& contents() { return contents_; }

 private:
  std::vector<std::vector<float>> weights_;
  BundleContents contents_;
};

// Writes a RandomBundle to `path` and returns `path`.
std::filesystem::path write_random_bundle(const std::filesystem::path& path,
                                          const Architecture& architecture = tiny_architecture(),
                                          uint64_t seed = 1);

}  // namespace eatt::testing
