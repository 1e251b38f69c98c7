#include "cli/translate/companion_lines.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text/utf8.h"

namespace eatt::cli {
namespace {

constexpr size_t kMaxLineBytes = size_t{1} << 20;

}  // namespace

CompanionLines::CompanionLines(const std::string& file) : reader_(file, kMaxLineBytes) {}

std::string CompanionLines::next() {
  LineReader::Line line;
  if (!reader_.next(line)) {
    throw Error(fmt::format("{}: has {} lines, the input has more; expected one for each",
                            reader_.name(), reader_.number()));
  }
  if (line.too_long) {
    throw Error(fmt::format("{}: line {} has {} bytes, more than {}; shorten it", reader_.name(),
                            reader_.number(), line.size, kMaxLineBytes));
  }
  return replace_invalid_utf8(line.text);
}

void CompanionLines::expect_end() {
  LineReader::Line line;
  const uint64_t expected = reader_.number();
  if (!reader_.next(line)) return;
  throw Error(fmt::format("{}: has more lines than the input, which has {}; expected one for each",
                          reader_.name(), expected));
}

}  // namespace eatt::cli
