#pragma once

#include <cstdint>
#include <string>

#include "energy/shape.h"

namespace eatt::energy {

// A number of operations as a polynomial in l (length), d (width), k (attention width) and ρ
// (density). Kept as the factors of its terms, so that one expression gives the number for any
// shape and the text for the reader.
struct Form {
  uint64_t ldk = 0;        // From width d to width k or back, at l positions: a projection.
  uint64_t ldd = 0;        // Between vectors of width d: the feed-forward layer.
  uint64_t query_ldk = 0;  // ρ·ldk: the rows of a projection that the query's ones select.
  uint64_t key_ldk = 0;    // The same for the key's ones.
  uint64_t lk = 0;         // One per element of a projected matrix.
  uint64_t llk = 0;        // Every position with every other, k wide: scores, context.

  Form& operator+=(const Form& other);
  friend bool operator==(const Form&, const Form&) = default;
};

// Whether the value is an integer for every shape, that is, does not depend on densities.
bool is_integer(const Form& form);

// The value of a form that is whole; exact.
uint64_t integer_value(const Form& form, const Shape& shape);

// The value of any form: the mean over texts whose inputs have this density.
double expected_value(const Form& form, const Shape& shape, const Density& density);

enum class Widths {
  equal,     // k = d is written d, as in the paper: 2ld²+l²d
  separate,  // 2ldk+l²k
};

// The one that says all about the shape with the fewest letters.
Widths widths_of(const Shape& shape);

// "2ld²+l²d"; "0" for the empty form. ρ stands for the mean density of query and key.
std::string to_text(const Form& form, Widths widths = Widths::equal);

}  // namespace eatt::energy
