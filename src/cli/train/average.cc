#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "base/error.h"
#include "cli/program.h"
#include "cli/train/train_commands.h"
#include "training/run/export.h"

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
  CheckpointChoice choice;
  if (arguments.last > 0) choice.count = arguments.last;
  if (arguments.best > 0) {
    choice = {.order = CheckpointChoice::Order::best, .count = arguments.best};
  }
  const auto updates = average_checkpoints(arguments.inputs.front(), arguments.output, choice);
  print_result(fmt::format("{}: the mean of {} checkpoints, updates {}\n",
                           arguments.output.string(), updates.size(), fmt::join(updates, ", ")));
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
  if (is_run) return average_run(arguments);
  average_bundles(arguments.inputs, arguments.output);
  print_result(fmt::format("{}: the mean of {} bundles\n", arguments.output.string(),
                           arguments.inputs.size()));
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
