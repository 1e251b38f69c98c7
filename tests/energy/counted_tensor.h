#pragma once

#include <map>
#include <utility>
#include <vector>

#include "energy/counted_number.h"

namespace eatt::energy::testing {

// A code, counted in units. Binary codes take a bit; tests of signed codes say how many theirs
// take.
struct Code {
  int value = 0;
  static inline size_t bits = 1;
};

constexpr size_t bits_of(Number number) {
  return number == Number::int8 ? 8 : number == Number::int16 || number == Number::fp16 ? 16 : 32;
}
template <class Element>
size_t element_bits() {
  return bits_of(Element::kNumber);
}
template <>
inline size_t element_bits<Code>() {
  return Code::bits;
}

// A step of the model: what it reads and writes counts once, however often it is touched while the
// step lives. At its end the bytes go to the line that was charged when it began. Steps follow each
// other; none begins within another.
class Step {
 public:
  Step() : work_(Tally::current().work()), number_(++last_number_) {
    expects(current_ == nullptr, "steps follow each other");
    current_ = this;
  }
  ~Step() {
    current_ = nullptr;
    for (const auto& [row, bits] : read_) work_.moved(row.data).read += (bits + 7) / 8;
    for (const auto& [row, bits] : written_) work_.moved(row.data).written += (bits + 7) / 8;
  }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  static Step& current() {
    expects(current_ != nullptr, "memory is touched by a step");
    return *current_;
  }

  // A row of a tensor lies in whole bytes.
  struct Row {
    Data data;
    uint64_t tensor;
    size_t row;
    friend auto operator<=>(const Row&, const Row&) = default;
  };

  // Of no other step.
  uint64_t number() const { return number_; }
  void read(const Row& row, size_t bits) { read_[row] += bits; }
  void write(const Row& row, size_t bits) { written_[row] += bits; }

 private:
  static inline Step* current_ = nullptr;
  static inline uint64_t last_number_ = 0;
  Work& work_;
  uint64_t number_;
  std::map<Row, size_t> read_, written_;  // Bits.
};

// A matrix in memory.
template <class Element>
class Tensor {
 public:
  Tensor(Data data, size_t rows, size_t columns)
      : data_(data), columns_(columns), id_(++last_id_), cells_(rows * columns) {}
  Tensor(Tensor&&) noexcept = default;
  Tensor& operator=(Tensor&&) noexcept = default;

  size_t rows() const { return columns_ == 0 ? 0 : cells_.size() / columns_; }
  size_t columns() const { return columns_; }
  void add_row() { cells_.resize(cells_.size() + columns_); }

  Element read(size_t row, size_t column) const {
    const Cell& cell = at(row, column);
    Step& step = Step::current();
    if (std::exchange(cell.read_in, step.number()) != step.number())
      step.read({data_, id_, row}, element_bits<Element>());
    return cell.element;
  }
  void write(size_t row, size_t column, Element element) {
    Cell& cell = at(row, column);
    Step& step = Step::current();
    if (std::exchange(cell.written_in, step.number()) != step.number())
      step.write({data_, id_, row}, element_bits<Element>());
    cell.element = element;
  }

  // From outside of the model, not counted.
  void put(size_t row, size_t column, Element element) { at(row, column).element = element; }
  Element look(size_t row, size_t column) const { return at(row, column).element; }

 private:
  struct Cell {
    Element element = {};
    mutable uint64_t read_in = 0;  // The last step that did.
    uint64_t written_in = 0;
  };
  const Cell& at(size_t row, size_t column) const {
    expects(column < columns_ && row < rows(), "an element of the tensor");
    return cells_[row * columns_ + column];
  }
  Cell& at(size_t row, size_t column) {
    return const_cast<Cell&>(std::as_const(*this).at(row, column));
  }

  static inline uint64_t last_id_ = 0;
  Data data_;
  size_t columns_;
  uint64_t id_;
  std::vector<Cell> cells_;
};

// What a step hands to the next.
template <class Element = Fp32>
Tensor<Element> activations(size_t rows, size_t columns) {
  return Tensor<Element>(Data::activations, rows, columns);
}

}  // namespace eatt::energy::testing
