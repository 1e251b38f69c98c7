#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "energy/tally.h"

namespace eatt::energy::testing {

inline void count(Operation operation, Number number) {
  ++Tally::current().work().operations.at(operation, number);
}

// A number that counts what is done with it. `Value` may be wider than the kind of number: products
// of bytes and differences of 16 bits are exact.
template <class Value, Number kind>
struct CountedNumber {
  static constexpr Number kNumber = kind;

  Value value = {};

  friend CountedNumber operator+(CountedNumber a, CountedNumber b) {
    count(Operation::add, kind);
    return {static_cast<Value>(a.value + b.value)};
  }
  friend CountedNumber operator-(CountedNumber a, CountedNumber b) {
    count(Operation::add, kind);
    return {static_cast<Value>(a.value - b.value)};
  }
  friend CountedNumber operator*(CountedNumber a, CountedNumber b) {
    count(Operation::mul, kind);
    return {static_cast<Value>(a.value * b.value)};
  }
  friend CountedNumber operator/(CountedNumber a, CountedNumber b) {
    count(Operation::div, kind);
    return {static_cast<Value>(a.value / b.value)};
  }
  friend CountedNumber operator-(CountedNumber a) { return {-a.value}; }  // Only a sign.
};

using Int8 = CountedNumber<int32_t, Number::int8>;
using Int16 = CountedNumber<int32_t, Number::int16>;
using Int32 = CountedNumber<int32_t, Number::int32>;
using Fp16 = CountedNumber<float, Number::fp16>;
using Fp32 = CountedNumber<float, Number::fp32>;
using Score = CountedNumber<double, Number::fp32>;  // Of the search, which computes in double.

template <class Counted>
bool above(Counted a, Counted b) {
  count(Operation::compare, Counted::kNumber);
  return a.value > b.value;
}

template <class Counted>
Counted larger(Counted a, Counted b) {
  return above(a, b) ? a : b;
}

template <class Counted>
Counted exponential(Counted a) {
  count(Operation::exp, Counted::kNumber);
  return {std::exp(a.value)};
}

template <class Counted>
Counted logarithm(Counted a) {
  count(Operation::exp, Counted::kNumber);
  return {std::log(a.value)};
}

template <class Counted>
Counted square_root(Counted a) {
  count(Operation::div, Counted::kNumber);
  return {std::sqrt(a.value)};
}

// No operation.
template <class Counted>
Counted magnitude(Counted a) {
  return {std::abs(a.value)};
}

// The same integer where more bits are: no operation.
template <class To, class From>
To widened(From from) {
  static_assert(From::kNumber < To::kNumber && To::kNumber <= Number::int32);
  return {from.value};
}

// The nearest number of IEEE 754's 16 bits, ties to even.
inline float rounded_to_half(float value) {
  int exponent = 0;
  std::frexp(value, &exponent);  // |value| is below 2^exponent.
  const float unit = std::ldexp(1.0f, std::max(exponent - 11, -24));
  return std::nearbyint(value / unit) * unit;
}

// To another kind of number, the nearest.
template <class To, class From>
To converted(From from) {
  count(Operation::shift, To::kNumber);
  if constexpr (std::is_same_v<To, Fp16>) {
    return {rounded_to_half(from.value)};
  } else if constexpr (std::is_same_v<To, Int8>) {
    return {static_cast<int32_t>(std::nearbyint(from.value))};
  } else {
    static_assert(std::is_same_v<To, Fp32>);
    return {static_cast<float>(from.value)};
  }
}

}  // namespace eatt::energy::testing
