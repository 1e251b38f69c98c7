#pragma once

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstddef>
#include <cstdint>
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
  bool wants_continue() const;     // "Expect: 100-continue"
  size_t announced_bytes() const;  // Of its body, which have not come yet; 0 if it does not say.
  MessageTraits traits() const;

  // The request, or as much of it as is there; its method and path are empty if they cannot be
  // told. The next request begins with what follows.
  HttpRequest take();

  // Memory of what has arrived: of the body that is being read, and with what waits behind it.
  size_t waiting() const { return waiting_.size(); }
  size_t body_bytes() const;
  size_t bytes() const { return waiting_.size() + body_bytes(); }

 private:
  // Takes memory for what has arrived, not for what the header announces: anybody can announce.
  struct GrowingBody : boost::beast::http::string_body {
    class reader : public boost::beast::http::string_body::reader {
     public:
      using boost::beast::http::string_body::reader::reader;
      void init(const boost::optional<uint64_t>&, boost::system::error_code& error) { error = {}; }
    };
  };
  using Parser = boost::beast::http::request_parser<GrowingBody>;

  Event refuse(const boost::system::error_code& error);
  Event on_header();

  const size_t body_limit_;
  std::string waiting_;           // What the parser has not seen yet.
  std::optional<Parser> parser_;  // Of the request that has begun.
  bool header_is_known_ = false;  // Its Event::header was returned, or left out.
  Refusal refusal_;
};

}  // namespace eatt::serving
