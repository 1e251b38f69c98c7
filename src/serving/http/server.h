#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "serving/http/message.h"

namespace eatt::serving {

struct ServerOptions {
  std::string host = "127.0.0.1";    // An address of this machine.
  int port = 5000;                   // 0: any that is free.
  std::string tls_certificate = {};  // PEM, the whole chain; empty: plain HTTP.
  std::string tls_key = {};
  size_t max_connections = 10000;
  size_t body_limit = size_t{1} << 20;               // Bytes.
  size_t bodies_limit = size_t{256} << 20;           // Bytes of all clients together, about.
  std::chrono::milliseconds header_timeout{10'000};  // From a request's first byte to its body.
  std::chrono::milliseconds body_timeout{30'000};    // For the whole body.
  std::chrono::milliseconds idle_timeout{60'000};    // Between requests of a connection.
  std::chrono::milliseconds write_timeout{30'000};   // For a response that is not taken.
  std::chrono::milliseconds stop_timeout{30'000};    // To finish what was accepted.
  std::function<void()> on_reload = {};              // Called at SIGHUP; must not block.
};

// HTTP/1.1 on Boost.Beast: a few threads serve any number of connections, and a client that leaves
// while its request is computed is noticed at once. (cpp-httplib, as Debian has it, gives each
// connection a thread and cannot notice that.) Connections beyond the limit get a 503 and are
// closed. SIGTERM and SIGINT stop it, see run().
class Server {
 public:
  // Listens from now on. Throws an Error if the address or the TLS files cannot be used. Lowers
  // max_connections, with a warning, if the process may not open that many files.
  Server(ServerOptions options, Handler& handler);
  ~Server();

  int port() const;         // The real one.
  std::string url() const;  // "http://127.0.0.1:5000"
  size_t connections() const;

  // Serves until a signal or stop(), then finishes what was accepted, for at most stop_timeout. A
  // second signal ends it at once. Returns the number of requests that were cut off. The calling
  // thread has interrupt_no_other_thread() from then on.
  size_t run();
  void stop();  // From any thread.

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace eatt::serving
