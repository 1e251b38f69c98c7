#include "energy/form.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "base/error.h"

namespace eatt::energy {

Form& Form::operator+=(const Form& other) {
  ldk += other.ldk;
  ldd += other.ldd;
  query_ldk += other.query_ldk;
  key_ldk += other.key_ldk;
  lk += other.lk;
  llk += other.llk;
  return *this;
}

bool is_integer(const Form& form) { return form.query_ldk == 0 && form.key_ldk == 0; }

uint64_t integer_value(const Form& form, const Shape& shape) {
  expects(is_integer(form), "a form that depends on density has an expected value only");
  const uint64_t l = shape.length();
  const uint64_t d = shape.width();
  const uint64_t k = shape.attention_width();
  return l * (form.ldk * d * k + form.ldd * d * d + form.lk * k + form.llk * l * k);
}

double expected_value(const Form& form, const Shape& shape, const Density& density) {
  Form whole = form;
  whole.query_ldk = 0;
  whole.key_ldk = 0;
  const auto ldk = static_cast<double>(integer_value(Form{.ldk = 1}, shape));
  return static_cast<double>(integer_value(whole, shape)) +
         ldk * (density.query * static_cast<double>(form.query_ldk) +
                density.key * static_cast<double>(form.key_ldk));
}

Widths widths_of(const Shape& shape) {
  return shape.attention_width() == shape.width() ? Widths::equal : Widths::separate;
}

std::string to_text(const Form& form, Widths widths) {
  struct Term {
    uint64_t factor;
    std::string_view name;
  };
  const uint64_t rows = form.query_ldk + form.key_ldk;
  const bool equal = widths == Widths::equal;
  // The paper's order: terms in d² first, pairs of positions last.
  const std::array<Term, 5> terms = {{
      {equal ? form.ldk + form.ldd : form.ldk, equal ? "ld²" : "ldk"},
      {equal ? 0 : form.ldd, "ld²"},
      {rows, equal ? "ρld²" : "ρldk"},
      {form.lk, equal ? "ld" : "lk"},
      {form.llk, equal ? "l²d" : "l²k"},
  }};
  std::string text;
  for (const auto& [factor, name] : terms) {
    if (factor == 0) continue;
    if (!text.empty()) text += '+';
    if (factor > 1) text += fmt::to_string(factor);
    text += name;
  }
  return text.empty() ? "0" : text;
}

}  // namespace eatt::energy
