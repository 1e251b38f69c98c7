#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "energy/closed_forms.h"

namespace eatt::energy::testing {

// A number that counts what is done with it: the plain loops below are what `exact` claims to
// count.
struct Counted {
  double value = 0;

  static inline OperationCount done = {};

  friend Counted operator+(Counted a, Counted b) {
    return ++done.additions, Counted{a.value + b.value};
  }
  friend Counted operator-(Counted a, Counted b) {
    return ++done.additions, Counted{a.value - b.value};
  }
  friend Counted operator*(Counted a, Counted b) {
    return ++done.multiplications, Counted{a.value * b.value};
  }
};

struct Matrix {
  size_t rows = 0;
  size_t columns = 0;
  std::vector<Counted> values = std::vector<Counted>(rows * columns, Counted{0.5});

  Counted& at(size_t row, size_t column) { return values.at(row * columns + column); }
  const Counted& at(size_t row, size_t column) const { return values.at(row * columns + column); }
};

inline Matrix product(const Matrix& a, const Matrix& b) {
  Matrix result{a.rows, b.columns};
  for (size_t i = 0; i < a.rows; ++i) {
    for (size_t j = 0; j < b.columns; ++j) {
      Counted sum;
      for (size_t n = 0; n < a.columns; ++n) sum = sum + a.at(i, n) * b.at(n, j);
      result.at(i, j) = sum;
    }
  }
  return result;
}

// codes [l, d] of zeros and ones; the rows of weights [d, k] where they are one, added up.
inline Matrix select_rows(const std::vector<std::vector<bool>>& codes, const Matrix& weights) {
  Matrix result{codes.size(), weights.columns};
  for (size_t i = 0; i < codes.size(); ++i) {
    for (size_t j = 0; j < weights.columns; ++j) {
      Counted sum;
      for (size_t n = 0; n < weights.rows; ++n) {
        if (codes[i].at(n)) sum = sum + weights.at(n, j);
      }
      result.at(i, j) = sum;
    }
  }
  return result;
}

inline Matrix l1_distances(const Matrix& query, const Matrix& key) {
  Matrix result{query.rows, key.rows};
  for (size_t i = 0; i < query.rows; ++i) {
    for (size_t j = 0; j < key.rows; ++j) {
      Counted sum;
      for (size_t n = 0; n < query.columns; ++n) {
        sum = sum + Counted{std::abs((query.at(i, n) - key.at(j, n)).value)};
      }
      result.at(i, j) = sum;
    }
  }
  return result;
}

inline Matrix transposed(const Matrix& matrix) {
  Matrix result{matrix.columns, matrix.rows};
  for (size_t i = 0; i < matrix.rows; ++i) {
    for (size_t j = 0; j < matrix.columns; ++j) result.at(j, i) = matrix.at(i, j);
  }
  return result;
}

}  // namespace eatt::energy::testing
