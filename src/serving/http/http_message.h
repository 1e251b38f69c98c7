#pragma once

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

#include "serving/http/message.h"

namespace eatt::serving {

// What a response has to know of its request.
struct MessageTraits {
  unsigned version = 11;  // Of HTTP: 10 or 11.
  bool keep_alive = true;
  bool is_head = false;  // The body stays away.
};

using HttpMessage = boost::beast::http::response<boost::beast::http::string_body>;

// A response as it is written.
HttpMessage http_message(Response response, const MessageTraits& request);

}  // namespace eatt::serving
