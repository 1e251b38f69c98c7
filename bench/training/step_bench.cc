// Times one training update, or shows where its time goes.
//
//   training_step_bench --dim 256 --tokens 2000 --profile
//   training_step_bench --dim 256 --tokens 2000            # a worker; interleave.py drives it
//
// A worker reads a command a line and answers each with a line:
//   parameters      → how many numbers the model has
//   save PREFIX     → writes weights and batch for the other side (training_step.h); "saved"
//   check           → loss and gradient norm with dropout off
//   threads T B     → T workers share an update; the second number is for the other side; "ok"
//   go N            → runs N updates; seconds per update

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <iostream>
#include <sstream>

#include "base/error.h"
#include "base/threads.h"
#include "model/computing.h"
#include "step_profile.h"
#include "training_step.h"

namespace {

double seconds_per_step(eatt::TrainingStep& step, int steps) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < steps; ++i) step.run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / steps;
}

std::string answer(eatt::TrainingStep& step, const std::string& line) {
  std::istringstream words(line);
  std::string command, prefix;
  int first = 0, second = 0;
  words >> command;
  if (command == "parameters") return std::to_string(step.parameter_count());
  if (command == "check") {
    const auto [loss, norm] = step.check();
    return fmt::format("{:.9g} {:.9g}", loss, norm);
  }
  if (command == "save" && words >> prefix) {
    step.save(prefix);
    return "saved";
  }
  if (command == "threads" && words >> first >> second && first > 0 && second > 0) {
    step.use_workers(first);
    return "ok";
  }
  if (command == "go" && words >> first && first > 0)
    return fmt::format("{:.9g}", seconds_per_step(step, first));
  throw eatt::Error(
      fmt::format("'{}' is no command of a worker; see bench/training/step_bench.cc", line));
}

int run(int argc, char** argv) {
  eatt::StepOptions options;
  int workers = 1, profile_count = 10;
  bool profile = false;
  CLI::App app("Times a training update", "training_step_bench");
  app.add_option("--mechanism", options.mechanism, "vanilla, eatt, selection, l1, dense, randinit");
  app.add_option("--dim", options.dim, "Model width")->capture_default_str();
  app.add_option("--heads", options.heads, "Heads")->capture_default_str();
  app.add_option("--ffn", options.ffn, "Feed-forward width")->capture_default_str();
  app.add_option("--layers", options.layers, "Layers a side")->capture_default_str();
  app.add_option("--vocab", options.vocab, "Pieces, one vocabulary for both sides")
      ->check(CLI::Range(8, 1 << 20))
      ->capture_default_str();
  app.add_option("--tokens", options.tokens, "Target tokens of the batch, at least")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  app.add_option("--length", options.length, "Tokens of the longest sentence")
      ->check(CLI::Range(8, 256))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Of batch and weights")->capture_default_str();
  app.add_option("--dropout", options.dropout, "On embeddings and results of sub-layers")
      ->check(CLI::Range(0.0, 0.99))
      ->capture_default_str();
  app.add_option("--workers", workers, "Workers that share an update")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--profile", profile, "Print where the time of an update goes, and end");
  app.add_option("--profile-updates", profile_count, "Updates to profile")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }

  eatt::set_thread_count(1);  // Of libtorch and OpenBLAS inside each worker.
  eatt::set_up_computing();
  eatt::TrainingStep step(options);
  step.use_workers(workers);
  if (profile) {
    std::cout << eatt::profile_steps(step, profile_count);
    return 0;
  }
  for (std::string line; std::getline(std::cin, line);)
    std::cout << answer(step, line) << std::endl;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "training_step_bench: " << error.what() << '\n';
    return 1;
  }
}
