#include "serving/api/responses.h"

#include <nlohmann/json.hpp>

namespace eatt::serving {

std::string_view code_of(int status) {
  switch (status) {
    case 400:
      return "bad_request";
    case 403:
      return "forbidden";
    case 404:
      return "not_found";
    case 405:
      return "method_not_allowed";
    case 408:
      return "request_timeout";
    case 413:
      return "too_large";
    case 415:
      return "unsupported_media_type";
    case 429:
      return "rate_limited";
    case 431:
      return "header_too_large";
    case 503:
      return "unavailable";
    case 504:
      return "deadline_exceeded";
    default:
      return "internal";
  }
}

Response json_response(const nlohmann::ordered_json& json, int status) {
  return {.status = status,
          .body = json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)};
}

Response error_response(const ApiError& error, std::string_view path) {
  nlohmann::ordered_json json = {{"error", error.message}};
  if (path.starts_with("/v1/")) {
    json["code"] = error.code.empty() ? std::string(code_of(error.status)) : error.code;
  }
  Response response = json_response(json, error.status);
  response.headers = error.headers;
  return response;
}

}  // namespace eatt::serving
