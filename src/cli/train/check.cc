#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <torch/torch.h>

#include <chrono>

#include "base/threads.h"
#include "cli/program.h"
#include "cli/train/train_commands.h"
#include "model/blas.h"

namespace eatt::cli {
namespace {

// Median speed of a 512×512×512 product with the process's threads, in GFLOP/s.
double product_speed() {
  constexpr int kSize = 512;
  const auto a = torch::rand({kSize, kSize});
  const auto b = torch::rand({kSize, kSize});
  std::vector<double> seconds;
  for (int round = 0; round < 15; ++round) {
    const auto start = std::chrono::steady_clock::now();
    torch::mm(a, b);
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::ranges::nth_element(seconds, seconds.begin() + 7);
  return 2.0 * kSize * kSize * kSize / seconds[7] * 1e-9;
}

void check_installation() {
  torch::set_num_threads(thread_count());  // libtorch's own default in Debian is one thread.
  const BlasLibrary blas = find_blas_library();
  print_result(
      fmt::format("libtorch {}, {} threads\nproducts by {} ({})\n512x512x512: {:.0f} GFLOP/s\n",
                  TORCH_VERSION, torch::get_num_threads(), blas.name, blas.path, product_speed()));
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
