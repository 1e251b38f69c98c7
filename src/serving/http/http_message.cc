#include "serving/http/http_message.h"

#include <ctime>
#include <string>
#include <utility>

namespace eatt::serving {
namespace {

namespace http = boost::beast::http;

// Now, as the Date field has it: "Sun, 06 Nov 1994 08:49:37 GMT"
std::string http_date() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[40];
  return {text, std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts)};
}

}  // namespace

HttpMessage http_message(Response response, const MessageTraits& request) {
  HttpMessage message;
  message.version(request.version);
  message.result(static_cast<unsigned>(response.status));
  message.set(http::field::server, "eatt");
  message.set(http::field::date, http_date());
  if (!response.content_type.empty()) {
    message.set(http::field::content_type, response.content_type);
  }
  for (const auto& [name, value] : response.headers) message.set(name, value);
  message.keep_alive(request.keep_alive);
  const bool has_length = response.status != 204 && response.status != 304;
  if (has_length) message.content_length(response.body.size());
  if (!request.is_head && has_length) message.body() = std::move(response.body);
  return message;
}

}  // namespace eatt::serving
