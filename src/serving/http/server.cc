#include "serving/http/server.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <csignal>
#include <optional>

#include "base/error.h"
#include "base/progress.h"
#include "base/threads.h"
#include "serving/http/connection.h"

namespace eatt::serving {
namespace {

namespace net = boost::asio;
using boost::system::error_code;
using Tcp = net::ip::tcp;
using Clock = std::chrono::steady_clock;

// Reading, parsing and writing take little; translating has its own threads.
constexpr int kThreads = 2;
constexpr size_t kReservedFiles = 128;  // Models, log, sockets that are being refused.
constexpr size_t kMostRefused = 64;     // At a time; more are closed without a word.
constexpr std::chrono::milliseconds kStopPoll{20};
constexpr std::chrono::milliseconds kAcceptPause{100};

// The most connections that the limit on open files allows; raises that limit as far as it goes.
size_t allowed_connections(size_t wanted) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  const rlim_t needed = wanted + kReservedFiles;
  if (limit.rlim_cur < needed) {
    limit.rlim_cur = std::min(needed, limit.rlim_max);
    ::setrlimit(RLIMIT_NOFILE, &limit);
    ::getrlimit(RLIMIT_NOFILE, &limit);
  }
  if (limit.rlim_cur >= needed) return wanted;
  const size_t allowed = limit.rlim_cur > 2 * kReservedFiles
                             ? static_cast<size_t>(limit.rlim_cur) - kReservedFiles
                             : static_cast<size_t>(limit.rlim_cur) / 2;
  spdlog::warn(
      "{} connections are allowed instead of {}: the process may open {} files; raise "
      "`ulimit -n` or LimitNOFILE=",
      allowed, wanted, limit.rlim_cur);
  return allowed;
}

[[noreturn]] void fail_tls(const std::string& file, const char* expected, const error_code& error) {
  throw Error(fmt::format("{}: cannot be used as the {}: {}; expected a PEM file", file, expected,
                          error.message()));
}

std::unique_ptr<net::ssl::context> tls_context(const ServerOptions& options) {
  if (options.tls_certificate.empty()) return nullptr;
  auto context = std::make_unique<net::ssl::context>(net::ssl::context::tls_server);
  context->set_options(net::ssl::context::default_workarounds | net::ssl::context::no_tlsv1 |
                       net::ssl::context::no_tlsv1_1 | net::ssl::context::single_dh_use);
  error_code error;
  context->use_certificate_chain_file(options.tls_certificate, error);
  if (error) fail_tls(options.tls_certificate, "TLS certificate", error);
  context->use_private_key_file(options.tls_key, net::ssl::context::pem, error);
  if (error) fail_tls(options.tls_key, "TLS key", error);
  return context;
}

Tcp::endpoint endpoint_of(const ServerOptions& options) {
  error_code error;
  const std::string host = options.host == "localhost" ? "127.0.0.1" : options.host;
  const auto address = net::ip::make_address(host, error);
  if (error) {
    throw UsageError(fmt::format(
        "--host {}: is not an address; give one of this machine, such as 127.0.0.1, or 0.0.0.0 for "
        "all of them",
        options.host));
  }
  return {address, static_cast<uint16_t>(options.port)};
}

}  // namespace

struct Server::Parts {
  Parts(ServerOptions given, Handler& handler)
      : options(std::move(given)),
        group(options, handler),
        tls(tls_context(options)),
        acceptor(strand),
        signals(strand, SIGINT, SIGTERM, SIGHUP),
        timer(strand) {
    options.max_connections = allowed_connections(options.max_connections);
    listen();
  }

  void listen();
  void accept();
  void on_accept(const error_code& error, Socket socket);
  void take(Socket socket);
  void await_signal();
  void reload_tls();
  void begin_stop(const std::string& reason);
  void watch_stop();

  ServerOptions options;
  ConnectionGroup group;
  std::unique_ptr<net::ssl::context> tls;
  net::io_context loop{kThreads};
  net::strand<net::io_context::executor_type> strand = net::make_strand(loop);  // Of all below.
  Tcp::acceptor acceptor;
  net::signal_set signals;
  net::steady_timer timer;
  Clock::time_point stop_deadline;
  bool aborted = false;
  bool ended = false;  // Nothing is open any more.
};

void Server::Parts::listen() {
  const Tcp::endpoint endpoint = endpoint_of(options);
  const auto check = [&](const error_code& error) {
    if (!error) return;
    throw Error(fmt::format("cannot listen on {} port {}: {}; choose another --host or --port",
                            options.host, options.port, error.message()));
  };
  error_code error;
  acceptor.open(endpoint.protocol(), error);
  check(error);
  acceptor.set_option(net::socket_base::reuse_address(true), error);
  acceptor.bind(endpoint, error);
  check(error);
  acceptor.listen(net::socket_base::max_listen_connections, error);
  check(error);
  options.port = acceptor.local_endpoint().port();
}

void Server::Parts::accept() {
  acceptor.async_accept(net::make_strand(loop), [this](const error_code& error, Socket socket) {
    on_accept(error, std::move(socket));
  });
}

void Server::Parts::on_accept(const error_code& error, Socket socket) {
  if (group.stopping) {
    if (!error) take(std::move(socket));
    return;
  }
  if (error) {  // Out of files or memory: others may be given back soon.
    spdlog::warn("a connection could not be accepted: {}", error.message());
    timer.expires_after(kAcceptPause);
    timer.async_wait([this](const error_code& cancelled) {
      if (!cancelled && !group.stopping) accept();
    });
    return;
  }
  take(std::move(socket));
  accept();
}

void Server::Parts::take(Socket socket) {
  // One that leaves meanwhile stops being refused first: too few are admitted rather than too many.
  const size_t open = group.open, being_refused = group.refused;
  const bool refused = open >= options.max_connections + being_refused;
  if (refused && being_refused >= kMostRefused) return;
  serve_connection(std::move(socket), tls.get(), group, refused);
}

void Server::Parts::await_signal() {
  signals.async_wait([this](const error_code& error, int number) {
    // A signal that had come before the wait was cancelled has no error: without another wait the
    // loop can end.
    if (error || ended) return;
    await_signal();
    if (number == SIGHUP) {
      if (group.stopping) return;
      reload_tls();
      if (options.on_reload) options.on_reload();
    } else if (!group.stopping) {
      begin_stop(number == SIGINT ? "Ctrl-C" : "SIGTERM");
    } else {
      stop_deadline = Clock::now();
    }
  });
}

// Connections that are open keep the certificate that they began with.
void Server::Parts::reload_tls() {
  if (tls == nullptr) return;
  try {
    tls = tls_context(options);
    spdlog::info("reloaded {}", options.tls_certificate);
  } catch (const Error& error) {
    spdlog::error("not reloaded, the certificate from before stays: {}", error.what());
  }
}

// Clients that the kernel has already connected are served; later ones are refused by it.
void Server::Parts::begin_stop(const std::string& reason) {
  if (group.stopping.exchange(true)) return;
  spdlog::info("{}: stopping; {} open, {} in progress", reason,
               format_count(group.open, "connection"), format_count(group.computing, "request"));
  error_code error;
  acceptor.cancel(error);
  acceptor.non_blocking(true, error);
  while (acceptor.is_open()) {
    Socket socket(net::make_strand(loop));
    acceptor.accept(socket, error);
    if (error) break;
    take(std::move(socket));
  }
  acceptor.close(error);
  group.for_each([](Connection& connection) { connection.finish(); });
  stop_deadline = Clock::now() + options.stop_timeout;
  watch_stop();
}

void Server::Parts::watch_stop() {
  if (group.open == 0) {
    ended = true;
    error_code none;
    signals.cancel(none);
    return;
  }
  if (!aborted && Clock::now() >= stop_deadline) {
    aborted = true;
    group.for_each([](Connection& connection) { connection.abort(); });
  }
  timer.expires_after(kStopPoll);
  timer.async_wait([this](const error_code& error) {
    if (!error) watch_stop();
  });
}

Server::Server(ServerOptions options, Handler& handler)
    : parts_(std::make_unique<Parts>(std::move(options), handler)) {}
Server::~Server() = default;

int Server::port() const { return parts_->options.port; }
size_t Server::connections() const { return parts_->group.open; }

std::string Server::url() const {
  const ServerOptions& options = parts_->options;
  const bool is_v6 = options.host.find(':') != std::string::npos;
  return fmt::format("{}://{}:{}", parts_->tls ? "https" : "http",
                     is_v6 ? "[" + options.host + "]" : options.host, options.port);
}

size_t Server::run() {
  std::signal(SIGPIPE, SIG_IGN);
  net::post(parts_->strand, [this] {
    parts_->await_signal();
    parts_->accept();
  });
  // Each request is a little work; to interrupt a worker's step for it costs more than it takes.
  const auto serve = [this] {
    interrupt_no_other_thread();
    parts_->loop.run();
  };
  ThreadGroup threads;
  for (int i = 1; i < kThreads; ++i) threads.start(serve);
  serve();
  threads.join();
  return parts_->group.cut_off;
}

void Server::stop() {
  net::post(parts_->strand, [this] { parts_->begin_stop("asked"); });
}

}  // namespace eatt::serving
