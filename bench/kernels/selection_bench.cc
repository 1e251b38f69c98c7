// selection_bench ROUNDS: times of the selection projection (512 → 512 features, codes made from
// floats included) over those of the fastest sgemm of the machine, on one thread. Results are
// compared before they are timed. Not timed: packing the weights, which happens once per update or
// model.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "aligned.h"
#include "base/random.h"
#include "baseline.h"
#include "figures.h"
#include "kernels/selection.h"
#include "kernels/selection_gradient.h"
#include "timing.h"

namespace {

using namespace eatt;
using namespace eatt::bench;
using namespace eatt::kernels;

using Floats = AlignedVector<float>;
constexpr size_t kDim = 512;
constexpr size_t kMatrix = kDim * kDim;

Floats random_floats(size_t size, Random& random) {
  Floats values(size);
  for (float& value : values) value = static_cast<float>(2 * random.uniform() - 1);
  return values;
}

void check_close(const Floats& ours, const Floats& theirs, const char* what) {
  for (size_t i = 0; i < ours.size(); ++i) {
    // Sums of up to 2,048 numbers below 1.
    if (!(std::abs(ours[i] - theirs[i]) <= 1e-3f)) {
      throw std::runtime_error(fmt::format("{}: {} instead of {}", what, ours[i], theirs[i]));
    }
  }
}

// Inputs [rows, 512] of uniform numbers and a threshold that a share `density` of them is above.
struct Input {
  Input(size_t rows_, double density, Random& random)
      : rows(rows_),
        threshold(static_cast<float>(1 - 2 * density)),
        x(random_floats(rows * kDim, random)),
        bits(rows * code_words(kDim)),
        transposed_bits(kDim * code_words(rows)),
        positions(std::max(code_positions_size(rows, kDim), code_positions_size(kDim, rows))),
        counts(std::max(code_counts_size(rows, kDim), code_counts_size(kDim, rows))),
        floats(rows * kDim) {
    make_bits();
    codes_to_floats(bits.data(), rows, kDim, floats.data(), kDim);
  }

  void make_bits() { selection_codes(x.data(), kDim, rows, kDim, {&threshold}, bits.data()); }
  CodeLists make_lists() {
    return code_lists(bits.data(), rows, kDim, positions.data(), counts.data());
  }
  CodeLists make_transposed_lists() {
    transpose_codes(bits.data(), rows, kDim, transposed_bits.data());
    return code_lists(transposed_bits.data(), kDim, rows, positions.data(), counts.data());
  }

  size_t rows;
  float threshold;
  Floats x;
  std::vector<uint64_t> bits;
  std::vector<uint64_t> transposed_bits;
  std::vector<uint8_t> positions;
  std::vector<uint8_t> counts;
  Floats floats;
};

using Work = std::function<void()>;

// Products of `input` as floats with a matrix, from every library and for both layouts of the
// matrix; rotating over `copies` matrices.
std::vector<Work> dense_products(const Input& input, const Floats& weights,
                                 const Floats& transposed, size_t copies, Floats& result) {
  std::vector<Work> products;
  for (const Sgemm& sgemm : available_sgemms()) {
    products.push_back([&, copies, turn = size_t{0}]() mutable {
      sgemm.row_major_nt(input.rows, kDim, kDim, input.floats.data(), kDim,
                         weights.data() + (turn++ % copies) * kMatrix, kDim, result.data(), kDim);
    });
    products.push_back([&, copies, turn = size_t{0}]() mutable {
      sgemm.row_major_nn(input.rows, kDim, kDim, input.floats.data(), kDim,
                         transposed.data() + (turn++ % copies) * kMatrix, kDim, result.data(),
                         kDim);
    });
  }
  return products;
}

void many_rows(size_t rows, double density, size_t rounds, Random& random) {
  Input input(rows, density, random);
  const auto weights = random_floats(kMatrix, random);
  Floats transposed(kMatrix), panels(selection_panels_size(kDim, kDim));
  pack_selection_rows(weights.data(), kDim, kDim, transposed.data());
  pack_selection_panels(weights.data(), kDim, kDim, panels.data());
  Floats ours(rows * kDim), theirs(rows * kDim);
  const Work select = [&] {
    input.make_bits();
    select_from_panels(input.make_lists(), panels.data(), kDim, nullptr, ours.data(), kDim);
  };
  const auto products = dense_products(input, weights, transposed, 1, theirs);
  select();
  products[0]();
  check_close(ours, theirs, "selection");
  fmt::print("selection fp32, density {}, {} rows, over sgemm\t{:.3f}\n", density, rows,
             median_ratio_to_best(select, products, rounds));
  auto t = [&](auto w) {
    size_t n = calls_per_round(w);
    std::vector<double> v;
    for (int i = 0; i < 50; i++) v.push_back(seconds_per_call(w, n));
    return *std::min_element(v.begin(), v.end()) * 1e6;
  };
  fmt::print("   sgemm {:.1f} {:.1f} {:.1f} {:.1f}\n", t(products[0]), t(products[1]),
             t(products[2]), t(products[3]));
  fmt::print("   bits {:.2f} lists {:.2f} all {:.2f} us pack {:.2f}\n",
             t([&] { input.make_bits(); }), t([&] { input.make_lists(); }), t(select),
             t([&] { pack_selection_panels(weights.data(), kDim, kDim, panels.data()); }));

  Input in2(rows, density, random);
  Floats scratch(selection_weight_gradient_scratch(kDim)), dw(kMatrix);
  fmt::print("   tlists {:.2f} gradient {:.2f} us colsum {:.2f}\n",
             t([&] { in2.make_transposed_lists(); }), t([&] {
               selection_weight_gradient(in2.make_transposed_lists(), ours.data(), kDim, kDim,
                                         Destination::add, dw.data(), scratch.data());
             }),
             t([&] { column_sums(ours.data(), kDim, rows, kDim, Destination::add, dw.data()); }));
}

void decode(double density, size_t rows, size_t rounds, Random& random) {
  constexpr size_t kCopies = 24;
  Input input(rows, density, random);
  const auto weights = random_floats(kCopies * kMatrix, random);
  Floats packed(kCopies * kMatrix);
  for (size_t i = 0; i < kCopies; ++i) {
    pack_selection_rows(weights.data() + i * kMatrix, kDim, kDim, packed.data() + i * kMatrix);
  }
  Floats ours(rows * kDim), theirs(rows * kDim);
  size_t turn = 0;
  const Work select = [&] {
    input.make_bits();
    select_from_rows(input.make_lists(), packed.data() + (turn++ % kCopies) * kMatrix, kDim,
                     nullptr, ours.data(), kDim);
  };
  const auto products = dense_products(input, weights, packed, kCopies, theirs);
  select();
  products[0]();
  check_close(ours, theirs, "decode");
  fmt::print("decode fp32, density {}, {} rows, over sgemm\t{:.3f}\n", density, rows,
             median_ratio_to_best(select, products, rounds));
}

}  // namespace

int main(int argc, char** argv) {
  const size_t rounds = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 50;
  Random random(1);
  for (auto& g : available_sgemms()) fmt::print(stderr, "{}\n", g.name());
  for (double density : {0.06, 0.17, 0.45})
    for (size_t rows : {8, 32, 256, 2048})
      many_rows(rows, density, rows > 500 ? rounds / 4 : rounds, random);
  for (double density : {0.06, 0.17, 0.45, 0.6})
    for (size_t rows : {1, 4}) decode(density, rows, rounds, random);
}
