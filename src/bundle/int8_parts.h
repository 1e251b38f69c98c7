#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bundle/architecture.h"
#include "bundle/expected_tensors.h"

namespace eatt {

// How the weights of a selection are laid out: in panels of 256 columns, for many rows of codes at
// once, or all columns of an input together, for a few.
enum class SelectionLayout { panels, rows };

// A matrix of an int8 model and the linear maps of the float32 model that it consists of. Maps that
// read the same input are one, their outputs side by side.
struct Int8Part {
  struct Source {
    std::string name;  // "encoder.layers.0.fc1": has the tensors .weight and .bias
    uint64_t out = 0;
  };

  std::string name;  // "encoder.layers.0.self_attn.qkv_proj": has .panels, .sums and so on
  std::vector<Source> sources;
  uint64_t in = 0;
  uint64_t out = 0;  // Of all sources.
  bool has_bias = true;

  // Of what belongs to the scores of an attention.
  bool is_selection = false;  // Else an ordinary product.
  SelectionLayout layout = SelectionLayout::panels;
  Role role = Role::encoder_self;
  Mechanism mechanism = kPaperMechanism;
  std::string attention;  // "encoder.layers.0.self_attn."; empty elsewhere.
};

// Columns that are packed together, and inputs of a column that are adjacent in a product's panels.
inline constexpr uint64_t kInt8Columns = 64;
inline constexpr uint64_t kInt8Inputs = 4;

// A matrix PREFIX + name of maps PREFIX + source.
Int8Part make_int8_part(const std::string& prefix, const std::string& name, uint64_t in,
                        std::vector<Int8Part::Source> sources);

// All matrices in a fixed order: embeddings, encoder, decoder.
std::vector<Int8Part> int8_parts(const Architecture& architecture);

// The tensors that an int8 model takes over from the float32 one as they are.
std::vector<TensorSpec> int8_kept_tensors(const Architecture& architecture);

}  // namespace eatt
