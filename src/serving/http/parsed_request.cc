#include "serving/http/parsed_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

namespace eatt::serving {
namespace {

namespace http = boost::beast::http;
using boost::system::error_code;

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 'a' - 'A') : c;
  return result;
}

// The path of "/a?b", and of "http://host/a?b", as proxies send it.
std::string path_of(std::string_view target) {
  if (const size_t scheme = target.find("://"); scheme < target.find('/')) {
    target.remove_prefix(std::min(target.find('/', scheme + 3), target.size()));
    if (target.empty()) target = "/";
  }
  return std::string(target.substr(0, std::min(target.find_first_of("?#"), target.size())));
}

}  // namespace

HttpRequest request_of(Parser& parser) {
  auto message = parser.release();
  HttpRequest request;
  request.method = std::string(message.method_string());
  request.path = path_of({message.target().data(), message.target().size()});
  for (const auto& field : message) {
    request.headers.emplace_back(lower({field.name_string().data(), field.name_string().size()}),
                                 std::string(field.value()));
  }
  request.body = std::move(message.body());
  return request;
}

HttpRequest begun_request(std::string_view header) {
  HttpRequest request;
  const std::string_view line = header.substr(0, std::min(header.find("\r\n"), header.size()));
  const size_t method = line.find(' '), target = line.rfind(' ');
  if (method == line.npos || target <= method + 1 || line[method + 1] != '/') return request;
  request.method = std::string(line.substr(0, method));
  request.path = path_of(line.substr(method + 1, target - method - 1));
  return request;
}

std::pair<int, std::string> refusal_of(const error_code& error, size_t body_limit) {
  if (error == http::error::body_limit) {
    return {413, fmt::format("The body is too large; this server takes {} bytes", body_limit)};
  }
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return {431, fmt::format("The header is too large; this server takes {} bytes", kHeaderLimit)};
  }
  return {400, "The request is not valid HTTP/1.1: " + error.message()};
}

std::string http_date() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[40];
  return {text, std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts)};
}

}  // namespace eatt::serving
