// The program eatt-train: what needs libtorch.
#include <fmt/format.h>

#include "cli/program.h"
#include "cli/train/train_commands.h"
#include "cli/version.h"
#include "model/computing.h"

int main(int argc, char** argv) {
  using namespace eatt;
  restart_with_better_blas(argv);
  CLI::App app("Training for eatt, on libtorch", "eatt-train");
  cli::set_up_app(app);
  app.set_version_flag("--version", [] {
    return cli::version_text("eatt-train") + fmt::format("libtorch {}\n", libtorch_version());
  });
  cli::add_train_command(app);
  cli::add_export_command(app);
  cli::add_average_command(app);
  cli::add_validate_command(app);
  cli::add_align_command(app);
  cli::add_check_command(app);
  return cli::run_app(app, argc, argv);
}
