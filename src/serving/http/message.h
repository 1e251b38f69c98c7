#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace eatt::serving {

using HeaderFields = std::vector<std::pair<std::string, std::string>>;

// A request as it came, complete. Nothing in it can be trusted.
struct HttpRequest {
  std::string method;         // "GET"
  std::string path;           // "/translate", still percent-encoded, without the query.
  HeaderFields headers = {};  // Names in lower case.
  std::string body = {};      // Chunks put together.
  std::string client = {};    // The address of the other end, for the log and rate limits.
  bool over_tls = false;

  // The first header of that name, given in lower case; empty if there is none.
  std::string_view header(std::string_view name) const {
    for (const auto& [field, value] : headers) {
      if (field == name) return value;
    }
    return {};
  }
};

struct Response {
  int status = 200;
  std::string body = {};
  std::string content_type = "application/json";
  HeaderFields headers = {};
};

// A request and the way back to its client.
struct Exchange {
  HttpRequest request;
  // To be called exactly once, by any thread.
  std::function<void(Response)> reply;
  // Runs something soon on a thread of the server: for work that must not hold up the caller.
  std::function<void(std::function<void()>)> post;
  // Its memory counts as the server's until this goes; the server lives as long as `reply`.
  std::shared_ptr<const void> held = nullptr;
};

// What answers requests. Its functions are called by several threads at once.
class Handler {
 public:
  // Called if the client leaves before the reply. May be empty; must not block.
  using Cancel = std::function<void()>;

  virtual ~Handler() = default;
  // Must not block: whatever takes long replies later.
  virtual Cancel handle(Exchange exchange) = 0;
  // The response to what never becomes a request: malformed, too large or too slow. Of `request`,
  // method and path are empty unless its header was complete.
  virtual Response refuse(const HttpRequest& request, int status, const std::string& sentence) = 0;
};

}  // namespace eatt::serving
