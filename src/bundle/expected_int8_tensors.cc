#include "bundle/expected_tensors.h"
#include "bundle/int8_parts.h"

namespace eatt {
namespace {

uint64_t rounded_up(uint64_t count, uint64_t step) { return (count + step - 1) / step * step; }

void add_product(const Int8Part& part, std::vector<TensorSpec>& tensors) {
  const uint64_t columns = rounded_up(part.out, kInt8Columns);
  const uint64_t groups = rounded_up(part.in, kInt8Inputs) / kInt8Inputs;
  tensors.push_back({part.name + ".panels",
                     Dtype::i8,
                     {columns / kInt8Columns, groups, kInt8Columns, kInt8Inputs}});
  tensors.push_back({part.name + ".sums", Dtype::i32, {columns}});
  tensors.push_back({part.name + ".scales", Dtype::f32, {part.out}});
  if (part.has_bias) tensors.push_back({part.name + ".bias", Dtype::f32, {part.out}});
}

void add_selection(const Int8Part& part, uint64_t heads, std::vector<TensorSpec>& tensors) {
  tensors.push_back(
      {part.name + ".packed", Dtype::u8, {part.in * rounded_up(part.out, kInt8Columns)}});
  tensors.push_back({part.name + ".bias", Dtype::i16, {part.out}});
  tensors.push_back({part.name + ".scales", Dtype::f32, {heads}});
}

std::vector<TensorSpec> expected_int8_tensors(const Architecture& architecture) {
  std::vector<TensorSpec> tensors;
  for (const Int8Part& part : int8_parts(architecture)) {
    if (part.is_selection) {
      add_selection(part, architecture.heads, tensors);
    } else {
      add_product(part, tensors);
    }
  }
  for (TensorSpec& kept : int8_kept_tensors(architecture)) tensors.push_back(std::move(kept));
  return tensors;
}

}  // namespace

std::vector<TensorSpec> expected_tensors(const Architecture& architecture, Precision precision) {
  return precision == Precision::int8 ? expected_int8_tensors(architecture)
                                      : expected_tensors(architecture);
}

}  // namespace eatt
