#include "serving/http/request_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/text/unicode.h"

namespace eatt::serving {
namespace {

namespace http = boost::beast::http;
using boost::system::error_code;

constexpr uint32_t kHeaderLimit = 16 << 10;  // Bytes of a request's header.

// The path of "/a?b", and of "http://host/a?b", as proxies send it.
std::string path_of(std::string_view target) {
  if (const size_t scheme = target.find("://"); scheme < target.find('/')) {
    target.remove_prefix(std::min(target.find('/', scheme + 3), target.size()));
    if (target.empty()) target = "/";
  }
  return std::string(target.substr(0, std::min(target.find_first_of("?#"), target.size())));
}

template <class Message>
HttpRequest request_of(Message message) {
  HttpRequest request;
  request.method = std::string(message.method_string());
  request.path = path_of({message.target().data(), message.target().size()});
  for (const auto& field : message) {
    request.headers.emplace_back(
        lower_ascii({field.name_string().data(), field.name_string().size()}),
        std::string(field.value()));
  }
  request.body = std::move(message.body());
  return request;
}

// Method and path from the first line of an unfinished header; empty if they cannot be read.
HttpRequest begun_request(std::string_view header) {
  HttpRequest request;
  const std::string_view line = header.substr(0, std::min(header.find("\r\n"), header.size()));
  const size_t method = line.find(' '), target = line.rfind(' ');
  if (method == line.npos || target <= method + 1 || line[method + 1] != '/') return request;
  request.method = std::string(line.substr(0, method));
  request.path = path_of(line.substr(method + 1, target - method - 1));
  return request;
}

}  // namespace

RequestReader::Event RequestReader::next() {
  while (!waiting_.empty()) {
    if (!parser_) {
      parser_.emplace();
      parser_->header_limit(kHeaderLimit);
      parser_->body_limit(body_limit_);
      header_is_known_ = false;
      return Event::begun;
    }
    error_code error;
    waiting_.erase(0, parser_->put(boost::asio::buffer(waiting_), error));
    if (error == http::error::need_more) {
      // Bodies are taken as they come; what waits for its end is a line of the header, of a chunk
      // or of a trailer, and the parser limits only the first.
      return waiting_.size() > kHeaderLimit ? refuse(http::error::header_limit) : Event::more;
    }
    if (error) return refuse(error);
    if (!header_is_known_ && parser_->is_header_done()) return on_header();
    if (parser_->is_done()) return Event::complete;
  }
  return Event::more;
}

RequestReader::Event RequestReader::on_header() {
  header_is_known_ = true;
  if (parser_->get().count(http::field::transfer_encoding) > 0 && !parser_->chunked()) {
    refusal_ = {400, "The only transfer encoding that this server knows is chunked"};
    return Event::refused;
  }
  parser_->eager(true);
  return parser_->is_done() ? Event::complete : Event::header;
}

RequestReader::Event RequestReader::refuse(const error_code& error) {
  if (error == http::error::body_limit) {
    refusal_ = {413, fmt::format("The body is too large; this server takes {} bytes", body_limit_)};
  } else if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    refusal_ = {431,
                fmt::format("The header is too large; this server takes {} bytes", kHeaderLimit)};
  } else {
    refusal_ = {400, "The request is not valid HTTP/1.1: " + error.message()};
  }
  return Event::refused;
}

bool RequestReader::wants_continue() const {
  return boost::beast::iequals(parser_->get()[http::field::expect], "100-continue");
}

MessageTraits RequestReader::traits() const {
  return {.version = parser_->get().version(),
          .keep_alive = parser_->get().keep_alive(),
          .is_head = parser_->get().method() == http::verb::head};
}

HttpRequest RequestReader::take() {
  const bool is_parsed = parser_ && !parser_->get().target().empty();
  HttpRequest request = is_parsed ? request_of(parser_->release()) : begun_request(waiting_);
  parser_.reset();
  if (waiting_.empty()) drop_input();
  return request;
}

size_t RequestReader::announced_bytes() const {
  return parser_->content_length_remaining().value_or(0);
}

// A string takes up to twice the room that it fills; that must not make a body too large that is
// within the limit.
size_t RequestReader::body_bytes() const {
  return parser_ ? std::min(parser_->get().body().capacity(), body_limit_) : 0;
}

}  // namespace eatt::serving
