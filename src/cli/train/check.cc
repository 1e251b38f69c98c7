#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/threads.h"
#include "cli/program.h"
#include "cli/train/train_commands.h"
#include "model/computing.h"

namespace eatt::cli {
namespace {

void check_installation() {
  const BlasLibrary blas = find_blas_library();
  print_result(
      fmt::format("libtorch {}, {} threads\nproducts by {} ({})\n512x512x512: {:.0f} GFLOP/s\n",
                  libtorch_version(), thread_count(), blas.name, blas.path, product_speed()));
  warn_of_slow_products();
}

}  // namespace

void warn_of_slow_products() {
  if (!find_blas_library().is_reference()) return;
  spdlog::warn(
      "matrix products are served by the slow reference BLAS; `apt-get install "
      "libopenblas0-pthread` makes training many times faster");
}

void add_check_command(CLI::App& app) {
  CLI::App* check =
      add_command(app, "check", "Which libtorch and BLAS serve training, and how fast",
                  "eatt-train check --cpu-threads 2");
  add_threads_option(*check);
  check->callback(check_installation);
}

}  // namespace eatt::cli
