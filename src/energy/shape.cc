#include "energy/shape.h"

#include <fmt/format.h>

#include <span>
#include <string_view>

#include "base/error.h"
#include "base/progress.h"

namespace eatt::energy {
namespace {

uint64_t checked_size(std::string_view what, int64_t size) {
  if (size < 1 || size > Shape::kLargestSize) {
    throw UsageError(fmt::format("{} {}: expected an integer from 1 to {}", what, size,
                                 format_count(Shape::kLargestSize)));
  }
  return static_cast<uint64_t>(size);
}

constexpr size_t kLayers = 6;
using Shares = std::array<double, kLayers>;

// The bars of the paper's figure, printed there in per cent; layers 1 to 6.
constexpr Shares kEncoderSelf = {0.0590, 0.0585, 0.1503, 0.1740, 0.1769, 0.1713};
constexpr Shares kDecoderSelf = {0.2017, 0.2373, 0.2808, 0.2820, 0.2830, 0.2388};
constexpr Shares kCrossQuery = {0.3387, 0.3683, 0.4509, 0.4726, 0.5499, 0.5473};
// The encoder's output, binarized once for all decoder layers.
constexpr Shares kCrossKey = {0.2420, 0.2420, 0.2420, 0.2420, 0.2420, 0.2420};

Density mean_of(std::span<const Density> densities) {
  Density sum;
  for (const Density& density : densities) {
    sum.query += density.query;
    sum.key += density.key;
  }
  const auto size = static_cast<double>(densities.size());
  return {sum.query / size, sum.key / size};
}

Densities::ByRole by_layer(Role role, const Shares& query, const Shares& key) {
  Densities::ByRole result{role, {}, {}};
  for (size_t layer = 0; layer < kLayers; ++layer) {
    result.layers.push_back({query[layer], key[layer]});
  }
  result.mean = mean_of(result.layers);
  return result;
}

}  // namespace

Shape::Shape(int64_t length, int64_t width, std::optional<int64_t> attention_width)
    : length_(checked_size("length", length)),
      width_(checked_size("width", width)),
      attention_width_(checked_size("attention width", attention_width.value_or(width))) {}

Shape Shape::with_attention_width(uint64_t attention_width) const {
  return Shape(static_cast<int64_t>(length_), static_cast<int64_t>(width_),
               static_cast<int64_t>(attention_width));
}

Shape Shape::with_model_width(uint64_t width) const {
  return Shape(static_cast<int64_t>(length_), static_cast<int64_t>(width));
}

Densities paper_densities() {
  Densities result{.source = Densities::Source::paper,
                   .roles = {by_layer(Role::encoder_self, kEncoderSelf, kEncoderSelf),
                             by_layer(Role::decoder_self, kDecoderSelf, kDecoderSelf),
                             by_layer(Role::cross, kCrossQuery, kCrossKey)},
                   .mean = {}};
  result.mean =
      mean_of(std::array{result.roles[0].mean, result.roles[1].mean, result.roles[2].mean});
  return result;
}

Densities uniform_densities(double density) {
  if (!(density >= 0 && density <= 1)) {  // NaN fails as well.
    throw UsageError(fmt::format(
        "density {}: expected a share of ones from 0 to 1, for example 0.17 for 17 %", density));
  }
  const Density everywhere{density, density};
  return {.source = Densities::Source::given,
          .roles = {{{Role::encoder_self, {}, everywhere},
                     {Role::decoder_self, {}, everywhere},
                     {Role::cross, {}, everywhere}}},
          .mean = everywhere};
}

}  // namespace eatt::energy
