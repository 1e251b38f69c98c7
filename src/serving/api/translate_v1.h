#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "markup/markup.h"
#include "runtime/api/translator.h"
#include "serving/api/service.h"

namespace eatt::serving {

// The body of POST /v1/translate.
struct V1Request {
  std::vector<std::string> texts;
  bool is_list = false;
  std::string model = {}, source = {}, target = {};  // Empty: not said.
  bool html = false;
  SearchOptions search = {};  // beam_size 0: not said.
  bool alignment = false, word_scores = false, attention = false;
  bool energy = false;
  std::string chip = {};  // Empty: the first that can price the model.
  std::vector<markup::GlossaryEntry> glossary = {};
};

// Throws an ApiError or an Error that names what is wrong; unknown keys are.
V1Request parse_v1_request(std::string_view body, const ApiLimits& limits);

}  // namespace eatt::serving
