// One client: reads requests, hands them over one at a time, writes the responses in order.
//
// There is always one read under way, also while a request is computed: that is how a client that
// leaves is noticed. What it reads then belongs to the next request (pipelining) and waits in the
// buffer.
#include "serving/http/connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <optional>

#include "serving/http/parsed_request.h"

namespace eatt::serving {
namespace {

namespace net = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;
using Tls = net::ssl::stream<Socket>;
using Milliseconds = std::chrono::milliseconds;

constexpr size_t kSmallRead = 512;  // While nothing is expected: idle clients take little memory.
constexpr size_t kLargeRead = 16 << 10;
constexpr size_t kPipelined = 64 << 10;  // More than this is left in the kernel meanwhile.
constexpr Milliseconds kLinger{2000};
// A request may be on its way to us when we decide to stop.
constexpr Milliseconds kLastCall{200};

enum class Phase {
  handshake,
  idle,       // Between requests.
  header,     // A request has begun.
  body,       // Its header is complete.
  computing,  // It was handed over.
  writing,
  lingering,  // The last response is written, and what the client still sends is thrown away.
  closed,
};

bool is_tls(const Socket&) { return false; }
bool is_tls(const Tls&) { return true; }

template <class Stream>
class HttpConnection final : public Connection,
                             public std::enable_shared_from_this<HttpConnection<Stream>> {
 public:
  template <class... Arguments>
  HttpConnection(ConnectionGroup& group, Arguments&&... arguments)
      : group_(group),
        stream_(std::forward<Arguments>(arguments)...),
        timer_(stream_.get_executor()),
        work_(stream_.get_executor()) {
    error_code none;
    const auto address = stream_.lowest_layer().remote_endpoint(none);
    if (!none) client_ = address.address().to_string();
  }
  ~HttpConnection() override { group_.remove(this); }

  void start() override {
    if constexpr (std::is_same_v<Stream, Tls>) {
      arm(Phase::handshake, options().header_timeout);
      stream_.async_handshake(Tls::server, [self = self()](const error_code& error) {
        if (self->phase_ == Phase::closed) return;
        error ? self->close() : self->await_request();
      });
    } else {
      await_request();
    }
  }

  // If a request is under way, its response closes the connection: see respond().
  void finish() override {
    net::post(stream_.get_executor(), [self = self()] {
      if (self->phase_ == Phase::idle) self->arm(Phase::idle, kLastCall);
    });
  }

  void abort() override {
    net::post(stream_.get_executor(), [self = self()] {
      if (self->phase_ == Phase::computing || self->phase_ == Phase::writing) {
        ++self->group_.cut_off;
      }
      self->close();
    });
  }

 private:
  std::shared_ptr<HttpConnection> self() { return this->shared_from_this(); }
  const ServerOptions& options() const { return group_.options; }

  // Enters a phase that may take so long; zero: as long as it likes.
  void arm(Phase phase, Milliseconds limit) {
    phase_ = phase;
    const uint64_t round = ++timer_round_;
    timer_.cancel();
    if (limit.count() == 0) return;
    timer_.expires_after(limit);
    timer_.async_wait([self = self(), round](const error_code& error) {
      if (!error && round == self->timer_round_) self->on_timeout();
    });
  }

  void on_timeout() {
    if (phase_ == Phase::header || phase_ == Phase::body) {
      return refuse(408, "The request did not arrive in time");
    }
    close();
  }

  void await_request() {
    parser_.reset();
    if (!reading_) large_ = {};
    arm(Phase::idle, group_.stopping ? kLastCall : options().idle_timeout);
    consume();
    read_more();
  }

  void read_more() {
    const bool waits = phase_ == Phase::computing || phase_ == Phase::writing;
    if (reading_ || phase_ == Phase::closed || (waits && received_.size() >= kPipelined)) return;
    reading_ = true;
    const auto done = [self = self()](const error_code& error, size_t bytes) {
      self->reading_ = false;
      self->on_read(error, bytes);
    };
    const bool expects_little = waits || phase_ == Phase::idle;
    if (!expects_little) large_.resize(kLargeRead);
    room_ = expects_little ? net::buffer(small_) : net::buffer(large_);
    stream_.async_read_some(room_, done);
  }

  void on_read(const error_code& error, size_t bytes) {
    if (phase_ == Phase::closed) return;
    if (error) return on_read_end();
    if (phase_ == Phase::lingering) return read_more();
    received_.append(static_cast<const char*>(room_.data()), bytes);
    consume();
    read_more();
  }

  // The client has left, or has nothing more to send. While a request is computed the two cannot be
  // told apart, and nearly always it is the first.
  void on_read_end() {
    if (phase_ == Phase::writing) {
      keep_alive_ = false;
    } else if (phase_ == Phase::lingering) {
      end_stream();
    } else if (phase_ == Phase::body || phase_ == Phase::header) {
      refuse(400, "The request ends in the middle");
    } else {
      close();
    }
  }

  // Gives the parser what was read, up to the end of a request.
  void consume() {
    while (!received_.empty() && !continuing_ &&
           (phase_ == Phase::idle || phase_ == Phase::header || phase_ == Phase::body)) {
      if (phase_ == Phase::idle) begin_request();
      error_code error;
      received_.erase(0, parser_->put(net::buffer(received_), error));
      if (error == http::error::need_more) {
        // Bodies are taken as they come; what waits for its end is a line of the header, of a chunk
        // or of a trailer, and the parser limits only the first.
        if (received_.size() > kHeaderLimit) refuse_error(http::error::header_limit);
        return;
      }
      if (error) return refuse_error(error);
      if (phase_ == Phase::header && parser_->is_header_done() && !on_header()) return;
      if (parser_->is_done()) return hand_over();
    }
  }

  void begin_request() {
    parser_.emplace();
    parser_->header_limit(kHeaderLimit);
    parser_->body_limit(options().body_limit);
    arm(Phase::header, options().header_timeout);
  }

  // False if the request was refused.
  bool on_header() {
    const auto& message = parser_->get();
    if (message.count(http::field::transfer_encoding) > 0 && !parser_->chunked()) {
      refuse(400, "The only transfer encoding that this server knows is chunked");
      return false;
    }
    parser_->eager(true);
    arm(Phase::body, options().body_timeout);
    const auto expect = message[http::field::expect];
    if (!parser_->is_done() && boost::beast::iequals(expect, "100-continue")) ask_for_body();
    return true;
  }

  // The body is read once this is written, so that two writes never meet.
  void ask_for_body() {
    static const std::string text = "HTTP/1.1 100 Continue\r\n\r\n";
    continuing_ = true;
    net::async_write(stream_, net::buffer(text), [self = self()](const error_code& error, size_t) {
      self->continuing_ = false;
      if (self->phase_ == Phase::closed) return;
      if (error) return self->close();
      self->consume();
      self->read_more();
    });
  }

  void hand_over() {
    keep_alive_ = parser_->get().keep_alive();
    is_head_ = parser_->get().method() == http::verb::head;
    version_ = parser_->get().version();
    Exchange exchange;
    exchange.request = request_of(*parser_);
    exchange.request.client = client_;
    exchange.request.over_tls = is_tls(stream_);
    exchange.reply = [self = self()](Response response) {
      net::post(self->stream_.get_executor(),
                [self, response = std::make_shared<Response>(std::move(response))] {
                  if (self->phase_ == Phase::computing) self->respond(std::move(*response));
                });
    };
    exchange.post = [executor = stream_.get_executor()](std::function<void()> work) {
      net::post(executor, std::move(work));
    };
    arm(Phase::computing, Milliseconds{0});  // The deadline is the handler's.
    ++group_.computing;
    cancel_ = group_.handler.handle(std::move(exchange));
  }

  void refuse_error(const error_code& error) {
    const auto [status, sentence] = refusal_of(error, options().body_limit);
    refuse(status, sentence);
  }

  // Answers what is not a request, and closes.
  void refuse(int status, const std::string& sentence) {
    if (continuing_) return close();
    keep_alive_ = false;
    ++group_.computing;
    const bool parsed = parser_ && !parser_->get().target().empty();
    HttpRequest request = parsed ? request_of(*parser_) : begun_request(received_);
    request.client = client_;
    respond(group_.handler.refuse(request, status, sentence));
  }

  void respond(Response response) {
    cancel_ = nullptr;
    --group_.computing;
    keep_alive_ = keep_alive_ && !group_.stopping;
    auto message = std::make_shared<http::response<http::string_body>>();
    message->version(version_);
    message->result(static_cast<unsigned>(response.status));
    message->set(http::field::server, "eatt");
    message->set(http::field::date, http_date());
    if (!response.content_type.empty()) {
      message->set(http::field::content_type, response.content_type);
    }
    for (const auto& [name, value] : response.headers) message->set(name, value);
    message->keep_alive(keep_alive_);
    const bool has_length = response.status != 204 && response.status != 304;
    if (has_length) message->content_length(response.body.size());
    if (!is_head_ && has_length) message->body() = std::move(response.body);
    is_head_ = false;
    arm(Phase::writing, options().write_timeout);
    http::async_write(stream_, *message, [self = self(), message](const error_code& error, size_t) {
      self->on_written(error);
    });
  }

  void on_written(const error_code& error) {
    if (phase_ == Phase::closed) return;
    if (error) return close();
    if (keep_alive_) return await_request();
    linger();
  }

  // A socket that is closed while data is unread resets the connection, and the client may lose the
  // response: so the client closes first, or gets a moment to do it.
  void linger() {
    arm(Phase::lingering, kLinger);
    received_.clear();
    error_code none;
    if constexpr (std::is_same_v<Stream, Tls>) {
      // A shutdown must not meet a read: on_read_end() goes on with it.
      if (reading_) return stream_.lowest_layer().cancel(none), void();
      end_stream();
    } else {
      stream_.shutdown(Socket::shutdown_send, none);
      read_more();
    }
  }

  // TLS has a message that says that nothing was cut off.
  void end_stream() {
    if constexpr (std::is_same_v<Stream, Tls>) {
      stream_.async_shutdown([self = self()](const error_code&) { self->close(); });
    } else {
      close();
    }
  }

  void close() {
    if (phase_ == Phase::closed) return;
    if (phase_ == Phase::computing) --group_.computing;
    phase_ = Phase::closed;
    ++timer_round_;
    timer_.cancel();
    error_code none;
    stream_.lowest_layer().close(none);
    if (const auto cancel = std::exchange(cancel_, nullptr)) cancel();
    work_.reset();
  }

  ConnectionGroup& group_;
  Stream stream_;
  net::steady_timer timer_;
  // While a request is computed there may be nothing else that keeps the server's loop running.
  net::executor_work_guard<typename Stream::executor_type> work_;
  std::array<char, kSmallRead> small_;
  std::vector<char> large_;   // Empty while it is not used.
  net::mutable_buffer room_;  // The one of them that the current read fills.
  std::string received_;      // What the parser has not seen yet.
  std::optional<Parser> parser_;
  Handler::Cancel cancel_;
  std::string client_;
  Phase phase_ = Phase::idle;
  uint64_t timer_round_ = 0;
  unsigned version_ = 11;
  bool reading_ = false;
  bool continuing_ = false;  // While "100 Continue" is written.
  bool keep_alive_ = true;
  bool is_head_ = false;
};

}  // namespace

void ConnectionGroup::add(const std::shared_ptr<Connection>& connection) {
  const std::lock_guard lock(mutex_);
  members_[connection.get()] = connection;
  open = members_.size();
}

void ConnectionGroup::remove(const Connection* connection) {
  const std::lock_guard lock(mutex_);
  members_.erase(connection);
  open = members_.size();
}

void ConnectionGroup::for_each(const std::function<void(Connection&)>& use) {
  std::vector<std::shared_ptr<Connection>> alive;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [address, connection] : members_) {
      if (auto held = connection.lock()) alive.push_back(std::move(held));
    }
  }
  for (const auto& connection : alive) use(*connection);
}

void serve_connection(Socket socket, net::ssl::context* tls, ConnectionGroup& group) {
  error_code none;
  socket.set_option(net::ip::tcp::no_delay(true), none);
  const auto executor = socket.get_executor();
  std::shared_ptr<Connection> connection;
  if (tls != nullptr) {
    connection = std::make_shared<HttpConnection<Tls>>(group, std::move(socket), *tls);
  } else {
    connection = std::make_shared<HttpConnection<Socket>>(group, std::move(socket));
  }
  group.add(connection);
  net::post(executor, [connection] { connection->start(); });
}

// Nobody waits for this client: what does not fit into the socket's buffer is lost.
void refuse_connection(Socket socket, ConnectionGroup& group) {
  error_code none;
  HttpRequest request;
  request.client = socket.remote_endpoint(none).address().to_string();
  const Response response =
      group.handler.refuse(request, 503, "This server has too many connections");
  std::string text = "HTTP/1.1 503 Service Unavailable\r\n";
  for (const auto& [name, value] : response.headers) text += fmt::format("{}: {}\r\n", name, value);
  text += fmt::format("Content-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}",
                      response.content_type, response.body.size(), response.body);
  socket.non_blocking(true, none);
  socket.write_some(net::buffer(text), none);
  socket.shutdown(Socket::shutdown_send, none);
  // What the client has sent must be read, or closing resets the connection and loses the response.
  std::array<char, 4096> unread;
  socket.read_some(net::buffer(unread), none);
}

}  // namespace eatt::serving
