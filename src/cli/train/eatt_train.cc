// The program eatt-train: what needs libtorch.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/progress.h"
#include "base/threads.h"
#include "cli/commands.h"
#include "cli/help/reference.h"
#include "cli/help/train_commands.h"
#include "cli/program.h"
#include "model/computing.h"

namespace eatt::cli {
namespace {

void check_installation() {
  const BlasLibrary blas = find_blas_library();
  const double speed = product_speed();
  print_result(fmt::format(
      "libtorch {}, {}\nproducts by {} ({})\n512x512x512: {:.0f} GFLOP/s\n", libtorch_version(),
      format_count(static_cast<uint64_t>(thread_count()), "thread"), blas.name, blas.path, speed));
  warn_of_slow_products();
}

void add_check_command(Command& program) {
  Command& check = add_foreign_command(program, "check");
  check.add_threads_option();
  check.on_run(check_installation);
}

}  // namespace

void warn_of_slow_products() {
  if (!find_blas_library().is_reference()) return;
  spdlog::warn(
      "matrix products are served by the slow reference BLAS; `apt-get install "
      "libopenblas0-pthread` makes training many times faster");
}

}  // namespace eatt::cli

int main(int argc, char** argv) {
  using namespace eatt;
  using namespace eatt::cli;
  restart_with_better_blas(argv);
  Program program(name_in_messages(argv[0], "eatt-train"), "Training for eatt, on libtorch");
  program.set_version(
      [] { return version_text("eatt-train") + fmt::format("libtorch {}\n", libtorch_version()); });
  add_train_command(program);
  add_export_command(program);
  add_average_command(program);
  add_validate_command(program);
  add_align_command(program);
  add_check_command(program);
  add_describe_command(program, train_commands());
  return program.run(argc, argv);
}
