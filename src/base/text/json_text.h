#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace eatt {

// Where a JSON text came from, for messages.
struct JsonOrigin {
  std::string file;    // "model/config.json"
  std::string advice;  // What to do about a bad one: "copy the bundle again"
};

struct JsonLimits {
  size_t max_bytes = 1 << 20;
  int max_depth = 16;          // Objects and arrays inside each other.
  size_t max_values = 100000;  // Numbers, strings, objects, … in all: bounds the memory taken.
};

// Parses JSON that a stranger may have written. Beyond the grammar it refuses, with a sentence of
// its own for each: a text above the limits, bytes that are not UTF-8, zero bytes, and a key given
// twice in one object (the parser alone would keep the last and say nothing).
nlohmann::json parse_json(std::string_view text, const JsonOrigin& origin,
                          const JsonLimits& limits = {});

}  // namespace eatt
