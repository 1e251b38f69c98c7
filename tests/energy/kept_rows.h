#pragma once

#include <variant>

#include "energy/counted_tensor.h"

namespace eatt::energy::testing {

// Keys or values [rows, width]: activations of the encoder, or caches of the decoder. Floats, their
// halves, or integers.
class KeptRows {
 public:
  KeptRows(Data data, Number number, size_t width) : rows_(tensor(data, number, width)) {}

  // Returns its number.
  size_t add_row() {
    return std::visit(
        [](auto& rows) {
          rows.add_row();
          return rows.rows() - 1;
        },
        rows_);
  }

  void write(size_t row, size_t column, Fp32 number) {
    if (auto* halves = std::get_if<Tensor<Fp16>>(&rows_)) {
      halves->write(row, column, converted<Fp16>(number));
    } else {
      std::get<Tensor<Fp32>>(rows_).write(row, column, number);
    }
  }
  void write(size_t row, size_t column, Int16 number) {
    std::get<Tensor<Int16>>(rows_).write(row, column, number);
  }

  Fp32 read(size_t row, size_t column) const {
    if (const auto* halves = std::get_if<Tensor<Fp16>>(&rows_))
      return converted<Fp32>(halves->read(row, column));
    return std::get<Tensor<Fp32>>(rows_).read(row, column);
  }
  Int16 read_whole(size_t row, size_t column) const {
    return std::get<Tensor<Int16>>(rows_).read(row, column);
  }

 private:
  using Rows = std::variant<Tensor<Fp32>, Tensor<Fp16>, Tensor<Int16>>;
  static Rows tensor(Data data, Number number, size_t width) {
    if (number == Number::fp16) return Tensor<Fp16>(data, 0, width);
    if (number == Number::int16) return Tensor<Int16>(data, 0, width);
    return Tensor<Fp32>(data, 0, width);
  }

  Rows rows_;
};

}  // namespace eatt::energy::testing
