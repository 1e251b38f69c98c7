#include "runtime/int8/int8_bundle.h"

#include <fmt/format.h>

#include "bundle/write_bundle.h"

namespace eatt {

Manifest write_int8_bundle(const std::filesystem::path& path, const Bundle& bundle,
                           const NamedTensors& tensors, const std::optional<GoldenPair>& golden) {
  BundleContents contents;
  contents.manifest = bundle.manifest();
  contents.manifest.architecture = with_folded_scales(bundle.architecture());
  contents.manifest.precision = Precision::int8;
  contents.manifest.golden = golden;
  contents.manifest.made["quantized"] =
      fmt::format("int8, from weights of SHA-256 {}",
                  bundle.manifest().files.at(kWeightsFile).sha256.substr(0, 16));
  contents.tensors = tensors.tensors();
  contents.source_piece_model = bundle.source_piece_model();
  if (!bundle.manifest().joint_pieces()) contents.target_piece_model = bundle.target_piece_model();
  contents.training_toml = bundle.training_toml();
  contents.results_json = bundle.results_json();
  return write_bundle(path, contents);
}

}  // namespace eatt
