#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/threads.h"
#include "markup/markup.h"
#include "serving/api/access.h"
#include "serving/api/download_store.h"
#include "serving/api/machine_energy.h"
#include "serving/api/metrics.h"
#include "serving/api/responses.h"
#include "serving/http/message.h"
#include "serving/models/models.h"

namespace eatt::serving {

// The most that a request may ask for.
struct ApiLimits {
  size_t body = size_t{1} << 20;  // Bytes.
  size_t characters = 20000;      // Of all texts of a request.
  size_t batch = 128;             // Texts.
  size_t alternatives = 10;
  size_t beam_size = 8;
  size_t requests_per_minute = 0;  // Of a client; 0: any number.
};

struct ApiOptions {
  std::vector<std::string> bundles;
  EngineOptions engine = {};
  ApiLimits limits = {};
  std::chrono::milliseconds timeout{30'000};  // Of a request, from its last byte on.
  std::string api_keys = {};                  // A file; empty: everybody may.
  std::string glossary = {};                  // A file of terms for every request; empty: none.
  std::string cors_origin = {};               // "*" or an origin; empty: none.
  int beam_size = 1;                          // If a request gives none.
  bool log_text = false;
  std::string version = {};
};

// A request on its way through the API. Replies exactly once.
class Call {
 public:
  Call(Exchange exchange, std::chrono::milliseconds timeout);

  const HttpRequest& request() const { return exchange_.request; }
  std::chrono::steady_clock::time_point deadline() const { return deadline_; }
  double milliseconds() const;  // Since the request was complete.
  // Runs work of this call soon: on a thread of the server, or if `post` was set, there.
  void post(std::function<void()> work) const { exchange_.post(std::move(work)); }
  void set_post(std::function<void(std::function<void()>)> post) {
    exchange_.post = std::move(post);
  }
  void reply(Response response) { exchange_.reply(std::move(response)); }

  // The client has left.
  void cancel();
  // What has to be done then, if anything; at once if it has left already. Must not hold the call.
  void on_cancel(Handler::Cancel action);
  // For work in steps: throws an ApiError if the client has left or the deadline is over.
  void check() const;

  std::string text;  // For the log.

 private:
  Exchange exchange_;
  std::chrono::steady_clock::time_point started_, deadline_;
  std::atomic<bool> cancelled_ = false;
  std::mutex mutex_;  // Of on_cancel_.
  Handler::Cancel on_cancel_;
};
using CallPtr = std::shared_ptr<Call>;

// A thread for what would hold up the threads that serve everybody. `work` must not throw.
class BackgroundWork {
 public:
  explicit BackgroundWork(size_t most_waiting);
  ~BackgroundWork();  // Finishes what waits.

  // Throws a QueueFull if too much waits.
  void post(std::function<void()> work);
  // For what was begun: it goes first, and there is no limit.
  void post_begun(std::function<void()> work);
  void finish();  // Waits until nothing is left to do.

 private:
  void run();

  const size_t most_waiting_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> begun_, queue_;
  bool works_ = false;
  bool ends_ = false;
  ThreadGroup thread_;
};

// What the operator's files say.
struct ServerFiles {
  // Throws an Error that names the file and what is wrong with it.
  explicit ServerFiles(const ApiOptions& options);

  ApiKeys keys;
  std::shared_ptr<const markup::Glossary> glossary;  // Null: none.
};

// What all routes share.
struct Service {
  explicit Service(ApiOptions given);
  ~Service();

  // Sends the response and notes it.
  void send(const CallPtr& call, Response response);
  // For --log-text: the texts stand behind the rest of the call's line in the log.
  void log_texts(const CallPtr& call, const std::vector<std::string>& texts) const;
  // A line of the log and the metrics; no time for a request that was refused before it was
  // complete. `text` is shown behind the rest.
  void note(const HttpRequest& request, const Response& response,
            std::optional<double> milliseconds, const std::string& text = {});
  void fail(const CallPtr& call, const ApiError& error);
  // Calls `answer`, which sends something or throws.
  void guarded(const CallPtr& call, const std::function<void()>& answer);

  // Throws an ApiError if the key is missing or wrong, or the client is too fast. `key` is from the
  // body; one in the header counts, too.
  void admit(const CallPtr& call, std::string_view key);
  // The same for requests that count towards no limit, unless their key is missing or wrong.
  void check_key(const CallPtr& call, std::string_view key);
  // Lets pages of other sites read the response, if that was asked for.
  void allow_origin(Response& response) const;

  // The terms for every request.
  std::shared_ptr<const markup::Glossary> glossary() const { return files()->glossary; }

  // SIGHUP: models, keys and glossary.
  void reload();

  const ApiOptions options;
  Metrics metrics;
  DownloadStore downloads;
  RateLimit rate_limit;
  MachineEnergy machine_energy;

 private:
  std::shared_ptr<const ServerFiles> files() const;
  void count_request(const std::string& client);

  mutable std::mutex mutex_;
  std::shared_ptr<const ServerFiles> files_;

 public:
  BackgroundWork background;  // Replays of single requests.
  BackgroundWork large;       // Reading and answering requests with large bodies.
  ModelStore models;          // Ends first: its threads use what stands above.
};

// One function for each route that answers later. What they return cancels.
Handler::Cancel translate(Service& service, const CallPtr& call);
Handler::Cancel translate_file(Service& service, const CallPtr& call);
Handler::Cancel translate_v1(Service& service, const CallPtr& call);

// And for those that answer at once.
Response detect(Service& service, const CallPtr& call);
Response languages(Service& service, const CallPtr& call);
Response frontend_settings(Service& service, const CallPtr& call);
Response suggest(Service& service, const CallPtr& call);
Response download_file(Service& service, const CallPtr& call);
Response models_v1(Service& service, const CallPtr& call);

}  // namespace eatt::serving
