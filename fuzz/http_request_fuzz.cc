// The first line is a Content-Type, the rest a body: forms of any kind are read, or refused.
#include <cstdlib>
#include <string>
#include <string_view>

#include "serving/api/fields.h"
#include "serving/api/responses.h"
#include "serving/http/form.h"

using namespace eatt::serving;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t line = std::min(input.find('\n'), input.size());
  const std::string type(input.substr(0, line));
  const std::string body(input.substr(std::min(line + 1, input.size())));
  if (const auto decoded = percent_decoded(body, /*plus_is_space=*/true)) {
    if (decoded->size() > body.size()) std::abort();
  }
  if (const auto parts = parse_multipart(body, type)) {
    size_t bytes = 0;
    for (const FormField& part : *parts) bytes += part.value.size();
    if (bytes > body.size()) std::abort();
  }
  try {
    const Fields fields({.method = "POST",
                         .path = "/translate_file",
                         .headers = {{"content-type", type}},
                         .body = body},
                        size_t{1} << 20);
    fields.text("q", "");
    fields.count("alternatives", 10);
    fields.file("file");
  } catch (const ApiError& error) {
    if (error.status != 400 && error.status != 415) std::abort();
  }
  return 0;
}
