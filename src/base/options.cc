#include "base/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "base/error.h"
#include "base/text/utf8.h"

namespace eatt {
namespace {

bool contains(Range range, double value) {
  return std::isfinite(value) && value <= range.most &&
         (range.above_least ? value > range.least : value >= range.least);
}

// "an integer from 1 to 9", "a number above 0, at most 1"
std::string describe(Range range, bool is_integer) {
  const bool has_least = range.least > std::numeric_limits<double>::lowest();
  const bool has_most = range.most < std::numeric_limits<double>::max();
  if (is_integer && has_least && has_most && range.most == range.least + 1) {
    return fmt::format("{} or {}", range.least, range.most);
  }
  const auto print = [&](double bound) {
    return is_integer ? fmt::format("{}", static_cast<int64_t>(bound)) : fmt::format("{}", bound);
  };
  const std::string kind = is_integer ? "an integer" : "a number";
  if (!has_least) return has_most ? fmt::format("{} up to {}", kind, print(range.most)) : kind;
  if (range.above_least) {
    return fmt::format("{} above {}{}", kind, print(range.least),
                       has_most ? ", at most " + print(range.most) : "");
  }
  return has_most ? fmt::format("{} from {} to {}", kind, print(range.least), print(range.most))
                  : fmt::format("{} of at least {}", kind, print(range.least));
}

// What does not fit into the type is out of range, too.
template <typename Number>
Range within_type(Range range) {
  if (std::is_unsigned_v<Number> && range.least < 0) range.least = 0;
  return range;
}

}  // namespace

void refuse_value(std::string_view option, std::string_view found, std::string_view expected) {
  throw UsageError(fmt::format("{} is {}; expected {}", option, in_quotes(found), expected));
}

std::string one_of(std::span<const std::string_view> names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

template <typename Number>
void read_number(std::string_view option, std::string_view text, Range range, Number& value) {
  std::string_view digits = text;
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  Number read{};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), read);
  range = within_type<Number>(range);
  if (error != std::errc() || end != digits.data() + digits.size() ||
      !contains(range, static_cast<double>(read))) {
    refuse_value(option, text, describe(range, std::is_integral_v<Number>));
  }
  value = read;
}

void read_switch(std::string_view option, std::string_view text, bool& value) {
  const bool on = text == "true" || text == "1";
  if (!on && text != "false" && text != "0") refuse_value(option, text, "true or false");
  value = on;
}

size_t read_choice(std::string_view option, std::string_view text,
                   std::span<const std::string_view> names) {
  const auto lower = [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; };
  const auto same = [&](std::string_view name) {
    return std::ranges::equal(name, text, {}, lower, lower);
  };
  const auto found = std::ranges::find_if(names, same);
  if (found == names.end()) refuse_value(option, text, one_of(names));
  return static_cast<size_t>(found - names.begin());
}

template <typename Number>
void check_number(std::string_view option, Range range, Number value) {
  if (contains(range, static_cast<double>(value))) return;
  refuse_value(option, print_number(value), describe(range, std::is_integral_v<Number>));
}

template <typename Number>
std::string print_number(Number value) {
  return fmt::format("{}", value);
}

#define EATT_NUMBER_OPTION(Number)                                               \
  template void read_number(std::string_view, std::string_view, Range, Number&); \
  template void check_number(std::string_view, Range, Number);                   \
  template std::string print_number(Number);
EATT_NUMBER_OPTION(int)
EATT_NUMBER_OPTION(unsigned)
EATT_NUMBER_OPTION(long)
EATT_NUMBER_OPTION(unsigned long)
EATT_NUMBER_OPTION(float)
EATT_NUMBER_OPTION(double)
#undef EATT_NUMBER_OPTION

}  // namespace eatt
