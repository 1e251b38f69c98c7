#include "base/text/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/log.h"
#include "base/sha256.h"
#include "base/text/utf8.h"

namespace eatt {
namespace {

[[noreturn]] void fail(const JsonOrigin& origin, std::string_view what) {
  throw Error(fmt::format("{}: {}; {}", origin.file, what, origin.advice));
}

void check_bytes(std::string_view text, const JsonOrigin& origin, const JsonLimits& limits) {
  if (text.size() > limits.max_bytes) {
    fail(origin,
         fmt::format("has {} bytes of JSON, expected at most {}", text.size(), limits.max_bytes));
  }
  if (const size_t at = first_invalid_utf8(text); at != std::string_view::npos) {
    fail(origin, fmt::format("byte {} of the JSON is not UTF-8 (found {}), expected UTF-8 text", at,
                             in_quotes(text.substr(at, 1))));
  }
  // The parser takes a zero byte for the end of the text and would ignore what follows.
  if (const size_t at = text.find('\0'); at != std::string_view::npos) {
    fail(origin, fmt::format("byte {} of the JSON is zero, expected text", at));
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

// Builds the value from the parser's events, within the limits. (The library's own parser with a
// callback could check them too, but takes quadratic time: it goes through all members of an object
// after each of them.)
template <typename Json>
class Builder : public nlohmann::json_sax<Json> {
 public:
  Builder(std::string_view text, const JsonOrigin& origin, const JsonLimits& limits)
      : text_(text), origin_(origin), limits_(limits) {}

  Json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(typename Json::number_integer_t value) override { return add(value); }
  bool number_unsigned(typename Json::number_unsigned_t value) override { return add(value); }
  bool number_float(typename Json::number_float_t value, const std::string&) override {
    return add(value);
  }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(typename Json::binary_t&) override { return false; }  // Not in JSON texts.
  bool start_object(size_t) override { return open(Json::object()); }
  bool start_array(size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(std::string& key) override {
    const auto [member, is_new] = open_.back()->emplace(key, nullptr);
    if (!is_new) {
      fail(origin_,
           fmt::format("gives {} twice in one JSON object, expected once", in_quotes(key)));
    }
    member_ = &*member;
    return true;
  }

  bool parse_error(size_t position, const std::string&,
                   const nlohmann::json::exception& error) override;

 private:
  bool add(Json value) {
    place(std::move(value));
    return true;
  }

  bool open(Json container) {
    if (open_.size() >= static_cast<size_t>(limits_.max_depth)) {
      fail(origin_, fmt::format("has JSON nested deeper than {} levels", limits_.max_depth));
    }
    open_.push_back(place(std::move(container)));
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  // Returns the address of the value. It stays valid while the value is open, since only the
  // innermost container grows.
  Json* place(Json value) {
    if (++values_ > limits_.max_values) {
      fail(origin_, fmt::format("has more than {} JSON values", limits_.max_values));
    }
    if (!open_.empty() && open_.back()->is_array()) {
      open_.back()->push_back(std::move(value));
      return &open_.back()->back();
    }
    Json* const slot = open_.empty() ? &root_ : member_;
    *slot = std::move(value);
    return slot;
  }

  // The value that is read now: "operations.add.int8", "memory[2].bytes". Empty for the root.
  std::string path() const {
    std::string path;
    for (size_t i = 0; i < open_.size(); ++i) {
      const Json* const next = i + 1 < open_.size() ? open_[i + 1] : member_;
      if (open_[i]->is_array()) {
        const size_t size = open_[i]->size();
        path += fmt::format("[{}]", i + 1 < open_.size() ? size - 1 : size);
        continue;
      }
      for (const auto& [key, value] : open_[i]->items()) {
        if (&value == next) path = joined(path, key);
      }
    }
    return path;
  }

  std::string_view text_;
  const JsonOrigin& origin_;
  const JsonLimits& limits_;
  Json root_;
  std::vector<Json*> open_;  // Objects and arrays that have not ended, outermost first.
  Json* member_ = nullptr;   // Of the innermost object: where its next value goes.
  size_t values_ = 0;
};

std::string line_and_column(std::string_view text, size_t byte) {
  const std::string_view before = text.substr(0, byte);
  const auto line = std::ranges::count(before, '\n') + 1;
  const size_t start = before.rfind('\n');
  const size_t column = before.size() - (start == std::string_view::npos ? 0 : start + 1) + 1;
  return fmt::format("line {}, column {}", line, column);
}

template <typename Json>
bool Builder<Json>::parse_error(size_t position, const std::string&,
                                const nlohmann::json::exception& error) {
  if (dynamic_cast<const nlohmann::json::out_of_range*>(&error) != nullptr) {
    const std::string where = path();
    fail(origin_, fmt::format("{}{}a number that is too large for floating point", where,
                              where.empty() ? "is " : ": is "));
  }
  const size_t byte = position == 0 ? 0 : position - 1;
  if (byte >= text_.size()) {
    fail(origin_, fmt::format("its JSON ends too early, after byte {}", text_.size()));
  }
  fail(origin_,
       fmt::format("is not valid JSON at {} (byte {})", line_and_column(text_, byte), byte));
}

template <typename Json>
Json parse(std::string_view text, const JsonOrigin& origin, const JsonLimits& limits) {
  check_bytes(text, origin, limits);
  Builder<Json> builder(text, origin, limits);
  Json::sax_parse(text.begin(), text.end(), &builder);  // Wrong JSON leaves through parse_error.
  return builder.take();
}

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

}  // namespace

nlohmann::json parse_json(std::string_view text, const JsonOrigin& origin,
                          const JsonLimits& limits) {
  return parse<nlohmann::json>(text, origin, limits);
}

nlohmann::ordered_json parse_ordered_json(std::string_view text, const JsonOrigin& origin,
                                          const JsonLimits& limits) {
  return parse<nlohmann::ordered_json>(text, origin, limits);
}

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

uint64_t JsonNode::integer(uint64_t low, uint64_t high) const {
  const bool is_natural =
      value_->is_number_unsigned() || (value_->is_number_integer() && value_->get<int64_t>() >= 0);
  if (!is_natural || value_->get<uint64_t>() < low || value_->get<uint64_t>() > high) {
    fail(high == UINT64_MAX ? fmt::format("an integer of at least {}", low)
                            : fmt::format("an integer from {} to {}", low, high));
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

bool JsonNode::boolean() const {
  if (!value_->is_boolean()) fail("true or false");
  return value_->get<bool>();
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

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

std::string checksum_of(json object) {
  object.erase(kChecksumKey);
  return sha256_hex(object.dump(-1, ' ', /*ensure_ascii=*/false, json::error_handler_t::replace));
}

// A file may be opened many times; it is mentioned once.
void warn_once(const std::string& file) {
  static std::mutex mutex;
  static std::set<std::string> warned;
  const std::lock_guard lock(mutex);
  if (!warned.insert(file).second) return;
  spdlog::warn("{}: has no \"{}\", so damage to it would go unnoticed", file, kChecksumKey);
}

}  // namespace

std::string print_checked_json(ordered_json object) {
  object.erase(kChecksumKey);
  const auto print = [&] {
    return object.dump(2, ' ', /*ensure_ascii=*/false, ordered_json::error_handler_t::replace);
  };
  // The checksum is of what a reader will find, so it is taken of the text read back.
  object[kChecksumKey] = checksum_of(json::parse(print()));
  return print() + "\n";
}

void check_json_checksum(const json& object, const JsonOrigin& origin) {
  const auto found = object.find(kChecksumKey);
  if (found == object.end()) return warn_once(origin.file);
  if (found->is_string() && *found == checksum_of(object)) return;
  throw Error(fmt::format(
      "{}: its contents do not match its \"{}\", so it was damaged or edited; {}; if you meant to "
      "edit it, delete the line \"{}\"",
      origin.file, kChecksumKey, origin.advice, kChecksumKey));
}

}  // namespace eatt
