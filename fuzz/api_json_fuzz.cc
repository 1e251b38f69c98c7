// Any body of POST /v1/translate and POST /translate is read, or refused with a sentence.
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/text/utf8.h"
#include "serving/api/fields.h"
#include "serving/api/translate_v1.h"

using namespace eatt::serving;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string body(reinterpret_cast<const char*>(data), size);
  const ApiLimits limits;
  try {
    const V1Request request = parse_v1_request(body, limits);
    if (request.texts.size() > limits.batch) std::abort();
    for (const std::string& text : request.texts) {
      if (!eatt::is_valid_utf8(text)) std::abort();
    }
    const eatt::SearchOptions& search = request.search;
    if (search.beam_size != 0 && search.n_best > search.beam_size) std::abort();
  } catch (const ApiError& error) {
    if (error.status < 400 || error.message.empty()) std::abort();
  } catch (const eatt::Error&) {
  }
  try {
    const Fields fields({.method = "POST",
                         .path = "/translate",
                         .headers = {{"content-type", "application/json"}},
                         .body = body},
                        limits.body);
    fields.texts("q");
    fields.text("source", "en");
    fields.count("alternatives", limits.alternatives);
  } catch (const ApiError&) {
  }
  return 0;
}
