#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "base/error.h"
#include "bundle/bundle.h"
#include "cli/program.h"
#include "cli/train/train_commands.h"
#include "training/run/run_models.h"

namespace eatt::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::vector<fs::path> inputs;
  fs::path output;
  size_t last = 0;
  size_t best = 0;
};

void average_run(const Arguments& arguments) {
  const RunModel model = open_run(arguments.inputs.front());
  const auto updates = arguments.best > 0
                           ? best_checkpoints(model, arguments.best)
                           : newest_checkpoints(model, arguments.last > 0 ? arguments.last : 5);
  if (updates.empty()) {
    throw Error(fmt::format("{}: has no {} checkpoint", model.run.string(),
                            arguments.best > 0 ? "validated" : "whole"));
  }
  std::vector<NamedWeights> weights;
  for (const int64_t update : updates) weights.push_back(checkpoint_weights(model, update));
  BundleOrigin origin = model.origin;
  origin.made["averaged"] = fmt::format("updates {}", fmt::join(updates, ", "));
  export_bundle(arguments.output, model.architecture, average_weights(weights), origin);
  print_result(fmt::format("{}: the mean of {} checkpoints, updates {}\n",
                           arguments.output.string(), updates.size(), fmt::join(updates, ", ")));
}

void expect_alike(const Bundle& first, const Bundle& other) {
  if (other.architecture() != first.architecture()) {
    throw Error(fmt::format("{} and {} have different architectures; their mean means nothing",
                            first.path().string(), other.path().string()));
  }
  if (other.source_piece_model() != first.source_piece_model() ||
      other.target_piece_model() != first.target_piece_model()) {
    throw Error(fmt::format("{} and {} have different pieces; their mean means nothing",
                            first.path().string(), other.path().string()));
  }
}

void average_bundles(const Arguments& arguments) {
  std::vector<NamedWeights> weights;
  const Bundle first = Bundle::open(arguments.inputs.front());
  for (const fs::path& input : arguments.inputs) {
    const Bundle bundle = Bundle::open(input);
    expect_alike(first, bundle);
    weights.push_back(weights_of(bundle));
  }
  BundleOrigin origin;
  origin.source_language = first.manifest().source_language;
  origin.target_language = first.manifest().target_language;
  origin.source_piece_model = first.source_piece_model();
  origin.target_piece_model = first.target_piece_model();
  origin.made = first.manifest().made;
  origin.made["averaged"] = fmt::format("{} bundles", arguments.inputs.size());
  if (first.manifest().golden) origin.golden_source = first.manifest().golden->source;
  export_bundle(arguments.output, first.architecture(), average_weights(weights), origin);
  print_result(fmt::format("{}: the mean of {} bundles\n", arguments.output.string(),
                           arguments.inputs.size()));
}

void run(const Arguments& arguments) {
  const bool is_run = fs::exists(arguments.inputs.front() / "checkpoints");
  if (is_run && arguments.inputs.size() > 1) {
    throw UsageError("give one run folder, or several bundles");
  }
  if (!is_run && (arguments.last > 0 || arguments.best > 0)) {
    throw UsageError(fmt::format("--last and --best need a run folder; {} has no checkpoints",
                                 arguments.inputs.front().string()));
  }
  is_run ? average_run(arguments) : average_bundles(arguments);
}

}  // namespace

void add_average_command(CLI::App& app) {
  CLI::App* command =
      add_command(app, "average", "Averages checkpoints of a run, or bundles, into a bundle",
                  "eatt-train average runs/eatt --last 8 --output models/eatt");
  const auto arguments = std::make_shared<Arguments>();
  command->add_option("RUN|BUNDLE", arguments->inputs, "A run folder, or bundles of one kind")
      ->required()
      ->expected(1, -1);
  command->add_option("--output", arguments->output, "The bundle to write")
      ->option_text("BUNDLE")
      ->required();
  auto* last = command->add_option("--last", arguments->last, "So many newest checkpoints (5)");
  last->option_text("N");
  command->add_option("--best", arguments->best, "So many best validated checkpoints")
      ->option_text("N")
      ->excludes(last);
  command->callback([arguments] { run(*arguments); });
}

}  // namespace eatt::cli
