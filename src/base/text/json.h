#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace eatt {

// Strict reading of JSON that may come from anywhere. Every error is an Error with one sentence:
// the file, the place in it, what was found, what was expected, what to do.

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

// Parses JSON. Beyond what the grammar forbids it refuses texts above the limits, bytes that are
// not UTF-8, zero bytes, and a key given twice in one object (the library's parser would silently
// keep the last).
nlohmann::json parse_json(std::string_view text, const JsonOrigin& origin,
                          const JsonLimits& limits = {});
// The same, keeping the order of keys. For small files: takes time quadratic in an object's keys.
nlohmann::ordered_json parse_ordered_json(std::string_view text, const JsonOrigin& origin,
                                          const JsonLimits& limits = {.max_values = 4096});

// A value inside a parsed JSON text that knows its path, so that messages can name it:
//   "model/config.json: architecture.heads: found "eight", expected an integer from 1 to 1024; …".
// A view: the json and the origin must outlive it.
class JsonNode {
 public:
  JsonNode(const nlohmann::json& value, const JsonOrigin& origin, std::string path = {})
      : value_(&value), origin_(&origin), path_(std::move(path)) {}

  const std::string& path() const { return path_; }

  // Objects. Every access first checks that this is one.
  JsonNode operator[](std::string_view key) const;  // Throws an Error if the key is missing.
  std::optional<JsonNode> find(std::string_view key) const;
  std::vector<std::pair<std::string, JsonNode>> members() const;
  // Throws an Error if there is any other key: for objects in which it would change the meaning.
  void allow_only(std::initializer_list<std::string_view> keys) const {
    allow_only(std::span(keys.begin(), keys.size()));
  }
  void allow_only(std::span<const std::string_view> keys) const;

  // Arrays.
  std::vector<JsonNode> items() const;

  // Plain values. An integer, inside [low, high], has no fraction and no exponent.
  uint64_t integer(uint64_t low, uint64_t high) const;
  double number() const;
  std::string text(size_t max_bytes = 1 << 16) const;
  bool boolean() const;
  // The index of the text in `names`.
  size_t choice(std::span<const std::string_view> names) const;

  // "FILE: PATH: found …, expected …; ADVICE".
  [[noreturn]] void fail(std::string_view expected) const;

 private:
  const nlohmann::json* value_;
  const JsonOrigin* origin_;
  std::string path_;
};

// JSON objects that carry their own checksum, so that a flipped bit or a forgotten edit shows:
// config.json of a bundle, state.json of a checkpoint. The key "checksum" holds the SHA-256 of the
// object without that key, written with sorted keys and no white space. So other line breaks or
// another order of keys do not matter, and every value does.
inline constexpr char kChecksumKey[] = "checksum";

// The text of the object, indented by two, with its checksum as the last key. Bytes that are not
// UTF-8 become U+FFFD.
std::string print_checked_json(nlohmann::ordered_json object);

// Checks an object as parse_json() gave it; call it after the checks that can name a wrong key. A
// wrong checksum is an Error that says what to do. A file without one was written by an earlier
// eatt, or edited by somebody who removed the line: it passes, with one warning per file.
void check_json_checksum(const nlohmann::json& object, const JsonOrigin& origin);

}  // namespace eatt
