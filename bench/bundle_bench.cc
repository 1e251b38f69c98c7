// bundle_bench FOLDER ROUNDS: writes a bundle of Transformer-base size (32,000 pieces, embeddings
// tied, 242 MB) to FOLDER/model and measures
//   - Bundle::open without hashes: milliseconds, median of the rounds;
//   - our SHA-256 against sha256sum on the weights, in turn: CPU seconds (user and system) of
//     sha256sum over ours, median of the rounds; the digests are compared first.
// The file is in the page cache for both. Writing the bundle is not timed.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/sha256.h"
#include "bundle/bundle.h"
#include "bundle/expected_tensors.h"
#include "support/tiny_bundle.h"

namespace {

using namespace eatt;

double cpu_seconds(int who) {
  rusage usage{};
  ::getrusage(who, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

double open_milliseconds(const std::filesystem::path& path) {
  const auto start = std::chrono::steady_clock::now();
  const Bundle bundle = Bundle::open(path, {.verify_hashes = false});
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
  if (bundle.weights().tensors().size() != expected_tensors(bundle.architecture()).size()) {
    throw Error("the bundle that was opened is not the one that was written");
  }
  return taken.count();
}

// The digest that sha256sum prints.
std::string digest_by_sha256sum(const std::filesystem::path& file) {
  std::FILE* pipe = ::popen(fmt::format("sha256sum '{}'", file.string()).c_str(), "r");
  if (pipe == nullptr) throw Error("cannot start sha256sum");
  char digest[65] = {};
  const size_t read = std::fread(digest, 1, 64, pipe);
  if (::pclose(pipe) != 0 || read != 64) throw Error("sha256sum failed");
  return digest;
}

// How many times faster than sha256sum we are.
double hash_ratio(const std::filesystem::path& file) {
  const double start = cpu_seconds(RUSAGE_SELF);
  const std::string ours = sha256_of_file(file);
  const double our_seconds = cpu_seconds(RUSAGE_SELF) - start;
  const double their_start = cpu_seconds(RUSAGE_CHILDREN);
  if (digest_by_sha256sum(file) != ours) throw Error("sha256sum computes another digest");
  return (cpu_seconds(RUSAGE_CHILDREN) - their_start) / our_seconds;
}

void run(const std::filesystem::path& folder, int rounds) {
  Architecture base;
  base.source_vocab = base.target_vocab = 32000;
  base.embeddings = EmbeddingSharing::all;
  const auto path = testing::write_random_bundle(folder / "model", base);
  const auto weights = path / "model.safetensors";

  std::vector<double> opened, hashed;
  for (int i = 0; i < 3 * rounds; ++i) opened.push_back(open_milliseconds(path));
  for (int i = 0; i < rounds; ++i) hashed.push_back(hash_ratio(weights));

  const auto megabytes = std::filesystem::file_size(weights) / 1'000'000;
  const double milliseconds = median(opened);
  const double ratio = median(hashed);
  fmt::print("open a bundle of {} MB, ms\t{:.3f}\t<=20\t{}\n", megabytes, milliseconds,
             milliseconds <= 20 ? "holds" : "short");
  fmt::print("SHA-256 over sha256sum\t{:.2f}\t>=0.8\t{}\n", ratio,
             ratio >= 0.8 ? "holds" : "short");
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc == 3 ? std::atoi(argv[2]) : 0;
  if (rounds < 1) {
    fmt::print(stderr, "usage: bundle_bench FOLDER ROUNDS\n");
    return 2;
  }
  try {
    run(argv[1], rounds);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bundle_bench: {}\n", error.what());
    return 1;
  }
}
