#include "training/run/bundles.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "base/error.h"
#include "base/progress.h"
#include "base/sha256.h"
#include "bundle/bundle.h"
#include "model/transformer.h"
#include "runtime/api/translation_engine.h"
#include "training/run/warm_start.h"

namespace eatt {
namespace {

NamedWeights contiguous(NamedWeights weights) {
  for (auto& [name, tensor] : weights) tensor = tensor.contiguous();
  return weights;
}

std::span<const float> values_of(const NamedWeights& weights, std::string_view name) {
  const auto found = weights.find(std::string(name));
  expects(found != weights.end(), "a model has every tensor of its architecture");
  return {found->second.data_ptr<float>(), static_cast<size_t>(found->second.numel())};
}

}  // namespace

RuntimeModel::RuntimeModel(const Architecture& architecture, NamedWeights weights)
    : weights_(contiguous(std::move(weights))),
      model_(make_float_model(
          architecture, [this](std::string_view name) { return values_of(weights_, name); })) {}

namespace {

// The model's translation of a sentence, so that other machines can check theirs against it.
GoldenPair make_golden(const Architecture& architecture, const NamedWeights& weights,
                       const BundleOrigin& origin) {
  const RuntimeModel runtime(architecture, weights);
  const Pieces source(origin.source_piece_model, "source pieces");
  const Pieces target(origin.target_piece_model, "target pieces");
  return translate_golden(runtime.model(), source, target, origin.golden_source);
}

}  // namespace

Manifest export_bundle(const std::filesystem::path& path, Architecture architecture,
                       NamedWeights weights, const BundleOrigin& origin, OtherFiles others) {
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
  contents.languages_json = origin.languages_json;
  if (!origin.golden_source.empty()) {
    contents.manifest.golden = make_golden(architecture, weights, origin);
  }
  for (auto& [name, tensor] : weights) {
    tensor = tensor.contiguous();
    contents.tensors.push_back(view_of(name, tensor));
  }
  return write_bundle(path, contents, others);
}

namespace {

void expect_same_pieces(const Bundle& bundle, const Pieces& source, const Pieces& target) {
  const auto compare = [&](std::string_view model, const Pieces& pieces, std::string_view side) {
    if (sha256_hex(model) == pieces.sha256()) return;
    throw Error(fmt::format(
        "{}: its {} vocabulary is not that of the training data, and they must be the same; "
        "prepare "
        "the data with `eatt corpus prepare --pieces {}/{} …`",
        bundle.path().string(), side, bundle.path().string(),
        side == "source" ? bundle.manifest().source_pieces : bundle.manifest().target_pieces));
  };
  compare(bundle.source_piece_model(), source, "source");
  compare(bundle.target_piece_model(), target, "target");
}

void convert_projections(const Bundle& bundle, const Architecture& ours,
                         const std::function<const DataSet&()>& checked_data,
                         NamedWeights& weights) {
  const Architecture& theirs = bundle.architecture();
  const bool both_read_codes = !code_projections(theirs).empty() && !code_projections(ours).empty();
  if (both_read_codes && theirs.code_levels != ours.code_levels) {
    spdlog::warn("{} has codes of another kind: the weights that read them are copied as they are",
                 bundle.path().string());
  }
  const auto projections = projections_to_convert(theirs, ours, weights);
  if (projections.empty()) return;
  size_t longest = ours.max_length - 1;  // Without the end marker.
  if (has_length_limit(theirs)) longest = std::min(longest, theirs.max_length - 1);
  Transformer model = load_transformer(bundle);
  convert_to_codes(projections, attention_inputs(model, checked_data(), longest), ours, weights);
  spdlog::info("converted {} of queries and keys to read codes",
               format_count(projections.size(), "projection"));
}

}  // namespace

void start_from_bundle(const std::filesystem::path& path, const Pieces& source,
                       const Pieces& target, const std::function<const DataSet&()>& checked_data,
                       Learner& learner) {
  const Bundle bundle = Bundle::open(path);
  expect_same_pieces(bundle, source, target);
  NamedWeights weights = weights_of(bundle);
  Architecture theirs = bundle.architecture();
  fold_score_scales(theirs, weights);
  const Architecture& ours = learner.model()->architecture();
  unfold_score_scales(ours, theirs, weights);
  convert_projections(bundle, ours, checked_data, weights);
  if (theirs.heads != ours.heads) {
    spdlog::warn(
        "{} has {} heads and this model has {}: the weights of attention are divided among the "
        "heads in another way",
        path.string(), theirs.heads, ours.heads);
  }
  const auto misfits = copy_weights(weights, *learner.model());
  const size_t all = learner.parameters().names().size();
  if (misfits.size() == all) {
    throw Error(fmt::format(
        "{}: none of its tensors fits this model; give the --model-dim that it was trained with",
        path.string()));
  }
  for (const Misfit& misfit : misfits) {
    spdlog::warn("{} starts from random values: {}", misfit.name, misfit.reason);
  }
  spdlog::info("took {} of {} tensors from {}", all - misfits.size(), all, path.string());
  learner.restart_average();
}

Transformer load_teacher(const std::filesystem::path& path, const Pieces& source,
                         const Pieces& target) {
  const Bundle bundle = Bundle::open(path);
  expect_same_pieces(bundle, source, target);
  return load_transformer(bundle);
}

}  // namespace eatt
