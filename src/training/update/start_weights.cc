#include "training/update/start_weights.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/error.h"
#include "base/sha256.h"
#include "bundle/bundle.h"
#include "model/bundle_weights.h"

namespace eatt {
namespace {

void expect_same_pieces(const Bundle& bundle, const Pieces& source, const Pieces& target) {
  const auto compare = [&](std::string_view model, const Pieces& pieces, std::string_view side) {
    if (sha256_hex(model) == pieces.sha256()) return;
    throw Error(fmt::format(
        "{}: its {} pieces are not those of the training data; prepare the data with them: `eatt "
        "corpus prepare --pieces {}/{} …`",
        bundle.path().string(), side, bundle.path().string(),
        side == "source" ? bundle.manifest().source_pieces : bundle.manifest().target_pieces));
  };
  compare(bundle.source_piece_model(), source, "source");
  compare(bundle.target_piece_model(), target, "target");
}

}  // namespace

void start_from_bundle(const std::filesystem::path& path, const Pieces& source,
                       const Pieces& target, Learner& learner) {
  const Bundle bundle = Bundle::open(path);
  expect_same_pieces(bundle, source, target);
  NamedWeights weights = weights_of(bundle);
  Architecture theirs = bundle.architecture();
  fold_score_scales(theirs, weights);
  const Architecture& ours = learner.model()->architecture();
  unfold_score_scales(ours, theirs, weights);
  if (theirs.heads != ours.heads) {
    spdlog::warn("{} has {} heads, this model {}: projections are cut at other places",
                 path.string(), theirs.heads, ours.heads);
  }
  const auto misfits = copy_weights(weights, *learner.model());
  const size_t all = learner.parameters().names().size();
  if (misfits.size() == all) {
    throw Error(fmt::format("{}: not one of its tensors fits this model; is --model-dim the same?",
                            path.string()));
  }
  for (const Misfit& misfit : misfits) {
    spdlog::warn("{} keeps its random start: {}", misfit.name, misfit.reason);
  }
  spdlog::info("{} of {} tensors start from {}", all - misfits.size(), all, path.string());
  learner.restart_average();
}

Transformer load_teacher(const std::filesystem::path& path, const Pieces& source,
                         const Pieces& target) {
  const Bundle bundle = Bundle::open(path);
  expect_same_pieces(bundle, source, target);
  return load_transformer(bundle);
}

}  // namespace eatt
