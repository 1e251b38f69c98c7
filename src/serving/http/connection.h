#pragma once

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "serving/http/server.h"

namespace eatt::serving {

// A client that is connected. Lives as long as something is to be done for it.
class Connection {
 public:
  virtual ~Connection() = default;
  virtual void start() = 0;
  // From any thread: ends it after the request that it is at, or soon if there is none.
  virtual void finish() = 0;
  // From any thread: ends it now; what is computed for it is cancelled.
  virtual void abort() = 0;
};

// What all connections share.
struct ConnectionGroup {
  ConnectionGroup(const ServerOptions& server_options, Handler& request_handler)
      : options(server_options), handler(request_handler) {}

  void add(const std::shared_ptr<Connection>& connection);
  void remove(const Connection* connection);
  void for_each(const std::function<void(Connection&)>& use);

  const ServerOptions& options;
  Handler& handler;
  std::atomic<size_t> open = 0;       // Connections, the refused ones included.
  std::atomic<size_t> refused = 0;    // Those that are being told that there are too many.
  std::atomic<size_t> computing = 0;  // Requests that wait for their reply.
  std::atomic<size_t> cut_off = 0;    // Requests that were aborted by the server.
  // Of all requests that are read or wait for their reply: bodies, and what is not parsed yet.
  std::atomic<size_t> request_bytes = 0;
  std::atomic<bool> stopping = false;

 private:
  std::mutex mutex_;
  std::unordered_map<const Connection*, std::weak_ptr<Connection>> members_;
};

using Socket = boost::asio::ip::tcp::socket;

// Starts to serve a client; the socket's executor is a strand. `tls` is null for plain HTTP. If the
// client is refused, it is told that there are too many, and the connection is closed.
void serve_connection(Socket socket, boost::asio::ssl::context* tls, ConnectionGroup& group,
                      bool refused);

}  // namespace eatt::serving
