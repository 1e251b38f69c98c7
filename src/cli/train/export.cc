// `eatt-train export` and `average`: bundles from the checkpoints of a run, or from other bundles.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "base/error.h"
#include "base/options.h"
#include "base/progress.h"
#include "base/text/utf8.h"
#include "bundle/bundle_checks.h"
#include "bundle/write_bundle.h"
#include "cli/commands.h"
#include "cli/help/train_commands.h"
#include "cli/program.h"
#include "training/run/trainer.h"

namespace eatt::cli {
namespace {

namespace fs = std::filesystem;

struct ExportArguments {
  fs::path run;
  fs::path output;
  bool overwrite = false;
  std::string checkpoint;  // An update, or "best"; empty: the newest.
};

WantedCheckpoint wanted(const ExportArguments& arguments) {
  using Which = WantedCheckpoint::Which;
  const std::string& text = arguments.checkpoint;
  if (text.empty() || text == "last" || text == "newest") return {};
  if (text == "best") return {.which = Which::best};
  const bool is_number = text.find_first_not_of("0123456789") == text.npos;
  if (!is_number) refuse_value("--checkpoint", text, "an update such as 800, or best");
  WantedCheckpoint wanted = {.which = Which::update};
  read_number("--checkpoint", text, {0}, wanted.update);
  return wanted;
}

void export_model(const ExportArguments& arguments) {
  if (!arguments.overwrite) {
    expect_own_bundle(arguments.output, derived_by("export", std::span(&arguments.run, 1)));
  }
  const int64_t update = export_checkpoint(arguments.run, arguments.output, wanted(arguments));
  print_result(fmt::format("{}: the model of update {}\n", arguments.output.string(), update));
}

struct AverageArguments {
  std::vector<fs::path> inputs;
  fs::path output;
  bool overwrite = false;
  size_t last = 0;
  size_t best = 0;
};

// What to type so that a run has more checkpoints of the kind that was asked for.
std::string how_to_keep(const fs::path& run, CheckpointChoice::Order order, size_t missing,
                        size_t wanted) {
  const bool best = order == CheckpointChoice::Order::best;
  const std::string keep = fmt::format("{} {}", best ? "--keep-best" : "--keep-last", wanted);
  const auto longer = extent_for_more(run, order, static_cast<int64_t>(missing));
  if (!longer) return fmt::format("a new run keeps more with {}", keep);
  return fmt::format("`eatt train --model {} {} --after {}` trains on until it has as many",
                     shell_quoted(run.string()), keep, print_extent(*longer));
}

void average_run(const AverageArguments& arguments) {
  CheckpointChoice choice;
  if (arguments.last > 0) choice.count = arguments.last;
  if (arguments.best > 0) {
    choice = {.order = CheckpointChoice::Order::best, .count = arguments.best};
  }
  const auto updates = average_checkpoints(arguments.inputs.front(), arguments.output, choice);
  const size_t wanted = std::max(arguments.last, arguments.best);
  if (updates.size() < wanted) {
    const fs::path& run = arguments.inputs.front();
    spdlog::warn("{} has only {}, so {} averaged and not {}; {}", run.string(),
                 format_count(updates.size(),
                              arguments.best > 0 ? "validated checkpoint" : "recent checkpoint"),
                 updates.size() == 1 ? "that one was" : "those were", wanted,
                 how_to_keep(run, choice.order, wanted - updates.size(), wanted));
  }
  print_result(fmt::format("{}: the mean of {}, {} {}\n", arguments.output.string(),
                           format_count(updates.size(), "checkpoint"),
                           updates.size() == 1 ? "update" : "updates", fmt::join(updates, ", ")));
}

// What is often given in place of a run folder.
void expect_run_or_bundle(const fs::path& input) {
  if (!fs::exists(input)) {
    const auto near = bundles_near(input);
    throw Error(fmt::format("{}: does not exist; expected a run folder or bundles{}",
                            input.string(), near ? "; " + *near : ""));
  }
  const fs::path name = input.has_filename() ? input : input.parent_path();
  if (name.filename() == "checkpoints" && fs::exists(name.parent_path() / "training.toml")) {
    throw UsageError(fmt::format("{} holds the checkpoints of a run; give the run folder, {}",
                                 input.string(), name.parent_path().string()));
  }
}

void average(const AverageArguments& arguments) {
  expect_run_or_bundle(arguments.inputs.front());
  const bool is_run = fs::exists(arguments.inputs.front() / "checkpoints");
  if (is_run && arguments.inputs.size() > 1) {
    throw UsageError("give one run folder, or several bundles");
  }
  if (!is_run && (arguments.last > 0 || arguments.best > 0)) {
    throw UsageError(fmt::format("--last and --best need a run folder; {} has no checkpoints",
                                 arguments.inputs.front().string()));
  }
  if (!arguments.overwrite) {
    expect_own_bundle(arguments.output, derived_by("average", arguments.inputs));
  }
  if (is_run) return average_run(arguments);
  average_bundles(arguments.inputs, arguments.output);
  print_result(fmt::format("{}: the mean of {}\n", arguments.output.string(),
                           format_count(arguments.inputs.size(), "bundle")));
}

}  // namespace

void add_export_command(Command& program) {
  Command& command = add_foreign_command(program, "export");
  const auto arguments = std::make_shared<ExportArguments>();
  command.add_option("RUN", arguments->run, "Run folder made by `eatt train`").required().reads();
  command.add_option("--output", arguments->output, "The bundle to write")
      .shows("BUNDLE")
      .required()
      .replaces();
  command.add_flag("--overwrite", arguments->overwrite,
                   "Replace a model that another command has made");
  command
      .add_option("--checkpoint", arguments->checkpoint,
                  "The checkpoint of update N, or the one with the best score")
      .shows("N|best")
      .default_is("the newest");
  command.on_run([arguments] { export_model(*arguments); });
}

void add_average_command(Command& program) {
  Command& command = add_foreign_command(program, "average");
  const auto arguments = std::make_shared<AverageArguments>();
  command
      .add_option("RUN|BUNDLE", arguments->inputs,
                  "A run folder, or several bundles of the same shape")
      .required()
      .reads();
  command.add_option("--output", arguments->output, "The bundle to write")
      .shows("BUNDLE")
      .required()
      .replaces();
  command.add_flag("--overwrite", arguments->overwrite,
                   "Replace a model that another command has made");
  Option last = command
                    .add_option("--last", arguments->last,
                                "Number of newest checkpoints to average", Range{1, 1'000'000})
                    .shows("N")
                    .default_is("5");
  command
      .add_option("--best", arguments->best, "Number of best checkpoints to average",
                  Range{1, 1'000'000})
      .shows("N")
      .default_is("")
      .excludes(last);
  command.on_run([arguments] { average(*arguments); });
}

}  // namespace eatt::cli
