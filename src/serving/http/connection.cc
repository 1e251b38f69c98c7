// One client: reads requests, hands them over one at a time, writes the responses in order.
//
// There is always one read under way, also while a request is computed: that is how a client that
// leaves is noticed. What it reads then belongs to the next request (pipelining) and waits in the
// buffer.
#include "serving/http/connection.h"

#include <algorithm>
#include <array>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/write.hpp>
#include <new>

#include "serving/http/http_message.h"
#include "serving/http/request_reader.h"

namespace eatt::serving {
namespace {

namespace net = boost::asio;
using boost::system::error_code;
using Tls = net::ssl::stream<Socket>;
using Milliseconds = std::chrono::milliseconds;

constexpr size_t kSmallRead = 512;  // While nothing is expected: idle clients take little memory.
constexpr size_t kLargeRead = 16 << 10;
constexpr size_t kPipelined = 64 << 10;  // More than this is left in the kernel meanwhile.
constexpr size_t kSmallRequest = 16 << 10;
constexpr Milliseconds kLinger{2000};
// A request may be on its way to us when we decide to stop.
constexpr Milliseconds kLastCall{200};
constexpr const char* kTooMany = "This server has too many connections";
constexpr const char* kTooManyBytes = "The server is receiving too much data; try again later";

// Counts a body as long as the request lives, which may be longer than its connection.
class HeldBytes {
 public:
  HeldBytes(std::atomic<size_t>& all, size_t bytes) : all_(all), bytes_(bytes) { all_ += bytes_; }
  HeldBytes(const HeldBytes&) = delete;
  HeldBytes& operator=(const HeldBytes&) = delete;
  ~HeldBytes() { all_ -= bytes_; }

 private:
  std::atomic<size_t>& all_;
  size_t bytes_;
};

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
  HttpConnection(ConnectionGroup& group, bool refused, Arguments&&... arguments)
      : group_(group),
        stream_(std::forward<Arguments>(arguments)...),
        timer_(stream_.get_executor()),
        work_(stream_.get_executor()),
        reader_(group.options.body_limit),
        refused_(refused) {
    error_code none;
    const auto address = stream_.lowest_layer().remote_endpoint(none);
    if (!none) client_ = address.address().to_string();
    if (refused_) ++group_.refused;
  }
  ~HttpConnection() override {
    if (refused_) --group_.refused;  // Before it leaves: see Server::Parts::take().
    group_.remove(this);
  }

  void start() override {
    if constexpr (std::is_same_v<Stream, Tls>) {
      arm(Phase::handshake, refused_ ? kLinger : options().header_timeout);
      stream_.async_handshake(Tls::server, [self = self()](const error_code& error) {
        if (self->phase_ == Phase::closed) return;
        error ? self->close() : self->begin();
      });
    } else {
      begin();
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

  void begin() { refused_ ? refuse(503, kTooMany) : await_request(); }

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
    if (is_receiving()) {
      return refuse(408, "The request did not arrive in time");
    }
    close();
  }

  void await_request() {
    const bool reads_large = reading_ && room_.data() == large_.data();
    if (!reads_large) std::vector<char>().swap(large_);
    arm(Phase::idle, group_.stopping ? kLastCall : options().idle_timeout);
    consume();
    read_more();
  }

  void read_more() {
    const bool waits = phase_ == Phase::computing || phase_ == Phase::writing;
    if (reading_ || phase_ == Phase::closed) return;
    const size_t most = too_many_bytes() ? 1 : kPipelined;
    if (waits && reader_.waiting() >= most) return;
    reading_ = true;
    const auto done = [self = self()](const error_code& error, size_t bytes) {
      self->reading_ = false;
      self->on_read(error, bytes);
    };
    const bool expects_little = waits || phase_ == Phase::idle;
    room_ = expects_little || !make_large() ? net::buffer(small_) : net::buffer(large_);
    stream_.async_read_some(room_, done);
  }

  // Whether there is memory for large reads.
  bool make_large() {
    try {
      large_.resize(kLargeRead);
    } catch (const std::bad_alloc&) {
      return false;
    }
    return true;
  }

  void on_read(const error_code& error, size_t bytes) {
    if (phase_ == Phase::closed) return;
    if (error) return on_read_end();
    if (phase_ == Phase::lingering) return read_more();
    consume(bytes);
    account();
    if (too_many_bytes() && is_receiving()) refuse(503, kTooManyBytes);
    read_more();
  }
  bool is_receiving() const { return phase_ == Phase::header || phase_ == Phase::body; }

  // The client has left, or has nothing more to send. While a request is computed the two cannot be
  // told apart, and nearly always it is the first.
  void on_read_end() {
    if (phase_ == Phase::writing) {
      message_.keep_alive = false;
    } else if (phase_ == Phase::lingering) {
      end_stream();
    } else if (is_receiving()) {
      refuse(400, "The request ends in the middle");
    } else {
      close();
    }
  }

  // Whether the next bytes belong to a request that is being read.
  bool reads_request() const {
    return !continuing_ &&
           (phase_ == Phase::idle || phase_ == Phase::header || phase_ == Phase::body);
  }

  // Takes what was just read, and goes through what is there, up to the end of a request.
  void consume(size_t read = 0) {
    guarded([&] {
      reader_.append({static_cast<const char*>(room_.data()), read});
      read_requests();
    });
  }

  // Where memory is short, this client is refused or dropped, and the others go on.
  template <class Step>
  void guarded(const Step& step) {
    try {
      return step();
    } catch (const std::bad_alloc&) {
    }
    try {
      if (is_receiving()) return refuse(503, kTooManyBytes);
    } catch (const std::bad_alloc&) {
    }
    close();
  }

  void read_requests() {
    while (reads_request()) {
      switch (reader_.next()) {
        case RequestReader::Event::more:
          return;
        case RequestReader::Event::begun:
          arm(Phase::header, options().header_timeout);
          break;
        case RequestReader::Event::header:
          arm(Phase::body, options().body_timeout);
          if (reader_.wants_continue()) ask_for_body();
          break;
        case RequestReader::Event::complete:
          return hand_over();
        case RequestReader::Event::refused:
          return refuse(reader_.refusal().status, reader_.refusal().sentence);
      }
    }
  }

  // Tells the group how much of this client's next request is there: nothing once it is closed.
  void account() {
    const size_t now = phase_ == Phase::closed ? 0 : reader_.bytes();
    group_.request_bytes += now - held_bytes_;  // May wrap around, and back.
    held_bytes_ = now;
  }
  // Small requests may take a sixteenth more, so that large ones cannot keep them out. `more` bytes
  // are still to come.
  bool too_many_bytes(size_t more = 0) const {
    const size_t limit = options().bodies_limit;
    const size_t most = held_bytes_ + more <= kSmallRequest ? limit + limit / 16 : limit;
    return group_.request_bytes + more > most;
  }

  // The body is read once this is written, so that two writes never meet. A body for which there is
  // no room now is not asked for, but room is kept for none: it may never come.
  void ask_for_body() {
    account();
    if (too_many_bytes(reader_.announced_bytes())) return refuse(503, kTooManyBytes);
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
    message_ = reader_.traits();
    Exchange exchange;
    exchange.held = std::make_shared<HeldBytes>(group_.request_bytes, reader_.body_bytes());
    exchange.request = reader_.take();
    account();
    exchange.request.client = client_;
    exchange.request.over_tls = is_tls(stream_);
    exchange.reply = [self = self()](Response response) {
      net::post(self->stream_.get_executor(),
                [self, response = std::make_shared<Response>(std::move(response))] {
                  if (self->phase_ != Phase::computing) return;
                  self->guarded([&] { self->respond(std::move(*response)); });
                });
    };
    exchange.post = [executor = stream_.get_executor()](std::function<void()> work) {
      net::post(executor, std::move(work));
    };
    arm(Phase::computing, Milliseconds{0});  // The deadline is the handler's.
    ++group_.computing;
    cancel_ = group_.handler.handle(std::move(exchange));
  }

  // Answers what is not a request, and closes.
  void refuse(int status, const std::string& sentence) {
    if (continuing_) return close();
    message_.keep_alive = false;
    HttpRequest request = reader_.take();
    account();
    request.client = client_;
    Response response = group_.handler.refuse(request, status, sentence);
    ++group_.computing;
    respond(std::move(response));
  }

  void respond(Response response) {
    message_.keep_alive = message_.keep_alive && !group_.stopping;
    auto message = std::make_shared<HttpMessage>(http_message(std::move(response), message_));
    cancel_ = nullptr;
    --group_.computing;
    message_.is_head = false;
    arm(Phase::writing, options().write_timeout);
    boost::beast::http::async_write(
        stream_, *message,
        [self = self(), message](const error_code& error, size_t) { self->on_written(error); });
  }

  void on_written(const error_code& error) {
    if (phase_ == Phase::closed) return;
    if (error) return close();
    if (message_.keep_alive) return await_request();
    linger();
  }

  // A socket that is closed while data is unread resets the connection, and the client may lose the
  // response: so the client closes first, or gets a moment to do it.
  void linger() {
    arm(Phase::lingering, kLinger);
    reader_.drop_input();
    account();
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
    group_.request_bytes -= std::exchange(held_bytes_, 0);
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
  RequestReader reader_;
  MessageTraits message_;  // Of the request that is answered.
  size_t held_bytes_ = 0;  // Of what was read since, as the group knows it.
  Handler::Cancel cancel_;
  std::string client_;
  Phase phase_ = Phase::idle;
  uint64_t timer_round_ = 0;
  bool reading_ = false;
  bool continuing_ = false;  // While "100 Continue" is written.
  const bool refused_;       // There are too many connections: it gets a 503.
};

}  // namespace

void serve_connection(Socket socket, net::ssl::context* tls, ConnectionGroup& group, bool refused) {
  error_code none;
  socket.set_option(net::ip::tcp::no_delay(true), none);
  const auto executor = socket.get_executor();
  std::shared_ptr<Connection> connection;
  if (tls != nullptr) {
    connection = std::make_shared<HttpConnection<Tls>>(group, refused, std::move(socket), *tls);
  } else {
    connection = std::make_shared<HttpConnection<Socket>>(group, refused, std::move(socket));
  }
  group.add(connection);
  net::post(executor, [connection] { connection->start(); });
}

}  // namespace eatt::serving
