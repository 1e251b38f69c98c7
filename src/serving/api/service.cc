#include "serving/api/service.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <utility>

#include "base/error.h"
#include "base/sha256.h"
#include "base/text/utf8.h"

namespace eatt::serving {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMostBackground = 64;
constexpr int kClientLeft = 499;  // In log and metrics; nobody gets it.

std::string_view bearer_key(const HttpRequest& request) {
  std::string_view value = request.header("authorization");
  constexpr std::string_view kBearer = "Bearer ";
  return value.starts_with(kBearer) ? value.substr(kBearer.size()) : std::string_view();
}

}  // namespace

Call::Call(Exchange exchange, std::chrono::milliseconds timeout)
    : exchange_(std::move(exchange)), started_(Clock::now()), deadline_(started_ + timeout) {}

double Call::milliseconds() const {
  return std::chrono::duration<double, std::milli>(Clock::now() - started_).count();
}

void Call::check() const {
  if (cancelled_) throw ApiError{.status = kClientLeft, .code = "", .message = "The client left"};
  if (Clock::now() <= deadline_) return;
  throw ApiError{.status = 504, .code = "", .message = "The translation took too long"};
}

void Call::cancel() {
  Handler::Cancel action;
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
    action = std::exchange(on_cancel_, nullptr);
  }
  if (action) action();
}

void Call::on_cancel(Handler::Cancel action) {
  {
    const std::lock_guard lock(mutex_);
    if (!cancelled_) {
      on_cancel_ = std::move(action);
      return;
    }
  }
  if (action) action();
}

BackgroundWork::BackgroundWork(size_t most_waiting) : most_waiting_(most_waiting) {
  thread_.start([this] { run(); });
}

BackgroundWork::~BackgroundWork() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void BackgroundWork::post(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (queue_.size() >= most_waiting_) throw QueueFull("too many requests wait for their turn");
    queue_.push_back(std::move(work));
  }
  wake_.notify_all();
}

void BackgroundWork::post_begun(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    begun_.push_back(std::move(work));
  }
  wake_.notify_all();
}

void BackgroundWork::finish() {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [&] { return begun_.empty() && queue_.empty() && !works_; });
}

void BackgroundWork::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return ends_ || !begun_.empty() || !queue_.empty(); });
    auto& next = begun_.empty() ? queue_ : begun_;
    if (next.empty()) return;
    std::function<void()> work = std::move(next.front());
    next.pop_front();
    works_ = true;
    lock.unlock();
    work();
    work = nullptr;  // What it holds is given back outside the lock.
    lock.lock();
    works_ = false;
    wake_.notify_all();
  }
}

ServerFiles::ServerFiles(const ApiOptions& options) {
  if (!options.api_keys.empty()) keys = ApiKeys(options.api_keys);
  if (options.glossary.empty()) return;
  glossary = std::make_shared<const markup::Glossary>(markup::read_glossary(options.glossary));
}

Service::Service(ApiOptions given)
    : options(std::move(given)),
      rate_limit(options.limits.requests_per_minute),
      files_(std::make_shared<ServerFiles>(options)),
      background(kMostBackground),
      large(options.engine.queue_limit),
      models(options.bundles, options.engine) {}

// Large requests that wait still use the models, which end first.
Service::~Service() { large.finish(); }

std::shared_ptr<const ServerFiles> Service::files() const {
  const std::lock_guard lock(mutex_);
  return files_;
}

void Service::allow_origin(Response& response) const {
  if (options.cors_origin.empty()) return;
  response.headers.emplace_back("Access-Control-Allow-Origin", options.cors_origin);
}

void Service::log_texts(const CallPtr& call, const std::vector<std::string>& texts) const {
  if (options.log_text) call->text = fmt::format("{}", fmt::join(texts, " | "));
}

void Service::send(const CallPtr& call, Response response) {
  allow_origin(response);
  note(call->request(), response, call->milliseconds(), call->text);
  call->reply(std::move(response));
}

void Service::note(const HttpRequest& request, const Response& response,
                   std::optional<double> milliseconds, const std::string& text) {
  if (milliseconds) {
    metrics.request_done(response.status, *milliseconds / 1000);
  } else {
    metrics.request_refused(response.status);
  }
  const auto shown = [](const std::string& word) {
    constexpr size_t kLongest = 100;
    return word.empty() ? "-" : printable(std::string_view(word).substr(0, kLongest));
  };
  spdlog::info("{} {} {} {} {} bytes {:.1f} ms{}", shown(request.client), shown(request.method),
               shown(request.path), response.status, response.body.size(), milliseconds.value_or(0),
               text.empty() ? "" : " text: " + printable(text));
}

void Service::fail(const CallPtr& call, const ApiError& error) {
  send(call, error_response(error, call->request().path));
}

void Service::guarded(const CallPtr& call, const std::function<void()>& answer) {
  try {
    answer();
  } catch (const ApiError& error) {
    fail(call, error);
  } catch (const QueueFull&) {
    fail(call, {.status = 503,
                .code = "queue_full",
                .message = "The server has too much to do; try again later",
                .headers = {{"Retry-After", "1"}}});
  } catch (const Error& error) {  // Of what the client sent.
    fail(call, {.status = 400, .code = "", .message = error.what()});
  } catch (const std::exception& error) {
    spdlog::error("{}: {}", call->request().path, user_message(error));
    fail(call, {.status = 500, .code = "", .message = "The server failed; its log says why"});
  }
}

void Service::check_key(const CallPtr& call, std::string_view key) {
  if (key.empty()) key = bearer_key(call->request());
  const auto current = files();
  if (!current->keys.required() || current->keys.contains(key)) return;
  count_request(call->request().client);  // Or keys could be tried as fast as a client likes.
  throw ApiError{.status = 403,
                 .code = "",
                 .message = key.empty() ? "Please contact the server operator to get an API key"
                                        : "Invalid API key"};
}

void Service::admit(const CallPtr& call, std::string_view key) {
  check_key(call, key);
  if (key.empty()) key = bearer_key(call->request());
  count_request(files()->keys.required() ? "key " + sha256_hex(key) : call->request().client);
}

void Service::count_request(const std::string& client) {
  const int wait = rate_limit.seconds_to_wait(client, Clock::now());
  if (wait == 0) return;
  throw ApiError{.status = 429,
                 .code = "",
                 .message = fmt::format("Slowdown: {} per 1 minute", rate_limit.per_minute()),
                 .headers = {{"Retry-After", std::to_string(wait)}}};
}

void Service::reload() {
  models.reload_soon([this] {
    auto fresh = std::make_shared<ServerFiles>(options);
    const std::lock_guard lock(mutex_);
    files_ = std::move(fresh);
  });
}

}  // namespace eatt::serving
