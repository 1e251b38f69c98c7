#include "energy/counted_steps.h"

#include <cmath>
#include <limits>

namespace eatt::energy::testing {
namespace {

// Numbers of this step that come from no memory.
Fp32 constant(double value) { return {static_cast<float>(value)}; }

Fp32 output_of(const FloatMatrix& matrix, const std::optional<Tensor<Fp32>>& bias,
               const ProductInput& input, size_t row, size_t out) {
  Fp32 sum = bias ? bias->read(0, out) : Fp32{};
  for (size_t i = 0; i < matrix.weight.columns(); ++i)
    sum = sum + input.x.read(row, i) * matrix.weight.read(out, i);
  return sum;
}

Fp32 output_of(const Int8Matrix& matrix, const std::optional<Tensor<Fp32>>& bias,
               const ProductInput& input, size_t row, size_t out) {
  const auto& [numbers, scales] = input.rounded.value();
  Int32 sum;
  for (size_t i = 0; i < matrix.weight.columns(); ++i)
    sum = sum + widened<Int32>(numbers.read(row, i) * matrix.weight.read(out, i));
  const Fp32 result = converted<Fp32>(sum) * scales.read(0, row) * matrix.scales.read(0, out);
  return bias ? result + bias->read(0, out) : result;
}

Fp32 output_of(const Product& product, const ProductInput& input, size_t row, size_t out) {
  return std::visit(
      [&](const auto& matrix) { return output_of(matrix, product.bias, input, row, out); },
      product.matrix);
}

Fp32 weight_of(const FloatSelection& selection, size_t in, size_t out) {
  return selection.weight.read(in, out);
}
Int16 weight_of(const Int8Selection& selection, size_t in, size_t out) {
  return widened<Int16>(selection.weight.read(in, out));
}

// Adds the weights whose code has this binary digit, or subtracts them if the code is below 0.
template <class Element, class Rows>
Element joined(Element sum, const Rows& selection, const Tensor<Code>& codes, size_t row,
               size_t out, int digit) {
  for (size_t i = 0; i < codes.columns(); ++i) {
    const int code = codes.read(row, i).value;
    if ((std::abs(code) & digit) == 0) continue;
    const Element weight = weight_of(selection, i, out);
    sum = code > 0 ? sum + weight : sum - weight;
  }
  return sum;
}

// Higher digits come first, and their sums are doubled.
template <class Rows>
auto selected(const Rows& selection, const Tensor<Code>& codes, size_t row, size_t out,
              size_t levels) {
  using Element = decltype(weight_of(selection, 0, out));
  if (levels <= 1) return joined(selection.bias.read(0, out), selection, codes, row, out, 1);
  const int highest = levels >= 4 ? 4 : 2;
  Element sum{};
  for (int digit = highest; digit > 0; digit /= 2) {
    if (digit != highest) sum = sum + sum;
    sum = joined(sum, selection, codes, row, out, digit);
  }
  return sum + selection.bias.read(0, out);
}

Fp32 floating_of(const Tensor<Int16>& whole, const Tensor<Fp32>& units, size_t row, size_t i) {
  const size_t head = i / (whole.columns() / units.columns());
  return converted<Fp32>(whole.read(row, i)) * units.read(0, head);
}

Fp32 largest_magnitude(const Tensor<Fp32>& x, size_t row) {
  Fp32 largest;
  for (size_t i = 0; i < x.columns(); ++i) largest = larger(largest, magnitude(x.read(row, i)));
  return largest;
}

void norm_row(const Tensor<Fp32>& x, size_t row, const Norm& norm, float epsilon, Tensor<Fp32>& y) {
  const size_t width = x.columns();
  const Fp32 share = constant(1.0 / static_cast<double>(width));
  Fp32 sum, squares;
  for (size_t i = 0; i < width; ++i) sum = sum + x.read(row, i);
  const Fp32 mean = sum * share;
  std::vector<Fp32> differences;
  for (size_t i = 0; i < width; ++i) {
    differences.push_back(x.read(row, i) - mean);
    squares = squares + differences[i] * differences[i];
  }
  const Fp32 inverse = constant(1) / square_root(squares * share + constant(epsilon));
  for (size_t i = 0; i < width; ++i)
    y.write(row, i, differences[i] * inverse * norm.gain.read(0, i) + norm.bias.read(0, i));
}

}  // namespace

void embed(const Product& embedding, const Tensor<Fp32>& positions, int32_t piece, size_t position,
           size_t row, Tensor<Fp32>& x) {
  Step step;
  const auto weight_row = static_cast<size_t>(piece);
  const Fp32 factor = constant(std::sqrt(static_cast<double>(x.columns())));
  const auto* floats = std::get_if<FloatMatrix>(&embedding.matrix);
  const auto* bytes = std::get_if<Int8Matrix>(&embedding.matrix);
  const Fp32 scale = bytes != nullptr ? bytes->scales.read(0, weight_row) * factor : factor;
  for (size_t i = 0; i < x.columns(); ++i) {
    const Fp32 weight = bytes != nullptr ? converted<Fp32>(bytes->weight.read(weight_row, i))
                                         : floats->weight.read(weight_row, i);
    x.write(row, i, scale * weight + positions.read(position, i));
  }
}

Tensor<Fp32> normed(const Tensor<Fp32>& x, const Norm& norm, float epsilon) {
  Step step;
  auto y = activations(x.rows(), x.columns());
  for (size_t row = 0; row < x.rows(); ++row) norm_row(x, row, norm, epsilon, y);
  return y;
}

Tensor<Fp32> added(const Tensor<Fp32>& x, const Tensor<Fp32>& change) {
  Step step;
  auto y = activations(x.rows(), x.columns());
  for (size_t row = 0; row < x.rows(); ++row) {
    for (size_t i = 0; i < x.columns(); ++i) y.write(row, i, x.read(row, i) + change.read(row, i));
  }
  return y;
}

RoundedRows rounded(const Tensor<Fp32>& x) {
  Step step;
  RoundedRows result{activations<Int8>(x.rows(), x.columns()), activations(1, x.rows())};
  for (size_t row = 0; row < x.rows(); ++row) {
    const Fp32 largest = largest_magnitude(x, row);
    result.scales.write(0, row, largest / constant(127));
    Fp32 inverse = constant(127) / largest;
    if (largest.value == 0) inverse = {};  // A row of zeros stays one.
    for (size_t i = 0; i < x.columns(); ++i)
      result.numbers.write(row, i, converted<Int8>(x.read(row, i) * inverse));
  }
  return result;
}

Tensor<Fp32> product(const Product& product, const ProductInput& input, Relu relu) {
  Step step;
  auto y = activations(input.x.rows(), product.out());
  for (size_t row = 0; row < y.rows(); ++row) {
    for (size_t out = 0; out < y.columns(); ++out) {
      const Fp32 result = output_of(product, input, row, out);
      y.write(row, out, relu == Relu::yes ? larger(result, constant(0)) : result);
    }
  }
  return y;
}

void product_to(const Product& product, const ProductInput& input, KeptRows& kept,
                std::span<const size_t> slots) {
  Step step;
  for (size_t row = 0; row < input.x.rows(); ++row) {
    for (size_t out = 0; out < product.out(); ++out)
      kept.write(slots[row], out, output_of(product, input, row, out));
  }
}

Tensor<Fp32> product_of_columns(const Product& product, const ProductInput& input,
                                std::span<const std::vector<int32_t>> columns) {
  Step step;
  auto y = activations(input.x.rows(), product.out());
  for (size_t row = 0; row < y.rows(); ++row) {
    for (const int32_t column : columns[row]) {
      const auto out = static_cast<size_t>(column);
      y.write(row, out, output_of(product, input, row, out));
    }
  }
  return y;
}

// By successive approximation, a comparison for each binary digit: how many of the thresholds t,
// 3t, 5t, … are below the magnitude. Beyond the last level there is an infinite one.
int signed_code(Fp32 number, Fp32 threshold, size_t levels) {
  size_t code = 0;
  for (size_t digit = levels >= 4 ? 4 : levels >= 2 ? 2 : 1; digit > 0; digit /= 2) {
    const size_t tried = code + digit;
    const float limit = tried > levels ? std::numeric_limits<float>::infinity()
                                       : threshold.value * static_cast<float>(2 * tried - 1);
    if (above(magnitude(number), Fp32{limit})) code = tried;
  }
  return number.value < 0 ? -static_cast<int>(code) : static_cast<int>(code);
}

Tensor<Code> codes_of(const Tensor<Fp32>& x, const Tensor<Fp32>& threshold, size_t levels,
                      const std::vector<int>& recorded, float tolerance) {
  Step step;
  expects(recorded.size() == x.rows() * x.columns(), "a recorded code for each number");
  auto codes = activations<Code>(x.rows(), x.columns());
  for (size_t row = 0; row < x.rows(); ++row) {
    for (size_t i = 0; i < x.columns(); ++i) {
      const Fp32 number = x.read(row, i);
      const Fp32 least = threshold.read(0, threshold.columns() == 1 ? 0 : i);
      const int code = levels == 0 ? above(number, least) : signed_code(number, least, levels);
      bool is_close = std::abs(number.value - least.value) <= tolerance;
      for (size_t n = 1; n <= levels; ++n) {
        const float limit = least.value * static_cast<float>(2 * n - 1);
        is_close |= std::abs(std::abs(number.value) - limit) <= tolerance;
      }
      const int theirs = recorded[row * x.columns() + i];
      expects(code == theirs || is_close,
              "codes differ only where a number is close to a threshold");
      codes.write(row, i, {theirs});
    }
  }
  return codes;
}

template <class Element>
Tensor<Element> select(const Selection& selection, const Tensor<Code>& codes, size_t levels) {
  using Rows = std::conditional_t<std::is_same_v<Element, Fp32>, FloatSelection, Int8Selection>;
  Step step;
  const auto& rows = std::get<Rows>(selection);
  auto y = activations<Element>(codes.rows(), rows.bias.columns());
  for (size_t row = 0; row < y.rows(); ++row) {
    for (size_t out = 0; out < y.columns(); ++out)
      y.write(row, out, selected(rows, codes, row, out, levels));
  }
  return y;
}
template Tensor<Fp32> select<Fp32>(const Selection&, const Tensor<Code>&, size_t);
template Tensor<Int16> select<Int16>(const Selection&, const Tensor<Code>&, size_t);

void select_to(const Selection& selection, const Tensor<Code>& codes, size_t levels, KeptRows& kept,
               std::span<const size_t> slots) {
  Step step;
  std::visit(
      [&](const auto& rows) {
        for (size_t row = 0; row < codes.rows(); ++row) {
          for (size_t out = 0; out < rows.bias.columns(); ++out)
            kept.write(slots[row], out, selected(rows, codes, row, out, levels));
        }
      },
      selection);
}

Tensor<Fp32> floating(const Tensor<Int16>& whole, const Tensor<Fp32>& units) {
  Step step;
  auto y = activations(whole.rows(), whole.columns());
  for (size_t row = 0; row < y.rows(); ++row) {
    for (size_t i = 0; i < y.columns(); ++i) y.write(row, i, floating_of(whole, units, row, i));
  }
  return y;
}

void floating_to(const Tensor<Int16>& whole, const Tensor<Fp32>& units, KeptRows& kept,
                 std::span<const size_t> slots) {
  Step step;
  for (size_t row = 0; row < whole.rows(); ++row) {
    for (size_t i = 0; i < whole.columns(); ++i)
      kept.write(slots[row], i, floating_of(whole, units, row, i));
  }
}

}  // namespace eatt::energy::testing
