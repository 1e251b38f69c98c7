// The program eatt-train: what needs libtorch.
#include <fmt/format.h>
#include <torch/torch.h>

#include "base/log.h"
#include "base/threads.h"
#include "cli/program.h"
#include "cli/version.h"
#include "model/blas.h"

namespace {

using namespace eatt;

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
  cli::print_result(
      fmt::format("libtorch {}, {} threads\nproducts by {} ({})\n512x512x512: {:.0f} GFLOP/s\n",
                  TORCH_VERSION, torch::get_num_threads(), blas.name, blas.path, product_speed()));
  if (blas.is_reference()) {
    spdlog::warn(
        "matrix products are served by the slow reference BLAS; "
        "`apt-get install libopenblas0-pthread` makes training many times faster");
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Training for eatt, on libtorch", "eatt-train");
  cli::set_up_app(app);
  app.set_version_flag("--version", [] {
    return cli::version_text("eatt-train") + fmt::format("libtorch {}\n", TORCH_VERSION);
  });
  CLI::App* check =
      cli::add_command(app, "check", "Which libtorch and BLAS serve training, and how fast",
                       "eatt-train check --cpu-threads 2");
  cli::add_threads_option(*check);
  check->callback(check_installation);
  return cli::run_app(app, argc, argv);
}
