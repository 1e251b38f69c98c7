#pragma once

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/system/error_code.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "serving/http/message.h"

namespace eatt::serving {

inline constexpr uint32_t kHeaderLimit = 16 << 10;  // Bytes of a request's header.

using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

// The request that was parsed, with as much of its body as has arrived. Empties the parser.
HttpRequest request_of(Parser& parser);

// Method and path from the first line of an unfinished header; empty if they cannot be read.
HttpRequest begun_request(std::string_view header);

// The status and the sentence for what the parser refuses.
std::pair<int, std::string> refusal_of(const boost::system::error_code& error, size_t body_limit);

// Now, as the Date field has it: "Sun, 06 Nov 1994 08:49:37 GMT"
std::string http_date();

}  // namespace eatt::serving
