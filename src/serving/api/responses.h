#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "serving/http/message.h"

namespace eatt::serving {

// What a request gets instead of an answer. Thrown by whatever handles it.
struct ApiError {
  int status = 400;
  std::string code;     // For programs, of /v1: "queue_full".
  std::string message;  // One sentence for people.
  HeaderFields headers = {};
};

// The usual code of a status: "not_found" of 404.
std::string_view code_of(int status);

// Text that is not UTF-8 becomes U+FFFD: a model that writes single bytes can write it.
Response json_response(const nlohmann::ordered_json& json, int status = 200);

// {"error": message}, and {"error": message, "code": code} under /v1.
Response error_response(const ApiError& error, std::string_view path);

}  // namespace eatt::serving
