// Bytes to a running server: the first says in pieces of which size the others are sent. Whatever
// they are, the server answers in HTTP or not at all, closes the connection, and goes on.
#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

#include "serving/http/server.h"

using namespace eatt::serving;

namespace {

constexpr size_t kBodyLimit = 1000;
constexpr size_t kBodiesLimit = 1500;  // So small that inputs get there.

class Answers final : public Handler {
 public:
  Cancel handle(Exchange exchange) override {
    const HttpRequest& request = exchange.request;
    if (request.method.empty() || request.body.size() > kBodyLimit) std::abort();
    exchange.reply({.body = "{}"});
    return {};
  }
  Response refuse(const HttpRequest&, int status, const std::string& sentence) override {
    if (status < 400 || sentence.empty()) std::abort();
    return {.status = status, .body = "{}"};
  }
};

// One server for all inputs. It is never destroyed, so that it may still run when the program ends.
int port() {
  static Answers answers;
  static Server& server = []() -> Server& {
    auto* made =
        new Server({.port = 0, .body_limit = kBodyLimit, .bodies_limit = kBodiesLimit}, answers);
    std::thread([made] { made->run(); }).detach();
    return *made;
  }();
  return server.port();
}

std::string exchange(std::string_view bytes, size_t step) {
  namespace net = boost::asio;
  boost::system::error_code error;
  net::io_context loop;
  net::ip::tcp::socket socket(loop, net::ip::tcp::v4());
  // A port stays taken for a minute, and there are thousands of inputs: clients of many addresses.
  static uint32_t clients = 0;
  const net::ip::address_v4 own((127u << 24) + 1 + clients++ % 64);
  socket.bind({own, 0});
  socket.connect({net::ip::address_v4::loopback(), static_cast<uint16_t>(port())}, error);
  if (error == net::error::connection_refused) std::abort();  // The server is gone.
  if (error) return {};                                       // Interrupted: libFuzzer has a timer.
  for (size_t at = 0; at < bytes.size() && !error; at += step) {
    const std::string_view part = bytes.substr(at, step);
    net::write(socket, net::buffer(part.data(), part.size()), error);
  }
  socket.shutdown(net::ip::tcp::socket::shutdown_send, error);
  std::string answer;
  net::read(socket, net::dynamic_buffer(answer), error);  // Until the server closes.
  return answer;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const size_t step = data[0] == 0 ? std::max<size_t>(1, bytes.size()) : size_t{data[0]} * 4;
  const std::string answer = exchange(bytes, step);
  if (!answer.empty() && !answer.starts_with("HTTP/1.")) std::abort();
  return 0;
}
