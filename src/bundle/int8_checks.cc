#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "base/error.h"
#include "bundle/bundle_checks.h"
#include "bundle/int8_parts.h"

namespace eatt {
namespace {

constexpr int64_t kMostSum = 32767;
constexpr size_t kPanelColumns = 256;  // Of a selection in panels, except its last.

class Int8Check {
 public:
  Int8Check(const std::string& file_name, const Safetensors& weights)
      : file_name_(file_name), weights_(weights) {}

  void check(const Int8Part& part) const {
    check_scales(part.name + ".scales");
    if (part.name.ends_with(".k_select")) check_same_units(part.name);
    if (part.is_selection) {
      check_selection(part);
    } else {
      check_sums(part);
    }
  }

 private:
  [[noreturn]] void fail(const std::string& tensor, size_t index, const std::string& found,
                         const std::string& expected) const {
    throw Error(fmt::format(
        "{}: value {} of tensor '{}' is {}, expected {}; copy the bundle again or quantize the "
        "model again",
        file_name_, index, tensor, found, expected));
  }

  void check_scales(const std::string& name) const {
    const auto scales = weights_.values<float>(name);
    for (size_t i = 0; i < scales.size(); ++i) {
      if (std::isfinite(scales[i]) && scales[i] > 0) continue;
      fail(name, i, fmt::format("{}", scales[i]), "a finite number above 0");
    }
  }

  // Distances of integers need one unit for queries and keys.
  void check_same_units(const std::string& keys) const {
    const std::string queries = keys.substr(0, keys.size() - 8) + "q_select";
    const auto ours = weights_.values<float>(keys + ".scales");
    const auto theirs = weights_.values<float>(queries + ".scales");
    for (size_t i = 0; i < ours.size(); ++i) {
      if (ours[i] == theirs[i]) continue;
      fail(keys + ".scales", i, fmt::format("{}", ours[i]),
           fmt::format("{}, as in '{}.scales'", theirs[i], queries));
    }
  }

  void check_sums(const Int8Part& part) const {
    const auto sums = weights_.values<int32_t>(part.name + ".sums");
    const auto panels = weights_.values<int8_t>(part.name + ".panels");
    const size_t panel_size = panels.size() / sums.size() * kInt8Columns;
    for (size_t first = 0; first < sums.size(); first += kInt8Columns) {
      const auto panel = panels.subspan(first / kInt8Columns * panel_size, panel_size);
      int32_t found[kInt8Columns] = {};
      for (size_t at = 0; at < panel.size(); ++at) {
        // Some instruction sets negate weights, and +128 does not fit int8.
        if (panel[at] == -128) {
          fail(part.name + ".panels", first / kInt8Columns * panel_size + at, "-128",
               "at least -127");
        }
        found[at / kInt8Inputs % kInt8Columns] += panel[at];
      }
      for (size_t c = 0; c < kInt8Columns; ++c) {
        if (found[c] == sums[first + c]) continue;
        fail(part.name + ".sums", first + c, std::to_string(sums[first + c]),
             fmt::format("{}, the sum of its column in the panels", found[c]));
      }
    }
  }

  void check_selection(const Int8Part& part) const {
    const auto bias = weights_.values<int16_t>(part.name + ".bias");
    const auto packed = weights_.values<uint8_t>(part.name + ".packed");
    const size_t padded = packed.size() / part.in;
    std::vector<int64_t> highest(padded), lowest(padded);
    std::ranges::copy(bias, highest.begin());
    std::ranges::copy(bias, lowest.begin());
    const size_t panel = part.layout == SelectionLayout::panels ? kPanelColumns : padded;
    size_t at = 0;
    for (size_t first = 0; first < padded; first += panel) {
      const size_t width = std::min(panel, padded - first);
      for (size_t i = 0; i < part.in; ++i, at += width) {
        add_input(packed.subspan(at, width), &highest[first], &lowest[first]);
      }
    }
    for (size_t c = 0; c < part.out; ++c) {
      if (highest[c] <= kMostSum && lowest[c] >= -kMostSum) continue;
      fail(part.name + ".bias", c, std::to_string(bias[c]),
           fmt::format("one with which sums stay within ±{}: they reach {} and {}", kMostSum,
                       lowest[c], highest[c]));
    }
  }

  // Of 64 columns, byte 2·i is column i plus 128, byte 2·i + 1 is column 32 + i.
  static void add_input(std::span<const uint8_t> bytes, int64_t* highest, int64_t* lowest) {
    for (size_t at = 0; at < bytes.size(); ++at) {
      const bool lower = at % 2 == 0;
      const size_t column =
          at / kInt8Columns * kInt8Columns + at % kInt8Columns / 2 + (lower ? 0 : kInt8Columns / 2);
      const int value = lower ? bytes[at] - 128 : static_cast<int8_t>(bytes[at]);
      (value > 0 ? highest : lowest)[column] += value;
    }
  }

  const std::string& file_name_;
  const Safetensors& weights_;
};

}  // namespace

void check_int8_values(const std::string& file_name, const Safetensors& weights,
                       const Architecture& architecture) {
  const Int8Check check(file_name, weights);
  for (const Int8Part& part : int8_parts(architecture)) check.check(part);
}

}  // namespace eatt
