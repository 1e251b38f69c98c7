#pragma once

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "serving/http/http_message.h"
#include "serving/http/message.h"

namespace eatt::serving {

// Bytes of a connection in, requests out, one after another. Knows neither sockets nor time.
class RequestReader {
 public:
  explicit RequestReader(size_t body_limit) : body_limit_(body_limit) {}

  void append(std::string_view bytes) { waiting_ += bytes; }
  void drop_input() { std::string().swap(waiting_); }  // Gives the memory back.

  enum class Event {
    more,      // Bytes are needed.
    begun,     // A request has begun.
    header,    // Its header is complete, its body is not.
    complete,  // All of it is there: take() it.
    refused,   // It is not a request, or is too large: see refusal().
  };
  Event next();

  struct Refusal {
    int status = 400;
    std::string sentence;
  };
  const Refusal& refusal() const { return refusal_; }

  // Of a request whose header is complete.
  bool wants_continue() const;  // "Expect: 100-continue"
  MessageTraits traits() const;

  // The request, or as much of it as is there; its method and path are empty if they cannot be
  // told. The next request begins with what follows.
  HttpRequest take();

  // Bytes that nothing was made of yet, and those with the body that is being read, as long as its
  // header says.
  size_t waiting() const { return waiting_.size(); }
  size_t bytes() const;

 private:
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

  Event refuse(const boost::system::error_code& error);
  Event on_header();

  const size_t body_limit_;
  std::string waiting_;           // What the parser has not seen yet.
  std::optional<Parser> parser_;  // Of the request that has begun.
  bool header_is_known_ = false;  // Its Event::header was returned, or left out.
  Refusal refusal_;
};

}  // namespace eatt::serving
