#include "base/text/json_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text/printable.h"

namespace eatt {
namespace {

std::string describe(const nlohmann::json& value) {
  using Type = nlohmann::json::value_t;
  switch (value.type()) {
    case Type::object:
      return "an object";
    case Type::array:
      return fmt::format("an array of length {}", value.size());
    case Type::string: {
      std::string text = in_quotes(value.get_ref<const std::string&>());
      text.front() = text.back() = '"';
      return text;
    }
    default:
      return value.dump();
  }
}

// Dots join the names of nested objects. A key that is not a plain word is quoted.
std::string joined(const std::string& path, std::string_view key) {
  const bool plain = !key.empty() && std::ranges::all_of(key, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           (c >= 'A' && c <= 'Z');
  });
  const std::string name = plain ? std::string(key) : in_quotes(key);
  return path.empty() ? name : path + "." + name;
}

}  // namespace

JsonNode JsonNode::operator[](std::string_view key) const {
  if (auto node = find(key)) return *node;
  throw Error(
      fmt::format("{}: {}: is missing; {}", origin_->file, joined(path_, key), origin_->advice));
}

std::optional<JsonNode> JsonNode::find(std::string_view key) const {
  if (!value_->is_object()) fail("an object");
  const auto found = value_->find(key);
  if (found == value_->end()) return std::nullopt;
  return JsonNode(*found, *origin_, joined(path_, key));
}

std::vector<std::pair<std::string, JsonNode>> JsonNode::members() const {
  if (!value_->is_object()) fail("an object");
  std::vector<std::pair<std::string, JsonNode>> nodes;
  nodes.reserve(value_->size());
  for (const auto& [key, value] : value_->items()) {
    nodes.emplace_back(key, JsonNode(value, *origin_, joined(path_, key)));
  }
  return nodes;
}

void JsonNode::allow_only(std::span<const std::string_view> keys) const {
  if (!value_->is_object()) fail("an object");
  for (const auto& item : value_->items()) {
    if (std::ranges::find(keys, item.key()) != keys.end()) continue;
    throw Error(fmt::format("{}: {}: is a key that this version does not know, expected {}; {}",
                            origin_->file, joined(path_, item.key()), fmt::join(keys, ", "),
                            origin_->advice));
  }
}

std::vector<JsonNode> JsonNode::items() const {
  if (!value_->is_array()) fail("an array");
  std::vector<JsonNode> nodes;
  nodes.reserve(value_->size());
  for (size_t i = 0; i < value_->size(); ++i) {
    nodes.emplace_back((*value_)[i], *origin_, fmt::format("{}[{}]", path_, i));
  }
  return nodes;
}

uint64_t JsonNode::whole_number(uint64_t low, uint64_t high) const {
  const bool whole =
      value_->is_number_unsigned() || (value_->is_number_integer() && value_->get<int64_t>() >= 0);
  if (!whole || value_->get<uint64_t>() < low || value_->get<uint64_t>() > high) {
    fail(high == UINT64_MAX ? fmt::format("a whole number of at least {}", low)
                            : fmt::format("a whole number from {} to {}", low, high));
  }
  return value_->get<uint64_t>();
}

double JsonNode::number() const {
  if (!value_->is_number()) fail("a number");
  return value_->get<double>();
}

std::string JsonNode::text(size_t max_bytes) const {
  if (!value_->is_string()) fail("a text");
  const auto& text = value_->get_ref<const std::string&>();
  if (text.size() > max_bytes) fail(fmt::format("a text of at most {} bytes", max_bytes));
  return text;
}

size_t JsonNode::choice(std::span<const std::string_view> names) const {
  if (value_->is_string()) {
    const auto found = std::ranges::find(names, value_->get_ref<const std::string&>());
    if (found != names.end()) return static_cast<size_t>(found - names.begin());
  }
  fail(fmt::format("one of {}", fmt::join(names, ", ")));
}

void JsonNode::fail(std::string_view expected) const {
  throw Error(fmt::format("{}: {}found {}, expected {}; {}", origin_->file,
                          path_.empty() ? "" : path_ + ": ", describe(*value_), expected,
                          origin_->advice));
}

}  // namespace eatt
