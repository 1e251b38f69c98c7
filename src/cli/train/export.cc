#include "training/run/export.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cli/program.h"
#include "cli/train/train_commands.h"

namespace eatt::cli {
namespace {

struct Arguments {
  std::filesystem::path run;
  std::filesystem::path output;
  std::optional<int64_t> checkpoint;  // Else the newest.
};

void run(const Arguments& arguments) {
  const int64_t update = export_checkpoint(arguments.run, arguments.output, arguments.checkpoint);
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
