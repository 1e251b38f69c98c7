#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/json_text.h"

namespace eatt {

// A value inside a parsed JSON text that knows its path, so that a wrong one is named:
//   "model/config.json: architecture.heads: found "eight", expected a whole number from 1 to 1024;
//   …". A view: the json and the origin must outlive it.
class JsonNode {
 public:
  JsonNode(const nlohmann::json& value, const JsonOrigin& origin, std::string path = {})
      : value_(&value), origin_(&origin), path_(std::move(path)) {}

  const std::string& path() const { return path_; }

  // Objects. Every access first checks that this is one.
  JsonNode operator[](std::string_view key) const;  // An Error if it is missing.
  std::optional<JsonNode> find(std::string_view key) const;
  std::vector<std::pair<std::string, JsonNode>> members() const;
  // An Error if there is a key beside these: for objects in which it would change the meaning.
  void allow_only(std::initializer_list<std::string_view> keys) const {
    allow_only(std::span(keys.begin(), keys.size()));
  }
  void allow_only(std::span<const std::string_view> keys) const;

  // Arrays.
  std::vector<JsonNode> items() const;

  // Plain values. A whole number, inside [low, high], has no fraction and no exponent.
  uint64_t whole_number(uint64_t low, uint64_t high) const;
  double number() const;
  std::string text(size_t max_bytes = 1 << 16) const;
  // The index of the text in `names`.
  size_t choice(std::span<const std::string_view> names) const;

  // "FILE: PATH: found …, expected …; ADVICE".
  [[noreturn]] void fail(std::string_view expected) const;

 private:
  const nlohmann::json* value_;
  const JsonOrigin* origin_;
  std::string path_;
};

}  // namespace eatt
