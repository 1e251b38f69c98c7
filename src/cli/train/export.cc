#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "cli/program.h"
#include "cli/train/train_commands.h"
#include "training/run/run_models.h"

namespace eatt::cli {
namespace {

struct Arguments {
  std::filesystem::path run;
  std::filesystem::path output;
  int64_t checkpoint = -1;  // The newest.
};

void run(const Arguments& arguments) {
  const RunModel model = open_run(arguments.run);
  int64_t update = arguments.checkpoint;
  if (update < 0) {
    const auto newest = newest_checkpoints(model, 1);
    if (newest.empty()) {
      throw Error(fmt::format("{}: has no checkpoint", arguments.run.string()));
    }
    update = newest.front();
  }
  BundleOrigin origin = model.origin;
  origin.made["exported"] = fmt::format("update {}", update);
  export_bundle(arguments.output, model.architecture, checkpoint_weights(model, update), origin);
  print_result(fmt::format("{}: the model of update {}\n", arguments.output.string(), update));
}

}  // namespace

void add_export_command(CLI::App& app) {
  CLI::App* command = add_command(app, "export", "Writes a checkpoint of a run as a bundle",
                                  "eatt-train export runs/eatt --output models/eatt");
  const auto arguments = std::make_shared<Arguments>();
  command->add_option("RUN", arguments->run, "Folder of `eatt train`")->required();
  command->add_option("--output", arguments->output, "The bundle to write")
      ->option_text("BUNDLE")
      ->required();
  command
      ->add_option("--checkpoint", arguments->checkpoint, "Update of the checkpoint (the newest)")
      ->option_text("N");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace eatt::cli
