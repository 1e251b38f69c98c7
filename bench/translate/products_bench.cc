// Products of rows by packed weights, on one thread: bytes against oneDNN's, floats against the
// machine's fastest sgemm. Prints a line per figure: name, value, goal, holds|short. Results are
// compared before anything is timed.
//
//   products_bench ROUNDS
//
// Every call takes the next of several matrices, 40 MB of bytes or more together: more than the
// second cache holds, as the layers of a model are when a decoder walks through them for each
// piece.
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "base/random.h"
#include "kernels/baseline.h"
#include "kernels/isa.h"
#include "kernels/measure.h"
#include "kernels/products/products.h"
#include "translate/onednn_int8.h"

using namespace eatt;
using namespace eatt::bench;

namespace {

using Work = std::function<void()>;

constexpr size_t kRotatedBytes = 40 << 20;

struct Shape {
  size_t rows, in, out;
  size_t matrices() const { return kRotatedBytes / (in * out) + 1; }
  std::string name() const { return fmt::format("{} rows, {}x{}", rows, in, out); }
};

void require(bool ok, const std::string& what) {
  if (!ok) throw std::runtime_error(what + ": results differ");
}

// Matrices of bytes in rotation, with scales of one.
struct Bytes {
  Bytes(const Shape& s, Random& random) : shape(s), scales(s.out, 1.0f), y(s.rows * s.out) {
    const size_t panel_bytes = kernels::int8_panels_size(s.in, s.out);
    for (size_t i = 0; i < s.matrices(); ++i) {
      auto& weight = weights.emplace_back(s.in * s.out);
      for (size_t j = 0; j < weight.size(); j += 4) {
        const uint64_t four = random.below(1u << 28);
        for (size_t k = 0; k < 4; ++k)
          weight[j + k] = static_cast<int8_t>((four >> 7 * k & 127) - 64);
      }
      auto& packed = panels.emplace_back(panel_bytes);
      auto& sum = sums.emplace_back(kernels::int8_padded_columns(s.out));
      kernels::pack_int8_panels(weight.data(), s.in, s.out, packed.data(), sum.data());
    }
    x.resize(kernels::quantized_rows_size(s.rows, s.in));
    for (uint8_t& value : x) value = static_cast<uint8_t>(1 + random.below(255));
    row_scales.assign(s.rows, 1.0f);
  }

  void multiply(size_t i) {
    const kernels::Int8Matrix matrix = {shape.in,       shape.out,     panels[i].data(),
                                        sums[i].data(), scales.data(), nullptr};
    kernels::int8_product(
        matrix, {x.data(), row_scales.data(), shape.rows, kernels::quantized_stride(shape.in)},
        {y.data(), shape.out});
  }

  // Every byte of the panels once, and nothing else.
  void read(size_t i) {
    const AlignedVector<int8_t>& panel = panels[i];
    uint64_t parts[8] = {};
    for (size_t at = 0; at + 64 <= panel.size(); at += 64) {
#pragma GCC unroll 8
      for (size_t k = 0; k < 8; ++k) {
        uint64_t word;
        __builtin_memcpy(&word, panel.data() + at + 8 * k, 8);
        parts[k] += word;
      }
    }
    for (const uint64_t part : parts) seen = seen + part;
  }

  Shape shape;
  std::vector<std::vector<int8_t>> weights;
  std::vector<AlignedVector<int8_t>> panels;
  std::vector<std::vector<int32_t>> sums;
  std::vector<float> scales, row_scales;
  AlignedVector<uint8_t> x;
  AlignedVector<float> y;
  volatile uint64_t seen = 0;
};

// multiply(0), multiply(1), … in turn.
template <class Multiply>
Work in_rotation(size_t matrices, const Multiply& multiply) {
  return [matrices, multiply, turn = size_t{0}]() mutable { multiply(turn++ % matrices); };
}

// How often ours is faster than oneDNN's, or nothing where that is missing.
double compare_bytes(const Shape& shape, size_t rounds, Random& random) {
  Bytes ours(shape, random);
  const std::string name = fmt::format("int8 product over oneDNN's, {}", shape.name());
  std::vector<uint8_t> x;
  for (size_t r = 0; r < shape.rows; ++r) {
    const auto row =
        ours.x.begin() + static_cast<std::ptrdiff_t>(r * kernels::quantized_stride(shape.in));
    x.insert(x.end(), row, row + static_cast<std::ptrdiff_t>(shape.in));
  }
  OneDnnProducts theirs;
  prepare_onednn_products(x, shape.rows, shape.in, shape.out, ours.weights, theirs);
  if (shape.rows == 1) {
    const double ratio =
        median_ratio(in_rotation(shape.matrices(), [&](size_t i) { ours.read(i); }),
                     in_rotation(shape.matrices(), [&](size_t i) { ours.multiply(i); }), rounds);
    const double seconds = seconds_per_call(
        in_rotation(shape.matrices(), [&](size_t i) { ours.multiply(i); }), 2 * shape.matrices());
    fmt::print(stderr, "{}: {:.1f} GB/s\n", shape.name(),
               static_cast<double>(shape.in * shape.out) / seconds * 1e-9);
    print_at_least(fmt::format("int8 product over reading the weights, {}", shape.name()), ratio,
                   0.9);
  }
  if (!theirs.multiply) {
    print_skipped(name, ">=0.9", "built without libdnnl-dev");
    return 0;
  }
  ours.multiply(1);
  theirs.multiply(1);
  for (size_t i = 0; i < ours.y.size(); ++i) {
    const int32_t offset = 128 * ours.sums[1][i % shape.out];
    require(ours.y[i] == static_cast<float>(theirs.y[i] - offset), name);
  }
  const double ratio =
      median_ratio(in_rotation(shape.matrices(), theirs.multiply),
                   in_rotation(shape.matrices(), [&](size_t i) { ours.multiply(i); }), rounds);
  print_at_least(name, ratio, 0.9);
  return ratio;
}

void compare_floats(const Shape& shape, size_t rounds, Random& random) {
  const auto [rows, in, out] = shape;
  const size_t matrices = shape.matrices() / 4 + 2;
  std::vector<AlignedVector<float>> weights, panels;
  for (size_t i = 0; i < matrices; ++i) {
    auto& weight = weights.emplace_back(in * out);
    for (float& value : weight) value = static_cast<float>(random.below(17)) - 8;
    auto& packed = panels.emplace_back(kernels::float_panels_size(in, out));
    kernels::pack_float_panels(weight.data(), in, out, packed.data());
  }
  AlignedVector<float> x(rows * in), ours(rows * out), theirs(rows * out);
  for (float& value : x) value = static_cast<float>(random.below(33)) - 16;
  const auto multiply = [&, rows = rows, in = in, out = out](size_t i) {
    kernels::float_product({in, out, panels[i].data()}, x.data(), in, rows, {ours.data(), out});
  };
  const std::string name = fmt::format("fp32 product over sgemm's, {}", shape.name());
  multiply(1);
  double ratio = HUGE_VAL;
  for (const Sgemm& sgemm : available_sgemms()) {
    const auto their_product = [&, rows = rows, in = in, out = out](size_t i) {
      sgemm.row_major_nt(rows, out, in, x.data(), in, weights[i].data(), in, theirs.data(), out);
    };
    their_product(1);
    require(ours == theirs, name);  // Small integers: equal.
    ratio = std::min(ratio, median_ratio(in_rotation(matrices, their_product),
                                         in_rotation(matrices, multiply), rounds));
    multiply(1);
  }
  if (std::isinf(ratio)) {
    print_skipped(name, ">=0.8", "no OpenBLAS and no oneDNN");
  } else {
    print_at_least(name, ratio, 0.8);
  }
}

void run(size_t rounds) {
  fmt::print(stderr, "instruction set: {}\n", kernels::chosen_isa().name);
  for (const Sgemm& sgemm : available_sgemms()) fmt::print(stderr, "sgemm: {}\n", sgemm.name());
  Random random(1);
  double logs = 0;
  size_t count = 0;
  const auto for_each_shape = [&](const auto& body) {
    for (const size_t out : {512, 2048, 32000}) {
      for (const size_t rows : {1, 4, 32, 128}) {
        const bool is_long = rows * out > 500'000;  // Milliseconds.
        body(Shape{rows, 512, out}, is_long ? rounds / 2 + 1 : rounds);
      }
    }
  };
  for_each_shape([&](const Shape& shape, size_t how_often) {
    logs += std::log(compare_bytes(shape, how_often, random));
    ++count;
  });
  const std::string mean = "int8 product over oneDNN's, geometric mean";
  if (std::isinf(logs)) {
    print_skipped(mean, ">=1", "built without libdnnl-dev");
  } else {
    print_at_least(mean, std::exp(logs / static_cast<double>(count)), 1.0);
  }
  for_each_shape([&](const Shape& shape, size_t how_often) {
    compare_floats(shape, how_often / 2 + 1, random);
  });
}

}  // namespace

int main(int argc, char** argv) {
  const size_t rounds = argc == 2 ? std::strtoul(argv[1], nullptr, 10) : 0;
  if (rounds == 0) {
    fmt::print(stderr, "usage: products_bench ROUNDS\n");
    return 2;
  }
  try {
    run(rounds);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "products_bench: {}\n", error.what());
    return 1;
  }
}
