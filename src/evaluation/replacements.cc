#include "evaluation/replacements.h"

#include <utility>

namespace eatt::evaluation {

void replace_all(std::string& line, std::string_view from, std::string_view to) {
  size_t at = line.find(from);
  if (at == std::string::npos) return;
  std::string result;
  size_t copied = 0;
  for (; at != std::string::npos; at = line.find(from, copied)) {
    result.append(line, copied, at - copied);
    result += to;
    copied = at + from.size();
  }
  result.append(line, copied);
  line = std::move(result);
}

void replace_entities(std::string& line) {
  replace_all(line, "&quot;", "\"");
  replace_all(line, "&amp;", "&");
  replace_all(line, "&lt;", "<");
  replace_all(line, "&gt;", ">");
}

}  // namespace eatt::evaluation
