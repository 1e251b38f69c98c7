#include "base/text/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text/printable.h"

namespace eatt {
namespace {

using nlohmann::json;

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
  // The parser takes a zero byte for the end of the text and would not look behind it.
  if (const size_t at = text.find('\0'); at != std::string_view::npos) {
    fail(origin, fmt::format("byte {} of the JSON is zero, expected text", at));
  }
}

// Builds the value from the parser's events, within the limits. (The library's own parser with a
// callback could watch them too, but it takes quadratic time: it looks through an object's members
// after each of them.)
class Builder : public nlohmann::json_sax<json> {
 public:
  Builder(std::string_view text, const JsonOrigin& origin, const JsonLimits& limits)
      : text_(text), origin_(origin), limits_(limits) {}

  json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // Not in JSON texts.
  bool start_object(size_t) override { return open(json::object()); }
  bool start_array(size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& key) override {
    const auto [member, is_new] = open_.back()->emplace(key, nullptr);
    if (!is_new) {
      fail(origin_,
           fmt::format("gives {} twice in one JSON object, expected once", in_quotes(key)));
    }
    member_ = &*member;
    return true;
  }

  bool parse_error(size_t position, const std::string&, const json::exception& error) override;

 private:
  bool add(json value) {
    place(std::move(value));
    return true;
  }

  bool open(json container) {
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

  // Where the value now stands: it stays there while it is open, since only the innermost container
  // grows.
  json* place(json value) {
    if (++values_ > limits_.max_values) {
      fail(origin_, fmt::format("has more than {} JSON values", limits_.max_values));
    }
    if (!open_.empty() && open_.back()->is_array()) {
      open_.back()->push_back(std::move(value));
      return &open_.back()->back();
    }
    json* const slot = open_.empty() ? &root_ : member_;
    *slot = std::move(value);
    return slot;
  }

  std::string_view text_;
  const JsonOrigin& origin_;
  const JsonLimits& limits_;
  json root_;
  std::vector<json*> open_;  // Objects and arrays that have not ended, outermost first.
  json* member_ = nullptr;   // Of the innermost object: where its next value goes.
  size_t values_ = 0;
};

std::string line_and_column(std::string_view text, size_t byte) {
  const std::string_view before = text.substr(0, byte);
  const auto line = std::ranges::count(before, '\n') + 1;
  const size_t start = before.rfind('\n');
  const size_t column = before.size() - (start == std::string_view::npos ? 0 : start + 1) + 1;
  return fmt::format("line {}, column {}", line, column);
}

bool Builder::parse_error(size_t position, const std::string&, const json::exception& error) {
  if (dynamic_cast<const json::out_of_range*>(&error) != nullptr) {
    fail(origin_, "has a JSON number that is too large for any floating-point number");
  }
  const size_t byte = position == 0 ? 0 : position - 1;
  if (byte >= text_.size()) {
    fail(origin_, fmt::format("its JSON ends too early, after byte {}", text_.size()));
  }
  fail(origin_,
       fmt::format("is not valid JSON at {} (byte {})", line_and_column(text_, byte), byte));
}

}  // namespace

json parse_json(std::string_view text, const JsonOrigin& origin, const JsonLimits& limits) {
  check_bytes(text, origin, limits);
  Builder builder(text, origin, limits);
  json::sax_parse(text.begin(), text.end(), &builder);  // Wrong JSON leaves through parse_error.
  return builder.take();
}

}  // namespace eatt
