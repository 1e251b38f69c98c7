// roofline_bench ROUNDS: each kernel as a share of what this CPU can do at most, on one thread. The
// limits are measured first (cpu_limits.h) and printed for information; a kernel's share is the
// time that a loop of its innermost steps alone takes, over the kernel's time, both in turn, the
// median of the rounds. Where a kernel reads much memory, the slower of steps and loads is its
// limit.
#include <fmt/format.h>

#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <vector>

#include "base/random.h"
#include "kernels/attention/attention.h"
#include "kernels/cpu_limits.h"
#include "kernels/isa.h"
#include "kernels/products/products.h"
#include "kernels/selection/selection.h"
#include "kernels/selection/selection_int8.h"
#include "measure.h"

namespace {

using namespace eatt;
using namespace eatt::bench;
using namespace eatt::kernels;

using Floats = AlignedVector<float>;
using Work = std::function<void()>;

constexpr double kGoal = 0.8;
constexpr size_t kHeadDim = 64;
constexpr size_t kDim = 512;

// Memory that fits into the first cache, the second, and neither: matrices in rotation.
constexpr size_t kFirstCache = 16 << 10, kSecondCache = 512 << 10, kBeyond = 40 << 20;
constexpr size_t kMemory = 512 << 20;

// Something that limits a kernel: `amount` elements of a loop.
struct Bound {
  Limit limit;
  double amount;
  size_t bytes = kFirstCache;  // The memory that the loop reads.
};

class Roofline {
 public:
  explicit Roofline(size_t rounds) : rounds_(rounds), memory_(kMemory) {}

  // Prints what is left of the time of `work` if nothing but the slowest of its bounds counted.
  void print_share(const std::string& name, const Work& work,
                   std::initializer_list<Bound> bounds) const {
    double share = 0;
    for (const Bound& bound : bounds) {
      double elements = 0;
      const auto loop = [&] { elements = run(bound); };
      const double ratio = median_ratio(work, loop, rounds_);
      if (elements != 0) share = std::max(share, bound.amount / elements / ratio);
    }
    print_at_least("share of the limit, " + name, share, kGoal);
  }

  void print_limit(const char* name, Limit limit, size_t bytes = kFirstCache) const {
    double elements = 0;
    std::vector<double> rates;
    for (size_t round = 0; round < rounds_ / 4 + 3; ++round) {
      const double seconds = seconds_per_call([&] { elements = run({limit, 0, bytes}); }, 1);
      rates.push_back(elements / seconds * 1e-9);
    }
    if (elements != 0) print_information(fmt::format("limit, G/s: {}", name), median(rates));
  }

 private:
  // About a tenth of a millisecond, or once over all of a larger memory.
  double run(const Bound& bound) const {
    const size_t times = bound.limit < Limit::add_floats ? 2000 : (1 << 20) / bound.bytes + 1;
    return run_limit(bound.limit, times, {memory_.data(), bound.bytes});
  }

  size_t rounds_;
  AlignedVector<uint8_t> memory_;
};

void print_limits(const Roofline& roofline) {
  roofline.print_limit("multiply-add, fp32", Limit::multiply_add);
  roofline.print_limit("maximum and addition, fp32", Limit::maximum);
  roofline.print_limit("absolute difference and addition, fp32", Limit::difference);
  roofline.print_limit("sign of a difference and two multiply-adds, fp32", Limit::sign);
  roofline.print_limit("maximum and addition, int16", Limit::maximum_int16);
  roofline.print_limit("sum of absolute differences, uint8", Limit::differences_u8);
  roofline.print_limit("products of int8", Limit::dot_int8);
  roofline.print_limit("load and addition, fp32", Limit::add_floats);
  roofline.print_limit("load and addition, int8", Limit::add_int8);
  roofline.print_limit("load and addition, int8 of seven bits", Limit::add_int7);
  roofline.print_limit("bytes loaded, first cache", Limit::load, kFirstCache);
  roofline.print_limit("bytes loaded, second cache", Limit::load, kSecondCache);
  roofline.print_limit("bytes loaded, 40 MB", Limit::load_ahead, kBeyond);
  roofline.print_limit("bytes loaded, 512 MB", Limit::load_ahead, kMemory);
}

double product(std::initializer_list<size_t> sizes) {
  double all = 1;
  for (const size_t size : sizes) all *= static_cast<double>(size);
  return all;
}

template <class T>
AlignedVector<T> random_numbers(size_t size, double low, double high, Random& random) {
  AlignedVector<T> numbers(size);
  for (T& number : numbers) number = static_cast<T>(low + (high - low) * random.uniform());
  return numbers;
}

// One layer after the other: `matrices` calls of multiply(i) in turn.
template <class Multiply>
Work in_rotation(size_t matrices, const Multiply& multiply) {
  return [matrices, multiply, turn = size_t{0}]() mutable { multiply(turn++ % matrices); };
}

void products_of_bytes(const Roofline& roofline, Random& random) {
  constexpr size_t kMost = 128, kMatrices = kBeyond / (kDim * kDim);
  const auto weight = random_numbers<int8_t>(kDim * kDim, -127, 127, random);
  std::vector<AlignedVector<int8_t>> panels(kMatrices);
  std::vector<int32_t> sums(int8_padded_columns(kDim));
  for (auto& panel : panels) {
    panel.resize(int8_panels_size(kDim, kDim));
    pack_int8_panels(weight.data(), kDim, kDim, panel.data(), sums.data());
  }
  const auto x = random_numbers<uint8_t>(quantized_rows_size(kMost, kDim), 1, 255, random);
  const Floats scales(kDim, 1.0f);
  Floats y(kMost * kDim);
  for (const size_t rows : {1, 4, 32, 128}) {
    const Work multiply = in_rotation(kMatrices, [&](size_t i) {
      int8_product({kDim, kDim, panels[i].data(), sums.data(), scales.data(), nullptr},
                   {x.data(), scales.data(), rows, quantized_stride(kDim)}, {y.data(), kDim});
    });
    const std::string name = fmt::format("int8 product, {} rows, 512x512", rows);
    if (chosen_isa().amx && rows > 1) {
      print_skipped(name, fmt::format(">={}", kGoal), "AMX; force avx512-vnni to measure vectors");
      continue;
    }
    roofline.print_share(name, multiply,
                         {{Limit::dot_int8, product({rows, kDim, kDim})},
                          {Limit::load_ahead, product({kDim, kDim}), kBeyond}});
  }
}

void products_of_floats(const Roofline& roofline, Random& random) {
  constexpr size_t kMost = 128, kMatrices = kBeyond / (kDim * kDim * sizeof(float));
  const auto weight = random_numbers<float>(kDim * kDim, -1, 1, random);
  std::vector<Floats> panels(kMatrices);
  for (auto& panel : panels) {
    panel.resize(float_panels_size(kDim, kDim));
    pack_float_panels(weight.data(), kDim, kDim, panel.data());
  }
  const auto x = random_numbers<float>(kMost * kDim, -1, 1, random);
  Floats y(kMost * kDim);
  for (const size_t rows : {1, 4, 32, 128}) {
    const Work multiply = in_rotation(kMatrices, [&](size_t i) {
      float_product({kDim, kDim, panels[i].data()}, x.data(), kDim, rows, {y.data(), kDim});
    });
    roofline.print_share(fmt::format("fp32 product, {} rows, 512x512", rows), multiply,
                         {{Limit::multiply_add, product({rows, kDim, kDim})},
                          {Limit::load_ahead, product({kDim, kDim, sizeof(float)}), kBeyond}});
  }
}

void scores(const Roofline& roofline, size_t length, Random& random) {
  const auto query = random_numbers<float>(length * kHeadDim, -1, 1, random);
  const auto key = random_numbers<float>(length * kHeadDim, -1, 1, random);
  Floats result(length * length), d_query(length * kHeadDim), d_key(length * kHeadDim);
  Floats scratch(std::max(pairwise_scores_scratch(length, kHeadDim),
                          l1_score_gradients_scratch(length, kHeadDim)));
  const ConstRows queries = {query.data(), length, kHeadDim}, keys = {key.data(), length, kHeadDim};
  const double elements = product({length, length, kHeadDim});
  for (const auto& [kind, name, limit] :
       {std::tuple{ScoreKind::dot, "dot scores", Limit::multiply_add},
        {ScoreKind::l1, "L1 scores", Limit::maximum}}) {
    roofline.print_share(fmt::format("{}, length {}", name, length),
                         [&, kind = kind] {
                           pairwise_scores({kind, kHeadDim, -1.0f}, queries, keys, result.data(),
                                           length, scratch.data());
                         },
                         {{limit, elements}});
  }
  roofline.print_share(fmt::format("gradients of L1 scores, length {}", length),
                       [&] {
                         l1_score_gradients({ScoreKind::l1, kHeadDim, 1.0f}, queries, keys,
                                            result.data(), length, d_query.data(), d_key.data(),
                                            scratch.data());
                       },
                       {{Limit::sign, elements}});
}

// A position of a decoder: eight heads, keys in turn beyond the first cache.
void scores_of_a_row(const Roofline& roofline, Random& random) {
  constexpr size_t kKeys = 24, kSentences = 8;
  const auto query = random_numbers<float>(kDim, -1, 1, random);
  const auto cache = random_numbers<float>(kSentences * kKeys * kDim, -1, 1, random);
  const auto weights = random_numbers<float>(8 * kKeys, 0, 1, random);
  std::vector<const float*> rows;
  for (size_t i = 0; i < kSentences * kKeys; ++i) rows.push_back(cache.data() + i * kDim);
  Floats result(8 * kKeys), mixed(kDim);
  const double elements = product({kKeys, kDim});
  const Bound loads = {Limit::load, elements * sizeof(float), kSecondCache};
  roofline.print_share("L1 scores of a row, 24 keys",
                       in_rotation(kSentences,
                                   [&](size_t i) {
                                     row_scores({8, kHeadDim, kKeys}, ScoreKind::l1, 1.0f,
                                                query.data(), rows.data() + i * kKeys,
                                                result.data());
                                   }),
                       {{Limit::difference, elements}, loads});
  roofline.print_share("values of a row, 24 keys",
                       in_rotation(kSentences,
                                   [&](size_t i) {
                                     mix_value_rows({8, kHeadDim, kKeys}, weights.data(),
                                                    rows.data() + i * kKeys, mixed.data());
                                   }),
                       {{Limit::multiply_add, elements}, loads});
}

// Lists of codes [rows, 512] of density 0.17.
struct Codes {
  Codes(size_t rows, Random& random)
      : bits(rows * code_words(kDim)),
        positions(code_positions_size(rows, kDim)),
        counts(code_counts_size(rows, kDim)) {
    const float threshold = 0.83f;
    const auto x = random_numbers<float>(rows * kDim, 0, 1, random);
    ones =
        static_cast<double>(selection_codes(x.data(), kDim, rows, kDim, {&threshold}, bits.data()));
    lists = code_lists(bits.data(), rows, kDim, positions.data(), counts.data());
  }
  AlignedVector<uint64_t> bits;
  AlignedVector<uint8_t> positions, counts;
  CodeLists lists;
  double ones;
};

void selections(const Roofline& roofline, size_t rows, Random& random) {
  const Codes codes(rows, random);
  const auto weight = random_numbers<float>(kDim * kDim, -1, 1, random);
  Floats panels(selection_panels_size(kDim, kDim)), result(rows * kDim);
  pack_selection_panels(weight.data(), kDim, kDim, panels.data());
  const double elements = codes.ones * kDim;
  roofline.print_share(
      fmt::format("fp32 selection, {} rows", rows),
      [&] { select_from_panels(codes.lists, panels.data(), kDim, nullptr, result.data(), kDim); },
      {{Limit::add_floats, elements}});
  const auto bytes = random_numbers<int8_t>(kDim * kDim, -60, 60, random);
  AlignedVector<uint8_t> packed(selection_int8_size(kDim, kDim));
  AlignedVector<int16_t> sums(rows * kDim);
  for (const bool seven_bits : {false, true}) {
    const Int8Packing packing = {Int8Layout::panels, seven_bits};
    pack_selection_int8(bytes.data(), kDim, kDim, packing, packed.data());
    roofline.print_share(
        fmt::format("int8 selection{}, {} rows", seven_bits ? " of seven bits" : "", rows),
        [&] { select_int8(codes.lists, packed.data(), packing, kDim, nullptr, sums.data(), kDim); },
        {{seven_bits ? Limit::add_int7 : Limit::add_int8, elements}});
  }
}

void run(size_t rounds) {
  if (chosen_isa().name == "scalar") {
    print_skipped("share of the limit", fmt::format(">={}", kGoal), "no vectors to measure");
    return;
  }
  fmt::print(stderr, "instruction set: {}\n", chosen_isa().name);
  const Roofline roofline(rounds);
  Random random(1);
  print_limits(roofline);
  products_of_bytes(roofline, random);
  products_of_floats(roofline, random);
  for (const size_t length : {64, 256}) scores(roofline, length, random);
  scores_of_a_row(roofline, random);
  for (const size_t rows : {32, 256}) selections(roofline, rows, random);
}

}  // namespace

int main(int argc, char** argv) {
  const size_t rounds = argc == 2 ? std::strtoul(argv[1], nullptr, 10) : 0;
  if (rounds == 0) {
    fmt::print(stderr, "usage: roofline_bench ROUNDS\n");
    return 2;
  }
  run(rounds);
  return 0;
}
