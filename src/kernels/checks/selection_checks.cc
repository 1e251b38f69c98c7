#include <bit>

#include "kernels/checks/checked_kernels.h"
#include "kernels/selection/selection.h"
#include "kernels/selection/selection_codes.h"
#include "kernels/selection/selection_int8.h"
#include "kernels/selection/signed_codes.h"

namespace eatt::kernels::checks {
namespace {

// Codes of [kRows, kDim] and the memory of their lists.
struct Codes {
  Codes() : x(random_floats(kRows * kDim, 1)) {
    const float threshold = 0.7f;
    bits.resize(kRows * code_words(kDim));
    ones = selection_codes(x.data(), kDim, kRows, kDim, {&threshold}, bits.data());
    transposed.resize(kDim * code_words(kRows));
    transpose_codes(bits.data(), kRows, kDim, transposed.data());
    by_row = lists(bits, kRows, kDim, row_positions, row_counts);
    by_feature = lists(transposed, kDim, kRows, feature_positions, feature_counts);
  }
  static CodeLists lists(const std::vector<uint64_t>& from, size_t rows, size_t dim,
                         std::vector<uint8_t>& positions, std::vector<uint8_t>& counts) {
    positions.resize(code_positions_size(rows, dim));
    counts.resize(code_counts_size(rows, dim));
    return code_lists(from.data(), rows, dim, positions.data(), counts.data());
  }

  Floats x;
  size_t ones;
  std::vector<uint64_t> bits, transposed;
  std::vector<uint8_t> row_positions, row_counts, feature_positions, feature_counts;
  CodeLists by_row, by_feature;
};

Results codes() {
  const Codes made;
  Floats values(kRows * kDim);
  codes_to_floats(made.bits.data(), kRows, kDim, values.data(), kDim);
  Results results;
  results.add(static_cast<double>(made.ones));
  results.add(values);
  results.add(made.row_counts);
  results.add(made.feature_counts);
  return results;
}

Results selection() {
  const Codes made;
  const Floats weight = random_floats(kOut * kDim, 2), bias = random_floats(kOut, 3);
  Floats panels(selection_panels_size(kDim, kOut)), rows(kDim * kOut);
  Floats by_panels(kRows * kOut), by_rows(kRows * kOut);
  pack_selection_panels(weight.data(), kDim, kOut, panels.data());
  pack_selection_rows(weight.data(), kDim, kOut, rows.data());
  select_from_panels(made.by_row, panels.data(), kOut, bias.data(), by_panels.data(), kOut);
  select_from_rows(made.by_row, rows.data(), kOut, bias.data(), by_rows.data(), kOut);
  Floats d_weight(kOut * kDim), sums(kOut), scratch(selection_weight_gradient_scratch(kDim));
  selection_weight_gradient(made.by_feature, by_rows.data(), kOut, kOut, d_weight.data(),
                            scratch.data());
  column_sums(by_rows.data(), kOut, kRows, kOut, sums.data());
  Results results;
  for (const Floats* x : {&by_panels, &by_rows, &d_weight, &sums}) results.add(*x);
  return results;
}

// Sums that are subtracted, as signed codes do, and the codes themselves.
Results signed_selection() {
  const Codes made;
  const float threshold = 0.1f;
  const SignedCoding coding{{&threshold}, /*levels=*/6, /*unit=*/0.2f};
  std::vector<uint64_t> planes(code_planes(coding.levels) * kRows * code_words(kDim));
  Floats values(kRows * kDim), gradient(kRows * kDim), sums(kRows * kOut, 1.0f);
  signed_code_planes(made.x.data(), kDim, kRows, kDim, coding.threshold, coding.levels,
                     planes.data());
  Results results;
  for (const uint64_t word : planes) results.add(static_cast<double>(std::popcount(word)));
  signed_code_values(made.x.data(), kRows, kDim, coding, values.data());
  signed_code_gradient(made.x.data(), values.data(), kRows, kDim, coding, 1.0f, gradient.data());
  const Floats weight = random_floats(kOut * kDim, 2);
  Floats rows(kDim * kOut);
  pack_selection_rows(weight.data(), kDim, kOut, rows.data());
  select_from_rows(made.by_row, rows.data(), kOut, nullptr, sums.data(), kOut, Joining::subtract);
  for (const Floats* x : {&values, &gradient, &sums}) results.add(*x);
  return results;
}

Results selection_of_bytes() {
  const Codes made;
  const auto bias = random_integers<int16_t>(kOut, 3, -500, 1001);
  Results results;
  for (const bool seven_bits : {false, true}) {
    const auto weight = seven_bits ? random_integers<int8_t>(kOut * kDim, 2, -64, 128)
                                   : random_integers<int8_t>(kOut * kDim, 2, -127, 255);
    for (const Int8Layout layout : {Int8Layout::panels, Int8Layout::rows}) {
      std::vector<uint8_t> packed(selection_int8_size(kDim, kOut));
      std::vector<int16_t> sums(kRows * kOut);
      pack_selection_int8(weight.data(), kDim, kOut, {layout, seven_bits}, packed.data());
      select_int8(made.by_row, packed.data(), {layout, seven_bits}, kOut, bias.data(), sums.data(),
                  kOut);
      results.add(sums);
    }
  }
  return results;
}

Results surrogate() {
  const Floats x = random_floats(kRows * kDim, 1), z = random_floats(kRows * kDim, 2);
  const Floats thresholds = random_floats(kDim, 3);
  Floats dx(kRows * kDim);
  Results results;
  for (const bool per_feature : {false, true}) {
    surrogate_gradient(x.data(), z.data(), kRows, kDim, {thresholds.data(), per_feature}, 1.0f,
                       dx.data());
    results.add(dx);
  }
  return results;
}

}  // namespace

std::vector<CheckedKernel> selection_checks() {
  return {
      {"binary codes", 0, codes},
      {"selected rows and their gradients", kSums, selection},
      {"signed codes and subtracted rows", kSums, signed_selection},
      {"selected rows of int8", 0, selection_of_bytes},
      {"gradient through codes", kSums, surrogate},
  };
}

}  // namespace eatt::kernels::checks
