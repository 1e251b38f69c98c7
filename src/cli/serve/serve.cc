// `eatt serve`: translations over HTTP.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <csignal>
#include <memory>

#include "base/error.h"
#include "base/progress.h"
#include "cli/commands.h"
#include "cli/help/train_commands.h"
#include "cli/program.h"
#include "eatt_build.h"
#include "runtime/api/option_fields.h"
#include "serving/api/api.h"
#include "serving/http/server.h"
#include "serving/http/service_manager.h"

namespace eatt::cli {
namespace {

const std::string kListen = "Listening";
const std::string kLimits = "Limits of a request";
const std::string kTimes = "Time-outs, in seconds";
const std::string kWho = "Who may use it";
const std::string kTranslation = "Translation";
const std::string kSpeed = "Speed and memory";

struct Options {
  serving::ServerOptions server;
  serving::ApiOptions api;
  double timeout = 30, header_timeout = 10, body_timeout = 30, write_timeout = 30,
         idle_timeout = 60, stop_timeout = 30;
  size_t cache_megabytes = 16;
};

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<int64_t>(1000 * seconds));
}

void complete(Options& options) {
  if (options.server.tls_certificate.empty() != options.server.tls_key.empty()) {
    throw UsageError("--tls-cert and --tls-key go together; give both or none");
  }
  if (options.api.limits.body > options.server.bodies_limit) {
    throw UsageError(
        fmt::format("--body-limit {} is more than --bodies-limit {}, so that such a body could "
                    "never be received; lower --body-limit or raise --bodies-limit",
                    options.api.limits.body, options.server.bodies_limit));
  }
  options.server.header_timeout = milliseconds(options.header_timeout);
  options.server.body_timeout = milliseconds(options.body_timeout);
  options.server.write_timeout = milliseconds(options.write_timeout);
  options.server.idle_timeout = milliseconds(options.idle_timeout);
  options.server.stop_timeout = milliseconds(options.stop_timeout);
  options.server.body_limit = options.api.limits.body;
  options.api.timeout = milliseconds(options.timeout);
  options.api.engine.cache_bytes = options.cache_megabytes << 20;
  options.api.engine.translator.split_sentences = true;
  options.api.version = build::kVersion;
}

void run(Options options) {
  complete(options);
  std::signal(SIGHUP, SIG_IGN);  // Until the server is there; the models are being opened anyway.
  serving::Api api(options.api);
  options.server.on_reload = [&api] { api.reload(); };
  serving::Server server(options.server, api);
  spdlog::info("serving {} at {}", format_count(options.api.bundles.size(), "model"), server.url());
  serving::tell_service_manager("READY=1");
  const size_t cut_off = server.run();
  api.finish();
  if (cut_off > 0) {
    throw Error(fmt::format("stopped after {} s with {} unanswered; --stop-timeout gives more time",
                            options.stop_timeout, format_count(cut_off, "request")));
  }
  spdlog::info("stopped");
}

void add_listen_options(Command& command, serving::ServerOptions& server) {
  command
      .add_option("--host", server.host,
                  "Address to listen on; 0.0.0.0 is every one of this machine")
      .shows("ADDRESS")
      .group(kListen);
  command.add_option("--port", server.port, "Port to listen on; 0 is any that is free", {0, 65535})
      .shows("N")
      .group(kListen);
  command.add_option("--tls-cert", server.tls_certificate, "Certificate chain for HTTPS, PEM")
      .shows("FILE")
      .reads()
      .group(kListen);
  command.add_option("--tls-key", server.tls_key, "Its private key, PEM")
      .shows("FILE")
      .reads()
      .group(kListen);
  command
      .add_option("--max-connections", server.max_connections,
                  "Connections at a time; further ones get a 503 and are closed", {1, 1000000})
      .shows("N")
      .group(kListen);
}

void add_limit_options(Command& command, serving::ApiLimits& limits, size_t& bodies) {
  command.add_option("--body-limit", limits.body, "Bytes of a request", {1000, 1e9})
      .shows("N")
      .group(kLimits);
  command
      .add_option("--bodies-limit", bodies,
                  "Bytes of all requests that are received or answered at a time", {1e5, 1e12})
      .shows("N")
      .group(kLimits);
  command.add_option("--char-limit", limits.characters, "Characters of all its texts", {1, 1e9})
      .shows("N")
      .group(kLimits);
  command.add_option("--batch-limit", limits.batch, "Texts in a request", {1, 1e6})
      .shows("N")
      .group(kLimits);
  command
      .add_option("--alternatives-limit", limits.alternatives, "Alternatives of a text", {0, 100})
      .shows("N")
      .group(kLimits);
  command.add_option("--beam-limit", limits.beam_size, "Largest beam size", {1, 100})
      .shows("N")
      .group(kLimits);
  command
      .add_option("--req-limit", limits.requests_per_minute,
                  "Requests per minute of a client: an API key or an address; 0 is no limit",
                  {0, 1e9})
      .shows("N")
      .group(kLimits);
}

void add_time_options(Command& command, Options& options) {
  const auto add = [&](const char* name, double& value, const char* help) {
    command.add_option(name, value, help, {0.001, 86400}).shows("SECONDS").group(kTimes);
  };
  add("--timeout", options.timeout, "To translate a request");
  add("--header-timeout", options.header_timeout, "To receive the header of a request");
  add("--body-timeout", options.body_timeout, "To receive its body");
  add("--write-timeout", options.write_timeout, "For a client to take its response");
  add("--idle-timeout", options.idle_timeout, "Between requests of a connection");
  add("--stop-timeout", options.stop_timeout, "To finish accepted requests after SIGTERM");
}

void add_access_options(Command& command, serving::ApiOptions& api) {
  command.add_option("--api-keys", api.api_keys, "Keys that may use the server, one per line")
      .shows("FILE")
      .reads()
      .group(kWho);
  command
      .add_option("--cors", api.cors_origin,
                  "Site whose pages may use the server, such as https://example.org, or *")
      .shows("ORIGIN")
      .group(kWho);
  command.add_flag("--log-text", api.log_text, "Also log the texts of requests").group(kWho);
}

void add_translation_options(Command& command, serving::ApiOptions& api) {
  command
      .add_option("--beam-size", api.beam_size,
                  "Beam size if a request gives none; 1 is greedy search", {1, 100})
      .shows("N")
      .group(kTranslation);
  command
      .add_option("--glossary", api.glossary,
                  "Terms with fixed translations: term, tab, translation on each line")
      .shows("FILE")
      .reads()
      .group(kTranslation);
}

void add_speed_options(Command& command, Options& options) {
  serving::EngineOptions& engine = options.api.engine;
  engine.batch_rows = 0;
  command.add_option("--workers", engine.workers, "Threads that translate", {0, 1024})
      .default_is("the number of CPUs")
      .shows("N")
      .group(kSpeed);
  command
      .add_option("--batch-rows", engine.batch_rows, "Hypotheses that a worker computes together",
                  {0, 100000})
      .default_is("4 to 64, by the size of the model")
      .shows("N")
      .group(kSpeed);
  command
      .add_option("--queue-limit", engine.queue_limit, "Texts that wait; more get a 503", {1, 1e9})
      .shows("N")
      .group(kSpeed);
  command
      .add_option("--cache", options.cache_megabytes,
                  "Megabytes of translations to keep; 0 is none", {0, 1e6})
      .shows("MB")
      .group(kSpeed);
  for (const char* name : {"precision", "shortlist"}) {
    command.add_field(*translator_fields().find(name), engine.translator).group(kSpeed);
  }
}

}  // namespace

void add_serve_command(Command& program) {
  auto options = std::make_shared<Options>();
  Command& command = add_foreign_command(program, "serve");
  command.add_option("BUNDLE", options->api.bundles, "Models to serve").required().reads();
  add_listen_options(command, options->server);
  add_limit_options(command, options->api.limits, options->server.bodies_limit);
  add_time_options(command, *options);
  add_access_options(command, options->api);
  add_translation_options(command, options->api);
  add_speed_options(command, *options);
  command.add_threads_option();
  command.add_note(
      "SIGTERM and Ctrl-C finish what was accepted; SIGHUP opens the models, the keys, the "
      "glossary and the certificate again. See docs/serving.md for the API, deployment and "
      "security.");
  command.on_run([options] { run(*options); });
}

}  // namespace eatt::cli
