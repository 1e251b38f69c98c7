#include "text/lexicon/lexical_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/log.h"
#include "base/progress.h"
#include "text/corpus/line_reader.h"

namespace eatt {
namespace {

constexpr size_t kMaxLineBytes = 16'384;

struct LexiconLine {
  std::string_view target, source;
  float probability = 0;
};

// Nothing if the line is malformed.
std::optional<LexiconLine> parse_line(std::string_view text) {
  const size_t first = text.find(' ');
  const size_t second = text.find(' ', first + 1);
  if (first == 0 || first == text.npos || second == text.npos || second == first + 1) return {};
  LexiconLine line{text.substr(0, first), text.substr(first + 1, second - first - 1)};
  const std::string_view number = text.substr(second + 1);
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), line.probability);
  // Numbers too small for a float are 0; those too large have no minus in their exponent.
  if (error == std::errc::result_out_of_range) {
    if (number.find("e-") == number.npos && number.find("E-") == number.npos) return {};
    line.probability = 0;
  }
  if ((error != std::errc() && error != std::errc::result_out_of_range) ||
      end != number.data() + number.size() || !(line.probability >= 0 && line.probability <= 1)) {
    return {};
  }
  return line;
}

}  // namespace

LexicalModel::LexicalModel(std::vector<std::vector<Entry>> rows) : rows_(std::move(rows)) {
  for (auto& row : rows_) {
    std::ranges::sort(row, [](const Entry& a, const Entry& b) {
      return a.probability != b.probability ? a.probability > b.probability : a.target < b.target;
    });
  }
}

float LexicalModel::probability(int32_t source, int32_t target) const {
  const auto row = likely(source);
  const auto found = std::ranges::find(row, target, &Entry::target);
  return found == row.end() ? 0 : found->probability;
}

LexicalModel read_lexicon(const TextFile& file, const Pieces& source, const Pieces& target) {
  std::vector<std::vector<LexicalModel::Entry>> rows(static_cast<size_t>(source.size()));
  LineReader reader(file, kMaxLineBytes);
  LineReader::Line text;
  uint64_t used = 0;
  while (reader.next(text)) {
    const auto line = parse_line(text.text);
    if (!line) {
      throw Error(
          fmt::format("{}, line {}: is not `target source probability`, separated by single spaces",
                      file.name, reader.number()));
    }
    const int32_t source_piece = source.id(line->source), target_piece = target.id(line->target);
    if (source_piece == kUnknownPiece || target_piece == kUnknownPiece) continue;
    rows[static_cast<size_t>(source_piece)].push_back({target_piece, line->probability});
    ++used;
  }
  if (used == 0) {
    throw Error(fmt::format(
        "{}: none of its {} lines has pieces of both vocabularies; a lexicon of the text as these "
        "vocabularies encode it is needed (`eatt corpus pieces encode`)",
        file.name, format_count(reader.number())));
  }
  if (used < reader.number()) {
    spdlog::warn("{}: {} of {} lines have a piece that is not in the vocabulary (or NULL)",
                 file.name, format_count(reader.number() - used), format_count(reader.number()));
  }
  return LexicalModel(std::move(rows));
}

}  // namespace eatt
