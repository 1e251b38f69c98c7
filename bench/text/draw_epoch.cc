// Draws the batches of one epoch of a prepared data set, reading every pair as training does, and
// tells how fast that was, how much memory it took, and how well the pairs are mixed.
//   draw_epoch DATA [--max-length N] [--weights WEIGHT ...]
// Leaves out pairs with more than N pieces on a side. A weight for each corpus of the data set;
// without them every pair is drawn once.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "text/data/batches.h"
#include "text/data/data_set.h"

namespace eatt {
namespace {

// Where pairs stand in the file and in the epoch.
struct Mixing {
  double pairs = 0, batches = 0;
  double displacement = 0;    // Sum of |place in the epoch - place in the file|.
  double products = 0;        // Of the two places, each less the middle.
  double same_block = 0;      // Neighbours in the epoch that are of the same block.
  double blocks = 0;          // Sum of the different blocks of a batch.
  double half_deviation = 0;  // Sum of squares: share of the file's first half in a batch - 1/2.
  double independent = 0;     // What that would be if every pair were drawn by itself.

  void add(const std::vector<uint64_t>& batch, uint64_t all, size_t block_pairs) {
    std::set<uint64_t> different;
    double first_half = 0;
    const double middle = static_cast<double>(all - 1) / 2;
    for (size_t i = 0; i < batch.size(); ++i) {
      const auto in_file = static_cast<double>(batch[i]);
      displacement += std::abs(pairs - in_file);
      products += (pairs - middle) * (in_file - middle);
      if (i > 0) same_block += batch[i] / block_pairs == batch[i - 1] / block_pairs;
      different.insert(batch[i] / block_pairs);
      first_half += in_file < middle;
      ++pairs;
    }
    ++batches;
    const auto size = static_cast<double>(batch.size());
    blocks += static_cast<double>(different.size());
    half_deviation += std::pow(first_half / size - 0.5, 2);
    independent += 0.25 / size;
  }
};

void report(const Mixing& mixing, double seconds) {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const double n = mixing.pairs;
  fmt::print("pairs drawn\t{:.0f}\nbatches\t{:.0f}\npairs/s\t{:.0f}\npeak memory, MB\t{:.0f}\n", n,
             mixing.batches, n / seconds, static_cast<double>(usage.ru_maxrss) / 1024);
  fmt::print("correlation of file and epoch order\t{:.4f}\n",
             mixing.products / (n * (n * n - 1) / 12));
  fmt::print("mean displacement, share of the epoch (random: 0.333)\t{:.3f}\n",
             mixing.displacement / n / n);
  fmt::print("neighbours from the same block\t{:.4f}\n", mixing.same_block / n);
  fmt::print("pairs of a batch\t{:.0f}\nblocks of a batch\t{:.0f}\n", n / mixing.batches,
             mixing.blocks / mixing.batches);
  fmt::print("share of the file's first half in a batch, deviation\t{:.3f}\n",
             std::sqrt(mixing.half_deviation / mixing.batches));
  fmt::print("the same with pairs drawn one by one\t{:.3f}\n",
             std::sqrt(mixing.independent / mixing.batches));
}

struct Arguments {
  std::string folder;
  int64_t max_length = std::numeric_limits<int64_t>::max();
  std::vector<double> weights;
};

void draw(const Arguments& arguments) {
  const DataSet data(arguments.folder);
  const auto& weights = arguments.weights;
  BatchOptions options;
  const auto& corpora = data.info().corpora;
  if (!weights.empty() && weights.size() != corpora.size()) {
    throw UsageError(fmt::format("{} weights for {} corpora", weights.size(), corpora.size()));
  }
  for (size_t i = 0; i < weights.size(); ++i) {
    options.corpora.push_back({corpora[i].pairs, weights[i]});
  }
  const auto start = std::chrono::steady_clock::now();
  BatchStream stream(data, options, /*seed=*/1, arguments.max_length);
  Mixing mixing;
  std::vector<int32_t> source, target;
  while (stream.epoch() == 0) {
    const std::vector<uint64_t>& batch = stream.next();
    for (const uint64_t pair : batch) data.read(pair, source, target);
    mixing.add(batch, data.size(), options.block_pairs);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  report(mixing, took.count());
}

}  // namespace
}  // namespace eatt

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: draw_epoch DATA [--max-length N] [--weights WEIGHT ...]\n");
    return 2;
  }
  try {
    eatt::Arguments arguments;
    arguments.folder = argv[1];
    for (int i = 2; i < argc; ++i) {
      const std::string_view word = argv[i];
      if (word == "--max-length" && i + 1 < argc) {
        arguments.max_length = std::atoll(argv[++i]);
      } else if (word != "--weights") {
        arguments.weights.push_back(std::strtod(argv[i], nullptr));
      }
    }
    eatt::draw(arguments);
  } catch (const eatt::Error& error) {
    fmt::print(stderr, "draw_epoch: {}\n", error.what());
    return 1;
  }
  return 0;
}
