// POST /translate_file and GET /download_file/NAME.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text/unicode.h"
#include "base/text/utf8.h"
#include "serving/api/fields.h"
#include "serving/api/translation.h"

namespace eatt::serving {
namespace {

constexpr std::string_view kDownloads = "/download_file/";

[[noreturn]] void refuse(std::string message) {
  throw ApiError{.status = 400, .code = "", .message = std::move(message)};
}

bool has_ending(const std::string& name, std::string_view ending) {
  return lower_ascii(name).ends_with(ending);
}

bool is_html(const std::string& name) {
  return has_ending(name, ".html") || has_ending(name, ".htm");
}

// "letter_en.txt" of "letter.txt".
std::string name_in(const std::string& name, const std::string& language) {
  const size_t dot = std::min(name.rfind('.'), name.size());
  return name.substr(0, dot) + "_" + language + name.substr(dot);
}

// The address under which the client knows this server.
std::string own_address(const HttpRequest& request) {
  const std::string_view host = request.header("host");
  const bool is_plain = !host.empty() && std::ranges::all_of(host, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '-' || c == ':' || c == '[' || c == ']';
  });
  if (!is_plain) return {};
  const bool tls = request.over_tls || request.header("x-forwarded-proto") == "https";
  return fmt::format("{}://{}", tls ? "https" : "http", host);
}

const LoadedModel* model_of(const TranslationOrder& order, const Fields& fields) {
  const ModelSet& models = *order.models;
  std::string source = fields.text("source");
  const std::string target = fields.text("target");
  if (source == "auto") {
    source = guess_source(models, order.texts, order.markup.html, target).language;
  }
  const LoadedModel* model = models.for_languages(source, target);
  if (model == nullptr) refuse(fmt::format("{} to {} is not supported", source, target));
  return model;
}

}  // namespace

Handler::Cancel translate_file(Service& service, const CallPtr& call) {
  const Fields fields(call->request(), service.options.limits.body);
  service.admit(call, fields.text("api_key", ""));
  const FormField& file = fields.file("file");
  if (!has_ending(file.file_name, ".txt") && !is_html(file.file_name)) {
    refuse("Invalid request: file format not supported; this server takes .txt and .html");
  }
  check_texts({file.value}, service.options.limits);
  TranslationOrder order;
  order.models = service.models.current();
  order.texts = {file.value};
  order.markup = {.html = is_html(file.file_name), .glossary = service.glossary()};
  order.model = model_of(order, fields);
  order.search.beam_size = service.options.beam_size;
  service.log_texts(call, order.texts);
  const std::string name = name_in(file.file_name, order.model->target());
  return submit_translation(
      service, call, std::move(order),
      [&service, call, name](const TranslationOrder&, const std::vector<TranslatedText>& done) {
        const std::string path =
            fmt::format("{}{}", kDownloads, service.downloads.add(name, done.front().text()));
        service.send(call,
                     json_response({{"translatedFileUrl", own_address(call->request()) + path}}));
      });
}

Response download_file(Service& service, const CallPtr& call) {
  const std::string_view name = std::string_view(call->request().path).substr(kDownloads.size());
  auto content = service.downloads.find(name);
  if (!content) {
    throw ApiError{.status = 404, .code = "", .message = "There is no such file, or no longer"};
  }
  // Never shown as a page of this server: it is somebody's text.
  return {.body = std::move(*content),
          .content_type = "application/octet-stream",
          .headers = {{"Content-Disposition", fmt::format("attachment; filename=\"{}\"", name)},
                      {"X-Content-Type-Options", "nosniff"}}};
}

}  // namespace eatt::serving
