#include "evaluation/text_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>

#include "base/error.h"
#include "base/files/text_check.h"
#include "base/files/text_file.h"
#include "base/progress.h"
#include "base/text/unicode.h"
#include "base/text/utf8.h"

namespace eatt::evaluation {
namespace {

constexpr size_t kChunk = 1 << 20;

std::vector<char> read_all(const TextFile& file) {
  const std::unique_ptr<ByteSource> source = open_bytes(file);
  std::vector<char> bytes;
  for (size_t size = 0;;) {
    if (bytes.size() < size + kChunk) bytes.resize(std::max(size + kChunk, size * 2));
    const size_t got = source->read(std::span(bytes).subspan(size));
    size += got;
    if (got == 0) {
      bytes.resize(size);
      return bytes;
    }
  }
}

void expect_utf8(std::string_view text, const std::string& name) {
  expect_text(name, text.substr(0, kChunk));
  const size_t bad = first_invalid_utf8(text);
  if (bad == std::string_view::npos) return;
  const std::string_view before = text.substr(0, bad);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0.
  throw Error(fmt::format("{}: line {}, byte {}: found 0x{:02x}, expected UTF-8 text; {}", name,
                          line, bad - line_begin + 1, static_cast<unsigned char>(text[bad]),
                          conversion_advice(name, text)));
}

}  // namespace

TextLines TextLines::read_file(const std::filesystem::path& path) {
  const TextFile file(path.string());
  TextLines text;
  text.name_ = file.name;
  text.bytes_ = read_all(file);
  if (text.bytes_.empty()) {
    throw Error(fmt::format("{}: is empty, expected one sentence per line", text.name_));
  }
  expect_utf8({text.bytes_.data(), text.bytes_.size()}, text.name_);
  text.split();
  return text;
}

void TextLines::split() {
  constexpr size_t kLongestLine = size_t{1} << 26;  // Bytes; sentences are shorter.
  std::string_view rest(bytes_.data(), bytes_.size());
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    if (line.size() > kLongestLine) {
      throw Error(fmt::format("{}: line {} has {} bytes, expected one sentence per line", name_,
                              lines_.size() + 1, format_count(line.size())));
    }
    lines_.push_back(strip_right(line));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
}

void expect_same_length(const TextLines& hypothesis, const TextLines& reference) {
  if (hypothesis.lines().size() == reference.lines().size()) return;
  throw Error(fmt::format("{} has {}, but {} has {}; expected as many in both", hypothesis.name(),
                          format_count(hypothesis.lines().size(), "line"), reference.name(),
                          format_count(reference.lines().size())));
}

}  // namespace eatt::evaluation
