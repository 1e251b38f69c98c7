// Padding of length-bucketed batches against batches of random pairs, and the time and memory of
// planning an epoch. Not timed: reading the text, writing the lengths.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "base/files/atomic_file.h"
#include "base/files/open_file.h"
#include "base/random.h"
#include "text/data/batches.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;

uint32_t count_words(const std::string& line) {
  std::istringstream words(line);
  return static_cast<uint32_t>(std::distance(std::istream_iterator<std::string>(words),
                                             std::istream_iterator<std::string>()));
}

// Words between white space of each line of two files in ../shared/data; empty if not there.
std::vector<PairLength> lengths_of(const std::string& source, const std::string& target) {
  const fs::path data = fs::path(EATT_SOURCE_DIR) / "../shared/data";
  std::ifstream sources(data / source);
  std::ifstream targets(data / target);
  std::vector<PairLength> lengths;
  std::string source_line;
  std::string target_line;
  while (std::getline(sources, source_line) && std::getline(targets, target_line)) {
    lengths.push_back({count_words(source_line), count_words(target_line)});
  }
  return lengths;
}

void report_padding(benchmark::State& state, std::span<const PairLength> lengths,
                    const BatchOptions& options) {
  size_t words = 0;
  size_t padded = 0;
  size_t batches = 0;
  for (auto _ : state) {
    words = padded = batches = 0;
    EpochBatches epoch(lengths, options, /*seed=*/1, /*epoch=*/0);
    for (std::vector<uint64_t> pairs; epoch.next(pairs); ++batches) {
      const BatchShape shape = shape_of(lengths, pairs);
      words += shape.source_words + shape.target_words;
      padded += shape.padded_source_words() + shape.padded_target_words();
    }
  }
  state.counters["padding_percent"] =
      100.0 * (1.0 - static_cast<double>(words) / static_cast<double>(padded));
  state.counters["batches"] = static_cast<double>(batches);
}

// order 0: random pairs in a batch; 1: bucketed by length.
void BM_Padding(benchmark::State& state, const char* source, const char* target) {
  std::vector<PairLength> lengths = lengths_of(source, target);
  if (lengths.empty()) return state.SkipWithError("needs ../shared/data");
  BatchOptions options{.words = static_cast<size_t>(state.range(1))};
  if (state.range(0) == 0) {
    options.order = BatchOrder::as_given;
    Random(7).shuffle(std::span(lengths));
  }
  report_padding(state, lengths, options);
}
#define PADDING(name, source, target)                 \
  BENCHMARK_CAPTURE(BM_Padding, name, source, target) \
      ->ArgsProduct({{0, 1}, {1024, 4096, 32768}})    \
      ->ArgNames({"bucketed", "words"})               \
      ->Unit(benchmark::kMillisecond)
PADDING(multi30k_en_de, "multi30k-en-de/train.en", "multi30k-en-de/train.de");
PADDING(iwslt15_en_vi, "iwslt15-en-vi/train30k.en", "iwslt15-en-vi/train30k.vi");

// A file of lengths like those of a web corpus: log-normal around 25 pieces, target near source.
void write_synthetic_lengths(const fs::path& path, size_t pairs) {
  Random random(3);
  AtomicFile file(path);
  for (size_t i = 0; i < pairs; ++i) {
    const double normal = random.uniform() + random.uniform() + random.uniform() +
                          random.uniform() - 2.0;  // Deviation 0.58.
    const double source = 25.0 * std::exp(1.1 * normal);
    const double target = source * (0.8 + 0.5 * random.uniform());
    const PairLength length{static_cast<uint32_t>(source), static_cast<uint32_t>(target)};
    file.write_values(std::span(&length, 1));
  }
  file.commit();
}

// A line of /proc/self/status, in MiB: VmHWM is the peak, RssAnon what is not a mapped file.
double process_mib(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field + ":")) return std::stod(line.substr(field.size() + 1)) / 1024;
  }
  return 0;
}

void BM_PlanEpoch(benchmark::State& state) {
  const fs::path path = fs::temp_directory_path() / "eatt-batches-bench.lengths";
  const auto count = static_cast<size_t>(state.range(0));
  write_synthetic_lengths(path, count);
  const MappedFile file(path);
  const std::span lengths(reinterpret_cast<const PairLength*>(file.bytes().data()), count);
  double anonymous = 0;
  for (auto _ : state) {
    uint64_t seen = 0;
    EpochBatches epoch(lengths, {.words = static_cast<size_t>(state.range(1))}, 1, 0);
    for (std::vector<uint64_t> pairs; epoch.next(pairs);) seen += pairs.size();
    if (seen != count) {
      state.SkipWithError("pairs were lost");
      break;
    }
    anonymous = std::max(anonymous, process_mib("RssAnon"));
  }
  state.counters["anonymous_mib"] = anonymous;
  state.counters["peak_mib"] = process_mib("VmHWM");
  state.counters["pairs/s"] =
      benchmark::Counter(static_cast<double>(count), benchmark::Counter::kIsIterationInvariantRate);
  fs::remove(path);
}
BENCHMARK(BM_PlanEpoch)
    ->ArgsProduct({{1'000'000, 20'000'000}, {4096, 32768}})
    ->ArgNames({"pairs", "words"})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace eatt

BENCHMARK_MAIN();
