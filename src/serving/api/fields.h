#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serving/http/form.h"
#include "serving/http/message.h"

namespace eatt::serving {

// The parameters of a request as LibreTranslate takes them: a JSON object, a form, or a form with
// files. Every access throws an ApiError about what is wrong with the request. Unknown parameters
// are ignored: clients send several.
class Fields {
 public:
  Fields(const HttpRequest& request, size_t body_limit);

  // A text that is missing, or null, is `otherwise`; without one, that is an error.
  std::string text(const std::string& name, std::optional<std::string> otherwise = {}) const;
  size_t count(const std::string& name, size_t most) const;  // 0 if missing.
  // A text or a list of them.
  struct Texts {
    std::vector<std::string> values;
    bool is_list = false;
  };
  Texts texts(const std::string& name) const;
  // An uploaded file; throws if there is none.
  const FormField& file(const std::string& name) const;

 private:
  const FormField* find(const std::string& name) const;

  nlohmann::json json_;  // An object, or null.
  std::vector<FormField> form_;
};

// Limits of JSON that comes over the network.
nlohmann::json parse_body_json(std::string_view body, size_t body_limit);

}  // namespace eatt::serving
