#include "serving/http/form.h"

#include <algorithm>

#include "base/text/unicode.h"

namespace eatt::serving {
namespace {

constexpr size_t kMostFields = 1000;
constexpr size_t kLongestBoundary = 70;  // RFC 2046

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::string_view trimmed(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

// The parameter of a header such as `form-data; name="q"; filename="a;b.txt"`.
std::optional<std::string> parameter(std::string_view header, std::string_view wanted) {
  size_t at = std::min(header.find(';'), header.size());
  while (at < header.size()) {
    ++at;
    const size_t equals = header.find('=', at);
    if (equals == header.npos) return std::nullopt;
    const std::string name = lower_ascii(trimmed(header.substr(at, equals - at)));
    std::string value;
    at = equals + 1;
    if (at < header.size() && header[at] == '"') {
      for (++at; at < header.size() && header[at] != '"'; ++at) {
        if (header[at] == '\\' && at + 1 < header.size()) ++at;
        value += header[at];
      }
      at = std::min(header.find(';', at), header.size());
    } else {
      const size_t end = std::min(header.find(';', at), header.size());
      value = trimmed(header.substr(at, end - at));
      at = end;
    }
    if (name == wanted) return value;
  }
  return std::nullopt;
}

// A part: its header lines, an empty line, its content.
std::optional<FormField> parse_part(std::string_view part) {
  while (true) {
    const size_t end = part.find("\r\n");
    if (end == part.npos) return std::nullopt;
    const std::string_view line = part.substr(0, end);
    if (line.empty()) return std::nullopt;  // No Content-Disposition.
    part.remove_prefix(end + 2);
    constexpr std::string_view kDisposition = "content-disposition:";
    if (lower_ascii(line.substr(0, kDisposition.size())) != kDisposition) continue;
    const auto name = parameter(line, "name");
    const size_t content = part.starts_with("\r\n") ? 0 : part.find("\r\n\r\n");
    if (!name || content == part.npos) return std::nullopt;
    const size_t begin = part.starts_with("\r\n") ? 2 : content + 4;
    return FormField{.name = *name,
                     .value = std::string(part.substr(begin)),
                     .file_name = parameter(line, "filename").value_or("")};
  }
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      result += ' ';
    } else if (text[i] != '%') {
      result += text[i];
    } else {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = digit_of(text[i + 1]), low = digit_of(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      result += static_cast<char>(16 * high + low);
      i += 2;
    }
  }
  return result;
}

std::optional<std::vector<FormField>> parse_form(std::string_view body) {
  std::vector<FormField> fields;
  while (!body.empty()) {
    const std::string_view pair = body.substr(0, body.find('&'));
    body.remove_prefix(std::min(pair.size() + 1, body.size()));
    if (pair.empty()) continue;
    const size_t equals = std::min(pair.find('='), pair.size());
    auto name = percent_decoded(pair.substr(0, equals), /*plus_is_space=*/true);
    auto value =
        percent_decoded(pair.substr(std::min(equals + 1, pair.size())), /*plus_is_space=*/true);
    if (!name || !value || fields.size() == kMostFields) return std::nullopt;
    fields.push_back({.name = std::move(*name), .value = std::move(*value)});
  }
  return fields;
}

std::optional<std::vector<FormField>> parse_multipart(std::string_view body,
                                                      std::string_view content_type) {
  const auto boundary = parameter(content_type, "boundary");
  if (!boundary || boundary->empty() || boundary->size() > kLongestBoundary) return std::nullopt;
  const std::string first = "--" + *boundary, next = "\r\n--" + *boundary;
  if (!body.starts_with(first)) return std::nullopt;
  body.remove_prefix(first.size());
  std::vector<FormField> fields;
  while (!body.starts_with("--")) {
    if (!body.starts_with("\r\n") || fields.size() == kMostFields) return std::nullopt;
    body.remove_prefix(2);
    const size_t end = body.find(next);
    if (end == body.npos) return std::nullopt;
    auto field = parse_part(body.substr(0, end));
    if (!field) return std::nullopt;
    fields.push_back(std::move(*field));
    body.remove_prefix(end + next.size());
  }
  return fields;
}

std::string media_type(std::string_view content_type) {
  return lower_ascii(trimmed(content_type.substr(0, content_type.find(';'))));
}

}  // namespace eatt::serving
