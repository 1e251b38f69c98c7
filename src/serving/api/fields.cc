#include "serving/api/fields.h"

#include <fmt/format.h>

#include <charconv>

#include "base/error.h"
#include "base/text/json.h"
#include "base/text/utf8.h"
#include "serving/api/responses.h"

namespace eatt::serving {
namespace {

[[noreturn]] void refuse(std::string message, int status = 400) {
  throw ApiError{.status = status, .code = "", .message = std::move(message)};
}

[[noreturn]] void refuse_missing(const std::string& name) {
  refuse(fmt::format("Invalid request: missing {} parameter", name));
}

[[noreturn]] void refuse_value(const std::string& name, std::string_view expected) {
  refuse(fmt::format("Invalid request: {} parameter is not {}", name, expected));
}

std::vector<FormField> checked(std::optional<std::vector<FormField>> fields) {
  if (!fields) refuse("Invalid request: the form is malformed");
  for (const FormField& field : *fields) {
    if (!is_valid_utf8(field.name) || !is_valid_utf8(field.value)) {
      refuse("Invalid request: the form is not UTF-8");
    }
  }
  return std::move(*fields);
}

}  // namespace

nlohmann::json parse_body_json(std::string_view body, size_t body_limit) {
  const JsonOrigin origin{.file = "Invalid request", .advice = "see /openapi.json"};
  try {
    return parse_json(body, origin, {.max_bytes = body_limit});
  } catch (const Error& error) {
    refuse(error.what());
  }
}

Fields::Fields(const HttpRequest& request, size_t body_limit) {
  const std::string type = media_type(request.header("content-type"));
  if (type == "application/json") {
    json_ = parse_body_json(request.body, body_limit);
    if (!json_.is_object()) refuse("Invalid request: the body is not a JSON object");
  } else if (type == "multipart/form-data") {
    form_ = checked(parse_multipart(request.body, request.header("content-type")));
  } else if (type == "application/x-www-form-urlencoded" || type.empty()) {
    form_ = checked(parse_form(request.body));
  } else {
    refuse("Unsupported media type; send application/json or a form", 415);
  }
}

const FormField* Fields::find(const std::string& name) const {
  for (const FormField& field : form_) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

std::string Fields::text(const std::string& name, std::optional<std::string> otherwise) const {
  if (json_.is_object()) {
    const auto found = json_.find(name);
    if (found != json_.end() && !found->is_null()) {
      if (!found->is_string()) refuse_value(name, "a string");
      return found->get<std::string>();
    }
  } else if (const FormField* field = find(name)) {
    return field->value;
  }
  if (!otherwise) refuse_missing(name);
  return *otherwise;
}

size_t Fields::count(const std::string& name, size_t most) const {
  size_t value = 0;
  if (json_.is_object() && json_.contains(name) && !json_[name].is_string()) {
    if (json_[name].is_null()) return 0;
    if (!json_[name].is_number_unsigned()) refuse_value(name, "a number");
    value = json_[name].get<size_t>();
  } else {
    const std::string text = this->text(name, "0");
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) refuse_value(name, "a number");
  }
  if (value > most) {
    refuse(fmt::format("Invalid request: {} ({}) exceeds the limit ({})", name, value, most));
  }
  return value;
}

Fields::Texts Fields::texts(const std::string& name) const {
  if (!json_.is_object() || !json_.contains(name) || !json_[name].is_array()) {
    return {.values = {text(name)}, .is_list = false};
  }
  Texts result{.values = {}, .is_list = true};
  for (const auto& value : json_[name]) {
    if (!value.is_string()) refuse_value(name, "a string or a list of strings");
    result.values.push_back(value.get<std::string>());
  }
  return result;
}

const FormField& Fields::file(const std::string& name) const {
  const FormField* field = find(name);
  if (field == nullptr || field->file_name.empty()) refuse_missing(name);
  return *field;
}

}  // namespace eatt::serving
