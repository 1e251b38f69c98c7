// selection_bench ROUNDS: times of the selection projection (512 → 512 features) over those of the
// fastest sgemm of the machine, on one thread; codes are made from floats within the time. Results
// are compared before they are timed. Not timed: packing the weights, once per update or model.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <stdexcept>

#include "base/random.h"
#include "baseline.h"
#include "kernels/selection/selection.h"
#include "kernels/selection/selection_int8.h"
#include "measure.h"

namespace {

using namespace eatt;
using namespace eatt::bench;
using namespace eatt::kernels;

using Floats = AlignedVector<float>;
using Work = std::function<void()>;

constexpr size_t kDim = 512;
constexpr size_t kMatrix = kDim * kDim;
constexpr size_t kTile = 256;  // Rows whose codes are made and used at a time.

// Inputs [rows, 512] of uniform numbers, of which a share `density` is above the threshold.
struct Input {
  Input(size_t rows_, double density, Random& random)
      : rows(rows_),
        threshold(static_cast<float>(1 - density)),
        x(rows * kDim),
        floats(rows * kDim),
        bits(rows * code_words(kDim)),
        transposed_bits(kDim * code_words(rows)),
        positions(std::max(code_positions_size(rows, kDim), code_positions_size(kDim, rows))),
        counts(std::max(code_counts_size(rows, kDim), code_counts_size(kDim, rows))) {
    for (float& value : x) value = static_cast<float>(random.uniform());
    make_bits();
    codes_to_floats(bits.data(), rows, kDim, floats.data(), kDim);
  }

  void make_bits() { selection_codes(x.data(), kDim, rows, kDim, {&threshold}, bits.data()); }

  // body(lists of some rows, the first of them), until all had their turn. Their memory is used
  // again and again, so that it stays in the cache.
  template <class Body>
  void for_each_tile(const Body& body) {
    for (size_t first = 0; first < rows; first += kTile) {
      const size_t count = std::min(kTile, rows - first);
      uint64_t* here = bits.data() + first * code_words(kDim);
      selection_codes(x.data() + first * kDim, kDim, count, kDim, {&threshold}, here);
      body(code_lists(here, count, kDim, positions.data(), counts.data()), first);
    }
  }
  CodeLists make_transposed_lists() {
    transpose_codes(bits.data(), rows, kDim, transposed_bits.data());
    return code_lists(transposed_bits.data(), kDim, rows, positions.data(), counts.data());
  }

  size_t rows;
  float threshold;
  Floats x;
  Floats floats;  // The codes.
  AlignedVector<uint64_t> bits;
  AlignedVector<uint64_t> transposed_bits;
  AlignedVector<uint8_t> positions;
  AlignedVector<uint8_t> counts;
};

// `copies` matrices [512, 512] of small integers, so that all forms give the same sums; each call
// of a benchmark takes the next one.
struct Weights {
  Weights(size_t copies_, bool few_rows_, Random& random)
      : copies(copies_),
        few_rows(few_rows_),
        weight(copies * kMatrix),
        rows(copies * kMatrix),
        panels(copies * kMatrix),
        int8(copies * kMatrix),
        int7(copies * kMatrix) {
    std::vector<int8_t> bytes(kMatrix);
    for (size_t copy = 0; copy < copies; ++copy) {
      float* here = weight.data() + copy * kMatrix;
      for (size_t i = 0; i < kMatrix; ++i) {
        bytes[i] = static_cast<int8_t>(120 * random.uniform() - 60);
        here[i] = bytes[i];
      }
      pack_selection_rows(here, kDim, kDim, rows.data() + copy * kMatrix);
      pack_selection_panels(here, kDim, kDim, panels.data() + copy * kMatrix);
      pack_selection_int8(bytes.data(), kDim, kDim, packing(false), int8.data() + copy * kMatrix);
      pack_selection_int8(bytes.data(), kDim, kDim, packing(true), int7.data() + copy * kMatrix);
    }
  }

  Int8Packing packing(bool seven_bits) const {
    return {few_rows ? Int8Layout::rows : Int8Layout::panels, seven_bits};
  }

  size_t copies;
  bool few_rows;
  Floats weight;
  Floats rows;
  Floats panels;
  AlignedVector<uint8_t> int8;
  AlignedVector<uint8_t> int7;  // The same, as weights of seven bits.
};

// Products of the codes as floats with a matrix, by every library and from both layouts.
std::vector<Work> dense_products(const std::vector<Input>& inputs, const Weights& weights,
                                 Floats& result) {
  std::vector<Work> products;
  for (const Sgemm& sgemm : available_sgemms()) {
    for (const bool transposed : {true, false}) {
      products.push_back([&, transposed, turn = size_t{0}]() mutable {
        const Input& input = inputs[turn % inputs.size()];
        const size_t at = turn++ % weights.copies * kMatrix;
        if (transposed) {
          sgemm.row_major_nt(input.rows, kDim, kDim, input.floats.data(), kDim,
                             weights.weight.data() + at, kDim, result.data(), kDim);
        } else {
          sgemm.row_major_nn(input.rows, kDim, kDim, input.floats.data(), kDim,
                             weights.rows.data() + at, kDim, result.data(), kDim);
        }
      });
    }
  }
  return products;
}

template <class T>
void check_equal(const AlignedVector<T>& ours, const Floats& theirs, const char* what) {
  for (size_t i = 0; i < ours.size(); ++i) {
    if (static_cast<float>(ours[i]) != theirs[i]) {
      throw std::runtime_error(fmt::format("{}: {} instead of {}", what, ours[i], theirs[i]));
    }
  }
}

struct Case {
  const char* name;
  size_t rows;
  double density;
  size_t matrices;  // In rotation; many are more than the second cache holds.
};

std::string figure(const Case& which, const char* weights) {
  return fmt::format("{} {}, density {}, {} rows, over sgemm", which.name, weights, which.density,
                     which.rows);
}

void projection(const Case& which, size_t rounds, Random& random) {
  // In rotation with the matrices, as else the few rows that one input selects would stay in cache.
  std::vector<Input> inputs;
  for (size_t i = 0; i < (which.matrices == 1 ? 1 : 17); ++i) {
    inputs.emplace_back(which.rows, which.density, random);
  }
  const bool few_rows = which.rows <= kFewSelectionRows;
  const Weights weights(which.matrices, few_rows, random);
  Floats ours(which.rows * kDim), theirs(which.rows * kDim);
  AlignedVector<int16_t> integers(which.rows * kDim);
  const Work fp32 = [&, turn = size_t{0}]() mutable {
    Input& input = inputs[turn % inputs.size()];
    const size_t at = turn++ % weights.copies * kMatrix;
    input.for_each_tile([&](const CodeLists& codes, size_t first) {
      float* to = ours.data() + first * kDim;
      if (few_rows) {
        select_from_rows(codes, weights.rows.data() + at, kDim, nullptr, to, kDim);
      } else {
        select_from_panels(codes, weights.panels.data() + at, kDim, nullptr, to, kDim);
      }
    });
  };
  const auto by_bytes = [&](bool seven_bits) -> Work {
    return [&, seven_bits, turn = size_t{0}]() mutable {
      Input& input = inputs[turn % inputs.size()];
      const auto& all = seven_bits ? weights.int7 : weights.int8;
      const uint8_t* packed = all.data() + turn++ % weights.copies * kMatrix;
      input.for_each_tile([&](const CodeLists& codes, size_t first) {
        select_int8(codes, packed, weights.packing(seven_bits), kDim, nullptr,
                    integers.data() + first * kDim, kDim);
      });
    };
  };
  const Work int8 = by_bytes(false), int7 = by_bytes(true);
  const auto products = dense_products(inputs, weights, theirs);
  fp32();
  int8();
  products[0]();
  check_equal(ours, theirs, "selection fp32");
  check_equal(integers, theirs, "selection int8");
  int7();
  check_equal(integers, theirs, "selection int8 of seven bits");
  if (selection_is_sparse_enough(which.density, which.rows)) {
    print_information(figure(which, "fp32"), median_ratio_to_best(fp32, products, rounds));
  } else {
    print_skipped(figure(which, "fp32"), "-", "at this density the dense product itself is taken");
  }
  print_information(figure(which, "int8"), median_ratio_to_best(int8, products, rounds));
  print_information(figure(which, "int8 of seven bits"),
                    median_ratio_to_best(int7, products, rounds));
}

// The weights' gradient from codes and the gradient of the result.
void gradient(size_t rows, double density, size_t rounds, Random& random) {
  Input input(rows, density, random);
  Floats d_result(rows * kDim), d_result_transposed(rows * kDim), ours(kMatrix), theirs(kMatrix);
  for (float& value : d_result) value = std::floor(static_cast<float>(120 * random.uniform() - 60));
  pack_selection_rows(d_result.data(), kDim, rows, d_result_transposed.data());
  Floats scratch(selection_weight_gradient_scratch(kDim));
  const Work sparse = [&] {
    selection_weight_gradient(input.make_transposed_lists(), d_result.data(), kDim, kDim,
                              ours.data(), scratch.data());
  };
  // libtorch would transpose within the product, at no less cost than from a transposed copy.
  std::vector<Work> products;
  for (const Sgemm& sgemm : available_sgemms()) {
    products.push_back([&] {
      sgemm.row_major_nn(kDim, kDim, rows, d_result_transposed.data(), rows, input.floats.data(),
                         kDim, theirs.data(), kDim);
    });
  }
  sparse();
  products[0]();
  check_equal(ours, theirs, "weight gradient");
  print_information(
      fmt::format("selection weight gradient, density {}, {} rows, over sgemm", density, rows),
      median_ratio_to_best(sparse, products, rounds));
}

void run(size_t rounds) {
  if (available_sgemms().empty()) {
    print_skipped("selection and integer scores over sgemm", "-", "no OpenBLAS and no oneDNN");
    return;
  }
  for (const Sgemm& sgemm : available_sgemms()) fmt::print(stderr, "sgemm: {}\n", sgemm.name());
  const size_t long_rounds = rounds / 4 + 1;  // Of what lasts milliseconds.
  Random random(1);
  for (const size_t rows : {32, 64, 256}) {
    projection({"selection", rows, 0.17, 1}, rounds, random);
  }
  projection({"selection", 2048, 0.17, 1}, long_rounds, random);
  projection({"selection, decoding", 1, 0.17, 24}, rounds, random);
  for (const double density : {0.45, 0.6}) {
    projection({"selection", 32, density, 1}, rounds, random);
    projection({"selection", 256, density, 1}, long_rounds, random);
    projection({"selection, decoding", 1, density, 24}, rounds, random);
    projection({"selection, decoding", 4, density, 24}, rounds, random);
  }
  for (const size_t rows : {256, 2048}) gradient(rows, 0.17, long_rounds, random);
}

}  // namespace

int main(int argc, char** argv) {
  const size_t rounds = argc == 2 ? std::strtoul(argv[1], nullptr, 10) : 0;
  if (rounds == 0) {
    fmt::print(stderr, "usage: selection_bench ROUNDS\n");
    return 2;
  }
  try {
    run(rounds);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "selection_bench: {}\n", error.what());
    return 1;
  }
}
