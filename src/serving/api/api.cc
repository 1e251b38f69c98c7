#include "serving/api/api.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "serving/api/web_files.h"

namespace eatt::serving {
namespace {

using At = Response (*)(Service&, const CallPtr&);  // Answers at once.
using Later = Handler::Cancel (*)(Service&, const CallPtr&);

// Markup, language detection and JSON take up to a millisecond per kilobyte. What is larger has a
// thread of its own, so that the threads that read and write for all clients are free.
constexpr size_t kSmallBody = 4 << 10;

struct Route {
  std::string_view method;
  std::string_view path;  // If it ends with a slash, whatever begins with it.
  At at_once = nullptr;
  Later later = nullptr;

  bool fits(std::string_view wanted) const {
    return path == wanted || (path.size() > 1 && path.ends_with('/') && wanted.starts_with(path));
  }
};

Response health(Service&, const CallPtr&) { return json_response({{"status", "ok"}}); }

Response metrics(Service& service, const CallPtr& call) {
  service.check_key(call, "");  // Prometheus asks as often as it likes.
  return {.body = service.metrics.text({.engines = service.models.status(),
                                        .measured_joules = service.machine_energy.joules(),
                                        .version = service.options.version}),
          .content_type = "text/plain; version=0.0.4; charset=utf-8"};
}

const WebFile* find_web_file(std::string_view path) {
  if (path == "/") path = "/index.html";
  if (path == "/spec") path = "/openapi.json";
  const auto files = web_files();
  const auto found = std::ranges::find(files, path, &WebFile::path);
  return found == files.end() ? nullptr : &*found;
}

Response web_file(Service&, const CallPtr& call) {
  const WebFile& file = *find_web_file(call->request().path);
  Response response{.content_type = std::string(file.type)};
  response.headers = {
      {"ETag", std::string(file.etag)},
      {"Cache-Control", "no-cache"},  // Ask again: the ETag makes that cheap.
      {"Content-Security-Policy",
       "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; "
       "frame-ancestors 'none'"},
      {"X-Content-Type-Options", "nosniff"},
      {"Referrer-Policy", "no-referrer"}};
  if (call->request().header("if-none-match").find(file.etag) != std::string_view::npos) {
    response.status = 304;
  } else {
    response.body = file.bytes;
  }
  return response;
}

constexpr std::array kRoutes = {
    Route{"GET", "/health", health},
    Route{"GET", "/languages", languages},
    Route{"GET", "/frontend/settings", frontend_settings},
    Route{"GET", "/metrics", metrics},
    Route{"GET", "/download_file/", download_file},
    Route{"GET", "/v1/models", models_v1},
    Route{"POST", "/detect", detect},
    Route{"POST", "/suggest", suggest},
    Route{"POST", "/translate", nullptr, translate},
    Route{"POST", "/translate_file", nullptr, translate_file},
    Route{"POST", "/v1/translate", nullptr, translate_v1},
};
constexpr Route kWebRoute{"GET", "/", web_file};

std::vector<const Route*> routes_of(std::string_view path) {
  std::vector<const Route*> found;
  for (const Route& route : kRoutes) {
    if (route.fits(path)) found.push_back(&route);
  }
  if (found.empty() && find_web_file(path) != nullptr) found.push_back(&kWebRoute);
  return found;
}

std::string allowed_methods(const std::vector<const Route*>& routes) {
  std::set<std::string_view> methods = {"OPTIONS"};
  for (const Route* route : routes) {
    methods.insert(route->method);
    if (route->method == "GET") methods.insert("HEAD");
  }
  return fmt::format("{}", fmt::join(methods, ", "));
}

// What browsers ask before they let another site's page send a request.
Response preflight(const Service& service, const std::string& methods) {
  Response response{.status = 204, .content_type = ""};
  response.headers = {{"Allow", methods}};
  if (!service.options.cors_origin.empty()) {
    response.headers.insert(response.headers.end(),
                            {{"Access-Control-Allow-Methods", methods},
                             {"Access-Control-Allow-Headers", "Authorization, Content-Type"},
                             {"Access-Control-Max-Age", "86400"}});
  }
  return response;
}

const Route& find_route(const HttpRequest& request, const std::vector<const Route*>& routes) {
  if (routes.empty()) {
    throw ApiError{.status = 404, .code = "", .message = "There is nothing at this address"};
  }
  const std::string_view method =
      request.method == "HEAD" ? "GET" : std::string_view(request.method);
  for (const Route* route : routes) {
    if (route->method == method) return *route;
  }
  throw ApiError{.status = 405,
                 .code = "",
                 .message = "This address does not take this method",
                 .headers = {{"Allow", allowed_methods(routes)}}};
}

// Replies, now or later.
void answer(Service& service, const CallPtr& call) {
  service.guarded(call, [&] {
    call->check();
    const HttpRequest& request = call->request();
    const auto routes = routes_of(request.path);
    if (request.method == "OPTIONS" && !routes.empty()) {
      return service.send(call, preflight(service, allowed_methods(routes)));
    }
    const Route& route = find_route(request, routes);
    if (route.at_once != nullptr) {
      service.send(call, route.at_once(service, call));
    } else {
      call->on_cancel(route.later(service, call));
    }
  });
}

}  // namespace

Api::Api(ApiOptions options) : service_(std::make_unique<Service>(std::move(options))) {}
Api::~Api() = default;

void Api::reload() { service_->reload(); }
void Api::finish() { service_.reset(); }

Handler::Cancel Api::handle(Exchange exchange) {
  Service& service = *service_;
  const auto call = std::make_shared<Call>(std::move(exchange), service.options.timeout);
  if (call->request().body.size() <= kSmallBody) {
    answer(service, call);
  } else {
    call->set_post([&service](auto work) { service.large.post_begun(std::move(work)); });
    service.guarded(call, [&] { service.large.post([&service, call] { answer(service, call); }); });
  }
  return [call] { call->cancel(); };
}

Response Api::refuse(const HttpRequest& request, int status, const std::string& sentence) {
  Response response =
      error_response({.status = status, .code = "", .message = sentence}, request.path);
  if (status == 503) response.headers.emplace_back("Retry-After", "1");
  service_->allow_origin(response);
  service_->note(request, response, std::nullopt);
  return response;
}

}  // namespace eatt::serving
