#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace eatt::energy {

// What is counted of a running model; docs/operation-counts.md has the rules.
enum class Operation {
  add,  // And subtractions.
  mul,
  shift,    // Conversions between kinds of numbers: a shift of the mantissa.
  compare,  // Maxima, relu, thresholds, the search for the best.
  exp,      // And logarithms.
  div,      // And square roots.
};
enum class Number { int8, int16, int32, fp16, fp32 };

inline constexpr std::array<std::string_view, 6> kOperationNames = {"add",     "mul", "shift",
                                                                    "compare", "exp", "div"};
inline constexpr std::array<std::string_view, 5> kNumberNames = {"int8", "int16", "int32", "fp16",
                                                                 "fp32"};
inline constexpr std::array kOperations = {Operation::add,     Operation::mul, Operation::shift,
                                           Operation::compare, Operation::exp, Operation::div};
inline constexpr std::array kNumbers = {Number::int8, Number::int16, Number::int32, Number::fp16,
                                        Number::fp32};

constexpr std::string_view name_of(Operation operation) {
  return kOperationNames[static_cast<size_t>(operation)];
}
constexpr std::string_view name_of(Number number) {
  return kNumberNames[static_cast<size_t>(number)];
}

constexpr uint64_t bytes_of(Number number) {
  switch (number) {
    case Number::int8:
      return 1;
    case Number::int16:
    case Number::fp16:
      return 2;
    case Number::int32:
    case Number::fp32:
      break;
  }
  return 4;
}

// How many of each class were done.
class OperationCounts {
 public:
  uint64_t& at(Operation operation, Number number) {
    return counts_[static_cast<size_t>(operation)][static_cast<size_t>(number)];
  }
  uint64_t at(Operation operation, Number number) const {
    return counts_[static_cast<size_t>(operation)][static_cast<size_t>(number)];
  }
  uint64_t total(Operation operation) const {
    uint64_t sum = 0;
    for (const uint64_t count : counts_[static_cast<size_t>(operation)]) sum += count;
    return sum;
  }

  OperationCounts& operator+=(const OperationCounts& other) {
    for (const Operation operation : kOperations) {
      for (const Number number : kNumbers) at(operation, number) += other.at(operation, number);
    }
    return *this;
  }
  friend bool operator==(const OperationCounts&, const OperationCounts&) = default;

 private:
  std::array<std::array<uint64_t, kNumbers.size()>, kOperations.size()> counts_ = {};
};

// Additions (subtractions are additions) and multiplications that were, or surely will be, done.
struct OperationCount {
  uint64_t additions = 0;
  uint64_t multiplications = 0;

  friend bool operator==(const OperationCount&, const OperationCount&) = default;
};

// The same as a mean over texts of a given density, so not an integer in general.
struct ExpectedOperations {
  double additions = 0;
  double multiplications = 0;

  friend bool operator==(const ExpectedOperations&, const ExpectedOperations&) = default;
};

// What is moved between memory and arithmetic.
enum class Data {
  weights,      // Everything that was trained, and the table of positions.
  activations,  // What a step hands to the next.
  caches,       // Keys and values that the decoder keeps for later steps.
};
inline constexpr std::array<std::string_view, 3> kDataNames = {"weights", "activations", "caches"};
inline constexpr std::array kData = {Data::weights, Data::activations, Data::caches};

constexpr std::string_view name_of(Data data) { return kDataNames[static_cast<size_t>(data)]; }

// Bytes moved.
struct Traffic {
  uint64_t read = 0;
  uint64_t written = 0;

  uint64_t total() const { return read + written; }
  Traffic& operator+=(const Traffic& other) {
    read += other.read;
    written += other.written;
    return *this;
  }
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

// Operations and bytes of some part of a model.
struct Work {
  OperationCounts operations;
  std::array<Traffic, kData.size()> bytes = {};

  Traffic& moved(Data data) { return bytes[static_cast<size_t>(data)]; }
  const Traffic& moved(Data data) const { return bytes[static_cast<size_t>(data)]; }

  Work& operator+=(const Work& other) {
    operations += other.operations;
    for (const Data data : kData) moved(data) += other.moved(data);
    return *this;
  }
  friend bool operator==(const Work&, const Work&) = default;
};

}  // namespace eatt::energy
